"""A server over plain sockets that does to the byte what its script says."""

from __future__ import annotations

import asyncio
import contextlib
import json
import struct
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from socket import SO_LINGER, SOL_SOCKET
from types import TracebackType
from typing import Any, Self


@dataclass(frozen=True)
class Asked:
    """One request as it arrived."""

    method: str
    target: str
    headers: Mapping[str, str]
    body: bytes

    @property
    def message(self) -> Any:
        return json.loads(self.body)


class Wire:
    """The server's end of one connection."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    async def send(self, data: bytes) -> None:
        self._writer.write(data)
        await self._writer.drain()

    async def gone(self) -> None:
        """Wait until the other side has closed."""
        await self._reader.read()

    def close(self) -> None:
        self._writer.close()

    def reset(self) -> None:
        """Close as a crash does, with RST."""
        self._writer.get_extra_info("socket").setsockopt(SOL_SOCKET, SO_LINGER, struct.pack("ii", 1, 0))
        self._writer.transport.abort()

    @property
    def is_closing(self) -> bool:
        return self._writer.is_closing()


Script = Callable[[Asked, Wire], Awaitable[None]]


class RawServer:
    """Runs the script once for each request; a connection is kept until the script closes it."""

    def __init__(self, script: Script) -> None:
        self._script = script
        self._tasks: set[asyncio.Task[None]] = set()
        self._server: asyncio.Server
        self.asked: list[Asked] = []
        self.connections = 0
        self.port = 0

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0, backlog=1024)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.stop()

    async def stop(self) -> None:
        self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._server.wait_closed()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/mcp"

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        self.connections += 1
        wire = Wire(reader, writer)
        try:
            while not wire.is_closing:
                asked = await _read_request(reader)
                self.asked.append(asked)
                await self._script(asked, wire)
        except asyncio.CancelledError:
            writer.transport.abort()
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()
        with contextlib.suppress(ConnectionError):
            await writer.wait_closed()
        self._tasks.discard(task)


async def _read_request(reader: asyncio.StreamReader) -> Asked:
    lines = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    method, target, _ = lines[0].split(" ")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines[1:] if line)}
    return Asked(method, target, headers, await reader.readexactly(int(headers.get("content-length", "0"))))


def answer(status: int, content_type: str | None = None, body: bytes = b"", **headers: str) -> bytes:
    """A whole answer with its length."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    if content_type is not None:
        named["content-type"] = content_type
    lines = "".join(f"{name}: {value}\r\n" for name, value in named.items())
    return f"HTTP/1.1 {status} X\r\n{lines}content-length: {len(body)}\r\n\r\n".encode("latin-1") + body


def result(asked: Asked, **value: object) -> bytes:
    """The JSON answer to a request."""
    body = json.dumps({"jsonrpc": "2.0", "id": asked.message.get("id"), "result": value}).encode()
    return answer(200, "application/json", body)


EVENTS = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n"
"""The head of an event stream that lasts until the connection is closed."""


def event(
    data: object = None, *, raw: bytes | None = None, event_id: str | None = None, retry: int | None = None
) -> bytes:
    """One event; no data at all, unless given, as a priming event has."""
    lines = b""
    if event_id is not None:
        lines += f"id: {event_id}\n".encode()
    if retry is not None:
        lines += f"retry: {retry}\n".encode()
    content = raw if raw is not None else b"" if data is None else json.dumps(data).encode()
    return lines + b"data: " + content + b"\n\n"


def response(asked: Asked, **value: object) -> dict[str, object]:
    return {"jsonrpc": "2.0", "id": asked.message["id"], "result": value}


def chunk(data: bytes) -> bytes:
    return f"{len(data):x}\r\n".encode() + data + b"\r\n"
