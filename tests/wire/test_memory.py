"""The in-memory transport serves one connection of an application in a task of its own."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable, Mapping

import pytest

from mcp_tasks_conformance.wire import memory
from mcp_tasks_conformance.wire.memory import MemoryTransport
from tests.wire.recording import RecordingSink

Receive = Callable[[], Awaitable[str | None]]
Send = Callable[[str], Awaitable[None]]


class App:
    """An application that does what one function does."""

    def __init__(self, serve: Callable[[Receive, Send], Awaitable[None]]) -> None:
        self._serve = serve
        self.headers: Mapping[str, str] = {}

    async def serve(self, receive: Receive, send: Send, headers: Mapping[str, str]) -> None:
        self.headers = headers
        await self._serve(receive, send)

    async def close(self) -> None:
        """Nothing is held."""


async def echo(receive: Receive, send: Send) -> None:
    while (text := await receive()) is not None:
        await send(text)


async def test_messages_go_both_ways_in_order() -> None:
    sink = RecordingSink()
    transport = MemoryTransport(App(echo), sink, {})
    streams = [await transport.send(text) for text in ("a", "not json", "")]
    assert sink.messages == []
    await sink.until(lambda: len(sink.messages) == 3)
    await transport.close()
    assert streams == ["memory"] * 3
    assert sink.messages == [("memory", "a"), ("memory", "not json"), ("memory", "")]
    assert sink.closings == []


async def test_the_application_may_speak_first_and_sees_the_headers() -> None:
    async def greet(receive: Receive, send: Send) -> None:
        await send("hello")
        await receive()

    app, sink = App(greet), RecordingSink()
    transport = MemoryTransport(app, sink, {"Authorization": "Bearer x"})
    await sink.until(lambda: sink.messages)
    await transport.close()
    assert app.headers == {"Authorization": "Bearer x"}


async def test_closing_tells_the_application_and_lets_it_finish() -> None:
    finished: list[object] = []

    async def serve(receive: Receive, send: Send) -> None:
        finished.append(await receive())
        await asyncio.sleep(0)
        await send("too late")
        finished.append(await receive())

    sink = RecordingSink()
    transport = MemoryTransport(App(serve), sink, {})
    await transport.close()
    await transport.close()
    assert finished == [None, None]
    assert sink.log == []


async def test_an_application_that_does_not_finish_is_cancelled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "_GRACE_S", 0.02)
    cancelled = False

    async def serve(receive: Receive, send: Send) -> None:
        nonlocal cancelled
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            cancelled = True
            raise

    transport = MemoryTransport(App(serve), RecordingSink(), {})
    await asyncio.sleep(0)
    await transport.close()
    assert cancelled
    assert asyncio.all_tasks() == {asyncio.current_task()}


async def fails(receive: Receive, send: Send) -> None:
    await receive()
    raise ValueError("broken")


async def exits(receive: Receive, send: Send) -> None:
    await receive()
    sys.exit(3)


async def returns(receive: Receive, send: Send) -> None:
    await receive()


async def cancels_itself(receive: Receive, send: Send) -> None:
    await receive()
    raise asyncio.CancelledError


@pytest.mark.parametrize(
    ("serve", "reason"),
    [
        (fails, "the application failed: ValueError: broken"),
        (exits, "the application exited with 3"),
        (returns, "the application ended the connection"),
        (cancels_itself, "the application cancelled itself"),
    ],
)
async def test_however_the_application_ends_the_connection_is_gone(
    serve: Callable[[Receive, Send], Awaitable[None]], reason: str
) -> None:
    sink = RecordingSink()
    transport = MemoryTransport(App(serve), sink, {})
    await transport.send("go")
    await sink.until(lambda: sink.closings)
    with pytest.raises(ConnectionError, match=reason):
        await transport.send("more")
    await transport.close()
    assert sink.closings == [reason]


async def test_there_is_no_listening_stream_and_nothing_to_drop() -> None:
    sink = RecordingSink()
    transport = MemoryTransport(App(echo), sink, {})
    assert await transport.listen() is None
    await transport.drop("memory")
    await transport.send("x")
    await sink.until(lambda: sink.messages)
    await transport.close()
    with pytest.raises(ConnectionError):
        await transport.send("y")
