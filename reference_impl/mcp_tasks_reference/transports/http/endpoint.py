"""The MCP endpoint: POST, GET and DELETE on one path."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable

from sse_starlette import EventSourceResponse, ServerSentEvent
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from mcp_tasks_reference import jsonrpc
from mcp_tasks_reference.jsonrpc import JsonObject, Message, RpcError, UnreadableMessage
from mcp_tasks_reference.server import Server
from mcp_tasks_reference.transports.http.gate import Gate, Refusal
from mcp_tasks_reference.transports.http.listener import PATH
from mcp_tasks_reference.transports.http.sessions import HttpSession, SessionBook
from mcp_tasks_reference.transports.http.streams import Answering, Event, EventStream

SESSION_HEADER = "mcp-session-id"
MAX_BODY_BYTES = 4 * 1024 * 1024


class Endpoint:
    """Streamable HTTP for one server.

    Spec: basic/transports#streamable-http
    """

    def __init__(self, server: Server, gate: Gate, sessions: SessionBook) -> None:
        self._server = server
        self._gate = gate
        self._sessions = sessions

    def app(self) -> Starlette:
        """The endpoint as an ASGI application; other methods are answered 405."""
        return Starlette(routes=[Route(PATH, self.handle, methods=["POST", "GET", "DELETE"])])

    async def handle(self, request: Request) -> Response:
        """Answer one HTTP request."""
        try:
            credential = self._gate.check(request.headers)
            match request.method:
                case "POST":
                    return await self.post(request, credential)
                case "DELETE":
                    return await self.delete(request, credential)
                case _:
                    return await self.get(request, credential)
        except Refusal as refusal:
            return refused(refusal)

    async def post(self, request: Request, credential: str | None) -> Response:
        """Take one message."""
        body = await self.body(request)
        session_id = request.headers.get(SESSION_HEADER)
        held = None if session_id is None else self._find(session_id, credential)
        try:
            message = jsonrpc.read(body)
        except UnreadableMessage as unreadable:
            return json_response(self._server.dispatcher.refusal(unreadable), 400)
        if held is not None:
            return await self.answer(request, held, message)
        held = self._begin(message, credential)
        response = await self.answer(request, held, message)
        if held.session.version is None:
            self._sessions.end(held.session.id)
        else:
            response.headers[SESSION_HEADER] = held.session.id
        return response

    async def get(self, request: Request, credential: str | None) -> Response:
        """Open a listening stream, or resume any stream."""
        if not _accepts_events(request):
            raise Refusal(406, "Not acceptable: the answer is an event stream")
        held = self._required(request, credential)
        last_event_id = request.headers.get("last-event-id")
        known = None if last_event_id is None else held.streams.find(last_event_id)
        if known is not None:
            stream, after = known
            if stream.listening:
                held.listening.add(stream)
            return events(stream, after)
        stream = held.streams.open(listening=True)
        held.listening.add(stream)
        return events(stream)

    async def delete(self, request: Request, credential: str | None) -> Response:
        """End a session."""
        self._sessions.end(self._required(request, credential).session.id)
        return Response(status_code=200)

    async def answer(self, request: Request, held: HttpSession, message: Message) -> Response:
        """Let a session take a message, and answer the POST that brought it."""
        stirred = asyncio.Event()
        outlet = self.outlet(held, stirred.set)
        self._server.dispatcher.take(held.session, message, outlet)
        if not isinstance(message, jsonrpc.Request):
            held.streams.drop(outlet.stream)
            return self.accepted()
        if not await _before_disconnect(request, stirred):
            outlet.abandoned = True
            held.streams.drop(outlet.stream)
            await self.departed(held, message)
            return Response(status_code=499)
        if outlet.first is not None and self.answers_plainly(message, outlet.first):
            held.streams.drop(outlet.stream)
            return self.plain_answer(self.response_of(held, outlet.first))
        outlet.streaming = True
        return events(outlet.stream)

    def outlet(self, held: HttpSession, stirred: Callable[[], None]) -> Answering:
        """Where the answer to a POST is put."""
        return Answering(held.streams.open(), stirred)

    def accepted(self) -> Response:
        """The answer to what wants none."""
        return Response(status_code=202)

    def answers_plainly(self, request: jsonrpc.Request, first: JsonObject) -> bool:  # noqa: ARG002
        """Whether one JSON object is the whole answer: the response came before anything else."""
        return "method" not in first

    def response_of(self, held: HttpSession, response: JsonObject) -> JsonObject:  # noqa: ARG002
        """The response to a request, on its way to the client that sent it."""
        return response

    def plain_answer(self, response: JsonObject) -> Response:
        """The response to a request as the whole answer."""
        return json_response(response)

    async def departed(self, held: HttpSession, request: jsonrpc.Request) -> None:
        """The client has left before its answer: a wait for a task ends, anything else goes on."""
        if request.method == "tasks/result":
            self._server.dispatcher.abandon(held.session, request.id)

    def _begin(self, message: Message, credential: str | None) -> HttpSession:
        if not isinstance(message, jsonrpc.Request) or message.method != "initialize":
            raise Refusal(400, "Bad request: the session header is missing")
        return self._sessions.begin(credential)

    def _required(self, request: Request, credential: str | None) -> HttpSession:
        session_id = request.headers.get(SESSION_HEADER)
        if session_id is None:
            raise Refusal(400, "Bad request: the session header is missing")
        return self._find(session_id, credential)

    def _find(self, session_id: str, credential: str | None) -> HttpSession:
        held = self._sessions.find(session_id, credential)
        if held is None:
            raise Refusal(404, "Session not found")
        return held

    async def body(self, request: Request) -> str:
        """The text of a POST."""
        content_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        if content_type != "application/json":
            raise Refusal(415, "Unsupported media type: a message is application/json")
        body = bytearray()
        async for chunk in request.stream():
            body += chunk
            if len(body) > MAX_BODY_BYTES:
                raise Refusal(413, f"Content too large: a message has at most {MAX_BODY_BYTES} bytes")
        return body.decode("utf-8", "surrogateescape")


def json_response(message: JsonObject, status: int = 200) -> Response:
    """One message as the whole answer."""
    return Response(jsonrpc.write(message), status, media_type="application/json")


def refused(refusal: Refusal) -> Response:
    """An HTTP error that says why in a JSON-RPC error without an id."""
    response = json_response(jsonrpc.failure(None, RpcError(refusal.code, refusal.message)), refusal.status)
    if refusal.status == 405:
        response.headers["allow"] = "POST"
    return response


def events(stream: EventStream, after: int = -1) -> Response:
    """A stream as server-sent events."""
    return EventSourceResponse(_encoded(stream.follow(after)))


async def _encoded(stream: AsyncIterator[Event]) -> AsyncIterator[ServerSentEvent]:
    async for event in stream:
        yield ServerSentEvent(event.data, id=event.id)


async def _before_disconnect(request: Request, stirred: asyncio.Event) -> bool:
    """Wait until there is something to answer; false where the client leaves before."""
    await asyncio.sleep(0)
    if stirred.is_set():
        return True
    async with asyncio.TaskGroup() as group:
        answer = group.create_task(stirred.wait())
        departure = group.create_task(_departure(request))
        await asyncio.wait({answer, departure}, return_when=asyncio.FIRST_COMPLETED)
        answer.cancel()
        departure.cancel()
    return stirred.is_set()


async def _departure(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


def _accepts_events(request: Request) -> bool:
    accepted = request.headers.get("accept", "*/*").lower()
    return any(wanted in accepted for wanted in ("text/event-stream", "text/*", "*/*"))
