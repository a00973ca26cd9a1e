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
from mcp_tasks_conformance.peers.chatter import is_chatter
from mcp_tasks_conformance.peers.exchange import ConnectionGone, Exchange, NoAnswer, Reply
from mcp_tasks_conformance.peers.inbox import Inbox, Incoming
from mcp_tasks_conformance.peers.outstanding import Asked, Outstanding
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
        self._outstanding = Outstanding()
        self._incoming: dict[str, Asked] = {}
        self._unanswered: dict[str, Incoming] = {}
        self._replies: set[asyncio.Task[None]] = set()
        self._defects: list[BaseException] = []

    # -- wiring ----------------------------------------------------------------------------------------------

    def bind(self, transport: Transport) -> None:
        """Use this transport to send."""
        self._transport = transport

    @property
    def keeps_session(self) -> bool:
        """Whether the target can tell our session from others; over HTTP, whether it has given it a name."""
        return self.transport_kind != "http" or getattr(self._transport, "session_id", None) is not None

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
        return not self._unanswered and not self._replies and self._outstanding.answered

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
        self._outstanding.add(exchange, self._transcript)
        self._watch(seen, frame)
        try:
            exchange.stream = await self._send(frame.text, headers)
        except ConnectionGone:
            self._outstanding.discard(exchange)
            raise
        if self.transport_kind == "http":
            self._outstanding.went_out(exchange, exchange.stream)
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
        now = asyncio.get_running_loop().time()
        if is_chatter(frame):
            seen = self._record_chatter(SeenKind.MESSAGE, frame.method or "", stream, text, frame=frame)
            self.inbox.put(Incoming(frame, stream, now, seen.index))
            return
        if frame.kind is FrameKind.NOTIFICATION:
            seen = self._transcript.record_told(like=frame.method or "", connection=self.name, stream=stream, text=text)
        else:
            seen = self._record(Direction.RECEIVED, SeenKind.MESSAGE, stream, text)
        self._watch(seen, frame, self._outstanding.asked(frame, stream))
        if frame.kind is FrameKind.RESPONSE:
            self._outstanding.resolve(frame, stream, seen.index, now)
        elif frame.kind in (FrameKind.REQUEST, FrameKind.NOTIFICATION):
            self._take_in(Incoming(frame, stream, now, seen.index))

    def _take_in(self, incoming: Incoming) -> None:
        frame = incoming.frame
        if frame.kind is FrameKind.REQUEST:
            key = jsonrpc.id_key(frame.id)
            self._incoming[key] = Asked(frame, incoming.at, incoming.index, self._transcript)
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
        if kind is SeenKind.NOISE:
            self._record_chatter(kind, str(detail.get("noise")), stream, text, detail)
            return
        seen = self._record(Direction.RECEIVED, kind, stream, text, detail)
        self._watch(seen, None, self._outstanding.asked_on(stream))
        if kind is SeenKind.HTTP:
            self._outstanding.head(stream, detail, seen.index)
        elif kind is SeenKind.STREAM and detail.get("ended"):
            self._outstanding.stream_ended(stream, seen.index)

    def closed(self, reason: str) -> None:
        """See wire.transport.Sink."""
        seen = self._record(Direction.RECEIVED, SeenKind.CLOSED, "", reason)
        self._watch(seen, None)
        self._end(reason)

    def _end(self, reason: str) -> None:
        if self.closed_reason is None:
            self.closed_reason = reason
        self.gone.set()
        self._outstanding.close(self.closed_reason)

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

    def _record_chatter(
        self,
        kind: SeenKind,
        like: str,
        stream: str,
        text: str,
        detail: Mapping[str, JsonValue] | None = None,
        frame: Frame | None = None,
    ) -> Seen:
        """Record what may come by the thousand; judges are shown what has an entry of its own."""
        seen, is_own = self._transcript.record_chatter(
            like=like, kind=kind, connection=self.name, stream=stream, text=text, detail=detail
        )
        if is_own:
            self._watch(seen, frame, self._outstanding.asked_on(stream) if frame is None else None)
        return seen

    def _watch(self, seen: Seen, frame: Frame | None, asked: Asked | None = None) -> None:
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
        exchange = self._outstanding.on(stream)
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
