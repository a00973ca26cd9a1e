"""One stream of server-sent events, over as many connections as it takes."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping

from mcp_tasks_conformance.wire import jsonrpc
from mcp_tasks_conformance.wire.body import BODY_LIMIT, read_body
from mcp_tasks_conformance.wire.carrier import Broken, Exchange, Gone, Head
from mcp_tasks_conformance.wire.jsonrpc import FrameKind
from mcp_tasks_conformance.wire.outlet import NOTED_CHARACTERS, Outlet
from mcp_tasks_conformance.wire.sse import Event, EventDecoder

FRUITLESS_TRIES = 5
"""Reconnections in a row that may bring no event and soon end before a stream is given up."""
_FIRST_WAIT_S = 0.1
_LONGEST_WAIT_S = 5.0
_SHORTEST_WAIT_S = 0.02

Reopen = Callable[[Mapping[str, str]], Awaitable[tuple[Exchange, Head]]]
"""Sends a GET with these headers besides the usual ones and gives the answer."""

EVENT_STREAM = "text/event-stream"


class EventStream:
    """Delivers a stream's messages to the sink under one name, resuming it by GET where it ends too early.

    Spec: basic/transports#resumability-and-redelivery of 2025-11-25.
    """

    def __init__(
        self,
        name: str,
        outlet: Outlet,
        reopen: Reopen,
        *,
        awaiting: str | None = None,
        listening: Callable[[], bool] = lambda: False,
    ) -> None:
        """Prepare to deliver.

        Args:
            name: the stream's name for the sink.
            outlet: where it delivers.
            reopen: how it reconnects.
            awaiting: the key of the request that it answers: until the response has come, it is resumed.
            listening: whether it belongs to no request and is still wanted, in which case it goes on without end.
        """
        self._name = name
        self._outlet = outlet
        self._reopen = reopen
        self._awaiting = awaiting
        self._listening = listening
        self._answered = False
        self._last_id: str | None = None
        self._retry_ms: int | None = None
        self._fruitless = 0

    async def run(self, exchange: Exchange) -> str:
        """Deliver until the stream is over, and say why it is.

        Raises:
            Gone: the target cannot be reached any more.
        """
        following: Exchange | None = exchange
        reason = ""
        while following is not None:
            try:
                reason = await self._read(following)
            finally:
                await following.release()
            if not self._goes_on():
                return reason
            following, reason = await self._resumed(reason)
        return reason

    def _goes_on(self) -> bool:
        return self._listening() or (self._awaiting is not None and not self._answered and self._last_id is not None)

    async def _read(self, exchange: Exchange) -> str:
        decoder = EventDecoder(self._last_id)
        now = asyncio.get_running_loop().time
        began = now()
        reason = "the server ended the stream"
        try:
            while chunk := await exchange.read():
                for event in decoder.feed(chunk):
                    self._deliver(event)
                self._remember(decoder)
                if decoder.pending > BODY_LIMIT:
                    return f"an event has more than {BODY_LIMIT} bytes and no end"
        except Broken as broken:
            reason = str(broken)
        if now() - began > _LONGEST_WAIT_S:
            self._fruitless = 0
        if rest := decoder.unfinished:
            text = rest[:NOTED_CHARACTERS].decode(errors="replace")
            self._outlet.noise(
                self._name, "unfinished event", "the stream ended in the middle of an event", len(rest), text
            )
        return reason

    def _remember(self, decoder: EventDecoder) -> None:
        if decoder.last_id != self._last_id:
            self._last_id = decoder.last_id
            self._fruitless = 0
        if decoder.retry_ms is not None:
            self._retry_ms = decoder.retry_ms

    def _deliver(self, event: Event) -> None:
        self._fruitless = 0
        if event.name != "message":
            # Clients pass over events of other names, for instance pings: they are no messages.
            self._outlet.progress(self._name, {"event": event.name}, self._outlet.text(self._name, event.data))
            return
        text = self._outlet.message(self._name, event.data)
        if self._awaiting is not None and not self._answered:
            frame = jsonrpc.decode(text)
            self._answered = frame.kind is FrameKind.RESPONSE and frame.key == self._awaiting

    async def _resumed(self, reason: str) -> tuple[Exchange | None, str]:
        """The stream's next connection, or none and why."""
        while self._fruitless < FRUITLESS_TRIES:
            wait_s = self._wait_s()
            self._fruitless += 1
            self._outlet.progress(
                self._name, {"reason": reason, "reconnects_in_ms": round(wait_s * 1000), "last_id": self._last_id}
            )
            await asyncio.sleep(wait_s)
            if not self._goes_on():
                return None, reason
            try:
                exchange, head = await self._reopen({} if self._last_id is None else {"Last-Event-ID": self._last_id})
            except Gone:
                raise
            except Broken as broken:
                reason = str(broken)
                continue
            if head.is_success and head.media_type == EVENT_STREAM:
                self._outlet.progress(self._name, {"reconnected": True, "status": head.status})
                return exchange, reason
            reason = await self._refusal(exchange, head)
            if head.status < 500:
                return None, reason
        return None, f"{reason}; {FRUITLESS_TRIES} attempts to reconnect brought nothing"

    async def _refusal(self, exchange: Exchange, head: Head) -> str:
        body = bytearray()
        try:
            await read_body(exchange, body)
        finally:
            await exchange.release()
        text = self._outlet.text(self._name, bytes(body))
        self._outlet.progress(self._name, {"reconnected": False, "status": head.status, "type": head.media_type}, text)
        return f"reconnecting was answered with {head.status} {head.media_type}".rstrip()

    def _wait_s(self) -> float:
        """How long to wait: what the server asked for, else longer each time that brings nothing."""
        if self._retry_ms is not None:
            return max(self._retry_ms / 1000, _SHORTEST_WAIT_S)
        return min(_FIRST_WAIT_S * 2.0**self._fruitless, _LONGEST_WAIT_S)
