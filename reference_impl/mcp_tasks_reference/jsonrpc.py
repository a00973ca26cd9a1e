"""JSON-RPC 2.0 as MCP narrows it: messages read from text and written to it. Pure, without I/O."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias, TypeGuard

JsonValue: TypeAlias = "None | bool | int | float | str | Sequence[JsonValue] | Mapping[str, JsonValue]"
JsonObject: TypeAlias = "Mapping[str, JsonValue]"
RequestId: TypeAlias = "int | str"

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
SERVER_BUSY = -32000
"""Ours, from the range JSON-RPC leaves to servers: a limit of the server is reached."""


class RpcError(Exception):
    """A failure that the peer is told as a JSON-RPC error."""

    def __init__(self, code: int, message: str, data: JsonValue = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.data = data

    def describe(self) -> dict[str, JsonValue]:
        """The error member of a response."""
        described: dict[str, JsonValue] = {"code": self.code, "message": self.message}
        if self.data is not None:
            described["data"] = self.data
        return described


class UnreadableMessage(Exception):
    """Text that is no message; ``request_id`` is known where the sender evidently meant a request of that id."""

    def __init__(self, error: RpcError, request_id: RequestId | None = None) -> None:
        super().__init__(error.message)
        self.error = error
        self.request_id = request_id


@dataclass(frozen=True, slots=True)
class Request:
    """A call that wants an answer."""

    id: RequestId
    method: str
    params: JsonValue = None

    @property
    def progress_token(self) -> RequestId | None:
        """What progress is to bear, if the request asks for it."""
        meta = self.params.get("_meta") if isinstance(self.params, dict) else None
        token = meta.get("progressToken") if isinstance(meta, dict) else None
        return token if is_id(token) else None


@dataclass(frozen=True, slots=True)
class Notification:
    """A message that wants none."""

    method: str
    params: JsonValue = None


@dataclass(frozen=True, slots=True)
class Response:
    """An answer to a request of ours: exactly one of result and error is there."""

    id: RequestId
    result: JsonObject | None = None
    error: JsonObject | None = None


Message: TypeAlias = Request | Notification | Response


def read(text: str) -> Message:
    """Read one message.

    Raises:
        UnreadableMessage: the text is not JSON, or JSON that is no message.
    """
    try:
        text.encode()  # bytes that were no UTF-8 have come through as lone surrogates
        value: JsonValue = json.loads(text, parse_constant=_refuse_constant)
    except RecursionError:
        raise UnreadableMessage(RpcError(PARSE_ERROR, "Parse error: nested too deeply")) from None
    except ValueError as problem:
        raise UnreadableMessage(RpcError(PARSE_ERROR, f"Parse error: {problem}")) from None
    if isinstance(value, list):
        raise UnreadableMessage(RpcError(INVALID_REQUEST, "Invalid request: batches are not supported"))
    if not isinstance(value, dict):
        raise UnreadableMessage(RpcError(INVALID_REQUEST, "Invalid request: a message is a JSON object"))
    return _classify(value)


def write(message: JsonObject) -> str:
    """One line of text; ASCII only, so that lone surrogates and line separators survive every transport."""
    return json.dumps(message, separators=(",", ":"), allow_nan=False)


def request(request_id: RequestId, method: str, params: JsonObject) -> dict[str, JsonValue]:
    """A request as it goes over the wire."""
    return {"jsonrpc": "2.0", "id": request_id, "method": method, "params": params}


def notification(method: str, params: JsonObject) -> dict[str, JsonValue]:
    """A notification as it goes over the wire."""
    return {"jsonrpc": "2.0", "method": method, "params": params}


def result(request_id: RequestId, value: JsonObject) -> dict[str, JsonValue]:
    """A successful response as it goes over the wire."""
    return {"jsonrpc": "2.0", "id": request_id, "result": value}


def failure(request_id: RequestId | None, error: RpcError) -> dict[str, JsonValue]:
    """An error response as it goes over the wire; without an id where none could be read."""
    named: dict[str, JsonValue] = {} if request_id is None else {"id": request_id}
    return {"jsonrpc": "2.0", **named, "error": error.describe()}


def is_id(value: object) -> TypeGuard[RequestId]:
    """Whether this may be an id: a string or an integer, and no boolean."""
    return isinstance(value, (str, int)) and not isinstance(value, bool)


def _classify(value: dict[str, Any]) -> Message:
    request_id = value["id"] if is_id(value.get("id")) else None
    if value.get("jsonrpc") != "2.0":
        raise UnreadableMessage(RpcError(INVALID_REQUEST, 'Invalid request: jsonrpc must be "2.0"'), request_id)
    if "method" in value:
        if not isinstance(value["method"], str):
            raise UnreadableMessage(RpcError(INVALID_REQUEST, "Invalid request: method must be a string"), request_id)
        if "id" not in value:
            return Notification(value["method"], value.get("params"))
        if request_id is None:
            raise UnreadableMessage(RpcError(INVALID_REQUEST, "Invalid request: id must be a string or an integer"))
        return Request(request_id, value["method"], value.get("params"))
    outcome = [value.get(member) for member in ("result", "error") if member in value]
    if request_id is None or len(outcome) != 1 or not isinstance(outcome[0], dict):
        unanswerable = RpcError(INVALID_REQUEST, "Invalid request: neither a request nor a response")
        raise UnreadableMessage(unanswerable, None if outcome else request_id)
    return Response(request_id, value.get("result"), value.get("error"))


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is no JSON number")
