"""Faults of tasks/get."""

from __future__ import annotations

from mcp_tasks_reference.deviation import broken
from mcp_tasks_reference.jsonrpc import JsonObject
from mcp_tasks_reference.task import Task
from mcp_tasks_reference.v1.views import Views


@broken("get-nested", "v1.get.schema", says="tasks/get answers the task under `task`, as at its creation.")
class GetNested(Views):
    def got(self, task: Task) -> JsonObject:
        return {"task": self.task(task)}
