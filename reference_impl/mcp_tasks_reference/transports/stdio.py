"""The server as a child process: messages line by line on stdin and stdout."""

from __future__ import annotations

import asyncio
import os
import stat
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import BinaryIO

from mcp_tasks_reference.conversation import converse
from mcp_tasks_reference.jsonrpc import INVALID_REQUEST, RpcError, UnreadableMessage
from mcp_tasks_reference.server import Server
from mcp_tasks_reference.task import Owner

LOCAL = Owner("identity", "local")
"""Whoever started the process; the tasks of a durable store are found again by the next process."""
CHUNK_BYTES = 65536
LONGEST_LINE_BYTES = 4 * 1024 * 1024


class Framing:
    """How a message stands on stdout."""

    def encode(self, text: str) -> bytes:
        """One line for each message, and nothing else."""
        return text.encode() + b"\n"


class Lines:
    """Lines of stdin: the stream's own readline would fail for good past its limit."""

    def __init__(self, reader: asyncio.StreamReader, longest: int = LONGEST_LINE_BYTES) -> None:
        self._reader = reader
        self._longest = longest
        self._buffer = bytearray()

    async def next(self) -> str | None:
        """The next line that is not blank, or none at the end.

        Raises:
            UnreadableMessage: the line is longer than a message may be; it is skipped.
        """
        while (line := await self._line()) is not None:
            if line.strip():
                return line.decode("utf-8", "surrogateescape")
        return None

    async def _line(self) -> bytes | None:
        searched = 0
        skipping = False
        while (end := self._buffer.find(b"\n", searched)) < 0:
            if len(self._buffer) > self._longest:
                self._buffer.clear()
                skipping = True
            searched = len(self._buffer)
            chunk = await self._reader.read(CHUNK_BYTES)
            if not chunk:
                end = len(self._buffer)
                break
            self._buffer += chunk
        line = bytes(self._buffer[:end])
        at_end = end == len(self._buffer)
        del self._buffer[: end + 1]
        if skipping:
            raise UnreadableMessage(RpcError(INVALID_REQUEST, f"A message has at most {self._longest} bytes"))
        return line if line or not at_end else None


async def serve_stdio(server: Server) -> None:
    """Serve the client at the other end of stdin and stdout until it closes stdin."""
    framing = server.parts.of(Framing)()
    async with _own_streams() as (source, sink):
        try:
            async with _reading(source) as reader, _writing(sink) as write:

                async def send(text: str) -> None:
                    await write(framing.encode(text))

                await converse(server, Lines(reader).next, send, owner=LOCAL)
        finally:
            await server.close()


@asynccontextmanager
async def _own_streams() -> AsyncIterator[tuple[BinaryIO, BinaryIO]]:
    """The process's streams for us alone: whatever else prints here must not end up among the messages."""
    with os.fdopen(os.dup(0), "rb", 0) as source, os.fdopen(os.dup(1), "wb", 0) as sink:
        os.dup2(2, 1)
        sys.stdout = sys.stderr
        yield source, sink


@asynccontextmanager
async def _reading(source: BinaryIO) -> AsyncIterator[asyncio.StreamReader]:
    reader = asyncio.StreamReader()
    if _is_file(source):
        reader.feed_data(source.read())
        reader.feed_eof()
        yield reader
        return
    transport, _ = await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader), source
    )
    try:
        yield reader
    finally:
        transport.close()


@asynccontextmanager
async def _writing(sink: BinaryIO) -> AsyncIterator[Callable[[bytes], Awaitable[None]]]:
    if _is_file(sink):

        async def store(line: bytes) -> None:
            sink.write(line)

        yield store
        return
    loop = asyncio.get_running_loop()
    transport, protocol = await loop.connect_write_pipe(lambda: asyncio.streams.FlowControlMixin(loop=loop), sink)
    writer = asyncio.StreamWriter(transport, protocol, None, loop)

    async def send(line: bytes) -> None:
        writer.write(line)
        await writer.drain()

    try:
        yield send
    finally:
        transport.close()


def _is_file(stream: BinaryIO) -> bool:
    """Whether the stream is a file, regular or /dev/null, and so no pipe to asyncio."""
    mode = os.fstat(stream.fileno()).st_mode
    return not (stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode) or stream.isatty())
