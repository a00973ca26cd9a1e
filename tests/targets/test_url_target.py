"""A server reached by its URL, or told in words why not."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import ssl
from collections.abc import AsyncIterator, Callable
from typing import TYPE_CHECKING

import pytest

from mcp_tasks_conformance.targets.errors import UnreachableTarget
from mcp_tasks_conformance.targets.http_command import CommandHttpTarget
from mcp_tasks_conformance.targets.url import UrlTarget

if TYPE_CHECKING:
    from tests.targets.conftest import Inbox, Script


async def failure_of(target: UrlTarget) -> UnreachableTarget:
    with pytest.raises(UnreachableTarget) as caught:
        await target.start()
    assert caught.value.stderr_tail is None
    return caught.value


async def test_a_server_that_runs_is_reached(script: Script, inbox: Inbox) -> None:
    server = await CommandHttpTarget(script("serves_http")).start()
    instance = await UrlTarget(server.url).start()
    transport = await instance.open(inbox)
    await transport.send('{"jsonrpc": "2.0", "id": 1, "method": "ping"}')
    await inbox.next()
    await transport.close()
    assert not instance.gone.is_set()
    assert instance.memory_mb() is None
    await instance.stop()
    await server.stop()


@pytest.mark.parametrize(
    ("url", "problem"),
    [
        ("ftp://host/mcp", "http"),
        ("localhost:3000/mcp", "http"),
        ("http:///mcp", "no host"),
        ("http://host:port/mcp", "not a URL"),
    ],
)
async def test_what_is_no_url_is_told(url: str, problem: str) -> None:
    failure = await failure_of(UrlTarget(url))
    assert problem in failure.problem
    assert failure.hint == "for instance http://127.0.0.1:3000/mcp"


async def test_a_refused_connection_is_told() -> None:
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        port = bound.getsockname()[1]
        failure = await failure_of(UrlTarget(f"http://user:password@127.0.0.1:{port}/mcp?token=abc"))
    assert failure.problem == (f"http://127.0.0.1:{port}/mcp?token=***: 127.0.0.1:{port} refused the connection")


async def test_an_unknown_host_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(*_: object, **__: object) -> None:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    failure = await failure_of(UrlTarget("http://no-such-host.invalid/mcp"))
    assert "there is no host no-such-host.invalid (Name or service not known)" in failure.problem


async def test_a_host_that_takes_no_connection_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    async def hangs(*_: object, **__: object) -> None:
        await asyncio.Event().wait()

    monkeypatch.setattr(asyncio, "open_connection", hangs)
    failure = await failure_of(UrlTarget("http://192.0.2.1/mcp", connect_s=0.05))
    assert "192.0.2.1:80 did not take the connection within 0.05 s" in failure.problem


async def test_a_server_without_tls_is_told(script: Script) -> None:
    server = await CommandHttpTarget(script("serves_http")).start()
    failure = await failure_of(UrlTarget(server.url.replace("http:", "https:")))
    assert "TLS failed" in failure.problem
    assert failure.hint is not None
    assert "http://" in failure.hint
    await server.stop()


async def test_what_goes_through_a_proxy_is_not_knocked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    monkeypatch.delenv("no_proxy", raising=False)
    instance = await UrlTarget("http://no-such-host.invalid/mcp").start()
    await instance.stop()


def test_the_facts_hold_no_secret() -> None:
    target = UrlTarget("https://user:password@host/mcp?key=abc", headers={"X-Key": "def"})
    assert target.facts == {
        "kind": "url",
        "transport": "http",
        "url": "https://host/mcp?key=***",
        "headers": ["X-Key"],
    }
    assert not target.restartable


async def test_a_certificate_that_is_not_trusted_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    async def distrusts(*_: object, **__: object) -> None:
        error = ssl.SSLCertVerificationError(1, "certificate verify failed")
        error.verify_message = "self-signed certificate"
        raise error

    monkeypatch.setattr(asyncio, "open_connection", distrusts)
    failure = await failure_of(UrlTarget("https://192.0.2.1/mcp"))
    assert failure.problem.endswith("TLS failed: its certificate is not trusted (self-signed certificate)")
    assert failure.hint is not None
    assert "SSL_CERT_FILE" in failure.hint


@contextlib.asynccontextmanager
async def gateway(answer: Callable[[int], bytes | None]) -> AsyncIterator[tuple[str, list[bytes]]]:
    """A port that takes connections; ``answer`` says what the n-th is told before it is closed, None: nothing, ever."""
    heard: list[bytes] = []
    taken: set[asyncio.Task[None]] = set()

    async def take(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        taken.add(task)
        with contextlib.suppress(OSError):
            heard.append(await reader.readuntil(b"\r\n\r\n"))
            writer.write(answer(len(heard)) or b"")
            if answer(len(heard)) is None:
                await reader.read()
            writer.close()
            await writer.wait_closed()

    async with await asyncio.start_server(take, "127.0.0.1", 0) as server:
        yield f"http://user:password@127.0.0.1:{server.sockets[0].getsockname()[1]}/mcp", heard
        await asyncio.gather(*taken)


async def test_a_server_that_comes_up_later_is_waited_for(script: Script) -> None:
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        port = bound.getsockname()[1]
        waiting = asyncio.create_task(UrlTarget(f"http://127.0.0.1:{port}/mcp", wait_s=10).start())
        await asyncio.sleep(0.1)
        assert not waiting.done()
        bound.listen()
        await (await waiting).stop()


async def test_a_server_that_never_comes_up_is_given_up_with_the_last_reason() -> None:
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        failure = await failure_of(UrlTarget(f"http://127.0.0.1:{bound.getsockname()[1]}/mcp", wait_s=0.2))
    assert failure.problem.endswith("refused the connection; waited 0.2 s for it")
    assert failure.hint == "does the server run, and is it this port?"


@pytest.mark.parametrize("before", [b"", b"HTTP/1.1 502 Bad Gateway\r\n\r\n", b"HTTP/1.1 503 \r\n\r\n", b"HEAD /mcp"])
async def test_what_only_stands_before_the_server_does_not_count_as_it(before: bytes) -> None:
    async with gateway(lambda number: b"HTTP/1.1 405 Method Not Allowed\r\n\r\n" if number > 3 else before) as (
        url,
        heard,
    ):
        await (await UrlTarget(url, wait_s=10).start()).stop()
        assert len(heard) == 4
        assert heard[0].startswith(b"HEAD /mcp HTTP/1.1\r\nHost: 127.0.0.1:")
        assert b"authorization" not in heard[0].lower()


async def test_a_port_that_takes_connections_to_the_end_is_left_to_the_run() -> None:
    async with gateway(lambda _: b"") as (url, heard):
        await (await UrlTarget(url, wait_s=0.2).start()).stop()
        assert heard


async def test_who_holds_the_connection_is_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mcp_tasks_conformance.targets.knock.THINKS_S", 0.05)
    async with gateway(lambda _: None) as (url, heard):
        await (await UrlTarget(url, wait_s=10).start()).stop()
        assert len(heard) == 1


async def test_only_the_first_start_waits() -> None:
    async with gateway(lambda _: b"HTTP/1.1 401 Unauthorized\r\n\r\n") as (url, _):
        target = UrlTarget(url, wait_s=60)
        await (await target.start()).stop()
    async with asyncio.timeout(5):
        await failure_of(target)
