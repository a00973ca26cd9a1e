"""One connection to the party under test, the same whichever side we play: requests, responses, notifications, inbox.

Nothing that a broken peer sends is validated away here. Every message and every event of a stream goes into the
transcript and to the watcher; what can be paired resolves an exchange; the rest is the judge's business.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from mcp_tasks_conformance.events import Direction, JsonValue, Seen, SeenKind
from mcp_tasks_conformance.peers.capabilities import objection
from mcp_tasks_conformance.peers.exchange import ConnectionGone, Exchange, NoAnswer, Reply
from mcp_tasks_conformance.peers.inbox import Inbox, Incoming
from mcp_tasks_conformance.wire import jsonrpc
from mcp_tasks_conformance.wire.jsonrpc import Frame, FrameKind
from mcp_tasks_conformance.wire.transcript import Transcript
from mcp_tasks_conformance.wire.transport import Transport


@dataclass(frozen=True, slots=True)
class Watched:
    """An entry of the transcript with what a judge needs beside it."""

    seen: Seen
    frame: Frame | None
    request: Frame | None
    """For a response, the request that it answers."""
    request_index: int | None
    request_at: float | None


Watcher = Callable[["Connection", Watched], None]


@dataclass(frozen=True, slots=True)
class _Request:
    """A request of either side, and where its transcript has it."""

    frame: Frame
    at: float
    index: int
    transcript: Transcript


class Connection:
    """A JSON-RPC peer over one transport. Create it, then ``bind`` the transport that delivers into it."""

    def __init__(
        self,
        *,
        label: str,
        transport_kind: str,
        identity: str | None = None,
        watcher: Watcher | None = None,
    ) -> None:
        """``label`` tells connections of one instance apart; ``identity`` names the credential it carries."""
        self.label = label
        self.name = label
        """The running scenario's name for it."""
        self.transport_kind = transport_kind
        self.identity = identity
        self.inbox = Inbox()
        self.closed_reason: str | None = None
        self.gone = asyncio.Event()
        self.capabilities: Mapping[str, JsonValue] = {}
        """What the other side declared."""
        self.declared: Mapping[str, JsonValue] = {}
        """What we declared."""
        self.initialize_reply: Reply | None = None
        self._watcher = watcher
        self._transport: Transport | None = None
        self._transcript = Transcript()
        self._next_id = 0
        self._exchanges: dict[str, Exchange] = {}
        self._by_stream: dict[str, Exchange] = {}
        """Over HTTP, where each request has a stream of its own."""
        self._stream_heads: dict[str, tuple[Mapping[str, JsonValue], int]] = {}
        self._ended_streams: set[str] = set()
        self._sent: dict[str, _Request] = {}
        self._incoming: dict[str, _Request] = {}
        self._unanswered: dict[str, Incoming] = {}
        self._replies: set[asyncio.Task[None]] = set()
        self._defects: list[BaseException] = []

    # -- wiring ----------------------------------------------------------------------------------------------

    def bind(self, transport: Transport) -> None:
        """Use this transport to send."""
        self._transport = transport

    @property
    def transport(self) -> Transport:
        """The transport; raises ConnectionGone before ``bind``."""
        if self._transport is None:
            raise ConnectionGone("the connection was never opened")
        return self._transport

    def attach(self, transcript: Transcript, name: str) -> None:
        """From here on, record into this transcript under this name; messages already held are forgotten."""
        self._transcript = transcript
        self.name = name
        self.inbox = Inbox()

    @property
    def unanswered(self) -> tuple[Incoming, ...]:
        """Requests of the other side that we have not answered."""
        return tuple(self._unanswered.values())

    @property
    def idle(self) -> bool:
        """Whether nothing is under way in either direction."""
        under_way = self._unanswered or self._replies
        return not under_way and all(exchange.reply.done() for exchange in self._exchanges.values())

    # -- sending ---------------------------------------------------------------------------------------------

    def new_id(self) -> int:
        """A request id that this side has not used on the connection."""
        self._next_id += 1
        return self._next_id

    async def begin(
        self,
        method: str,
        params: Mapping[str, JsonValue] | None = None,
        *,
        headers: Mapping[str, str | None] | None = None,
    ) -> Exchange:
        """Send a request; its reply resolves later.

        Raises:
            ConnectionGone: the connection is closed.
        """
        message_id = self.new_id()
        frame = jsonrpc.decode(jsonrpc.encode(jsonrpc.request(message_id, method, params)))
        return await self._begin(frame, message_id, method, headers)

    async def _begin(
        self, frame: Frame, message_id: str | int, method: str, headers: Mapping[str, str | None] | None
    ) -> Exchange:
        loop = asyncio.get_running_loop()
        seen = self._record(Direction.SENT, SeenKind.MESSAGE, "", frame.text)
        exchange = Exchange(message_id, method, frame, loop.time(), seen.index, loop.create_future())
        key = jsonrpc.id_key(message_id)
        self._exchanges[key] = exchange
        self._sent[key] = _Request(frame, exchange.sent_at, seen.index, self._transcript)
        self._watch(seen, frame)
        try:
            exchange.stream = await self._send(frame.text, headers)
        except ConnectionGone:
            del self._exchanges[key]
            raise
        if self.transport_kind == "http":
            self._by_stream[exchange.stream] = exchange
            if exchange.stream in self._stream_heads:
                exchange.http, exchange.http_index = self._stream_heads[exchange.stream]
            if exchange.stream in self._ended_streams:
                self._stream_ended(exchange.stream, seen.index)
        return exchange

    async def finish(self, exchange: Exchange, *, within: float) -> Reply:
        """The reply of an exchange.

        Raises:
            NoAnswer: none came within so many seconds, or the stream ended without one.
            ConnectionGone: the connection ended first.
        """
        try:
            async with asyncio.timeout(within):
                return await asyncio.shield(exchange.reply)
        except TimeoutError:
            raise NoAnswer(exchange.method, within) from None

    async def request(
        self,
        method: str,
        params: Mapping[str, JsonValue] | None = None,
        *,
        within: float,
        headers: Mapping[str, str | None] | None = None,
    ) -> Reply:
        """Send a request and wait for its reply (see ``finish``)."""
        started = asyncio.get_running_loop().time()
        try:
            async with asyncio.timeout(within):
                exchange = await self.begin(method, params, headers=headers)
        except TimeoutError:
            raise NoAnswer(method, within) from None
        spent = asyncio.get_running_loop().time() - started
        return await self.finish(exchange, within=max(within - spent, 0.0))

    async def notify(
        self,
        method: str,
        params: Mapping[str, JsonValue] | None = None,
        *,
        headers: Mapping[str, str | None] | None = None,
    ) -> str:
        """Send a notification; gives the stream it went on."""
        return await self._send_message(jsonrpc.encode(jsonrpc.notification(method, params)), headers)

    async def raw(self, text: str, *, headers: Mapping[str, str | None] | None = None) -> Exchange:
        """Send text as it is; the exchange resolves with a response to its id (or to none), or with the POST's end."""
        frame = jsonrpc.decode(text)
        message_id = (
            frame.id if isinstance(frame.id, str | int) and not isinstance(frame.id, bool) else f"raw-{self.new_id()}"
        )
        return await self._begin(frame, message_id, frame.method or "raw message", headers)

    async def respond(self, message: Incoming, value: Mapping[str, JsonValue]) -> None:
        """Answer a request of the other side; ``value`` is the whole response message without jsonrpc and id."""
        self._unanswered.pop(jsonrpc.id_key(message.frame.id), None)
        text = jsonrpc.encode({"jsonrpc": "2.0", "id": message.frame.id, **value})
        await self._send_message(text, None)

    async def _send_message(self, text: str, headers: Mapping[str, str | None] | None) -> str:
        frame = jsonrpc.decode(text)
        seen = self._record(Direction.SENT, SeenKind.MESSAGE, "", text)
        answered = self._incoming.get(jsonrpc.id_key(frame.id)) if frame.kind is FrameKind.RESPONSE else None
        self._watch(seen, frame, answered)
        return await self._send(text, headers)

    async def _send(self, text: str, headers: Mapping[str, str | None] | None) -> str:
        if self.closed_reason is not None:
            raise ConnectionGone(self.closed_reason)
        try:
            return await self.transport.send(text, headers=headers)
        except ConnectionError as error:
            raise ConnectionGone(str(error)) from error

    # -- the sink --------------------------------------------------------------------------------------------

    def received(self, stream: str, text: str) -> None:
        """See wire.transport.Sink."""
        frame = jsonrpc.decode(text)
        seen = self._record(Direction.RECEIVED, SeenKind.MESSAGE, stream, text)
        self._watch(seen, frame, self._asked(frame, stream))
        now = asyncio.get_running_loop().time()
        if frame.kind is FrameKind.RESPONSE:
            self._resolve(frame, stream, seen.index, now)
        elif frame.kind in (FrameKind.REQUEST, FrameKind.NOTIFICATION):
            self._take_in(Incoming(frame, stream, now, seen.index))

    def _take_in(self, incoming: Incoming) -> None:
        frame = incoming.frame
        if frame.kind is FrameKind.REQUEST:
            key = jsonrpc.id_key(frame.id)
            self._incoming[key] = _Request(frame, incoming.at, incoming.index, self._transcript)
            if frame.method == "ping":
                self._answer_soon(incoming, {"result": {}})
                return
            refusal = objection(frame.method, frame.params, self.declared)
            if refusal is None:
                self._unanswered[key] = incoming
            else:  # it is there to be seen all the same
                self._answer_soon(incoming, refusal)
        elif frame.method == "notifications/cancelled":
            self._unanswered.pop(jsonrpc.id_key(frame.params.get("requestId")), None)
        self.inbox.put(incoming)

    def noted(self, stream: str, kind: SeenKind, detail: Mapping[str, JsonValue], text: str = "") -> None:
        """See wire.transport.Sink."""
        seen = self._record(Direction.RECEIVED, kind, stream, text, detail)
        self._watch(seen, None, self._asked_on(stream))
        if kind is SeenKind.HTTP:
            self._stream_heads[stream] = (detail, seen.index)
            exchange = self._by_stream.get(stream)
            if exchange is not None:
                exchange.http, exchange.http_index = detail, seen.index
        elif kind is SeenKind.STREAM and detail.get("ended"):
            self._ended_streams.add(stream)
            self._stream_ended(stream, seen.index)

    def closed(self, reason: str) -> None:
        """See wire.transport.Sink."""
        seen = self._record(Direction.RECEIVED, SeenKind.CLOSED, "", reason)
        self._watch(seen, None)
        self._end(reason)

    def _end(self, reason: str) -> None:
        if self.closed_reason is None:
            self.closed_reason = reason
        self.gone.set()
        for exchange in self._exchanges.values():
            if not exchange.reply.done():
                exchange.reply.set_exception(ConnectionGone(self.closed_reason))
                exchange.reply.exception()  # whoever waits is told; an exchange nobody awaits is no leak to warn of

    def _asked(self, frame: Frame, stream: str) -> _Request | None:
        """The request that a message answers by its id, or over HTTP by its stream where it has none."""
        if frame.kind is not FrameKind.RESPONSE:
            return None
        return self._asked_on(stream) if frame.id is None else self._sent.get(jsonrpc.id_key(frame.id))

    def _asked_on(self, stream: str) -> _Request | None:
        exchange = self._by_stream.get(stream)
        return None if exchange is None else self._sent.get(jsonrpc.id_key(exchange.id))

    def _resolve(self, frame: Frame, stream: str, index: int, at: float) -> None:
        key = jsonrpc.id_key(frame.id)
        exchange = self._by_stream.get(stream)
        if exchange is None or jsonrpc.id_key(exchange.id) != key:
            exchange = self._exchanges.get(key) or self._meant(frame, stream)
        if exchange is not None and not exchange.reply.done():
            head = self._stream_heads.get(stream)
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

    def _stream_ended(self, stream: str, index: int) -> None:
        exchange = self._by_stream.get(stream)
        if exchange is None or exchange.reply.done() or exchange.drop_expected:
            return
        status = (exchange.http or {}).get("status")
        if isinstance(status, int) and (status >= 400 or status == 202):
            at = asyncio.get_running_loop().time()
            exchange.reply.set_result(Reply(None, exchange.http, at, exchange.http_index or index))
        elif self.closed_reason is None:
            waited = asyncio.get_running_loop().time() - exchange.sent_at
            exchange.reply.set_exception(NoAnswer(exchange.method, waited, stream_ended=True))
            exchange.reply.exception()

    def _answer_soon(self, incoming: Incoming, value: Mapping[str, JsonValue]) -> None:
        async def answer() -> None:
            try:
                await self.respond(incoming, value)
            except ConnectionGone:
                return  # the other side left before its answer came: nothing to tell it any more

        task = asyncio.get_running_loop().create_task(answer())
        self._replies.add(task)
        task.add_done_callback(self._answered)

    def _answered(self, task: asyncio.Task[None]) -> None:
        self._replies.discard(task)
        defect = None if task.cancelled() else task.exception()
        if defect is not None:
            self._defects.append(defect)

    # -- recording -------------------------------------------------------------------------------------------

    def _record(
        self,
        direction: Direction,
        kind: SeenKind,
        stream: str,
        text: str,
        detail: Mapping[str, JsonValue] | None = None,
    ) -> Seen:
        return self._transcript.record(
            direction=direction, kind=kind, connection=self.name, stream=stream, text=text, detail=detail
        )

    def _watch(self, seen: Seen, frame: Frame | None, asked: _Request | None = None) -> None:
        if self._watcher is None:
            return
        if asked is None:
            self._watcher(self, Watched(seen, frame, None, None, None))
            return
        # The index of a request that an earlier attempt sent means nothing in this one's transcript.
        index = asked.index if asked.transcript is self._transcript else None
        self._watcher(self, Watched(seen, frame, asked.frame, index, asked.at))

    # -- ending ----------------------------------------------------------------------------------------------

    async def drop(self, stream: str) -> None:
        """Abandon one stream without telling the other side."""
        exchange = self._by_stream.get(stream)
        if exchange is not None:
            exchange.drop_expected = True
        await self.transport.drop(stream)

    async def close(self) -> None:
        """End the connection; safe to call twice. A defect of ours in an answer is raised here."""
        for task in list(self._replies):
            task.cancel()
        if self._replies:
            await asyncio.gather(*self._replies, return_exceptions=True)
        if self._transport is not None:
            await self._transport.close()
        self._end("we closed the connection")
        if self._defects:
            raise self._defects.pop()
