"""Streamable HTTP of 2025-11-25, as a client: one session at one endpoint.

Spec: https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#streamable-http
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from contextlib import ExitStack

from mcp_tasks_conformance.wire import jsonrpc
from mcp_tasks_conformance.wire.body import read_body
from mcp_tasks_conformance.wire.carrier import Broken, Exchange, Gone, Head, HttpRequest
from mcp_tasks_conformance.wire.client_pool import ClientPool
from mcp_tasks_conformance.wire.endpoint import Endpoint
from mcp_tasks_conformance.wire.event_stream import EVENT_STREAM, EventStream
from mcp_tasks_conformance.wire.jsonrpc import Frame, FrameKind
from mcp_tasks_conformance.wire.open_sessions import OpenSessions
from mcp_tasks_conformance.wire.outlet import Outlet
from mcp_tasks_conformance.wire.post import Post
from mcp_tasks_conformance.wire.request_headers import RequestHeaders
from mcp_tasks_conformance.wire.transport import HttpAnswer, Sink

_TURN_S = 0.5
"""How long a message waits at most for the notification or response before it to be accepted."""
_PERMANENT = frozenset({301, 308})


class HttpTransport:
    """One session; its streams run in tasks of its own until ``close``, which does not end the session.

    Messages start in the order in which they were sent, and none starts before the notifications and responses sent
    ahead of it have been accepted, as with the clients of the SDKs, which await each.
    """

    kind = "http"

    def __init__(
        self,
        url: str,
        sink: Sink,
        *,
        headers: Mapping[str, str],
        client_pool: ClientPool,
        session_of: HttpTransport | None = None,
        left_open: OpenSessions | None = None,
    ) -> None:
        """Prepare; nothing is sent yet.

        Args:
            url: the MCP endpoint.
            sink: where everything that comes is delivered.
            headers: credentials and the like, sent with every request to the endpoint's origin, never noted.
            client_pool: the connections, shared by all transports to a target.
            session_of: another transport whose session, as it is now, this one joins.
            left_open: told of a session that is not over when this is closed.

        Raises:
            ValueError: the URL or a header cannot be sent.
        """
        self._endpoint = Endpoint.parse(url)
        self._headers = RequestHeaders(self._endpoint, headers)
        self._pool = client_pool
        self._left_open = left_open
        self._outlet = Outlet(sink)
        self._turn = asyncio.Lock()
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._counts = {"post": 0, "get": 0, "delete": 0}
        self._ended: str | None = None
        self._session_ended = False
        self.session_id: str | None = None
        """Taken from the answer to initialize; sent with everything from then on."""
        self.protocol_version: str | None = None
        """Sent with everything once it is set."""
        self.listening: str | None = None
        """The name of the latest listening stream."""
        if session_of is not None:
            self.session_id = session_of.session_id
            self.protocol_version = session_of.protocol_version

    async def send(self, text: str, *, headers: Mapping[str, str | None] | None = None) -> str:
        """See Transport.send; it does not suspend, so nothing of the answer can come before it returns."""
        stream = self._new_stream("post")
        frame = jsonrpc.decode(text)
        request = self._request("POST", headers, text)
        self._begin(stream, lambda: self._post(stream, frame, request))
        return stream

    async def listen(self) -> str | None:
        """See Transport.listen; the stream reconnects by itself, and stays open where this is cancelled."""
        stream = self.listening = self._new_stream("get")
        opened = asyncio.Event()
        self._begin(stream, lambda: self._listen(stream, opened))
        await opened.wait()
        return stream

    async def drop(self, stream: str) -> None:
        """See Transport.drop."""
        task = self._tasks.pop(stream, None)
        if task is not None:
            task.cancel()
            await asyncio.wait((task,))
            self._outlet.ended(stream, "dropped")

    async def exchange(self, method: str, headers: Mapping[str, str | None], body: str | None = None) -> HttpAnswer:
        """Send an HTTP request of one's own making; nothing of it goes to the sink.

        Args:
            method: the HTTP method.
            headers: override those that the transport would send, None leaves one out.
            body: the body, none unless given.

        Raises:
            ConnectionError: there was no whole answer.
        """
        exchange, head = await self._answer(self._request(method, headers, body))
        try:
            content = bytearray()
            if head.media_type != EVENT_STREAM and (broken := await read_body(exchange, content)):
                raise broken
        finally:
            await exchange.release()
        return HttpAnswer(head.status, head.media_type, head.headers, content.decode(errors="replace"))

    async def end_session(self) -> int:
        """Ask the server to end the session and give the status of its answer; the transport can still be used.

        Raises:
            ConnectionError: there was no whole answer.
        """
        stream = self._new_stream("delete")
        answer = await self.exchange("DELETE", {})
        head = Head(answer.status, answer.headers)
        self._outlet.head(stream, "DELETE", head, answer.text)
        self._outlet.ended(stream, "the answer is complete")
        self._session_ended = head.is_success
        return answer.status

    async def close(self) -> None:
        """See Transport.close; a defect of ours in one of the streams is raised here."""
        self._ended = self._ended or "the connection is closed"
        if self._left_open is not None and self.session_id is not None and not self._session_ended:
            self._left_open.add(self.session_id, self._request("DELETE", None))
        self._outlet.shut()
        tasks = tuple(self._tasks.values())
        self._tasks.clear()
        for task in tasks:
            task.cancel()
        for outcome in await asyncio.gather(*tasks, return_exceptions=True):
            if isinstance(outcome, Exception):
                raise outcome

    def _new_stream(self, kind: str) -> str:
        if self._ended is not None:
            raise ConnectionError(self._ended)
        self._counts[kind] += 1
        return f"{kind}:{self._counts[kind]}"

    def _begin(self, stream: str, work: Callable[[], Awaitable[str]]) -> None:
        self._tasks[stream] = asyncio.create_task(self._run(stream, work), name=stream)

    async def _run(self, stream: str, work: Callable[[], Awaitable[str]]) -> None:
        """Do a stream's work, which gives the reason of its end, and note it. Defects of ours stay for ``close``."""
        try:
            reason = await work()
        except Gone as gone:
            self._tasks.pop(stream, None)
            self._outlet.ended(stream, str(gone))
            self._lose(str(gone))
        except Broken as broken:
            self._tasks.pop(stream, None)
            self._outlet.ended(stream, str(broken))
        except Exception as defect:
            self._outlet.ended(stream, f"the harness failed: {type(defect).__name__}")
            raise
        else:
            self._tasks.pop(stream, None)
            self._outlet.ended(stream, reason)

    def _lose(self, reason: str) -> None:
        self._ended = self._ended or reason
        for task in self._tasks.values():
            task.cancel()
        self._outlet.closed(reason)

    async def _post(self, stream: str, frame: Frame, request: HttpRequest) -> str:
        is_request = frame.kind is FrameKind.REQUEST
        exchange, head = await self._answer(request, stream, holding_turn=not is_request)
        if is_request and frame.method == "initialize" and head.is_success:
            self.session_id = head.headers.get("mcp-session-id", self.session_id)
            self._session_ended = False
        return await Post(stream, frame, self._outlet, lambda extra: self._reopen(stream, extra)).take(exchange, head)

    async def _listen(self, stream: str, opened: asyncio.Event) -> str:
        try:
            exchange, head = await self._reopen(stream, {})
            if head.is_success and head.media_type == EVENT_STREAM:
                self._outlet.head(stream, "GET", head)
            else:
                return await self._take_refusal(stream, exchange, head)
        finally:
            opened.set()
        events = EventStream(
            stream,
            self._outlet,
            lambda extra: self._reopen(stream, extra),
            listening=lambda: not self._session_ended,
        )
        return await events.run(exchange)

    async def _take_refusal(self, stream: str, exchange: Exchange, head: Head) -> str:
        body = bytearray()
        try:
            await read_body(exchange, body)
        finally:
            await exchange.release()
            self._outlet.head(stream, "GET", head, self._outlet.text(stream, bytes(body)))
        return "no listening stream is offered" if head.status == 405 else f"GET was answered with {head.status}"

    async def _reopen(self, stream: str, headers: Mapping[str, str]) -> tuple[Exchange, Head]:
        return await self._answer(self._request("GET", headers), stream)

    async def _answer(
        self, request: HttpRequest, stream: str | None = None, *, holding_turn: bool = False
    ) -> tuple[Exchange, Head]:
        """Send a request in its turn and wait for the head of the answer."""

        def redirected(status: int, described: str, place: Endpoint) -> None:
            if stream is not None:
                self._outlet.progress(stream, {"redirect": status, "to": described})
            if status in _PERMANENT and place.origin == self._endpoint.origin:
                self._endpoint = place

        with ExitStack() as turn:
            await self._turn.acquire()
            turn.callback(self._turn.release)
            exchange = await self._pool.start(request)
            if holding_turn:
                turn.callback(asyncio.get_running_loop().call_later(_TURN_S, turn.close).cancel)
            else:
                turn.close()
            return await self._pool.answer(request, exchange, redirected)

    def _request(self, method: str, overrides: Mapping[str, str | None] | None, body: str | None = None) -> HttpRequest:
        headers = self._headers.compose(
            method,
            session_id=self.session_id,
            protocol_version=self.protocol_version,
            has_body=body is not None,
            overrides=overrides,
        )
        return HttpRequest(
            method, self._endpoint, headers, None if body is None else body.encode("utf-8", "surrogatepass")
        )
