"""From messages to methods and back."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence

from mcp_tasks_reference import jsonrpc
from mcp_tasks_reference.jobs import Jobs
from mcp_tasks_reference.jsonrpc import (
    INTERNAL_ERROR,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    SERVER_BUSY,
    JsonObject,
    Message,
    Notification,
    Request,
    Response,
    RpcError,
    UnreadableMessage,
)
from mcp_tasks_reference.outlet import Outlet
from mcp_tasks_reference.session import Exchange, Session
from mcp_tasks_reference.v1.core_methods import CoreMethods, Method
from mcp_tasks_reference.v1.params import Params
from mcp_tasks_reference.v1.task_methods import TaskMethods
from mcp_tasks_reference.v1.tool_methods import ToolMethods

_log = logging.getLogger(__name__)

MAX_IN_FLIGHT = 10_000
"""How many requests of one session may wait for their answers."""


class Dispatcher:
    """Takes what a client sends, answers each request once, and nothing else.

    Spec: basic#messages, basic/utilities/cancellation
    """

    def __init__(self, methods: Sequence[CoreMethods | ToolMethods | TaskMethods], params: Params, jobs: Jobs) -> None:
        self._methods = methods
        self._params = params
        self._jobs = jobs

    def refusal(self, unreadable: UnreadableMessage) -> JsonObject:
        """The answer to what is no message."""
        return jsonrpc.failure(unreadable.request_id, unreadable.error)

    def take(self, session: Session, message: Message, outlet: Outlet) -> None:
        """Take one message; a request is answered in the background."""
        match message:
            case Request():
                self._begin(Exchange(session, message, outlet))
            case Notification():
                self.notice(session, message, outlet)
                outlet.end()
            case Response():
                session.answered(message)
                outlet.end()

    def notice(self, session: Session, notification: Notification, outlet: Outlet) -> None:  # noqa: ARG002
        """Heed a notification; unknown ones are ignored."""
        params = notification.params
        if notification.method == "notifications/cancelled" and isinstance(params, dict):
            request_id = params.get("requestId")
            if jsonrpc.is_id(request_id):
                self.abandon(session, request_id)

    def abandon(self, session: Session, request_id: jsonrpc.RequestId) -> None:
        """Stop answering a request; one that has been answered is none of our business any more."""
        exchange = session.in_flight.get(request_id)
        if exchange is not None:
            exchange.abandon()

    def _begin(self, exchange: Exchange) -> None:
        request_id = exchange.request.id
        refusal = self._refusal_of(exchange)
        if refusal is not None:
            exchange.outlet.put(jsonrpc.failure(request_id, refusal))
            exchange.outlet.end()
            return
        exchange.session.in_flight[request_id] = exchange
        exchange.job = self._jobs.start(self._answer(exchange), f"{exchange.request.method} {request_id}")

        def over(_: asyncio.Task[None]) -> None:
            if exchange.session.in_flight.get(request_id) is exchange:
                del exchange.session.in_flight[request_id]
            exchange.outlet.end()

        exchange.job.add_done_callback(over)

    def _refusal_of(self, exchange: Exchange) -> RpcError | None:
        in_flight = exchange.session.in_flight
        if exchange.request.id in in_flight:
            return RpcError(INVALID_REQUEST, "Invalid request: a request of this id is being answered")
        if len(in_flight) >= MAX_IN_FLIGHT:
            return RpcError(SERVER_BUSY, f"Too many requests: {MAX_IN_FLIGHT} of this session are being answered")
        return None

    async def _answer(self, exchange: Exchange) -> None:
        response = await self.respond(exchange)
        exchange.session.in_flight.pop(exchange.request.id, None)
        exchange.outlet.put(response)
        self.answered(exchange)

    def answered(self, exchange: Exchange) -> None:
        """The answer is on its way: what was to happen afterwards happens."""
        exchange.answered()

    async def respond(self, exchange: Exchange) -> JsonObject:
        """The response to a request."""
        request = exchange.request
        try:
            method = self.find(exchange.session, request.method)
            return self.success(request, await method(exchange, self._params.of(request.params)))
        except RpcError as error:
            return self.failure(request, error)
        except Exception:
            _log.exception("%s failed", request.method)
            return self.failure(request, RpcError(INTERNAL_ERROR, "Internal error"))

    def success(self, request: Request, result: JsonObject) -> JsonObject:
        """The response of a request that succeeded."""
        return jsonrpc.result(request.id, result)

    def failure(self, request: Request, error: RpcError) -> JsonObject:
        """The response of a request that failed."""
        return jsonrpc.failure(request.id, error)

    def find(self, session: Session, name: str) -> Method:
        """The method of a name.

        Raises:
            RpcError: there is none, or not before the session is initialized.
        """
        for methods in self._methods:
            method = methods.offered(session).get(name)
            if method is not None:
                return method
        if session.version is None:
            raise RpcError(INVALID_REQUEST, "Invalid request: the session is not initialized")
        raise RpcError(METHOD_NOT_FOUND, f"Method not found: {name[:80]}")
