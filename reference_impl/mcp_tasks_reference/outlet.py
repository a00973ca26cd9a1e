"""Ways to the peer: where messages are put, and the queue that carries them to one stream."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Protocol

from mcp_tasks_reference import jsonrpc
from mcp_tasks_reference.jsonrpc import JsonObject


class Outlet(Protocol):
    """Somewhere that messages to the peer can be put, never waiting, in order."""

    @property
    def is_open(self) -> bool:
        """Whether somebody is listening at the other end."""

    def put(self, message: JsonObject) -> bool:
        """Send a message; false where nobody can get it."""

    def end(self) -> None:
        """Nothing more will be put: the exchange this outlet belongs to is over."""


class Outbox:
    """The outlet of a transport with one stream for everything."""

    def __init__(self, comfortable: int = 1000) -> None:
        self._messages: deque[JsonObject] = deque()
        self._comfortable = comfortable
        self._shut = False
        self._stirred = asyncio.Event()
        self._roomy = asyncio.Event()
        self._roomy.set()

    @property
    def is_open(self) -> bool:
        """Until it is shut."""
        return not self._shut

    def put(self, message: JsonObject) -> bool:
        """Queue a message."""
        if self._shut:
            return False
        self._messages.append(message)
        self._stirred.set()
        if len(self._messages) > self._comfortable:
            self._roomy.clear()
        return True

    def end(self) -> None:
        """An exchange is over; the stream goes on."""

    def shut(self) -> None:
        """Take no more messages; those queued are still carried."""
        self._shut = True
        self._stirred.set()

    async def room(self) -> None:
        """Wait while too many messages lie here: a peer that does not read is not read from."""
        await self._roomy.wait()

    async def carry(self, send: Callable[[str], Awaitable[None]]) -> None:
        """Send every message until the outbox is shut and empty."""
        while True:
            while self._messages:
                await send(jsonrpc.write(self._messages.popleft()))
                if len(self._messages) <= self._comfortable:
                    self._roomy.set()
            if self._shut:
                return
            self._stirred.clear()
            await self._stirred.wait()
