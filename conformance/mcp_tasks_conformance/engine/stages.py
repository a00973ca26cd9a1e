"""Which stage an attempt gets: one that is shared, or one of its own that nobody else has used."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager

from mcp_tasks_conformance.engine.pace import Pace
from mcp_tasks_conformance.engine.stage import Doors, Stage
from mcp_tasks_conformance.events import JsonValue
from mcp_tasks_conformance.monitors.observation import Monitor
from mcp_tasks_conformance.targets.target import Target


class Stages:
    """Starts instances as they are needed and stops them all at the end.

    A target that serves many connections has one shared stage. Over stdio a process serves scenarios of equal client
    capabilities one after another, so the shared ones are as many as scenarios that run at once.
    """

    def __init__(self, target: Target, monitors: Callable[[], Sequence[Monitor]], doors: Doors, pace: Pace) -> None:
        self._target = target
        self._monitors = monitors
        self.doors = doors
        self.pace = pace
        self._idle: list[Stage] = []
        self._open: set[Stage] = set()
        self._starting = asyncio.Lock()
        self.last_stderr: str | None = None
        self.peak_memory_mb: float | None = None

    async def start(self) -> Stage:
        """A new instance of the target, in nobody's use.

        Raises:
            UnreachableTarget: it does not start.
        """
        instance = await self._target.start()
        stage = Stage(instance, self._monitors(), self.doors, self.pace, single=instance.single_connection)
        self._open.add(stage)
        return stage

    def adopt(self, stage: Stage) -> None:
        """Let a stage be shared from here on."""
        self._idle.append(stage)

    @asynccontextmanager
    async def shared(self, capabilities: Mapping[str, JsonValue]) -> AsyncIterator[Stage]:
        """A stage that other scenarios use too: at the same time, or over stdio one after another."""
        stage = await self._take(capabilities)
        try:
            yield stage
        finally:
            await self._give_back(stage)

    async def _take(self, capabilities: Mapping[str, JsonValue]) -> Stage:
        async with self._starting:
            for stage in list(self._idle):
                if not stage.alive:
                    self._idle.remove(stage)
                    if not stage.users:
                        await self.stop(stage)
                elif stage.fits(capabilities):
                    if stage.single:
                        self._idle.remove(stage)
                    stage.users += 1
                    return stage
            stage = await self.start()
            stage.users += 1
            if not stage.single:
                self._idle.append(stage)
            return stage

    async def _give_back(self, stage: Stage) -> None:
        stage.users -= 1
        if stage.users:
            return
        if not stage.alive:
            if stage in self._idle:
                self._idle.remove(stage)
            await self.stop(stage)
        elif stage.single:
            self._idle.append(stage)

    @asynccontextmanager
    async def fresh(self) -> AsyncIterator[Stage]:
        """A stage of one's own, as new as the target can be made."""
        stage = await self.start()
        try:
            yield stage
        finally:
            await self.stop(stage)

    async def stop(self, stage: Stage) -> None:
        """Stop an instance and remember what it printed last."""
        self._open.discard(stage)
        memory = stage.instance.memory_mb()
        if memory is not None:
            self.peak_memory_mb = max(memory, self.peak_memory_mb or 0.0)
        await stage.close()
        self.last_stderr = stage.instance.stderr_tail() or self.last_stderr

    async def close(self) -> None:
        """Stop every instance."""
        self._idle.clear()
        await asyncio.gather(*(self.stop(stage) for stage in list(self._open)))
