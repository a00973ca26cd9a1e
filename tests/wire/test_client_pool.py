"""Connections: how many, which way they go, and that none is left."""

from __future__ import annotations

import asyncio

import pytest

from mcp_tasks_conformance.wire import jsonrpc
from mcp_tasks_conformance.wire.client_pool import ClientPool
from mcp_tasks_conformance.wire.http import HttpTransport
from tests.wire.raw_server import Asked, RawServer, Wire, answer, result
from tests.wire.recording import RecordingSink

PING = jsonrpc.encode(jsonrpc.request(1, "ping"))


async def answers(asked: Asked, wire: Wire) -> None:
    await wire.send(result(asked))


@pytest.fixture
def proxied(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
    return monkeypatch


async def test_transports_share_connections_in_turn() -> None:
    async with RawServer(answers) as server, ClientPool() as pool:
        for _ in range(5):
            sink = RecordingSink()
            transport = HttpTransport(server.url, sink, headers={}, client_pool=pool)
            await sink.end_of(await transport.send(PING))
            await transport.close()
    assert server.connections == 1


async def test_a_connection_that_idled_is_not_trusted_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mcp_tasks_conformance.wire.direct.IDLE_S", 0.05)
    async with RawServer(answers) as server, ClientPool() as pool:
        sink = RecordingSink()
        transport = HttpTransport(server.url, sink, headers={}, client_pool=pool)
        await sink.end_of(await transport.send(PING))
        await asyncio.sleep(0.1)
        await sink.end_of(await transport.send(PING))
        await transport.close()
    assert server.connections == 2


async def test_unasked_bytes_after_an_answer_are_not_taken_for_the_next_one() -> None:
    async def script(asked: Asked, wire: Wire) -> None:
        await wire.send(result(asked) + answer(500, "text/plain", b"unasked"))

    async with RawServer(script) as server, ClientPool() as pool:
        sink = RecordingSink()
        transport = HttpTransport(server.url, sink, headers={}, client_pool=pool)
        for stream in ("post:1", "post:2"):
            await sink.end_of(await transport.send(PING))
            assert sink.head(stream)["status"] == 200
        await transport.close()


async def test_many_streams_wait_at_once_and_others_pass() -> None:
    async def script(asked: Asked, wire: Wire) -> None:
        if asked.message["method"] == "waits":
            await wire.gone()
            wire.close()
        else:
            await wire.send(result(asked))

    async with RawServer(script) as server, ClientPool() as pool:
        sink = RecordingSink()
        transport = HttpTransport(server.url, sink, headers={}, client_pool=pool)
        # Each of them takes a file descriptor on either side.
        for number in range(100):
            await transport.send(jsonrpc.encode(jsonrpc.request(f"w{number}", "waits")))
        started = asyncio.get_running_loop().time()
        for _ in range(50):
            await sink.end_of(await transport.send(PING))
        assert asyncio.get_running_loop().time() - started < 5
        await transport.close()
    assert len(sink.messages) == 50


async def test_after_the_pool_is_closed_nothing_is_sent() -> None:
    async with RawServer(answers) as server:
        async with ClientPool() as pool:
            sink = RecordingSink()
            transport = HttpTransport(server.url, sink, headers={}, client_pool=pool)
        with pytest.raises(ConnectionError, match="closed"):
            await transport.exchange("GET", {})
        await transport.close()
    assert server.asked == []


async def test_the_environments_proxy_is_used_for_other_machines(proxied: pytest.MonkeyPatch) -> None:
    async with RawServer(answers) as proxy, ClientPool() as pool:
        proxied.setenv("HTTP_PROXY", f"http://127.0.0.1:{proxy.port}")
        sink = RecordingSink()
        transport = HttpTransport("http://mcp.invalid/mcp", sink, headers={}, client_pool=pool)
        await sink.end_of(await transport.send(PING))
        await transport.close()
    (asked,) = proxy.asked
    assert (asked.target, asked.headers["host"]) == ("http://mcp.invalid/mcp", "mcp.invalid")
    assert sink.head("post:1")["status"] == 200


@pytest.mark.parametrize("direct", [True, False])
async def test_no_proxy_is_asked_for_this_machine(proxied: pytest.MonkeyPatch, direct: bool) -> None:
    async with RawServer(answers) as proxy, RawServer(answers) as server, ClientPool(direct=direct) as pool:
        proxied.setenv("HTTP_PROXY", f"http://127.0.0.1:{proxy.port}")
        sink = RecordingSink()
        transport = HttpTransport(server.url, sink, headers={}, client_pool=pool)
        await sink.end_of(await transport.send(PING))
        await transport.close()
    assert (len(proxy.asked), len(server.asked)) == (0, 1)


async def test_tls_to_a_server_that_has_none_closes_the_transport() -> None:
    async def speak(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"this is no TLS\r\n")
        writer.close()

    async with await asyncio.start_server(speak, "127.0.0.1", 0) as server, ClientPool() as pool:
        port = server.sockets[0].getsockname()[1]
        sink = RecordingSink()
        transport = HttpTransport(f"https://127.0.0.1:{port}/", sink, headers={}, client_pool=pool)
        await transport.send(PING)
        await sink.until(lambda: sink.closings)
        await transport.close()
    assert "SSL" in sink.closings[0]


async def test_a_host_that_does_not_exist_closes_the_transport(proxied: pytest.MonkeyPatch) -> None:
    async with ClientPool() as pool:
        sink = RecordingSink()
        transport = HttpTransport("http://mcp.invalid:81/", sink, headers={}, client_pool=pool)
        await transport.send(PING)
        await sink.until(lambda: sink.closings)
        await transport.close()
    assert "mcp.invalid:81 cannot be reached" in sink.closings[0]


async def test_a_defect_of_ours_in_a_stream_is_told_and_raised_on_close() -> None:
    class FaultySink(RecordingSink):
        def received(self, stream: str, text: str) -> None:
            raise KeyError(text)

    async with RawServer(answers) as server, ClientPool() as pool:
        sink = FaultySink()
        transport = HttpTransport(server.url, sink, headers={}, client_pool=pool)
        assert await sink.end_of(await transport.send(PING)) == "the harness failed: KeyError"
        with pytest.raises(KeyError):
            await transport.close()
        await transport.close()
