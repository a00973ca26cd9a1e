"""Reads the params of requests, and refuses what is wrong with them."""

from __future__ import annotations

import math

from mcp_tasks_reference.jsonrpc import INVALID_PARAMS, JsonObject, JsonValue, RpcError
from mcp_tasks_reference.settings import Settings

LARGEST_TTL_MS = 2**53
"""The greatest whole number that every JSON reader takes exactly."""


class Params:
    """Each method takes what it is told from here, so each refusal is worded once.

    Spec: basic/utilities/tasks#protocol-errors
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings

    def of(self, params: JsonValue) -> JsonObject:
        """The params as an object; absent ones are empty."""
        if params is None:
            return {}
        if not isinstance(params, dict):
            raise RpcError(INVALID_PARAMS, "Invalid params: params must be an object")
        return params

    def task_id(self, params: JsonObject) -> str:
        """The task a request names: params.taskId and nothing else."""
        task_id = params.get("taskId")
        if not isinstance(task_id, str):
            raise RpcError(INVALID_PARAMS, "Invalid params: taskId must be a string")
        if not task_id:
            raise RpcError(INVALID_PARAMS, "Invalid params: taskId must not be empty")
        if len(task_id) > self._settings.max_id_length:
            raise RpcError(INVALID_PARAMS, "Invalid params: taskId is too long")
        return task_id

    def cursor(self, params: JsonObject) -> str | None:
        """The cursor of a list request, or none for its first page."""
        if "cursor" not in params:
            return None
        cursor = params["cursor"]
        if not isinstance(cursor, str):
            raise RpcError(INVALID_PARAMS, "Invalid params: cursor must be a string")
        return cursor

    def wants_task(self, params: JsonObject) -> bool:
        """Whether a request asks to become a task."""
        return "task" in params

    def ttl_ms(self, params: JsonObject) -> int | None:
        """The ttl that a request asks for, or none where it leaves the choice to us."""
        task = params.get("task", {})
        if not isinstance(task, dict):
            raise RpcError(INVALID_PARAMS, "Invalid params: task must be an object")
        if "ttl" not in task:
            return None
        ttl = task["ttl"]
        if not isinstance(ttl, (int, float)) or isinstance(ttl, bool):
            raise RpcError(INVALID_PARAMS, "Invalid params: task.ttl must be a number of milliseconds")
        if ttl < 0:
            raise RpcError(INVALID_PARAMS, "Invalid params: task.ttl must not be negative")
        return math.ceil(min(ttl, LARGEST_TTL_MS))
