"""Faults of tasks/result."""

from __future__ import annotations

import asyncio

from mcp_tasks_reference.deviation import broken
from mcp_tasks_reference.jsonrpc import JsonObject
from mcp_tasks_reference.running import Running
from mcp_tasks_reference.service import TaskService
from mcp_tasks_reference.task import Task
from mcp_tasks_reference.v1.views import Views


@broken(
    "result-without-related-task",
    "v1.result.related-task",
    says="tasks/result answers without related-task metadata.",
)
class ResultWithoutRelatedTask(Views):
    def result(self, task: Task, result: JsonObject) -> JsonObject:
        return {name: member for name, member in super().result(task, result).items() if name != "_meta"}


@broken(
    "result-impatient",
    "v1.result.blocks",
    says="tasks/result on a task that has not ended is answered at once, with an error.",
)
class ResultImpatient(TaskService):
    async def until_ended(self, running: Running) -> None:
        return


@broken(
    "result-never-wakes",
    "v1.result.wakes",
    says="A waiting tasks/result is not told of the task's end.",
    also=["base.answers"],
)
class ResultNeverWakes(TaskService):
    async def until_ended(self, running: Running) -> None:
        if not running.ended.is_set():
            await asyncio.Event().wait()
