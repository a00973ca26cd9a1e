"""What the other side sent of its own accord, from the connection's first moment: requests and notifications."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from mcp_tasks_conformance.events import JsonValue
from mcp_tasks_conformance.peers.chatter import is_chatter
from mcp_tasks_conformance.wire.jsonrpc import Frame, FrameKind


@dataclass(frozen=True, slots=True)
class Incoming:
    """One request or notification of the other side."""

    frame: Frame
    stream: str
    at: float
    index: int

    def view(self) -> dict[str, JsonValue]:
        """The message as expectations see it: method, params and, for a request, id."""
        value = self.frame.value
        if not isinstance(value, Mapping):
            return {}
        return {key: value[key] for key in ("method", "params", "id") if key in value}


Predicate = Callable[[Incoming], bool]

MOST_HELD: Final = 10_000
"""So many messages are held before the older half of the notifications is forgotten, of chatter first."""


class Inbox:
    """Holds each message until it is taken, once; whoever waits is woken by the first that fits."""

    def __init__(self) -> None:
        self._held: list[Incoming] = []
        self._full_at = MOST_HELD
        self.forgetful = False
        """Whether anything was forgotten, so that what is not held may have come all the same."""
        self._waiting: list[tuple[Predicate, asyncio.Future[Incoming], bool]] = []

    def put(self, message: Incoming) -> None:
        """Deliver a message: to the first that waits for it, else to the shelf."""
        taken = False
        for predicate, waiter, takes in list(self._waiting):
            if waiter.done() or (takes and taken):
                continue
            try:
                fits = predicate(message)
            except Exception as problem:  # it is for whoever waits, not for what carries messages
                waiter.set_exception(problem)
                continue
            if fits:
                waiter.set_result(message)
                taken = taken or takes
        if not taken:
            self._held.append(message)
            if len(self._held) > self._full_at:
                self._make_room()

    def _make_room(self) -> None:
        self._forget_half(is_chatter)
        if len(self._held) > MOST_HELD:
            self._forget_half(lambda frame: frame.kind is FrameKind.NOTIFICATION)
        self._full_at = max(MOST_HELD, 2 * len(self._held))

    def _forget_half(self, fits: Callable[[Frame], bool]) -> None:
        """The older half of the messages that fit goes."""
        found = [message for message in self._held if fits(message.frame)]
        forgotten = {id(message) for message in found[: len(found) // 2]}
        self._held = [message for message in self._held if id(message) not in forgotten]
        self.forgetful = self.forgetful or bool(forgotten)

    def peek(self, predicate: Predicate) -> Incoming | None:
        """The first held message that fits, left where it is."""
        return next((message for message in self._held if predicate(message)), None)

    async def take(self, predicate: Predicate, *, within: float | None) -> Incoming:
        """The first message that fits, held or yet to come; it is consumed.

        Raises:
            TimeoutError: none came within so many seconds.
        """
        found = self.peek(predicate)
        if found is not None:
            self._held.remove(found)
            return found
        return await self._wait(predicate, within, takes=True)

    async def watch(self, predicate: Predicate, *, within: float | None) -> Incoming:
        """The next message that fits, not counting those already held; it is not consumed.

        Raises:
            TimeoutError: none came within so many seconds.
        """
        return await self._wait(predicate, within, takes=False)

    async def _wait(self, predicate: Predicate, within: float | None, *, takes: bool) -> Incoming:
        waiter: asyncio.Future[Incoming] = asyncio.get_running_loop().create_future()
        entry = (predicate, waiter, takes)
        self._waiting.append(entry)
        try:
            async with asyncio.timeout(within):
                return await waiter
        finally:
            self._waiting.remove(entry)
