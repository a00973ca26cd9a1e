"""Which stage an attempt gets: one that is shared, or one of its own that nobody else has used."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager

from mcp_tasks_conformance.counting import counted
from mcp_tasks_conformance.engine.company import Company, Sharing
from mcp_tasks_conformance.engine.options import JOBS
from mcp_tasks_conformance.engine.pace import Pace
from mcp_tasks_conformance.engine.patience import Patience
from mcp_tasks_conformance.engine.stage import Doors, Stage
from mcp_tasks_conformance.events import JsonValue
from mcp_tasks_conformance.monitors.observation import Monitor
from mcp_tasks_conformance.targets.pool import InstancePool, Lease
from mcp_tasks_conformance.targets.target import Instance, Target

BEARABLE_PER_S = 10_000
"""So many messages of all connections are read in a part of the time there is."""
WEIGHED_EVERY_S = 0.5
"""How often at most the target's memory is looked at."""


class Stages:
    """Puts a stage around each instance that the pool lends.

    A target that serves many connections has one shared stage. Over stdio a process serves scenarios of equal client
    capabilities one after another, so the shared ones are as many as scenarios that run at once.
    """

    def __init__(
        self, target: Target, pool: InstancePool, monitors: Callable[[], Sequence[Monitor]], doors: Doors, pace: Pace
    ) -> None:
        self._pool = pool
        self._monitors = monitors
        self.transport = target.transport
        self.restartable = target.restartable
        self._one_user_each = target.transport == "stdio"
        self._of: dict[Instance, Stage] = {}
        self.doors = doors
        self.pace = pace
        self.sharing = Sharing()
        self.most_at_once = JOBS[target.transport]
        """So many scenarios run at once unless somebody says how many."""
        self._turn = asyncio.Lock()
        self.patience = Patience()
        """That of scenarios in company."""
        self.patience_alone = Patience(enough=1)
        """That of scenarios alone: what these do not see in vain, company may explain."""
        self.last_stderr: str | None = None
        """Of the latest instance that printed anything; of one that was lost, where there was any."""
        self._lost_stderr: str | None = None
        self.peak_memory_mb: float | None = None
        self._weigh_at = 0.0

    def spare_ourselves(self, chatter_per_s: float) -> str | None:
        """Run no more at once than we can follow where each connection says so much; a line for people if that is less.

        What lies before an answer has to be read first: with too much of it every answer seems late.
        """
        usual = self.most_at_once
        if chatter_per_s * usual <= BEARABLE_PER_S:
            return None
        self.most_at_once = max(1, int(BEARABLE_PER_S / chatter_per_s))
        much = f"it sends some {chatter_per_s:.0f} messages a second that nobody asked for, to each connection"
        return f"{much}, so no more than {counted(self.most_at_once, 'scenario')} run at once"

    @asynccontextmanager
    async def shared(self, capabilities: Mapping[str, JsonValue]) -> AsyncIterator[Stage]:
        """A stage that other scenarios use too: at the same time, or over stdio one after another.

        Raises:
            UnreachableTarget: there was none, and none could be started.
        """
        key = json.dumps(capabilities, sort_keys=True) if self._one_user_each else None
        async with AsyncExitStack() as held:
            if self.sharing.company is not Company.TOGETHER:
                await held.enter_async_context(self._turn)
            if self.sharing.company is Company.APART:
                yield await held.enter_async_context(self.fresh())
                return
            lease = await held.enter_async_context(self._pool.shared(key))
            stage = self._stage(lease, self.patience)
            try:
                yield stage
            finally:
                await stage.tidy()
                self._look_back(stage)
                if not stage.alive:
                    lease.discard()

    @asynccontextmanager
    async def fresh(self, *, another_follows: bool = False) -> AsyncIterator[Stage]:
        """A stage of one's own, as new as the target can be made.

        Raises:
            UnreachableTarget: it could not be started.
        """
        async with self._pool.fresh(another_follows=another_follows) as lease:
            stage = self._stage(lease, self.patience_alone)
            stage.start_again = self._pool.restarted
            try:
                yield stage
            finally:
                await stage.tidy()
                self._look_back(stage)
                for instance in (lease.instance, stage.instance):
                    self._of.pop(instance, None)  # nobody gets it again
                if stage.instance is not lease.instance:
                    self._pool.let_go(stage.instance)

    def _stage(self, lease: Lease, patience: Patience) -> Stage:
        stage = self._of.get(lease.instance)
        if stage is None:
            single = lease.instance.single_connection
            stage = Stage(lease.instance, self._monitors, self.doors, self.pace, single=single)
            self._of[lease.instance] = stage
        stage.doors, stage.pace, stage.patience = self.doors, self.pace, patience
        stage.ends_sessions = self.sharing.ends_sessions
        return stage

    def _look_back(self, stage: Stage) -> None:
        """Remember what the target printed last and the most memory that it was seen to use."""
        now = asyncio.get_running_loop().time()
        if now >= self._weigh_at:  # reading it means walking the process tree: not after every scenario
            self._weigh_at = now + WEIGHED_EVERY_S
            memory = stage.instance.memory_mb()
            if memory is not None:
                self.peak_memory_mb = max(memory, self.peak_memory_mb or 0.0)
        tail = stage.instance.stderr_tail()
        if stage.lost:
            self._lost_stderr = tail or self._lost_stderr
        self.last_stderr = self._lost_stderr or tail or self.last_stderr
        if not stage.alive:
            self._of.pop(stage.instance, None)
