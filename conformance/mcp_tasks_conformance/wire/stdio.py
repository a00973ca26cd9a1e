"""Messages as lines over a pair of pipes: the stdio transport.

Whatever the other side writes reaches the sink: a line that is JSON, or evidently meant to be a message, as a message;
anything else as noise, whose detail says what it is (``noise``, see ``Noise``), in words (``problem``) and how many
bytes there were (``length``).
"""

from __future__ import annotations

import asyncio
from enum import StrEnum
from typing import TYPE_CHECKING

from mcp_tasks_conformance.events import SeenKind
from mcp_tasks_conformance.wire import jsonrpc

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mcp_tasks_conformance.wire.transport import Sink

STREAM = "stdio"
CHUNK_BYTES = 256 * 1024
LINE_CAP_BYTES = 64 * 1024 * 1024
FLOOD_CAP_BYTES = 128 * 1024 * 1024
NOISE_CHARACTERS = 4000
"""How much of a line that is no message is kept."""


class Noise(StrEnum):
    """Why something on the output is noted as noise."""

    NOT_JSON = "not JSON"
    NOT_UTF8 = "not UTF-8"
    ENDLESS_LINE = "endless line"
    FLOOD = "flood"


class StdioTransport:
    """One stdio connection; it reads from the moment it is made, on the running event loop, until ``close``."""

    kind = "stdio"

    def __init__(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        sink: Sink,
        *,
        line_cap: int = LINE_CAP_BYTES,
        flood_cap: int = FLOOD_CAP_BYTES,
    ) -> None:
        """Take over both pipes.

        Args:
            reader: what the other side writes.
            writer: what the other side reads.
            sink: where everything that comes is delivered.
            line_cap: bytes that one line may have; beyond them the connection is given up.
            flood_cap: bytes that may come since we sent last; beyond them the connection is given up.
        """
        self._reader = reader
        self._writer = writer
        self._sink = sink
        self._line_cap = line_cap
        self._flood_cap = flood_cap
        self._unasked = 0
        self._ended = False
        # With no buffer of our own, send returns when the pipe has all of the message, and what does not read shows.
        writer.transport.set_write_buffer_limits(high=0)
        self._reading = asyncio.get_running_loop().create_task(self._read(), name="stdio reader")

    async def send(self, text: str, *, headers: Mapping[str, str | None] | None = None) -> str:  # noqa: ARG002
        """Write one line; waits while the other side does not read, so the caller sets the deadline.

        Raises:
            ConnectionError: the pipe is broken, or the other side has closed its output.
        """
        await self._drain()
        self._unasked = 0
        self._writer.write(text.encode("utf-8", "surrogatepass") + b"\n")
        await self._drain()
        return STREAM

    async def listen(self) -> str | None:
        """There is one stream only, and it is open."""
        return None

    async def drop(self, stream: str) -> None:
        """There is one stream only; nothing is abandoned."""

    async def close(self) -> None:
        """Close our end, which the other side reads as the end of its input, and stop reading."""
        self._ended = True
        if self._writer.transport.get_write_buffer_size():
            # Nobody reads: an orderly close would wait for ever to hand over the rest.
            self._writer.transport.abort()
        else:
            self._writer.close()
        self._reading.cancel()
        await asyncio.wait({self._reading})
        if not self._reading.cancelled() and (failure := self._reading.exception()):
            raise failure

    async def _drain(self) -> None:
        if self._ended or self._writer.is_closing():
            raise ConnectionError("the connection is closed")
        await self._writer.drain()
        # drain wakes up without an error when the pipe is closed in good order by our side.
        if self._writer.is_closing():
            raise ConnectionError("the other side has closed its input")

    async def _read(self) -> None:
        reason = "the harness failed while it was reading"
        try:
            reason = await self._read_lines()
        except OSError as error:
            reason = f"reading failed: {error}"
        finally:
            if not self._ended:
                self._ended = True
                self._sink.closed(reason)

    async def _read_lines(self) -> str:
        """Deliver every line until the end and say why there will be no more."""
        pieces: list[bytes] = []
        held = 0
        while chunk := await self._reader.read(CHUNK_BYTES):
            self._unasked += len(chunk)
            if self._unasked > self._flood_cap:
                problem = f"{self._unasked} bytes came with nothing asked: a flood"
                self._note(Noise.FLOOD, problem, self._unasked)
                return problem
            *ended, rest = chunk.split(b"\n")
            for line in ended:
                pieces.append(line)
                self._deliver(b"".join(pieces))
                pieces, held = [], 0
            if rest:
                pieces.append(rest)
                held += len(rest)
            if held > self._line_cap:
                problem = f"a line has more than {self._line_cap} bytes and no end"
                start = b"".join(pieces)[:NOISE_CHARACTERS].decode(errors="replace")
                self._note(Noise.ENDLESS_LINE, problem, held, start)
                return problem
        self._finish(b"".join(pieces))
        return "the other side closed its output (end of file)"

    def _finish(self, rest: bytes) -> None:
        """Tell the stream's end, and what stood in the last line that never ended.

        A whole message is delivered though its line end is missing. Half a one is what a death leaves behind and no
        fault of its own, so it is part of the end and not noise.
        """
        text = rest.decode(errors="replace")
        if jsonrpc.decode(text).value is not None:
            self._deliver(rest)
            text = ""
        self._sink.noted(STREAM, SeenKind.STREAM, {"ended": True, "unfinished": len(text)}, text[:NOISE_CHARACTERS])

    def _deliver(self, line: bytes) -> None:
        line = line.removesuffix(b"\r")
        if not line:
            return
        try:
            text = line.decode()
        except UnicodeDecodeError as error:
            text = line.decode(errors="replace")
            problem = f"not UTF-8: byte 0x{line[error.start]:02x} at offset {error.start}"
            self._note(Noise.NOT_UTF8, problem, len(line), text)
            if not _is_message(text):
                return
        if _is_message(text):
            self._sink.received(STREAM, text)
        else:
            self._note(Noise.NOT_JSON, "a line that is no JSON", len(line), text)

    def _note(self, noise: Noise, problem: str, length: int, text: str = "") -> None:
        detail = {"noise": noise.value, "problem": problem, "length": length}
        self._sink.noted(STREAM, SeenKind.NOISE, detail, text[:NOISE_CHARACTERS])


def _is_message(text: str) -> bool:
    """Whether a line is a message or was meant as one: an object, however broken, or any other JSON.

    A line that begins with a bracket is a batch only if it can be read: log lines begin with ``[INFO]`` too.
    """
    return text.lstrip("\ufeff \t").startswith("{") or jsonrpc.decode(text).value is not None
