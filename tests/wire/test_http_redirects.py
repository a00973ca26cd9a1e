"""Redirects keep method and body, and secrets at home."""

from __future__ import annotations

import pytest

from mcp_tasks_conformance.events import SeenKind
from mcp_tasks_conformance.wire import jsonrpc
from tests.wire.conftest import Connect
from tests.wire.raw_server import EVENTS, Asked, RawServer, Wire, answer, event, result

PING = jsonrpc.encode(jsonrpc.request(1, "ping"))
SECRET = "s3cr3t"


def moved(status: int, location: str) -> RawServer:
    """A server that answers at /mcp/ and sends whoever asks elsewhere to the location."""

    async def script(asked: Asked, wire: Wire) -> None:
        if asked.target == "/mcp/":
            await wire.send(result(asked) if asked.method == "POST" else answer(405))
        else:
            await wire.send(answer(status, location=location))

    return RawServer(script)


@pytest.mark.parametrize("status", [301, 302, 307, 308])
async def test_a_redirect_keeps_method_body_and_headers(connect: Connect, status: int) -> None:
    async with moved(status, "/mcp/") as server:
        transport, sink = connect(server.url, headers={"Authorization": SECRET})
        transport.session_id = "s"
        await sink.end_of(await transport.send(PING))
    before, after = server.asked
    assert (after.method, after.target, after.body) == ("POST", "/mcp/", PING.encode())
    assert after.headers == before.headers
    assert ({"ended": False, "redirect": status, "to": "/mcp/"}, "") in sink.of(SeenKind.STREAM)
    assert sink.texts() == ['{"jsonrpc": "2.0", "id": 1, "result": {}}']
    assert sink.head("post:1")["status"] == 200
    assert server.connections == 1


async def test_a_get_is_redirected_as_well(connect: Connect) -> None:
    async with moved(307, "/mcp/") as server:
        transport, sink = connect(server.url)
        await transport.listen()
    assert [(asked.method, asked.target) for asked in server.asked] == [("GET", "/mcp"), ("GET", "/mcp/")]
    assert sink.head("get:1")["status"] == 405


@pytest.mark.parametrize(("status", "targets"), [(308, ["/mcp", "/mcp/", "/mcp/"]), (307, ["/mcp", "/mcp/"] * 2)])
async def test_only_a_permanent_redirect_is_remembered(connect: Connect, status: int, targets: list[str]) -> None:
    async with moved(status, "/mcp/") as server:
        transport, sink = connect(server.url)
        await sink.end_of(await transport.send(PING))
        await sink.end_of(await transport.send(PING))
    assert [asked.target for asked in server.asked] == targets


async def test_another_origin_gets_neither_credentials_nor_session(connect: Connect) -> None:
    async with moved(200, "") as other, moved(308, f"http://127.0.0.1:{other.port}/mcp/?token={SECRET}") as server:
        transport, sink = connect(server.url, headers={"Authorization": SECRET, "X-Api-Key": SECRET})
        transport.session_id, transport.protocol_version = SECRET, "2025-11-25"
        await sink.end_of(await transport.send(PING, headers={"Cookie": SECRET}))
        await sink.end_of(await transport.send(PING))
    (first, second) = other.asked
    assert SECRET not in repr(first.headers) + repr(second.headers)
    assert first.headers["host"] == f"127.0.0.1:{other.port}"
    assert first.headers["mcp-protocol-version"] == "2025-11-25"
    assert first.body == PING.encode()
    assert len(server.asked) == 2
    assert SECRET not in repr(sink.notes)


async def test_the_sixth_redirect_is_the_answer(connect: Connect) -> None:
    async with moved(307, "/mcp") as server:
        transport, sink = connect(server.url)
        await sink.end_of(await transport.send(PING))
    assert len(server.asked) == 6
    assert sink.head("post:1")["status"] == 307


@pytest.mark.parametrize("location", ["", "ftp://x/", "mailto:x", "http://[::1", "http://x:99999/"])
async def test_a_redirect_that_leads_nowhere_is_the_answer(connect: Connect, location: str) -> None:
    async with moved(307, location) as server:
        transport, sink = connect(server.url)
        await sink.end_of(await transport.send(PING))
    assert sink.head("post:1")["status"] == 307
    assert len(server.asked) == 1


async def test_a_redirect_to_a_dead_place_closes_the_transport(connect: Connect) -> None:
    async with moved(307, "http://127.0.0.1:1/mcp") as server:
        transport, sink = connect(server.url)
        await sink.end_of(await transport.send(PING))
        await sink.until(lambda: sink.closings)
    assert "127.0.0.1:1" in sink.closings[0]


async def test_other_statuses_with_a_location_are_not_followed(connect: Connect) -> None:
    async with moved(303, "/mcp/") as server:
        transport, sink = connect(server.url)
        await sink.end_of(await transport.send(PING))
    assert sink.head("post:1")["status"] == 303
    assert len(server.asked) == 1


async def test_a_stream_is_resumed_where_the_redirect_leads(connect: Connect) -> None:
    async def script(asked: Asked, wire: Wire) -> None:
        if asked.target == "/mcp":
            await wire.send(answer(307, location="/mcp/"))
            return
        first = asked.method == "POST"
        await wire.send(EVENTS + event(None if first else jsonrpc.result(1, {}), event_id="1", retry=0))
        wire.close()

    async with RawServer(script) as server:
        transport, sink = connect(server.url)
        await sink.end_of(await transport.send(PING))
    assert [(asked.method, asked.target) for asked in server.asked] == [
        ("POST", "/mcp"),
        ("POST", "/mcp/"),
        ("GET", "/mcp"),
        ("GET", "/mcp/"),
    ]
    assert len(sink.messages) == 1
