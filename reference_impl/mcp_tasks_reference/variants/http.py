"""Freedoms of Streamable HTTP."""

from __future__ import annotations

from collections.abc import Callable

from starlette.requests import Request
from starlette.responses import Response

from mcp_tasks_reference import jsonrpc
from mcp_tasks_reference.behaviours import Toolbox
from mcp_tasks_reference.deviation import Variant
from mcp_tasks_reference.jsonrpc import JsonObject, UnreadableMessage
from mcp_tasks_reference.ownership import Ownership
from mcp_tasks_reference.task import EVERYONE, Owner
from mcp_tasks_reference.tools import Tool
from mcp_tasks_reference.transports.http.endpoint import Endpoint, json_response
from mcp_tasks_reference.transports.http.gate import Refusal
from mcp_tasks_reference.transports.http.sessions import HttpSession
from mcp_tasks_reference.transports.http.streams import Answering, EventStream, Listening, StreamBook

_HTTP = ("http",)
_UNNAMED_VERSION = "2025-03-26"


class JsonOnly(Endpoint):
    """Answers every POST with one JSON object; anything else goes to the listening stream."""

    def outlet(self, held: HttpSession, stirred: Callable[[], None]) -> Answering:
        return _JsonAnswering(held.streams.open(), stirred, held.listening)


class _JsonAnswering(Answering):
    def __init__(self, stream: EventStream, stirred: Callable[[], None], listening: Listening) -> None:
        super().__init__(stream, stirred)
        self._listening = listening

    @property
    def is_open(self) -> bool:
        return self._listening.is_open

    def put(self, message: JsonObject) -> bool:
        return self._listening.put(message) if "method" in message else super().put(message)


class StreamsAlways(Endpoint):
    """Answers every POSTed request but tasks/get with a stream."""

    def answers_plainly(self, request: jsonrpc.Request, first: JsonObject) -> bool:
        return request.method == "tasks/get" and super().answers_plainly(request, first)


class NoSessions(Endpoint):
    """Knows nothing of a client but what stands in each request, and so asks it nothing."""

    async def post(self, request: Request, credential: str | None) -> Response:
        body = await self.body(request)
        try:
            message = jsonrpc.read(body)
        except UnreadableMessage as unreadable:
            return json_response(self._server.dispatcher.refusal(unreadable), 400)
        listening = Listening()
        session = self._server.open_session(listening, credential=credential)
        session.id = "none"
        if not (isinstance(message, jsonrpc.Request) and message.method == "initialize"):
            session.agree(request.headers.get("mcp-protocol-version", _UNNAMED_VERSION), {})
        return await self.answer(request, HttpSession(session, credential, listening, StreamBook()), message)

    async def get(self, request: Request, credential: str | None) -> Response:
        raise Refusal(405, "Method not allowed: there are no listening streams")

    async def delete(self, request: Request, credential: str | None) -> Response:
        raise Refusal(405, "Method not allowed: there are no sessions")


class SharedByStrangers(Ownership):
    """Those who show no credential cannot be told apart."""

    def of(self, session_id: str, credential: str | None, local: Owner | None) -> Owner:
        return EVERYONE if credential is None else super().of(session_id, credential, local)


class AsksNothing(Toolbox):
    """Only tools that need no answers."""

    def make(self) -> list[Tool]:
        return [tool for tool in super().make() if not tool.name.startswith("asks-") and tool.name != "floods"]


VARIANTS = (
    Variant("json-only", "POSTs are answered with JSON, never with a stream.", mixins=(JsonOnly,), transports=_HTTP),
    Variant(
        "sse-always",
        "POSTed requests, tasks/get aside, are answered with a stream.",
        mixins=(StreamsAlways,),
        transports=_HTTP,
    ),
    Variant(
        "no-sessions",
        "There are no sessions, no listening streams, no questions and no tasks/list.",
        {"offer_list": False},
        mixins=(NoSessions, SharedByStrangers, AsksNothing),
        consequences=("quality.session-isolation", "quality.foreign-as-unknown"),
        transports=_HTTP,
    ),
)
