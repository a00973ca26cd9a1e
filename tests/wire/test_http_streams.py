"""Event streams: those that answer a POST and those that one listens on."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable

import pytest

from mcp_tasks_conformance.events import SeenKind
from mcp_tasks_conformance.wire import event_stream, jsonrpc
from tests.wire.conftest import Connect
from tests.wire.raw_server import EVENTS, Asked, RawServer, Wire, answer, chunk, event, response
from tests.wire.recording import RecordingSink

CALL = jsonrpc.encode(jsonrpc.request("c", "tools/call", {"name": "x"}))
PROGRESS = jsonrpc.notification("notifications/progress")
CHUNKED = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"


def in_turn(*answers: Callable[[Asked], bytes]) -> RawServer:
    """A server that gives these answers one after the other, each on a connection that it then closes."""
    left = list(answers)

    async def script(asked: Asked, wire: Wire) -> None:
        await wire.send(left.pop(0)(asked))
        wire.close()

    return RawServer(script)


def reconnections(sink: RecordingSink) -> list[object]:
    return [detail["reconnects_in_ms"] for detail, _ in sink.of(SeenKind.STREAM) if "reconnects_in_ms" in detail]


async def called(connect: Connect, *answers: Callable[[Asked], bytes]) -> tuple[RecordingSink, list[Asked]]:
    """What a call comes to on a server that gives these answers."""
    async with in_turn(*answers) as server:
        transport, sink = connect(server.url)
        await sink.end_of(await transport.send(CALL))
        await transport.close()
    return sink, server.asked


async def test_messages_before_the_response_come_in_order_on_the_posts_stream(connect: Connect) -> None:
    request = jsonrpc.request(0, "elicitation/create", {})
    sink, asked = await called(
        connect, lambda call: EVENTS + event(PROGRESS) + event(request) + event(response(call, ok=1))
    )
    assert [json.loads(text) for text in sink.texts("post:1")] == [PROGRESS, request, response(asked[0], ok=1)]
    assert sink.log[0] == ("post:1", "http")
    assert sink.head("post:1")["type"] == "text/event-stream"
    assert await sink.end_of("post:1") == "the server ended the stream"


async def test_a_stream_that_stays_open_after_the_response_delivers_and_can_be_dropped(connect: Connect) -> None:
    async def script(asked: Asked, wire: Wire) -> None:
        await wire.send(CHUNKED + chunk(event(response(asked))) + chunk(event(PROGRESS)))
        await wire.gone()
        wire.close()

    async with RawServer(script) as server:
        transport, sink = connect(server.url)
        stream = await transport.send(CALL)
        await sink.message(2)
        await transport.drop(stream)
        await transport.drop(stream)
    assert await sink.end_of(stream) == "dropped"


async def test_a_connection_whose_stream_has_ended_is_used_again(connect: Connect) -> None:
    async def script(asked: Asked, wire: Wire) -> None:
        await wire.send(CHUNKED + chunk(event(response(asked))) + chunk(b""))

    async with RawServer(script) as server:
        transport, sink = connect(server.url)
        for _ in range(3):
            await sink.end_of(await transport.send(CALL))
    assert server.connections == 1


@pytest.mark.parametrize("content_type", ["text/event-stream; charset=utf-16", "Text/Event-Stream"])
async def test_events_are_utf8_whatever_the_charset_says(connect: Connect, content_type: str) -> None:
    head = EVENTS.replace(b"text/event-stream", content_type.encode())
    sink, asked = await called(connect, lambda call: head + event(raw=json.dumps(response(call, a="é")).encode()))
    assert [json.loads(text) for text in sink.texts()] == [response(asked[0], a="é")]


async def test_an_event_of_a_megabyte_in_many_pieces_is_one_message(connect: Connect) -> None:
    sink, asked = await called(connect, lambda call: EVENTS + event(response(call, text="x" * 5_000_000)))
    assert json.loads(sink.texts()[0]) == response(asked[0], text="x" * 5_000_000)


async def test_bytes_of_an_event_that_are_no_utf8_are_noted_and_the_stream_goes_on(connect: Connect) -> None:
    sink, _ = await called(connect, lambda call: EVENTS + event(raw=b'{"a":"\xff"}') + event(response(call)))
    ((detail, _),) = sink.of(SeenKind.NOISE)
    assert detail["noise"] == "not UTF-8"
    assert sink.texts()[0] == '{"a":"\ufffd"}'
    assert len(sink.messages) == 2


async def test_an_event_that_is_no_message_is_delivered_as_it_is(connect: Connect) -> None:
    sink, _ = await called(connect, lambda call: EVENTS + event(raw=b"[DONE]") + event([1]) + event(response(call)))
    assert sink.texts()[:2] == ["[DONE]", "[1]"]


async def test_events_of_other_names_are_noted_and_are_no_messages(connect: Connect) -> None:
    ping = b"event: ping\ndata: 2026-01-01\n\n"
    sink, _ = await called(connect, lambda call: EVENTS + ping + b": comment\n\n" + event(response(call)))
    assert ({"ended": False, "event": "ping"}, "2026-01-01") in sink.of(SeenKind.STREAM)
    assert len(sink.messages) == 1


async def test_a_stream_cut_off_in_an_event_says_so(connect: Connect) -> None:
    sink, _ = await called(connect, lambda _: EVENTS + b'data: {"jsonrpc":')
    ((detail, text),) = sink.of(SeenKind.NOISE)
    assert (detail["noise"], text) == ("unfinished event", '{"jsonrpc":')
    assert sink.messages == []


async def test_a_stream_without_ids_that_ends_early_is_over(connect: Connect) -> None:
    sink, asked = await called(connect, lambda _: EVENTS + event(PROGRESS))
    assert [request.method for request in asked] == ["POST"]
    assert await sink.end_of("post:1") == "the server ended the stream"


async def test_a_stream_that_answers_no_request_is_read_once(connect: Connect) -> None:
    async with in_turn(lambda _: EVENTS + event(event_id="1")) as server:
        transport, sink = connect(server.url)
        await sink.end_of(await transport.send(jsonrpc.encode(PROGRESS)))
    assert len(server.asked) == 1


async def test_a_stream_with_ids_that_ends_early_is_resumed_under_its_name(connect: Connect) -> None:
    async with in_turn(
        lambda _: EVENTS + event(event_id="1", retry=30) + event(PROGRESS, event_id="2"),
        lambda _: EVENTS + event({"jsonrpc": "2.0", "id": "other", "result": {}}, event_id="3"),
        lambda _: EVENTS + event({"jsonrpc": "2.0", "id": "c", "result": {}}, event_id="4"),
    ) as server:
        transport, sink = connect(server.url, headers={"Authorization": "Bearer x"})
        transport.session_id, transport.protocol_version = "s-1", "2025-11-25"
        await sink.end_of(await transport.send(CALL))
    assert [stream for stream, _ in sink.messages] == ["post:1"] * 3
    assert [(asked.method, asked.headers.get("last-event-id")) for asked in server.asked] == [
        ("POST", None),
        ("GET", "2"),
        ("GET", "3"),
    ]
    for asked in server.asked:
        assert asked.headers["mcp-session-id"] == "s-1"
        assert asked.headers["mcp-protocol-version"] == "2025-11-25"
        assert asked.headers["authorization"] == "Bearer x"
    assert server.asked[1].headers["accept"] == "text/event-stream"
    assert reconnections(sink) == [30, 30]
    assert sink.head("post:1")["method"] == "POST"


async def test_the_retry_time_is_waited_out_before_resuming(connect: Connect) -> None:
    times: list[float] = []

    async def script(asked: Asked, wire: Wire) -> None:
        times.append(asyncio.get_running_loop().time())
        first = asked.method == "POST"
        await wire.send(EVENTS + (event(event_id="1", retry=200) if first else event({"id": "c", "result": {}})))
        wire.close()

    async with RawServer(script) as server:
        transport, sink = connect(server.url)
        await sink.end_of(await transport.send(CALL))
    assert 0.2 <= times[1] - times[0] < 2


async def test_a_reset_stream_is_resumed_too(connect: Connect) -> None:
    async def script(asked: Asked, wire: Wire) -> None:
        if asked.method == "GET":
            await wire.send(EVENTS + event({"jsonrpc": "2.0", "id": "c", "result": {}}))
            wire.close()
            return
        await wire.send(CHUNKED + chunk(event(PROGRESS, event_id="7", retry=0)))
        await resettable.wait()
        wire.reset()

    resettable = asyncio.Event()
    async with RawServer(script) as server:
        transport, sink = connect(server.url)
        stream = await transport.send(CALL)
        await sink.message()
        resettable.set()
        await sink.end_of(stream)
    assert len(sink.messages) == 2


async def test_once_the_response_has_come_nothing_is_resumed(connect: Connect) -> None:
    sink, asked = await called(connect, lambda call: EVENTS + event(response(call), event_id="1"))
    assert len(asked) == 1
    assert reconnections(sink) == []


async def test_a_refused_resumption_ends_the_stream_and_says_why(connect: Connect) -> None:
    sink, _ = await called(
        connect, lambda _: EVENTS + event(event_id="1", retry=0), lambda _: answer(405, "text/plain", b"none here")
    )
    assert await sink.end_of("post:1") == "reconnecting was answered with 405 text/plain"
    assert ("none here") in [text for _, text in sink.of(SeenKind.STREAM)]
    assert sink.head("post:1")["status"] == 200


async def test_attempts_to_resume_are_bounded(connect: Connect) -> None:
    tries = event_stream.FRUITLESS_TRIES
    refusals = [lambda _: answer(503), lambda _: b""] * tries
    sink, asked = await called(connect, lambda _: EVENTS + event(event_id="1", retry=0), *refusals)
    assert len(asked) == 1 + tries
    assert f"{tries} attempts to reconnect brought nothing" in await sink.end_of("post:1")


async def test_without_a_retry_time_the_waits_grow(connect: Connect, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(event_stream, "_FIRST_WAIT_S", 0.02)
    sink, _ = await called(connect, lambda _: EVENTS + event(event_id="1"), *[lambda _: EVENTS] * 5)
    assert reconnections(sink) == [20, 40, 80, 160, 320]


async def test_messages_are_heard_on_a_listening_stream(connect: Connect) -> None:
    async def script(asked: Asked, wire: Wire) -> None:
        await wire.send(CHUNKED)
        await heard.wait()
        await wire.send(chunk(event(PROGRESS)))
        await wire.gone()
        wire.close()

    heard = asyncio.Event()
    async with RawServer(script) as server:
        transport, sink = connect(server.url)
        transport.session_id = "s"
        assert await transport.listen() == "get:1"
        assert sink.head("get:1") == {
            "status": 200,
            "type": "text/event-stream",
            "content_type": "text/event-stream",
            "method": "GET",
        }
        heard.set()
        await sink.message()
        await transport.drop("get:1")
        assert await transport.listen() == "get:2"
    assert sink.messages[0] == ("get:1", json.dumps(PROGRESS))
    assert server.asked[0].headers["accept"] == "text/event-stream"
    assert server.asked[0].headers["mcp-session-id"] == "s"
    assert "last-event-id" not in server.asked[0].headers
    assert "content-type" not in server.asked[0].headers


@pytest.mark.parametrize(
    ("status", "content_type", "reason"),
    [
        (405, "text/plain", "no listening stream is offered"),
        (400, "application/json", "GET was answered with 400"),
        (200, "text/html", "GET was answered with 200"),
    ],
)
async def test_a_refused_listening_stream_is_noted_and_not_asked_for_again(
    connect: Connect, status: int, content_type: str, reason: str
) -> None:
    async with in_turn(lambda _: answer(status, content_type, b"{}")) as server:
        transport, sink = connect(server.url)
        stream = await transport.listen()
        assert stream == "get:1"
        assert sink.head(stream)["status"] == status
        assert await sink.end_of(stream) == reason
    assert len(server.asked) == 1


async def test_a_listening_stream_reconnects_as_long_as_the_server_takes_it(connect: Connect) -> None:
    async with in_turn(
        lambda _: EVENTS + event(PROGRESS, retry=20),
        lambda _: EVENTS + event(PROGRESS, event_id="9"),
        lambda _: EVENTS + event(PROGRESS),
        lambda _: answer(404),
    ) as server:
        transport, sink = connect(server.url)
        await transport.listen()
        await sink.end_of("get:1")
    assert [asked.headers.get("last-event-id") for asked in server.asked] == [None, None, "9", "9"]
    assert [stream for stream, _ in sink.messages] == ["get:1"] * 3
    assert sink.head("get:1")["status"] == 200
    assert sink.closings == []


async def test_a_listening_stream_that_only_ever_closes_is_given_up(connect: Connect) -> None:
    async with in_turn(*[lambda _: EVENTS + b"retry: 20\n\n"] * 7) as server:
        transport, sink = connect(server.url)
        await transport.listen()
        await sink.end_of("get:1")
    assert len(server.asked) == 1 + event_stream.FRUITLESS_TRIES


async def test_a_server_that_is_gone_when_the_listening_stream_reconnects_closes_the_transport(
    connect: Connect,
) -> None:
    async def script(_: Asked, wire: Wire) -> None:
        await wire.send(EVENTS + event(PROGRESS, retry=20))
        await leave.wait()

    leave = asyncio.Event()
    async with RawServer(script) as server:
        transport, sink = connect(server.url)
        await transport.listen()
        await sink.message()
        await server.stop()
        await sink.until(lambda: sink.closings)
    with pytest.raises(ConnectionError):
        await transport.send(CALL)
    assert sink.log[-1] == ("", "closed")


async def test_waiting_for_a_listening_stream_can_be_given_up_while_the_stream_stays(connect: Connect) -> None:
    async def script(_: Asked, wire: Wire) -> None:
        await patience_lost.wait()
        await wire.send(EVENTS + event(PROGRESS))
        await wire.gone()
        wire.close()

    patience_lost = asyncio.Event()
    async with RawServer(script) as server:
        transport, sink = connect(server.url)
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(transport.listen(), 0.05)
        patience_lost.set()
        await sink.message()
    assert sink.messages[0][0] == "get:1"


async def test_closing_ends_every_stream_in_whatever_state(connect: Connect) -> None:
    async def script(asked: Asked, wire: Wire) -> None:
        if asked.method == "POST" and asked.message["method"] == "resumes":
            await wire.send(EVENTS + event(event_id="1", retry=60_000))
            wire.close()
            return
        if asked.method == "GET":
            await wire.send(CHUNKED)
        await wire.gone()
        wire.close()

    async with RawServer(script) as server:
        transport, sink = connect(server.url)
        await transport.listen()
        await transport.send(CALL)
        await transport.send(jsonrpc.encode(jsonrpc.request(2, "resumes")))
        await sink.until(lambda: reconnections(sink))
        await transport.close()
        assert asyncio.all_tasks() - {asyncio.current_task()} == {
            task for task in asyncio.all_tasks() if "RawServer" in repr(task)
        }
