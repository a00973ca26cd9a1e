"""The server as a child process: messages line by line on stdin and stdout."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from mcp_tasks_reference.conversation import converse
from mcp_tasks_reference.server import Server
from mcp_tasks_reference.task import Owner

LOCAL = Owner("identity", "local")
"""Whoever started the process; the tasks of a durable store are found again by the next process."""
CHUNK_BYTES = 65536


class Lines:
    """Lines of stdin, of any length: the stream's own readline would give up past its limit."""

    def __init__(self, reader: asyncio.StreamReader) -> None:
        self._reader = reader
        self._buffer = bytearray()
        self._searched = 0

    async def next(self) -> str | None:
        """The next line that is not blank, or none at the end."""
        while True:
            end = self._buffer.find(b"\n", self._searched)
            if end >= 0:
                line = bytes(self._buffer[:end])
                del self._buffer[: end + 1]
                self._searched = 0
            else:
                self._searched = len(self._buffer)
                chunk = await self._reader.read(CHUNK_BYTES)
                if chunk:
                    self._buffer += chunk
                    continue
                if not self._buffer:
                    return None
                line = bytes(self._buffer)
                self._buffer.clear()
                self._searched = 0
            if line.strip():
                return line.decode("utf-8", "surrogateescape")


async def serve_stdio(server: Server) -> None:
    """Serve the client at the other end of stdin and stdout until it closes stdin."""
    async with _standard_streams() as (reader, writer):
        lines = Lines(reader)

        async def send(text: str) -> None:
            writer.write(text.encode() + b"\n")
            await writer.drain()

        try:
            await converse(server, lines.next, send, owner=LOCAL)
        finally:
            await server.close()


@asynccontextmanager
async def _standard_streams() -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader()
    # The streams are ours alone: whatever else prints in this process must not end up among the messages.
    source, sink = os.fdopen(os.dup(0), "rb", 0), os.fdopen(os.dup(1), "wb", 0)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    incoming, _ = await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), source)
    outgoing, protocol = await loop.connect_write_pipe(lambda: asyncio.streams.FlowControlMixin(loop=loop), sink)
    try:
        yield reader, asyncio.StreamWriter(outgoing, protocol, reader, loop)
    finally:
        outgoing.close()
        incoming.close()
