"""Running instances of one target, handed out to scenarios and all stopped at the end."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Self

from mcp_tasks_conformance.targets.errors import UnreachableTarget
from mcp_tasks_conformance.targets.target import OutlivingTarget

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Hashable
    from types import TracebackType

    from mcp_tasks_conformance.targets.target import Instance, Target

IDLE_LIMIT = 4
"""How many stdio processes may wait for another scenario of their key."""
LEAST_STOP_S = 0.2
"""So long each may take to stop in good order, however late it is."""


@dataclass(slots=True, eq=False)
class Lease:
    """An instance in a scenario's hands."""

    instance: Instance
    used_before: bool
    """Whether a scenario had it before: over stdio it is initialized already."""
    _held: _Held | None = field(default=None, repr=False)

    def discard(self) -> None:
        """Hand it to nobody any more: it is not what it was, or nobody knows what it is."""
        if self._held is not None:
            self._held.discarded = True


@dataclass(slots=True, eq=False)
class _Held:
    """A shared instance, who has it and for whom it is."""

    instance: Instance
    key: Hashable
    users: int = 0
    uses: int = 0
    discarded: bool = False

    @property
    def usable(self) -> bool:
        return not self.discarded and not self.instance.gone.is_set()


class InstancePool:
    """Hands out instances; an async context manager whose end stops every one of them, cancelled or not."""

    def __init__(self, target: Target) -> None:
        self._target = target
        self._one_user_each = target.transport == "stdio"
        self._shared: list[_Held] = []
        self._running: set[Instance] = set()
        self._starting_shared = asyncio.Lock()
        self._spare: asyncio.Task[Instance | UnreachableTarget] | None = None
        self._tasks = asyncio.TaskGroup()
        self._stops: dict[Instance, asyncio.Task[None]] = {}
        self.stop_by: float | None = None
        """When, by the loop's clock, all have to have stopped: those that have not are then ended by force."""

    async def __aenter__(self) -> Self:
        """Begin; nothing is started before it is asked for."""
        await self._tasks.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop all instances, at the same time."""
        if self._spare is not None:
            self._spare.cancel()
        try:
            await self._stop_all()
        finally:
            for stop in self._stops.values():
                stop.cancel()
            await self._tasks.__aexit__(None, None, None)

    async def _stop_all(self) -> None:
        for instance in self._running:
            self._stop_soon(instance)
        if self._stops:
            await asyncio.wait(self._stops.values(), timeout=self._left_s())
        if isinstance(self._target, OutlivingTarget):
            with suppress(TimeoutError):
                async with asyncio.timeout(self._left_s()):
                    await self._target.leave()

    def _left_s(self) -> float | None:
        """How long stopping may still take."""
        left = None if self.stop_by is None else self.stop_by - asyncio.get_running_loop().time()
        return None if left is None else max(left, LEAST_STOP_S)

    @asynccontextmanager
    async def shared(self, key: Hashable = None) -> AsyncIterator[Lease]:
        """Lend an instance that others use too: over HTTP and in memory at the same time, over stdio one by one.

        Args:
            key: over stdio, what the process is initialized with; only scenarios of the same key get it again.

        Raises:
            UnreachableTarget: there was none, and none could be started.
        """
        held = await self._take(key)
        held.users += 1
        held.uses += 1
        try:
            yield Lease(held.instance, held.uses > 1, held)
        except BaseException:
            # Over stdio whoever comes next would meet an unfinished conversation.
            held.discarded = held.discarded or self._one_user_each
            raise
        finally:
            held.users -= 1
            self._shared.remove(held)
            self._shared.append(held)
            self._sort_out()

    @asynccontextmanager
    async def fresh(self, *, another_follows: bool = False) -> AsyncIterator[Lease]:
        """Start an instance that nobody else gets, and stop it in the background afterwards.

        Args:
            another_follows: whether to start a spare one meanwhile for the next who asks (stdio).

        Raises:
            UnreachableTarget: it could not be started.
        """
        instance = await self._spare_or_new()
        try:
            if another_follows and self._one_user_each and self._spare is None:
                self._spare = self._tasks.create_task(self._start_ahead())
            yield Lease(instance, used_before=False)
        finally:
            self._stop_soon(instance)

    async def restarted(self, instance: Instance) -> Instance:
        """Stop an instance and start another in its place, which ends with ``let_go`` or with the pool.

        Raises:
            UnreachableTarget: it does not start again.
        """
        await self._stop(instance)
        return await self._new()

    def let_go(self, instance: Instance) -> None:
        """Nobody needs what ``restarted`` gave any more."""
        self._stop_soon(instance)

    async def _take(self, key: Hashable) -> _Held:
        if self._one_user_each:
            waiting = [held for held in self._shared if held.key == key and held.usable and not held.users]
            if waiting:
                return waiting[-1]
            held = _Held(await self._spare_or_new(), key)
            self._shared.append(held)
            return held
        async with self._starting_shared:
            for held in self._shared:
                if held.usable:
                    return held
            held = _Held(await self._new(), None)
            self._shared.append(held)
            return held

    def _sort_out(self) -> None:
        """Stop what nobody uses and nobody shall have again; the list has the latest used last."""
        idle = [held for held in self._shared if not held.users]
        surplus = [held for held in idle if held.usable][: -IDLE_LIMIT or None]
        for held in idle:
            if not held.usable or held in surplus:
                self._shared.remove(held)
                self._stop_soon(held.instance)

    async def _spare_or_new(self) -> Instance:
        if self._spare is not None:
            spare, self._spare = self._spare, None
            instance = await spare
            if isinstance(instance, UnreachableTarget):
                raise instance
            if not instance.gone.is_set():
                return instance
            self._stop_soon(instance)
        return await self._new()

    async def _new(self) -> Instance:
        instance = await self._target.start()
        self._running.add(instance)
        return instance

    async def _start_ahead(self) -> Instance | UnreachableTarget:
        try:
            return await self._new()
        except UnreachableTarget as error:
            return error

    def _stop_soon(self, instance: Instance) -> None:
        if instance not in self._stops:
            stop = self._stops[instance] = self._tasks.create_task(self._stop(instance))
            stop.add_done_callback(lambda _: self._stops.pop(instance))

    async def _stop(self, instance: Instance) -> None:
        await instance.stop()
        self._running.discard(instance)
