"""A target's process ends clean and in time, whatever it does. That none is left is looked after for every test."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from typing import TYPE_CHECKING

import psutil
import pytest

from mcp_tasks_conformance.targets.process import Graces, TargetProcess

if TYPE_CHECKING:
    from pathlib import Path

    from tests.targets.conftest import Script

SHORT = Graces(end_of_input_s=0.2, terminate_s=0.2, kill_s=2.0)


async def first_line(process: TargetProcess) -> bytes:
    async with asyncio.timeout(5):
        return await process.reader.readline()


async def test_a_process_in_good_order_ends_by_itself_when_its_input_ends(script: Script) -> None:
    process = await TargetProcess.start(script("answers"), speaks_stdio=True)
    process.writer.write(b'{"id": 1}\n')
    assert json.loads(await first_line(process))["id"] == 1
    assert not process.gone.is_set()
    assert process.exit_code is None
    await process.stop()
    assert process.gone.is_set()
    assert process.exit_code == 0


async def test_one_that_ignores_the_end_of_its_input_and_sigterm_is_killed(script: Script) -> None:
    process = await TargetProcess.start(script("will_not_end"), speaks_stdio=True, graces=SHORT)
    await first_line(process)
    began = asyncio.get_running_loop().time()
    await process.stop()
    assert process.exit_code == -signal.SIGKILL
    assert 0.4 <= asyncio.get_running_loop().time() - began < 1.5


async def test_one_that_only_ignores_the_end_of_its_input_is_terminated(script: Script) -> None:
    process = await TargetProcess.start(script("never_reads"), speaks_stdio=True, graces=SHORT)
    await first_line(process)
    await process.stop()
    assert process.exit_code == -signal.SIGTERM


async def test_what_a_process_leaves_behind_is_ended_too(script: Script) -> None:
    process = await TargetProcess.start(script("leaves_children"), speaks_stdio=True)
    near, far, daemon = json.loads(await first_line(process))
    assert psutil.pid_exists(near)
    assert os.getpgid(near) == process.pid
    assert os.getpgid(far) == far
    assert psutil.Process(daemon).ppid() != process.pid
    began = asyncio.get_running_loop().time()
    await process.stop()
    assert process.exit_code == 0
    assert asyncio.get_running_loop().time() - began < 1.5
    assert not any(psutil.pid_exists(pid) and psutil.Process(pid).status() != "zombie" for pid in (near, far, daemon))


async def test_a_process_that_dies_is_noticed_although_its_children_hold_the_pipes(script: Script) -> None:
    process = await TargetProcess.start(script("leaves_children"), speaks_stdio=True)
    await first_line(process)
    os.kill(process.pid, signal.SIGKILL)
    async with asyncio.timeout(5):
        await process.gone.wait()
    assert process.exit_code == -signal.SIGKILL
    await process.stop()


async def test_a_flood_of_stderr_neither_blocks_the_target_nor_fills_memory(script: Script) -> None:
    process = await TargetProcess.start(script("floods_stderr"), speaks_stdio=True)
    process.writer.write(b"{}\n")
    assert await first_line(process) == b"{}\n"
    await process.stop()
    assert process.printed().endswith("debug line number 199999")
    assert len(process.printed()) <= 16 * 1024


async def test_a_process_that_still_writes_when_it_is_stopped_is_not_stuck(script: Script) -> None:
    process = await TargetProcess.start(script("writes_a_long_line"), speaks_stdio=True)
    await process.reader.read(10)
    await process.stop()
    assert process.exit_code == 0


async def test_one_that_writes_without_end_is_terminated(script: Script) -> None:
    process = await TargetProcess.start(script("writes_without_end"), speaks_stdio=True, graces=SHORT)
    await process.reader.read(10)
    await process.stop()
    assert process.exit_code == -signal.SIGTERM


async def test_stopping_is_safe_to_call_twice_and_at_the_same_time(script: Script) -> None:
    process = await TargetProcess.start(script("answers"), speaks_stdio=True)
    async with asyncio.TaskGroup() as both:
        both.create_task(process.stop())
        both.create_task(process.stop())
    await process.stop()
    assert process.exit_code == 0


async def test_stopping_that_is_cancelled_kills_at_once(script: Script) -> None:
    process = await TargetProcess.start(script("will_not_end"), speaks_stdio=True)
    await first_line(process)
    stopping = asyncio.create_task(process.stop())
    await asyncio.sleep(0.05)
    began = asyncio.get_running_loop().time()
    stopping.cancel()
    with pytest.raises(asyncio.CancelledError):
        await stopping
    assert process.exit_code == -signal.SIGKILL
    assert asyncio.get_running_loop().time() - began < 1


async def test_without_stdio_its_input_is_empty_and_its_output_is_for_people() -> None:
    code = "import sys; print('out', sys.stdin.read() == '', flush=True); print('err', file=sys.stderr)"
    process = await TargetProcess.start([sys.executable, "-S", "-c", code], speaks_stdio=False)
    async with asyncio.timeout(5):
        await process.gone.wait()
    assert await process.printed_all(5) == "out True\nerr"
    await process.stop()


async def test_it_has_the_variables_and_the_folder_that_it_was_given(tmp_path: Path) -> None:
    code = "import os; print(os.environ['GIVEN'], os.getcwd(), 'PATH' in os.environ)"
    process = await TargetProcess.start(
        [sys.executable, "-S", "-c", code],
        speaks_stdio=True,
        env={"GIVEN": "value"},
        cwd=tmp_path,
    )
    assert await first_line(process) == f"value {tmp_path} True\n".encode()
    await process.stop()


async def test_its_memory_is_that_of_all_its_processes(script: Script) -> None:
    process = await TargetProcess.start(script("leaves_children"), speaks_stdio=True)
    await first_line(process)
    alone = psutil.Process(process.pid).memory_info().rss / 2**20
    async with asyncio.timeout(5):
        # Its children are still growing, which no event tells.
        while (process.memory_mb() or 0) < 2 * alone:  # noqa: ASYNC110
            await asyncio.sleep(0.01)
    await process.stop()
    assert process.memory_mb() is None
