"""Faults of Streamable HTTP."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from starlette.requests import Request
from starlette.responses import Response

from mcp_tasks_reference import jsonrpc
from mcp_tasks_reference.deviation import broken
from mcp_tasks_reference.dispatcher import Dispatcher
from mcp_tasks_reference.jsonrpc import JsonObject
from mcp_tasks_reference.session import Exchange
from mcp_tasks_reference.tools import text_result
from mcp_tasks_reference.transports.http.endpoint import SESSION_HEADER, Endpoint, json_response
from mcp_tasks_reference.transports.http.gate import Gate
from mcp_tasks_reference.transports.http.sessions import HttpSession, SessionBook
from mcp_tasks_reference.transports.http.streams import Answering

_HTTP = ("http",)


@broken(
    "http-answers-as-text",
    "base.http-response-type",
    says="POSTed requests are answered as text/plain.",
    only=_HTTP,
)
class HttpAnswersAsText(Endpoint):
    def plain_answer(self, response: JsonObject) -> Response:
        return Response(jsonrpc.write(response), media_type="text/plain")


@broken(
    "http-notification-200",
    "base.http-accepted",
    says="POSTed notifications and responses are answered 200 with an empty object.",
    only=_HTTP,
)
class HttpNotification200(Endpoint):
    def accepted(self) -> Response:
        return json_response({})


@broken(
    "http-broadcast",
    "base.http-one-stream",
    says="What comes on the stream of a request comes on the listening stream too, its response aside.",
    also=["base.request-ids", "v1.progress.increases"],
    only=_HTTP,
)
class HttpBroadcast(Endpoint):
    def outlet(self, held: HttpSession, stirred: Callable[[], None]) -> Answering:
        return _Broadcasting(held, stirred)


class _Broadcasting(Answering):
    def __init__(self, held: HttpSession, stirred: Callable[[], None]) -> None:
        super().__init__(held.streams.open(), stirred)
        self._listening = held.listening

    def put(self, message: JsonObject) -> bool:
        if "method" in message:
            self._listening.put(message)
        return super().put(message)


@broken(
    "http-all-sessions-asked",
    "base.http-one-stream",
    says="What a task asks on the stream of a request is asked on the listening streams of all other sessions too.",
    also=["base.request-ids", "v1.input.request-related-task", "v1.notify.only-owner", "quality.session-isolation"],
    only=_HTTP,
)
class HttpAllSessionsAsked(Endpoint):
    def outlet(self, held: HttpSession, stirred: Callable[[], None]) -> Answering:
        return _AskingAll(held, [other for other in self._sessions.all() if other is not held], stirred)


class _AskingAll(Answering):
    def __init__(self, held: HttpSession, others: list[HttpSession], stirred: Callable[[], None]) -> None:
        super().__init__(held.streams.open(), stirred)
        self._others = others

    def put(self, message: JsonObject) -> bool:
        if "method" in message and "id" in message:
            for other in self._others:
                other.listening.put(message)
        return super().put(message)


@broken(
    "http-tools-to-all",
    "base.http-one-stream",
    says="The list of tools is the answer to every request of the same id that another session has open, too.",
    only=_HTTP,
)
class HttpToolsToAll(Dispatcher):
    _open: tuple[Exchange, ...] = ()

    async def respond(self, exchange: Exchange) -> JsonObject:
        self._open = (*self._open, exchange)
        response = await super().respond(exchange)
        self._open = tuple(other for other in self._open if other is not exchange)
        for other in self._open:
            same_id = other.request.id == exchange.request.id and other.session is not exchange.session
            if exchange.request.method == "tools/list" and same_id:
                other.outlet.put(response)
        return response


@broken("http-get-as-json", "base.http-get", says="GET is answered with an empty JSON object.", only=_HTTP)
class HttpGetAsJson(Endpoint):
    async def get(self, request: Request, credential: str | None) -> Response:
        return json_response({})


@broken(
    "http-responses-on-get",
    "base.http-get",
    says="The response to a POSTed request comes on the listening stream too.",
    also=["base.http-one-stream", "base.response-id"],
    only=_HTTP,
)
class HttpResponsesOnGet(Endpoint):
    def response_of(self, held: HttpSession, response: JsonObject) -> JsonObject:
        held.listening.put(response)
        return super().response_of(held, response)


@broken("session-never-gone", "base.http-session-gone", says="A session goes on after its end.", only=_HTTP)
class SessionNeverGone(SessionBook):
    def end(self, session_id: str) -> None:
        pass


@broken(
    "session-end-ends-tasks",
    "v1.create.returns-task",
    says="From the end of one session to the beginning of the next, all others get results in the place of tasks.",
    only=_HTTP,
)
class SessionEndEndsTasks(Endpoint):
    _ended = False

    async def post(self, request: Request, credential: str | None) -> Response:
        if SESSION_HEADER not in request.headers:
            self._ended = False
        return await super().post(request, credential)

    async def delete(self, request: Request, credential: str | None) -> Response:
        answer = await super().delete(request, credential)
        self._ended = True
        return answer

    def response_of(self, held: HttpSession, response: JsonObject) -> JsonObject:
        result = response.get("result")
        if self._ended and isinstance(result, Mapping) and "task" in result:
            response = {**response, "result": text_result("Tasks are not running", is_error=True)}
        return super().response_of(held, response)


@broken("any-version-served", "base.http-version-header", says="Any MCP-Protocol-Version is served.", only=_HTTP)
class AnyVersionServed(Gate):
    def check_version(self, version: str | None) -> None:
        pass


@broken("get-streams", "v1.get.no-sse-upgrade", says="tasks/get is answered with an event stream.", only=_HTTP)
class GetStreams(Endpoint):
    def answers_plainly(self, request: jsonrpc.Request, first: JsonObject) -> bool:
        return request.method != "tasks/get" and super().answers_plainly(request, first)


@broken(
    "disconnect-cancels",
    "v1.result.disconnect-safe",
    says="Leaving while tasks/result waits cancels the task.",
    also=["v1.result.repeatable"],
    only=_HTTP,
)
class DisconnectCancels(Endpoint):
    async def departed(self, held: HttpSession, request: jsonrpc.Request) -> None:
        await super().departed(held, request)
        if request.method == "tasks/result" and isinstance(request.params, dict):
            await self._server.service.cancel(held.session.owner, str(request.params.get("taskId")))
