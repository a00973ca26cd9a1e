"""A session: its header, its order, its end, and requests of one's own making."""

from __future__ import annotations

import asyncio

import pytest

from mcp_tasks_conformance.events import SeenKind
from mcp_tasks_conformance.wire import jsonrpc
from tests.wire.conftest import Connect
from tests.wire.raw_server import EVENTS, Asked, RawServer, Wire, answer, event, response, result

INITIALIZE = jsonrpc.encode(jsonrpc.request(0, "initialize", {}))
INITIALIZED = jsonrpc.encode(jsonrpc.notification("notifications/initialized"))
PING = jsonrpc.encode(jsonrpc.request(1, "ping"))


def server_with_sessions(*, events: bool = False, status: int = 200) -> RawServer:
    """Gives a session with every answer, a new one each time."""
    number = 0

    async def script(asked: Asked, wire: Wire) -> None:
        nonlocal number
        number += 1
        if asked.method == "POST" and "id" in asked.message and events:
            head = EVENTS.replace(b"\r\n\r\n", f"\r\nMcp-Session-Id: s-{number}\r\n\r\n".encode())
            await wire.send(head + event(response(asked)))
            wire.close()
        else:
            body = result(asked).partition(b"\r\n\r\n")[2] if asked.method == "POST" else b"bye"
            await wire.send(answer(status, "application/json", body, Mcp_Session_Id=f"s-{number}"))

    return RawServer(script)


@pytest.mark.parametrize("events", [False, True])
async def test_the_session_comes_from_the_answer_to_initialize_and_is_sent_from_then_on(
    connect: Connect, events: bool
) -> None:
    async with server_with_sessions(events=events) as server:
        transport, sink = connect(server.url)
        await sink.end_of(await transport.send(INITIALIZE))
        assert transport.session_id == "s-1"
        await sink.end_of(await transport.send(PING))
        await transport.listen()
        assert transport.session_id == "s-1"
    assert [asked.headers.get("mcp-session-id") for asked in server.asked] == [None, "s-1", "s-1"]


async def test_a_refused_initialize_gives_no_session(connect: Connect) -> None:
    async with server_with_sessions(status=400) as server:
        transport, sink = connect(server.url)
        await sink.end_of(await transport.send(INITIALIZE))
    assert transport.session_id is None


async def test_the_protocol_version_is_sent_once_it_is_known(connect: Connect) -> None:
    async with server_with_sessions() as server:
        transport, sink = connect(server.url)
        await sink.end_of(await transport.send(INITIALIZE))
        transport.protocol_version = "2025-11-25"
        await sink.end_of(await transport.send(PING))
        await transport.end_session()
    versions = [asked.headers.get("mcp-protocol-version") for asked in server.asked]
    assert versions == [None, "2025-11-25", "2025-11-25"]


async def test_a_transport_can_join_the_session_of_another(connect: Connect) -> None:
    async with server_with_sessions() as server:
        transport, sink = connect(server.url)
        await sink.end_of(await transport.send(INITIALIZE))
        transport.protocol_version = "2025-11-25"
        other, heard = connect(server.url, session_of=transport)
        await heard.end_of(await other.send(PING))
        await transport.close()
        await heard.end_of(await other.send(PING))
    assert [asked.headers.get("mcp-session-id") for asked in server.asked] == [None, "s-1", "s-1"]
    assert server.asked[1].headers["mcp-protocol-version"] == "2025-11-25"


@pytest.mark.parametrize("status", [200, 204, 404, 405])
async def test_ending_the_session_gives_the_status_and_is_noted(connect: Connect, status: int) -> None:
    async def script(_: Asked, wire: Wire) -> None:
        await wire.send(answer(status))

    async with RawServer(script) as server:
        transport, sink = connect(server.url)
        transport.session_id = "s-9"
        assert await transport.end_session() == status
    (asked,) = server.asked
    assert (asked.method, asked.headers["mcp-session-id"], asked.body) == ("DELETE", "s-9", b"")
    assert sink.head("delete:1")["status"] == status
    assert await sink.end_of("delete:1")
    assert transport.session_id == "s-9"


@pytest.mark.parametrize(("status", "reconnects"), [(200, False), (405, True)])
async def test_a_listening_stream_is_not_opened_again_in_a_session_that_we_ended(
    connect: Connect, status: int, reconnects: bool
) -> None:
    ended = asyncio.Event()

    async def script(asked: Asked, wire: Wire) -> None:
        if asked.method == "DELETE":
            await wire.send(answer(status))
            ended.set()
        elif ended.is_set():
            await wire.send(answer(404))
        else:
            await wire.send(EVENTS + b"retry: 20\n\n")
            await ended.wait()
            wire.close()

    async with RawServer(script) as server:
        transport, sink = connect(server.url)
        await transport.listen()
        await transport.end_session()
        await sink.end_of("get:1")
    assert [asked.method for asked in server.asked] == ["GET", "DELETE", *(["GET"] if reconnects else [])]


async def test_ending_the_session_of_a_dead_server_raises(connect: Connect) -> None:
    transport, sink = connect("http://127.0.0.1:1/mcp")
    with pytest.raises(ConnectionError, match=r"127\.0\.0\.1:1"):
        await transport.end_session()
    assert sink.closings == []


async def test_a_request_of_ones_own_making_is_answered_whole_and_leaves_no_trace(connect: Connect) -> None:
    async def script(_: Asked, wire: Wire) -> None:
        await wire.send(answer(403, "Text/Plain; charset=utf-8", "nö".encode(), X_Extra="1"))

    async with RawServer(script) as server:
        transport, sink = connect(server.url, headers={"Authorization": "Bearer x"})
        transport.session_id = "s"
        got = await transport.exchange("POST", {"Origin": "http://evil.example", "mcp-session-id": None}, PING)
    assert (got.status, got.content_type, got.text, got.headers["x-extra"]) == (403, "text/plain", "nö", "1")
    (asked,) = server.asked
    assert (asked.method, asked.body) == ("POST", PING.encode())
    assert asked.headers["origin"] == "http://evil.example"
    assert asked.headers["authorization"] == "Bearer x"
    assert "mcp-session-id" not in asked.headers
    assert sink.log == []


async def test_an_event_stream_answering_ones_own_request_is_not_read(connect: Connect) -> None:
    async def script(_: Asked, wire: Wire) -> None:
        await wire.send(EVENTS + event({"a": 1}))
        await wire.gone()
        wire.close()

    async with RawServer(script) as server:
        transport, _ = connect(server.url)
        got = await transport.exchange("GET", {})
    assert (got.status, got.content_type, got.text) == (200, "text/event-stream", "")


async def test_half_an_answer_to_ones_own_request_raises(connect: Connect) -> None:
    async def script(_: Asked, wire: Wire) -> None:
        await wire.send(b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf")
        wire.close()

    async with RawServer(script) as server:
        transport, _ = connect(server.url)
        with pytest.raises(ConnectionError, match="in the middle"):
            await transport.exchange("OPTIONS", {})


async def test_ones_own_request_can_be_given_up(connect: Connect) -> None:
    async def script(_: Asked, wire: Wire) -> None:
        await wire.gone()
        wire.close()

    async with RawServer(script) as server:
        transport, _ = connect(server.url)
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(transport.exchange("GET", {}), 0.05)


async def test_no_request_overtakes_a_notification_that_is_not_accepted_yet(connect: Connect) -> None:
    order: list[str] = []

    async def script(asked: Asked, wire: Wire) -> None:
        if "id" in asked.message:
            order.append("request")
            await wire.send(result(asked))
        else:
            await asyncio.sleep(0.05)
            order.append("accepted")
            await wire.send(answer(202))

    async with RawServer(script) as server:
        transport, sink = connect(server.url)
        await transport.send(INITIALIZED)
        for _ in range(3):
            await transport.send(PING)
        await sink.message(3)
    assert order == ["accepted", "request", "request", "request"]


async def test_a_notification_that_is_never_accepted_holds_nothing_up_for_long(connect: Connect) -> None:
    async def script(asked: Asked, wire: Wire) -> None:
        if "id" in asked.message:
            await wire.send(result(asked))
        else:
            await wire.gone()
            wire.close()

    async with RawServer(script) as server:
        transport, sink = connect(server.url)
        await transport.send(INITIALIZED)
        await transport.send(PING)
        async with asyncio.timeout(3):
            await sink.message()
    assert sink.of(SeenKind.HTTP, "post:1") == []


async def test_sending_returns_before_anything_of_the_answer_comes(connect: Connect) -> None:
    async def script(asked: Asked, wire: Wire) -> None:
        await wire.send(result(asked))

    async with RawServer(script) as server:
        transport, sink = connect(server.url)
        for number in range(50):
            await transport.send(jsonrpc.encode(jsonrpc.request(number, "ping")))
        assert sink.log == []
        await sink.message(50)
    assert {stream for stream, _ in sink.messages} == {f"post:{number}" for number in range(1, 51)}


async def test_the_latest_listening_stream_is_known_by_its_name(connect: Connect) -> None:
    async def script(asked: Asked, wire: Wire) -> None:
        await wire.send(EVENTS)
        await wire.gone()

    async with RawServer(script) as server:
        transport, sink = connect(server.url)
        await transport.listen()
        assert await transport.listen() == transport.listening == "get:2"
        await transport.drop(transport.listening)
        assert await sink.end_of("get:2") == "dropped"
        await transport.close()
