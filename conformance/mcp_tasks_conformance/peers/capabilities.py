"""Capabilities as they are declared, and what is owed at once to a request that goes against ours."""

from __future__ import annotations

from collections.abc import Mapping

from mcp_tasks_conformance.events import JsonValue

METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INVALID_REQUEST = -32600

_ASKED_FOR: Mapping[str, str] = {
    "elicitation/create": "elicitation",
    "sampling/createMessage": "sampling",
    "roots/list": "roots",
    "tasks/get": "tasks",
    "tasks/result": "tasks",
    "tasks/list": "tasks.list",
    "tasks/cancel": "tasks.cancel",
}
"""The dotted capability that each method presupposes in who is asked."""


def declares(capabilities: JsonValue, dotted: str) -> bool:
    """Whether a dotted capability is declared: present and neither null nor false."""
    value = capabilities
    for part in dotted.split("."):
        if not isinstance(value, Mapping) or part not in value:
            return False
        value = value[part]
    return value is not None and value is not False


def objection(method: str | None, params: Mapping[str, JsonValue], declared: JsonValue) -> dict[str, JsonValue] | None:
    """The error that answers a request which who declared this must refuse; none for one that may be served.

    Spec: client/elicitation#error-handling, client/sampling and client/roots of 2025-11-25, and JSON-RPC.
    """
    if method is None:
        return _error(INVALID_REQUEST, "The method is no text")
    capability = _ASKED_FOR.get(method)
    if capability is None or not declares(declared, capability):
        return _error(METHOD_NOT_FOUND, f"Method not found: {method}")
    if method == "elicitation/create" and (mode := params.get("mode", "form")) not in _modes(declared):
        return _error(INVALID_PARAMS, f"No elicitation of the mode {mode!r} is supported")
    wants_tools = method == "sampling/createMessage" and ("tools" in params or "toolChoice" in params)
    if wants_tools and not declares(declared, "sampling.tools"):
        return _error(INVALID_PARAMS, "Sampling with tools is not supported")
    return None


def _modes(declared: JsonValue) -> tuple[str, ...]:
    """The modes of elicitation that were declared; a declaration that names none means forms."""
    named = tuple(mode for mode in ("form", "url") if declares(declared, f"elicitation.{mode}"))
    return named or ("form",)


def _error(code: int, message: str) -> dict[str, JsonValue]:
    return {"error": {"code": code, "message": message}}
