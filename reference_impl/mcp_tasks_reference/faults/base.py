"""Faults of the messages themselves."""

from __future__ import annotations

from mcp_tasks_reference.deviation import broken
from mcp_tasks_reference.dispatcher import Dispatcher
from mcp_tasks_reference.jsonrpc import (
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    JsonObject,
    Notification,
    Request,
    RequestId,
    RpcError,
    UnreadableMessage,
)
from mcp_tasks_reference.outlet import Outlet
from mcp_tasks_reference.session import Exchange, Session
from mcp_tasks_reference.transports.stdio import Framing
from mcp_tasks_reference.v1.core_methods import Method


@broken("response-id-as-text", "base.response-id", says="Answers carry the id of their request turned into a text.")
class ResponseIdAsText(Dispatcher):
    def success(self, request: Request, result: JsonObject) -> JsonObject:
        response = super().success(request, result)
        return response if request.method == "initialize" else {**response, "id": f"{request.id}"}


@broken("answered-twice", "base.response-id", says="tasks/get is answered twice.", only=["stdio", "memory"])
class AnsweredTwice(Dispatcher):
    def answered(self, exchange: Exchange) -> None:
        if exchange.request.method == "tasks/get":
            exchange.outlet.put(self.success(exchange.request, {}))
        super().answered(exchange)


@broken("response-without-version", "base.envelope", says="Answers have no jsonrpc member.")
class ResponseWithoutVersion(Dispatcher):
    def success(self, request: Request, result: JsonObject) -> JsonObject:
        return {name: value for name, value in super().success(request, result).items() if name != "jsonrpc"}


@broken(
    "result-and-error",
    "base.envelope",
    says="Answers have a result and an error that is null.",
    also=["base.error-shape"],
)
class ResultAndError(Dispatcher):
    def success(self, request: Request, result: JsonObject) -> JsonObject:
        return {**super().success(request, result), "error": None}


@broken(
    "error-message-object",
    "base.error-shape",
    says="The message of an error is an object.",
    also=["v1.error.informative"],
)
class ErrorMessageObject(Dispatcher):
    def failure(self, request: Request, error: RpcError) -> JsonObject:
        words = {"text": error.message}
        return {**super().failure(request, error), "error": {**error.describe(), "message": words}}


@broken(
    "request-ids-repeated",
    "base.request-ids",
    says="The server's requests take up ids again that have been answered.",
)
class RequestIdsRepeated(Session):
    def next_id(self) -> RequestId:
        return next(number for number in range(1, 10**6) if number not in self._asked)


@broken(
    "notification-answered",
    "base.notification-silent",
    says="Notifications are answered.",
    also=["base.response-id", "base.envelope"],
    only=["stdio", "memory"],
)
class NotificationAnswered(Dispatcher):
    def notice(self, session: Session, notification: Notification, outlet: Outlet) -> None:
        super().notice(session, notification, outlet)
        outlet.put({"jsonrpc": "2.0", "id": None, "result": {}})


@broken(
    "unknown-method-empty",
    "base.unknown-method",
    says="Methods that do not exist are answered like ping.",
)
class UnknownMethodEmpty(Dispatcher):
    def find(self, session: Session, name: str) -> Method:
        try:
            return super().find(session, name)
        except RpcError as error:
            if error.code != METHOD_NOT_FOUND:
                raise
            return super().find(session, "ping")


@broken("unknown-method-wrong-code", "base.unknown-method", says="Methods that do not exist are refused with -32600.")
class UnknownMethodWrongCode(Dispatcher):
    def find(self, session: Session, name: str) -> Method:
        try:
            return super().find(session, name)
        except RpcError as error:
            raise RpcError(INVALID_REQUEST, error.message) from None


@broken("stdout-banner", "base.stdio-clean", says="Log lines stand among the messages on stdout.", only=["stdio"])
class StdoutBanner(Framing):
    def encode(self, text: str) -> bytes:
        return b"INFO sending a message\n" + super().encode(text)


@broken(
    "dies-of-garbage",
    "quality.survives-garbage",
    says="The connection breaks down over text that is no message.",
    also=["base.answers"],
    only=["stdio", "memory"],
)
class DiesOfGarbage(Dispatcher):
    def refusal(self, unreadable: UnreadableMessage) -> JsonObject:
        raise ConnectionError("The parser has given up")
