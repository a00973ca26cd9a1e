"""How tasks look on the wire."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mcp_tasks_reference.clock import LoopClock
from mcp_tasks_reference.jsonrpc import JsonObject, JsonValue
from mcp_tasks_reference.task import Task

RELATED_TASK = "io.modelcontextprotocol/related-task"


class Views:
    """Writes every message part that shows a task.

    Spec: basic/utilities/tasks#data-types, #associating-task-related-messages
    """

    def __init__(self, clock: LoopClock) -> None:
        self._clock = clock

    def task(self, task: Task) -> dict[str, JsonValue]:
        """A task, flat."""
        shown: dict[str, JsonValue] = {
            "taskId": task.task_id,
            "status": task.status.value,
            "createdAt": self.created_at(task),
            "lastUpdatedAt": self.updated_at(task),
            "ttl": task.ttl_ms,
        }
        if task.status_message is not None:
            shown["statusMessage"] = task.status_message
        if task.poll_interval_ms is not None:
            shown["pollInterval"] = task.poll_interval_ms
        return shown

    def created_at(self, task: Task) -> JsonValue:
        """When the task was made."""
        return self._clock.stamp(task.created_at)

    def updated_at(self, task: Task) -> JsonValue:
        """When its status changed last."""
        return self._clock.stamp(task.updated_at)

    def created(self, task: Task) -> JsonObject:
        """The answer to a request that has become a task."""
        return {"task": self.task(task), "_meta": self.related(task.task_id)}

    def got(self, task: Task) -> JsonObject:
        """The answer to tasks/get."""
        return self.task(task)

    def cancelled(self, task: Task) -> JsonObject:
        """The answer to tasks/cancel."""
        return self.task(task)

    def listed(self, tasks: Sequence[Task], next_cursor: str | None) -> JsonObject:
        """The answer to tasks/list."""
        page: dict[str, JsonValue] = {"tasks": [self.task(task) for task in tasks]}
        if next_cursor is not None:
            page["nextCursor"] = next_cursor
        return page

    def result(self, task: Task, result: JsonObject) -> JsonObject:
        """The answer to tasks/result: the request's own result, told apart only by its metadata."""
        return {**result, "_meta": self.with_related(result.get("_meta"), task.task_id)}

    def status(self, task: Task) -> JsonObject:
        """The params of a status notification."""
        return self.task(task)

    def message(self, task_id: str, params: JsonObject) -> JsonObject:
        """The params of any other message that belongs to the task."""
        return {**params, "_meta": self.with_related(params.get("_meta"), task_id)}

    def with_related(self, meta: JsonValue, task_id: str) -> JsonObject:
        """Metadata with the task named in it."""
        return {**(meta if isinstance(meta, Mapping) else {}), **self.related(task_id)}

    def related(self, task_id: str) -> JsonObject:
        """The metadata that names a task."""
        return {RELATED_TASK: {"taskId": task_id}}
