"""A loop whose clock jumps: seconds take no time, and go the same way every time."""

from __future__ import annotations

import asyncio
import time

import pytest

from mcp_tasks_conformance.selftest.virtual_time import Deadlock, VirtualTimeLoop


def virtually(coroutine: object) -> object:
    with asyncio.Runner(loop_factory=VirtualTimeLoop) as runner:
        return runner.run(coroutine)  # type: ignore[arg-type]


def test_an_hour_takes_no_time() -> None:
    async def wait() -> float:
        await asyncio.sleep(3600)
        return asyncio.get_running_loop().time()

    began = time.monotonic()
    assert virtually(wait()) == pytest.approx(3600)
    assert time.monotonic() - began < 1


def test_timers_fire_in_their_order_and_at_their_time() -> None:
    seen: list[tuple[str, float]] = []

    async def at(name: str, seconds: float) -> None:
        await asyncio.sleep(seconds)
        seen.append((name, round(asyncio.get_running_loop().time(), 6)))

    async def all_of_them() -> None:
        await asyncio.gather(at("late", 2.5), at("early", 0.5), at("never", 60.0 * 60), at("middle", 1.0))

    virtually(all_of_them())
    assert seen == [("early", 0.5), ("middle", 1.0), ("late", 2.5), ("never", 3600.0)]


def test_a_timeout_ends_a_wait_that_nothing_else_would() -> None:
    async def wait() -> None:
        async with asyncio.timeout(30):
            await asyncio.Event().wait()

    with pytest.raises(TimeoutError):
        virtually(wait())


def test_a_wait_that_nothing_will_end_is_told_instead_of_going_on_for_ever() -> None:
    async def wait() -> None:
        await asyncio.Event().wait()

    with pytest.raises(Deadlock, match="nothing is ready and no timer is set"):
        virtually(wait())
