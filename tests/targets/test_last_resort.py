"""No process outlives the harness, however suddenly that ends. That none is left is looked after for every test."""

from __future__ import annotations

import asyncio
import signal
import sys
from pathlib import Path

import pytest

HARNESS = (sys.executable, str(Path(__file__).parent / "data" / "harness.py"))


async def started(ending: str, target: str = "never_reads") -> asyncio.subprocess.Process:
    pipe = asyncio.subprocess.PIPE
    return await asyncio.create_subprocess_exec(*HARNESS, target, ending, stdout=pipe, stderr=pipe)


async def ended(harness: asyncio.subprocess.Process) -> tuple[int | None, str, str]:
    async with asyncio.timeout(8):
        out, err = await harness.communicate()
    return harness.returncode, out.decode(), err.decode()


@pytest.mark.parametrize(
    ("number", "target"),
    [(signal.SIGTERM, "never_reads"), (signal.SIGTERM, "will_not_end"), (signal.SIGHUP, "never_reads")],
)
async def test_a_signal_that_ends_the_harness_ends_the_target(number: signal.Signals, target: str) -> None:
    harness = await started("waits", target)
    assert harness.stdout is not None
    await harness.stdout.readline()
    harness.send_signal(number)
    code, _, complaints = await ended(harness)
    assert code == -number
    assert complaints == ""


@pytest.mark.parametrize("ending", ["waits", "pooled"])
async def test_an_interrupt_ends_the_target(ending: str) -> None:
    harness = await started(ending)
    assert harness.stdout is not None
    await harness.stdout.readline()
    harness.send_signal(signal.SIGINT)
    code, _, complaints = await ended(harness)
    assert code != 0
    assert "KeyboardInterrupt" in complaints


async def test_an_exception_that_ends_the_harness_ends_the_target() -> None:
    code, _, complaints = await ended(await started("fails"))
    assert code == 1
    assert "ZeroDivisionError" in complaints


async def test_an_exit_of_the_harness_ends_the_target() -> None:
    code, _, _ = await ended(await started("exits"))
    assert code == 5


async def test_a_forked_worker_leaves_the_targets_of_its_parent_alone() -> None:
    code, out, _ = await ended(await started("forks"))
    assert (code, out) == (0, "alive")
