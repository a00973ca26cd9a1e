"""Faults of the messages themselves."""

from __future__ import annotations

from mcp_tasks_reference.deviation import broken
from mcp_tasks_reference.dispatcher import Dispatcher
from mcp_tasks_reference.jsonrpc import JsonObject, Request


@broken("response-id-as-string", "base.response-id", says="Answers carry the id of their request turned into a string.")
class ResponseIdAsString(Dispatcher):
    def success(self, request: Request, result: JsonObject) -> JsonObject:
        return {**super().success(request, result), "id": str(request.id)}
