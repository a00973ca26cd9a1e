"""The other side of a connection under test, played by the test itself in memory."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from mcp_tasks_conformance.peers.connection import Connection, Watched
from mcp_tasks_conformance.wire.memory import MemoryTransport
from mcp_tasks_conformance.wire.transcript import Transcript

Receive = Callable[[], Awaitable[str | None]]
Send = Callable[[str], Awaitable[None]]
Story = Callable[["OtherSide"], Awaitable[None]]


class OtherSide:
    """What the story of a test says and hears."""

    def __init__(self, receive: Receive, send: Send) -> None:
        self._receive = receive
        self._send = send

    async def hear(self) -> Any:
        """The next message, or None once the connection is closed."""
        text = await self._receive()
        return None if text is None else json.loads(text)

    async def hear_text(self) -> str | None:
        return await self._receive()

    async def say(self, message: Mapping[str, Any] | str) -> None:
        text = message if isinstance(message, str) else json.dumps({"jsonrpc": "2.0", **message})
        await self._send(text)

    async def answer(self, request: Any, result: Mapping[str, Any]) -> None:
        await self.say({"id": request["id"], "result": result})


class _Stage:
    def __init__(self, story: Story) -> None:
        self._story = story

    async def serve(self, receive: Receive, send: Send, headers: Mapping[str, str]) -> None:
        await self._story(OtherSide(receive, send))
        while await receive() is not None:
            pass


class Talk:
    """A connection to a story; an async context manager that leaves no task behind."""

    def __init__(self, story: Story) -> None:
        self._story = story
        self.watched: list[Watched] = []

    async def __aenter__(self) -> Connection:
        self._before = asyncio.all_tasks()
        self.transcript = Transcript()
        self.connection = Connection(
            label="memory 1/1", transport_kind="memory", watcher=lambda _, seen: self.watched.append(seen)
        )
        self.connection.attach(self.transcript, "main")
        self.connection.bind(MemoryTransport(_Stage(self._story), self.connection, {}))
        return self.connection

    async def __aexit__(self, *_: object) -> None:
        await self.connection.close()
        assert asyncio.all_tasks() <= self._before
