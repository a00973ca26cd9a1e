"""What answers to a POST become, whatever the server does."""

from __future__ import annotations

import asyncio
import json

import pytest

from mcp_tasks_conformance.events import SeenKind
from mcp_tasks_conformance.wire import jsonrpc
from tests.wire.conftest import Connect
from tests.wire.raw_server import EVENTS, Asked, RawServer, Wire, answer, chunk, event, response, result
from tests.wire.recording import RecordingSink

PING = jsonrpc.encode(jsonrpc.request(0, "ping"))
NOTIFICATION = jsonrpc.encode(jsonrpc.notification("notifications/initialized"))
SECRET = "s3cr3t-of-the-user"


def always(data: bytes) -> RawServer:
    """A server with one answer."""

    async def script(_: Asked, wire: Wire) -> None:
        await wire.send(data)

    return RawServer(script)


async def answered(connect: Connect, data: bytes, text: str = PING) -> RecordingSink:
    """What a transport makes of one answer, connection closed after it."""

    async def script(_: Asked, wire: Wire) -> None:
        await wire.send(data)
        wire.close()

    async with RawServer(script) as server:
        transport, sink = connect(server.url)
        await sink.end_of(await transport.send(text))
        await transport.close()
    return sink


async def test_a_json_answer_is_delivered_raw_between_its_head_and_its_end(connect: Connect) -> None:
    body = '{ "jsonrpc":"2.0", "id":0,\n "result":{"é":1} }'
    sink = await answered(connect, answer(200, "application/json; charset=utf-8", body.encode()))
    assert sink.messages == [("post:1", body)]
    assert sink.log == [("post:1", "http"), ("post:1", "message"), ("post:1", "stream")]
    assert sink.head("post:1") == {
        "status": 200,
        "type": "application/json",
        "content_type": "application/json; charset=utf-8",
        "method": "POST",
    }


async def test_every_message_is_a_post_that_accepts_both_types(connect: Connect) -> None:
    async with always(answer(202)) as server:
        transport, sink = connect(server.url)
        await sink.end_of(await transport.send(NOTIFICATION))
    (asked,) = server.asked
    assert (asked.method, asked.target, asked.body) == ("POST", "/mcp", NOTIFICATION.encode())
    assert asked.headers["accept"] == "application/json, text/event-stream"
    assert asked.headers["content-type"] == "application/json"
    assert asked.headers["host"] == f"127.0.0.1:{server.port}"


async def test_an_empty_202_is_noted_and_delivers_nothing(connect: Connect) -> None:
    sink = await answered(connect, answer(202), NOTIFICATION)
    assert sink.head("post:1")["status"] == 202
    assert sink.messages == []
    assert sink.log == [("post:1", "http"), ("post:1", "stream")]


@pytest.mark.parametrize("body", ["[]", '[{"jsonrpc":"2.0","id":0,"result":{}}]', "hello", "null", "{", '{"id":7}'])
async def test_whatever_stands_in_a_json_answer_is_delivered(connect: Connect, body: str) -> None:
    sink = await answered(connect, answer(200, "application/json", body.encode()))
    assert sink.texts() == [body]


async def test_an_empty_json_answer_is_no_message(connect: Connect) -> None:
    sink = await answered(connect, answer(200, "application/json"))
    assert sink.messages == []
    assert sink.head("post:1")["type"] == "application/json"


@pytest.mark.parametrize(
    ("status", "content_type"), [(400, "application/json"), (404, "text/plain"), (200, "text/html")]
)
async def test_a_message_is_delivered_whatever_its_status_and_type(
    connect: Connect, status: int, content_type: str
) -> None:
    error = jsonrpc.encode(jsonrpc.error(None, -32600, "no"))
    sink = await answered(connect, answer(status, content_type, error.encode()))
    assert sink.texts() == [error]
    ((detail, text),) = sink.of(SeenKind.HTTP)
    assert (detail["status"], detail["type"], text) == (status, content_type, "")


@pytest.mark.parametrize(
    ("status", "content_type", "body"),
    [
        (404, "text/plain", "Session not found"),
        (401, "application/json", '{"error":"invalid_token","error_description":"expired"}'),
        (500, None, "<html>"),
        (200, "text/html", "<html>"),
        (503, "application/json", '[{"jsonrpc":"2.0"}]'),
    ],
)
async def test_a_body_that_is_no_message_is_noted_with_the_head(
    connect: Connect, status: int, content_type: str | None, body: str
) -> None:
    sink = await answered(connect, answer(status, content_type, body.encode()))
    ((detail, text),) = sink.of(SeenKind.HTTP)
    assert (detail["status"], detail["type"], text) == (status, content_type or "", body)
    assert sink.messages == []


async def test_a_notification_is_owed_no_message_so_a_json_body_is_only_noted(connect: Connect) -> None:
    sink = await answered(connect, answer(200, "application/json", b'{"ok":true}'), NOTIFICATION)
    ((_, text),) = sink.of(SeenKind.HTTP)
    assert text == '{"ok":true}'
    assert sink.messages == []


async def test_the_noted_part_of_a_long_body_is_bounded(connect: Connect) -> None:
    sink = await answered(connect, answer(500, "text/plain", b"x" * 300_000))
    ((detail, text),) = sink.of(SeenKind.HTTP)
    assert len(text) < 100_000
    assert detail["length"] == 300_000


@pytest.mark.parametrize("content_type", [";;;=,", "application", "\xe9/\xff", "APPLICATION/JSON ;x", "x" * 5000])
async def test_a_garbled_content_type_breaks_nothing(connect: Connect, content_type: str) -> None:
    sink = await answered(connect, answer(200, content_type, b'{"jsonrpc":"2.0","id":0,"result":{}}'))
    assert sink.texts() == ['{"jsonrpc":"2.0","id":0,"result":{}}']
    assert sink.head("post:1")["content_type"] == content_type


async def test_bytes_that_are_no_utf8_are_noted_before_the_message(connect: Connect) -> None:
    sink = await answered(connect, answer(200, "application/json", b'{"a":"\xff"}'))
    ((detail, _),) = sink.of(SeenKind.NOISE)
    assert detail["noise"] == "not UTF-8"
    assert detail["problem"] == "not UTF-8: byte 0xff at offset 6"
    assert sink.texts() == ['{"a":"\ufffd"}']
    assert sink.log == [("post:1", kind) for kind in ("http", "noise", "message", "stream")]


async def test_a_body_in_slow_small_chunks_is_one_message(connect: Connect) -> None:
    body = jsonrpc.encode(jsonrpc.result(0, {"text": "ünïcode"})).encode()

    async def script(_: Asked, wire: Wire) -> None:
        await wire.send(b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n")
        for place in range(len(body)):
            await wire.send(chunk(body[place : place + 1]))
            await asyncio.sleep(0)
        await wire.send(chunk(b""))

    async with RawServer(script) as server:
        transport, sink = connect(server.url)
        await sink.end_of(await transport.send(PING))
        await sink.end_of(await transport.send(PING))
    assert sink.texts() == [body.decode()] * 2
    assert server.connections == 1


async def test_megabytes_go_both_ways(connect: Connect) -> None:
    async def script(asked: Asked, wire: Wire) -> None:
        await wire.send(result(asked, text=asked.message["params"]["text"]))

    text = "ä" * 2_000_000
    async with RawServer(script) as server:
        transport, sink = connect(server.url)
        await transport.send(jsonrpc.encode(jsonrpc.request(1, "echo", {"text": text})))
        assert (await sink.message())["result"]["text"] == text


async def test_a_body_without_end_delivers_nothing_and_can_be_dropped(connect: Connect) -> None:
    async def script(_: Asked, wire: Wire) -> None:
        await wire.send(b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n{")
        await wire.gone()
        left.set()
        wire.close()

    left = asyncio.Event()
    async with RawServer(script) as server:
        transport, sink = connect(server.url)
        stream = await transport.send(PING)
        await sink.until(lambda: sink.of(SeenKind.HTTP))
        await transport.drop(stream)
        await asyncio.wait_for(left.wait(), 5)
    assert await sink.end_of(stream) == "dropped"
    assert sink.messages == []


async def test_the_head_of_a_refusal_whose_body_never_ends_is_noted_when_it_is_dropped(connect: Connect) -> None:
    begun = asyncio.Event()

    async def script(_: Asked, wire: Wire) -> None:
        await wire.send(b"HTTP/1.1 500 No\r\ncontent-type: text/plain\r\n\r\nsome")
        begun.set()
        await wire.gone()
        wire.close()

    async with RawServer(script) as server:
        transport, sink = connect(server.url)
        stream = await transport.send(PING)
        await begun.wait()
        # The same loop has to read what the server has sent.
        for _ in range(20):
            await asyncio.sleep(0.005)
        await transport.drop(stream)
    assert sink.head(stream)["status"] == 500
    assert sink.log == [(stream, "http"), (stream, "stream")]


async def test_a_connection_closed_without_an_answer_ends_the_stream(connect: Connect) -> None:
    sink = await answered(connect, b"")
    assert await sink.end_of("post:1") == "the connection was closed without an answer"
    assert sink.closings == []


async def test_an_answer_cut_off_is_noted_as_far_as_it_came(connect: Connect) -> None:
    data = b'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 99\r\n\r\n{"jsonrpc":'
    sink = await answered(connect, data)
    assert await sink.end_of("post:1") == "the connection was closed in the middle of the answer"
    ((detail, text),) = sink.of(SeenKind.NOISE)
    assert (detail["noise"], text) == ("unfinished body", '{"jsonrpc":')
    assert sink.messages == []


async def test_a_reset_connection_ends_the_stream(connect: Connect) -> None:
    async def script(_: Asked, wire: Wire) -> None:
        wire.reset()

    async with RawServer(script) as server:
        transport, sink = connect(server.url)
        assert "reset" in await sink.end_of(await transport.send(PING))
        assert "reset" in await sink.end_of(await transport.send(PING))
    assert sink.closings == []


@pytest.mark.parametrize(
    "data", [b"hello\r\n\r\n", b"\x00" * 100, b"HTTP/1.1 abc\r\n\r\n", b"HTTP/1.1 200 OK\r\n:\r\n\r\n"]
)
async def test_what_is_no_http_is_said(connect: Connect, data: bytes) -> None:
    sink = await answered(connect, data)
    assert "not HTTP" in await sink.end_of("post:1")


async def test_interim_answers_are_passed_over(connect: Connect) -> None:
    sink = await answered(connect, b"HTTP/1.1 103 Early\r\nlink: x\r\n\r\n" + answer(202), NOTIFICATION)
    assert sink.head("post:1")["status"] == 202


async def test_an_answer_that_comes_before_the_request_was_read_counts(connect: Connect) -> None:
    done = asyncio.Event()

    async def refuse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(answer(413, "text/plain", b"too large", connection="close"))
        await writer.drain()
        writer.close()
        await writer.wait_closed()
        done.set()

    async with await asyncio.start_server(refuse, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        transport, sink = connect(f"http://127.0.0.1:{port}/")
        await sink.end_of(await transport.send(jsonrpc.encode(jsonrpc.request(1, "x", {"a": "b" * 3_000_000}))))
        await asyncio.wait_for(done.wait(), 5)
    assert sink.head("post:1")["status"] == 413


async def test_a_refused_connection_closes_the_transport_once(connect: Connect) -> None:
    async with always(answer(202)) as server:
        url, port = server.url, server.port
    transport, sink = connect(url)
    first, second = await transport.send(PING), await transport.send(PING)
    await sink.until(lambda: sink.closings)
    assert str(port) in await sink.end_of(first)
    with pytest.raises(ConnectionError, match=str(port)):
        await transport.send(PING)
    with pytest.raises(ConnectionError):
        await transport.listen()
    await transport.close()
    assert len(sink.closings) == 1
    assert second not in {stream for stream, _ in sink.messages}


async def test_the_words_for_a_refused_connection_name_the_place(connect: Connect) -> None:
    transport, sink = connect("http://127.0.0.1:1/mcp")
    await transport.send(PING)
    await sink.until(lambda: sink.closings)
    assert "127.0.0.1:1" in sink.closings[0]


async def test_a_server_on_either_loopback_is_found_by_name(connect: Connect) -> None:
    async with always(answer(202)) as server:
        transport, sink = connect(f"http://localhost:{server.port}/mcp")
        await sink.end_of(await transport.send(NOTIFICATION))
    assert sink.head("post:1")["status"] == 202


async def test_a_slow_answer_keeps_no_other_waiting(connect: Connect) -> None:
    release = asyncio.Event()

    async def script(asked: Asked, wire: Wire) -> None:
        if asked.message["method"] == "slow":
            await release.wait()
        await wire.send(result(asked))

    async with RawServer(script) as server:
        transport, sink = connect(server.url)
        for number in range(200):
            await transport.send(jsonrpc.encode(jsonrpc.request(f"slow {number}", "slow")))
        await transport.send(PING)
        assert (await sink.message())["id"] == 0
        release.set()
        await sink.message(201)
    assert {json.loads(text)["id"] for text in sink.texts()} == {0, *(f"slow {n}" for n in range(200))}


async def test_nothing_comes_after_close(connect: Connect) -> None:
    async with always(EVENTS + event({"jsonrpc": "2.0", "method": "x"})) as server:
        transport, sink = connect(server.url)
        await transport.send(PING)
        await sink.message()
        await transport.close()
        seen = len(sink.log)
        await transport.close()
        with pytest.raises(ConnectionError):
            await transport.send(PING)
        await asyncio.sleep(0.02)
    assert len(sink.log) == seen
    assert sink.closings == []


async def test_closing_before_anything_was_sent_or_answered_is_clean(connect: Connect) -> None:
    async with always(b"") as server:
        transport, sink = connect(server.url)
        await transport.send(PING)
        await transport.close()
        other, _ = connect(server.url)
        await other.close()
    assert sink.log == []


async def test_headers_of_one_message_override_and_leave_out(connect: Connect) -> None:
    async with always(answer(202)) as server:
        transport, sink = connect(server.url, headers={"Authorization": f"Bearer {SECRET}", "X-Key": "1"})
        transport.protocol_version = "2025-11-25"
        overrides = {"mcp-protocol-version": "banana", "ACCEPT": None, "x-key": None, "Origin": "http://evil.example"}
        await sink.end_of(await transport.send(NOTIFICATION, headers=overrides))
        await sink.end_of(await transport.send(NOTIFICATION))
    changed, usual = server.asked
    assert changed.headers["mcp-protocol-version"] == "banana"
    assert changed.headers["origin"] == "http://evil.example"
    assert not changed.headers.keys() & {"accept", "x-key"}
    assert changed.headers["authorization"] == usual.headers["authorization"] == f"Bearer {SECRET}"
    assert usual.headers["mcp-protocol-version"] == "2025-11-25"
    assert usual.headers["x-key"] == "1"


async def test_no_note_holds_a_header_of_ours(connect: Connect) -> None:
    async with always(answer(401, "text/plain", b"no")) as server:
        transport, sink = connect(server.url, headers={"Authorization": SECRET})
        transport.session_id = SECRET
        await sink.end_of(await transport.send(PING, headers={"X-Bad": f"{SECRET}\nX: y"}))
        await sink.end_of(await transport.send(PING))
        await transport.listen()
        await transport.end_session()
    assert "not valid HTTP" in await sink.end_of("post:1")
    assert sink.head("post:2")["status"] == 401
    assert SECRET not in repr(sink.notes)


@pytest.mark.parametrize("headers", [{"X-A": "a\r\nb"}, {"X A": "value"}, {"X-A": "\u20ac"}, {"": "x"}])
def test_a_header_that_cannot_be_sent_is_refused_at_once_without_its_value(headers: dict[str, str]) -> None:
    from mcp_tasks_conformance.wire.client_pool import ClientPool
    from mcp_tasks_conformance.wire.http import HttpTransport

    with pytest.raises(ValueError, match="header") as caught:
        HttpTransport("http://127.0.0.1/", RecordingSink(), headers=headers, client_pool=ClientPool())
    assert next(iter(headers.values())) not in str(caught.value)


async def test_a_server_that_closes_after_each_answer_without_saying_so_is_borne(connect: Connect) -> None:
    async def script(asked: Asked, wire: Wire) -> None:
        await wire.send(result(asked))
        wire.close()

    async with RawServer(script) as server:
        transport, sink = connect(server.url)
        for _ in range(20):
            await sink.end_of(await transport.send(PING))
            await asyncio.sleep(0.01)
    assert len(sink.messages) == 20


async def test_an_answer_to_a_request_with_id_zero_is_an_answer(connect: Connect) -> None:
    async def script(asked: Asked, wire: Wire) -> None:
        await wire.send(EVENTS + event(event_id="1") + event(response(asked)))
        wire.close()

    async with RawServer(script) as server:
        transport, sink = connect(server.url)
        await sink.end_of(await transport.send(PING))
    assert [asked.method for asked in server.asked] == ["POST"]
    assert json.loads(sink.texts()[0])["id"] == 0
