"""Our requests on one connection, and which of them each response, head of an answer or end of a stream is about."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass

from mcp_tasks_conformance.events import JsonValue
from mcp_tasks_conformance.peers.exchange import ConnectionGone, Exchange, NoAnswer, Reply
from mcp_tasks_conformance.wire.jsonrpc import Frame, FrameKind, id_key
from mcp_tasks_conformance.wire.transcript import Transcript


@dataclass(frozen=True, slots=True)
class Asked:
    """A request of either side, and where its transcript has it."""

    frame: Frame
    at: float
    """Loop time."""
    index: int
    transcript: Transcript


class Outstanding:
    """Requests by id, and over HTTP by stream, where each has one of its own."""

    def __init__(self) -> None:
        self._exchanges: dict[str, Exchange] = {}
        self._asked: dict[str, Asked] = {}
        self._by_stream: dict[str, Exchange] = {}
        self._heads: dict[str, tuple[Mapping[str, JsonValue], int]] = {}
        self._ended: set[str] = set()
        self._closed = False

    @property
    def answered(self) -> bool:
        """Whether nothing is waited for."""
        return all(exchange.reply.done() for exchange in self._exchanges.values())

    def add(self, exchange: Exchange, transcript: Transcript) -> None:
        """A request is about to be sent."""
        key = id_key(exchange.id)
        self._exchanges[key] = exchange
        self._asked[key] = Asked(exchange.frame, exchange.sent_at, exchange.sent_index, transcript)

    def discard(self, exchange: Exchange) -> None:
        """It could not be sent."""
        self._exchanges.pop(id_key(exchange.id), None)

    def went_out(self, exchange: Exchange, stream: str) -> None:
        """Over HTTP: the request went out on this stream, of which something may have come already."""
        self._by_stream[stream] = exchange
        if stream in self._heads:
            exchange.http, exchange.http_index = self._heads[stream]
        if stream in self._ended:
            self._end_without_response(exchange, exchange.sent_index)

    def on(self, stream: str) -> Exchange | None:
        """Over HTTP: the exchange whose stream it is."""
        return self._by_stream.get(stream)

    def asked_on(self, stream: str) -> Asked | None:
        """Over HTTP: the request whose stream it is."""
        exchange = self._by_stream.get(stream)
        return None if exchange is None else self._asked.get(id_key(exchange.id))

    def asked(self, frame: Frame, stream: str) -> Asked | None:
        """The request that a message answers by its id, or over HTTP by its stream where it has none."""
        if frame.kind is not FrameKind.RESPONSE:
            return None
        return self.asked_on(stream) if frame.id is None else self._asked.get(id_key(frame.id))

    def head(self, stream: str, detail: Mapping[str, JsonValue], index: int) -> None:
        """The head of an HTTP answer has come."""
        self._heads[stream] = (detail, index)
        exchange = self._by_stream.get(stream)
        if exchange is not None:
            exchange.http, exchange.http_index = detail, index

    def resolve(self, frame: Frame, stream: str, index: int, at: float) -> None:
        """Give a response to whoever waits for it."""
        key = id_key(frame.id)
        exchange = self._by_stream.get(stream)
        if exchange is None or id_key(exchange.id) != key:
            exchange = self._exchanges.get(key) or self._meant(frame, stream)
        if exchange is not None and not exchange.reply.done():
            head = self._heads.get(stream)
            exchange.reply.set_result(Reply(frame, head[0] if head else exchange.http, at, index))

    def _meant(self, frame: Frame, stream: str) -> Exchange | None:
        """The exchange that a response with a wrong id must be meant for, so that the scenario can go on."""
        if stream in self._by_stream:
            return self._by_stream[stream]
        waiting = [exchange for exchange in self._exchanges.values() if not exchange.reply.done()]
        if frame.id is None:  # what could not be read is answered without an id
            unreadable = (e for e in waiting if e.frame.id is None or e.frame.problem is not None)
            return next(unreadable, None)
        return next((e for e in waiting if str(e.id) == str(frame.id)), None)

    def stream_ended(self, stream: str, index: int) -> None:
        """A stream is over."""
        self._ended.add(stream)
        exchange = self._by_stream.get(stream)
        if exchange is not None:
            self._end_without_response(exchange, index)

    def _end_without_response(self, exchange: Exchange, index: int) -> None:
        """A bare refusal or acceptance is a reply too; anything else that ends without a response is none."""
        if exchange.reply.done() or exchange.drop_expected:
            return
        now = asyncio.get_running_loop().time()
        status = (exchange.http or {}).get("status")
        if isinstance(status, int) and (status >= 400 or status == 202):
            exchange.reply.set_result(Reply(None, exchange.http, now, exchange.http_index or index))
        elif not self._closed:
            _fail(exchange, NoAnswer(exchange.method, now - exchange.sent_at, stream_ended=True))

    def close(self, reason: str) -> None:
        """Nothing more will come: all that waits is told why."""
        self._closed = True
        for exchange in self._exchanges.values():
            if not exchange.reply.done():
                _fail(exchange, ConnectionGone(reason))


def _fail(exchange: Exchange, why: Exception) -> None:
    exchange.reply.set_exception(why)
    exchange.reply.exception()  # whoever waits is told; an exchange that nobody awaits is no leak to warn of
