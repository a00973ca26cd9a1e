"""The pool lends what can be shared, starts what must be fresh, and stops all of it whatever happens."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Mapping
from typing import TYPE_CHECKING

import pytest

from mcp_tasks_conformance.events import JsonValue
from mcp_tasks_conformance.targets.command import CommandTarget, StdioInstance
from mcp_tasks_conformance.targets.errors import UnreachableTarget
from mcp_tasks_conformance.targets.http_command import CommandHttpTarget
from mcp_tasks_conformance.targets.pool import IDLE_LIMIT, InstancePool
from mcp_tasks_conformance.targets.process import Graces

if TYPE_CHECKING:
    from tests.targets.conftest import Script


class Watched:
    """A stdio target that remembers what it started."""

    transport = "stdio"
    restartable = True

    def __init__(self, target: CommandTarget) -> None:
        self._target = target
        self.facts: Mapping[str, JsonValue] = target.facts
        self.started: list[StdioInstance] = []
        self.news = asyncio.Condition()
        self.fails = False
        self.may_start = asyncio.Event()
        self.may_start.set()

    async def start(self) -> StdioInstance:
        await self.may_start.wait()
        if self.fails:
            raise UnreachableTarget("it fails")
        instance = await self._target.start()
        self.started.append(instance)
        async with self.news:
            self.news.notify_all()
        return instance

    async def until_started(self, count: int) -> None:
        async with asyncio.timeout(5), self.news:
            await self.news.wait_for(lambda: len(self.started) >= count)

    @property
    def alive(self) -> list[str]:
        return [instance.name for instance in self.started if not instance.gone.is_set()]


@pytest.fixture
def target(script: Script) -> Watched:
    return Watched(CommandTarget(script("answers")))


async def died(instance: StdioInstance) -> None:
    os.kill(instance.process.pid, signal.SIGKILL)
    async with asyncio.timeout(5):
        await instance.gone.wait()


async def test_nothing_is_started_before_it_is_asked_for(target: Watched) -> None:
    async with InstancePool(target):
        pass
    assert target.started == []


async def test_over_stdio_scenarios_of_one_key_get_the_process_one_after_another(target: Watched) -> None:
    async with InstancePool(target) as pool:
        async with pool.shared("a") as first:
            assert not first.used_before
        async with pool.shared("a") as second:
            assert second.used_before
            assert second.instance is first.instance
    assert len(target.started) == 1


async def test_over_stdio_two_at_the_same_time_get_a_process_each(target: Watched) -> None:
    async with InstancePool(target) as pool, pool.shared("a") as first, pool.shared("a") as second:
        assert first.instance is not second.instance


async def test_over_stdio_another_key_gets_another_process(target: Watched) -> None:
    async with InstancePool(target) as pool:
        async with pool.shared("a") as first:
            pass
        async with pool.shared("b") as second:
            assert second.instance is not first.instance


async def test_only_so_many_processes_wait_for_their_key(target: Watched) -> None:
    async with InstancePool(target) as pool:
        for key in range(IDLE_LIMIT + 1):
            async with pool.shared(key):
                pass
        async with asyncio.timeout(5):
            await target.started[0].gone.wait()
        assert target.alive == [f"stdio {number}" for number in range(2, IDLE_LIMIT + 2)]
        async with pool.shared(1) as lease:
            assert lease.used_before


async def test_over_http_all_share_one_instance_that_is_started_once(script: Script) -> None:
    async with InstancePool(CommandHttpTarget(script("serves_http"))) as pool:

        async def name() -> str:
            async with pool.shared() as lease:
                return lease.instance.name

        async with asyncio.TaskGroup() as users:
            tasks = [users.create_task(name()) for _ in range(5)]
        assert {task.result() for task in tasks} == {"http 1"}


async def test_a_discarded_instance_is_replaced_and_stopped_once_nobody_has_it(script: Script) -> None:
    async with InstancePool(CommandHttpTarget(script("serves_http"))) as pool:
        async with pool.shared() as first:
            async with pool.shared() as second:
                second.discard()
            async with pool.shared() as third:
                assert third.instance is not first.instance
            assert not first.instance.gone.is_set()
        async with asyncio.timeout(5):
            await first.instance.gone.wait()


async def test_a_dead_instance_is_replaced(target: Watched) -> None:
    async with InstancePool(target) as pool:
        async with pool.shared("a"):
            pass
        await died(target.started[0])
        async with pool.shared("a") as lease:
            assert not lease.used_before
            assert not lease.instance.gone.is_set()


async def test_over_stdio_a_process_in_whose_use_something_failed_is_replaced(target: Watched) -> None:
    async with InstancePool(target) as pool:
        with pytest.raises(ZeroDivisionError):
            async with pool.shared("a"):
                raise ZeroDivisionError
        async with pool.shared("a") as lease:
            assert not lease.used_before


async def test_a_fresh_instance_is_used_once_and_stopped(target: Watched) -> None:
    async with InstancePool(target) as pool:
        async with pool.fresh() as lease:
            assert not lease.used_before
        async with asyncio.timeout(5):
            await target.started[0].gone.wait()
        async with pool.fresh() as other:
            assert other.instance is not lease.instance


async def test_a_spare_is_started_ahead_only_where_another_will_be_wanted(target: Watched) -> None:
    async with InstancePool(target) as pool:
        async with pool.fresh():
            await asyncio.sleep(0.05)
            assert len(target.started) == 1
        async with pool.fresh(another_follows=True):
            await target.until_started(3)
        async with pool.fresh(another_follows=True) as lease:
            assert lease.instance is target.started[2]
            await target.until_started(4)
    assert len(target.started) == 4


async def test_a_spare_that_died_meanwhile_is_replaced(target: Watched) -> None:
    async with InstancePool(target) as pool:
        async with pool.fresh(another_follows=True):
            await target.until_started(2)
        await died(target.started[1])
        async with pool.fresh() as lease:
            assert lease.instance is target.started[2]


async def test_a_spare_that_cannot_be_started_fails_whoever_wants_it(target: Watched) -> None:
    async with InstancePool(target) as pool:
        async with pool.fresh(another_follows=True):
            target.fails = True
            await asyncio.sleep(0)
        with pytest.raises(UnreachableTarget):
            async with pool.fresh():
                pass
        target.fails = False
        async with pool.fresh() as lease:
            assert not lease.instance.gone.is_set()


async def test_the_pool_ends_although_its_spare_is_still_starting(target: Watched) -> None:
    async with asyncio.timeout(5):
        async with InstancePool(target) as pool, pool.fresh(another_follows=True):
            target.may_start.clear()
    assert len(target.started) == 1


async def test_an_instance_that_cannot_be_started_fails_whoever_wants_it(target: Watched) -> None:
    target.fails = True
    async with InstancePool(target) as pool:
        with pytest.raises(UnreachableTarget):
            async with pool.shared("a"):
                pass


async def test_whoever_waits_for_a_start_that_was_cancelled_starts_anew(script: Script) -> None:
    async with InstancePool(CommandHttpTarget(script("serves_http", "--delay", "0.2"))) as pool:

        async def name() -> str:
            async with pool.shared() as lease:
                return lease.instance.name

        first, second = asyncio.create_task(name()), asyncio.create_task(name())
        await asyncio.sleep(0.05)
        first.cancel()
        assert await second == "http 1"
        assert first.cancelled()


async def test_all_are_stopped_when_the_run_is_cancelled(target: Watched) -> None:
    async def run() -> None:
        async with InstancePool(target) as pool:
            async with pool.shared("a"):
                pass
            async with pool.shared("b"), pool.fresh(another_follows=True):
                await target.until_started(4)
                await asyncio.Event().wait()

    running = asyncio.create_task(run())
    await target.until_started(4)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert target.alive == []


async def test_an_exception_leaves_the_pool_as_it_is(target: Watched) -> None:
    with pytest.raises(ZeroDivisionError):
        async with InstancePool(target) as pool, pool.shared("a"):
            raise ZeroDivisionError
    assert target.alive == []


async def test_stubborn_instances_are_stopped_at_the_same_time(script: Script) -> None:
    graces = Graces(end_of_input_s=0.3, terminate_s=0.3, kill_s=2.0)
    target = Watched(CommandTarget(script("will_not_end"), graces=graces))
    async with InstancePool(target) as pool:
        async with pool.shared("a"), pool.shared("b"), pool.shared("c"):
            for instance in target.started:
                await instance.process.reader.readline()
        began = asyncio.get_running_loop().time()
    assert asyncio.get_running_loop().time() - began < 1.5
    assert target.alive == []


async def test_what_does_not_stop_in_time_is_ended_by_force(script: Script) -> None:
    target = Watched(CommandTarget(script("will_not_end")))
    loop = asyncio.get_running_loop()
    async with InstancePool(target) as pool:
        async with pool.shared("a"), pool.fresh():
            pass
        began = loop.time()
        pool.stop_by = began + 0.3
    assert loop.time() - began < 1.5
    assert target.alive == []
