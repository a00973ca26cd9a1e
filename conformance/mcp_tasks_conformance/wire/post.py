"""The answer to one POSTed message."""

from __future__ import annotations

from collections.abc import Mapping

from mcp_tasks_conformance.wire import jsonrpc
from mcp_tasks_conformance.wire.body import read_body
from mcp_tasks_conformance.wire.carrier import Exchange, Head
from mcp_tasks_conformance.wire.event_stream import EVENT_STREAM, EventStream, Reopen
from mcp_tasks_conformance.wire.jsonrpc import Frame, FrameKind
from mcp_tasks_conformance.wire.outlet import NOTED_CHARACTERS, Outlet

_METHOD = "POST"
_JSON = "application/json"


class Post:
    """Delivers what comes for one message: a request is owed a message, anything else only a status."""

    def __init__(self, stream: str, frame: Frame, outlet: Outlet, reopen: Reopen) -> None:
        self._stream = stream
        self._outlet = outlet
        self._reopen = reopen
        self._awaiting = frame.key if frame.kind is FrameKind.REQUEST else None

    async def take(self, exchange: Exchange, head: Head) -> str:
        """Deliver the answer whose head has come, release the exchange, and say why the stream ended.

        Raises:
            Gone: the target cannot be reached any more.
        """
        if head.media_type == EVENT_STREAM:
            self._outlet.head(self._stream, _METHOD, head)
            events = EventStream(self._stream, self._outlet, self._reopen, awaiting=self._awaiting)
            return await events.run(exchange)
        try:
            if self._awaiting is not None and head.is_success and head.media_type == _JSON:
                return await self._take_message(exchange, head)
            return await self._take_other(exchange, head)
        finally:
            await exchange.release()

    async def _take_message(self, exchange: Exchange, head: Head) -> str:
        self._outlet.head(self._stream, _METHOD, head)
        body = bytearray()
        broken = await read_body(exchange, body)
        if broken is not None:
            self._outlet.noise(
                self._stream,
                "unfinished body",
                str(broken),
                len(body),
                body[:NOTED_CHARACTERS].decode(errors="replace"),
            )
            return str(broken)
        if body:
            self._outlet.message(self._stream, bytes(body))
        return "the answer is complete"

    async def _take_other(self, exchange: Exchange, head: Head) -> str:
        """An answer whose body need be no message: it is delivered as one only if it says that it is."""
        body = bytearray()
        complete = False
        try:
            broken = await read_body(exchange, body)
            complete = broken is None
        finally:
            # A body without end is noted once somebody drops the stream.
            is_message = complete and _is_message(body)
            text = "" if is_message else self._outlet.text(self._stream, bytes(body))
            self._outlet.head(self._stream, _METHOD, head, text)
        if is_message:
            self._outlet.message(self._stream, bytes(body))
        return "the answer is complete" if broken is None else str(broken)


def _is_message(body: bytearray) -> bool:
    """Whether a body calls itself JSON-RPC; {"error": "invalid_token"} and the like do not."""
    value = jsonrpc.decode(body.decode(errors="replace")).value
    return isinstance(value, Mapping) and "jsonrpc" in value
