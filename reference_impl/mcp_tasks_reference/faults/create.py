"""Faults in making tasks."""

from __future__ import annotations

import asyncio
import itertools
from contextlib import suppress

from mcp_tasks_reference.deviation import broken
from mcp_tasks_reference.ids import TaskIds
from mcp_tasks_reference.jsonrpc import INVALID_PARAMS, JsonObject, RpcError
from mcp_tasks_reference.lifecycle import Lifecycle, Status
from mcp_tasks_reference.service import TaskService
from mcp_tasks_reference.session import Exchange, Session
from mcp_tasks_reference.task import Task
from mcp_tasks_reference.tools import Tool
from mcp_tasks_reference.v1.params import Params
from mcp_tasks_reference.v1.tool_methods import ToolMethods
from mcp_tasks_reference.v1.views import RELATED_TASK, Views

_OTHER_ID = "7b6f4bde-7d4c-4a8e-9d6c-0a4f3f3b8f55"


@broken(
    "created-late",
    "v1.create.prompt",
    "quality.creation-latency",
    says="A call that asks for a task is answered with the task only once its work has ended.",
)
class CreatedLate(ToolMethods):
    async def make_task(self, exchange: Exchange, tool: Tool, arguments: JsonObject, params: JsonObject) -> JsonObject:
        created = await super().make_task(exchange, tool, arguments, params)
        exchange.answered()
        shown = created["task"]
        running = self.service.running(str(shown["taskId"])) if isinstance(shown, dict) else None
        with suppress(TimeoutError):
            async with asyncio.timeout(1.5):
                if running is not None:
                    await running.ended.wait()
        return created


@broken(
    "starts-input-required",
    "v1.create.starts-working",
    says="New tasks begin in input_required, although nothing is asked.",
)
class StartsInputRequired(Lifecycle):
    def first(self) -> Status:
        return Status.INPUT_REQUIRED


@broken(
    "starts-submitted",
    "v1.create.starts-working",
    "v1.status.values",
    says="New tasks show the status `submitted` at first.",
    also=["v1.create.schema"],
)
class StartsSubmitted(Views):
    def created(self, task: Task) -> JsonObject:
        return {**super().created(task), "task": {**self.task(task), "status": "submitted"}}


@broken(
    "created-flat",
    "v1.create.schema",
    says="The answer to a call that makes a task is the task itself, not under `task`.",
    also=["v1.create.returns-task", "v1.tool.optional-both"],
)
class CreatedFlat(Views):
    def created(self, task: Task) -> JsonObject:
        return {**self.task(task), "_meta": self.related(task.task_id)}


@broken("created-without-ttl", "v1.create.schema", says="The task in the answer to its creation has no ttl.")
class CreatedWithoutTtl(Views):
    def created(self, task: Task) -> JsonObject:
        shown = self.task(task)
        del shown["ttl"]
        return {**super().created(task), "task": shown}


@broken(
    "created-under-other-id",
    "v1.ttl.alive-until",
    says="The id in the answer to a task's creation is not the one that the task is known by.",
    also=[
        "v1.create.related-task-on-messages",
        "v1.input.request-related-task",
        "v1.progress.related-task",
        "v1.list.complete",
    ],
)
class CreatedUnderOtherId(Views):
    def created(self, task: Task) -> JsonObject:
        other = "-".join(reversed(task.task_id.split("-")))
        return {"task": {**self.task(task), "taskId": other}, "_meta": self.related(other)}


@broken(
    "created-without-related-task",
    "v1.create.related-task-on-messages",
    says="The answer to a task's creation carries no related-task metadata.",
)
class CreatedWithoutRelatedTask(Views):
    def created(self, task: Task) -> JsonObject:
        return {"task": self.task(task)}


@broken(
    "created-with-other-related-task",
    "v1.create.related-task-on-messages",
    says="The answer to a task's creation names another task in its related-task metadata.",
)
class CreatedWithOtherRelatedTask(Views):
    def created(self, task: Task) -> JsonObject:
        return {**super().created(task), "_meta": self.related(_OTHER_ID)}


@broken(
    "immediate-response-number",
    "v1.create.immediate-response-string",
    says="The immediate response for the model is a number.",
)
class ImmediateResponseNumber(Views):
    def created(self, task: Task) -> JsonObject:
        meta = {**self.related(task.task_id), "io.modelcontextprotocol/model-immediate-response": 42}
        return {"task": self.task(task), "_meta": meta}


@broken("ttl-demanded", "v1.create.ttl-optional", says="A `task` that names no ttl is refused.")
class TtlDemanded(Params):
    def ttl_ms(self, params: JsonObject) -> int | None:
        ttl_ms = super().ttl_ms(params)
        if ttl_ms is None:
            raise RpcError(INVALID_PARAMS, "Invalid params: task.ttl is missing")
        return ttl_ms


@broken(
    "suggested-id-taken",
    "v1.id.receiver-generated",
    says="A taskId that the requestor suggests, in `task` or in `_meta`, becomes the task's.",
)
class SuggestedIdTaken(TaskService):
    def new_id(self, session: Session, params: JsonObject) -> str:
        places = [params.get("task"), params.get("_meta")]
        meta = params.get("_meta")
        if isinstance(meta, dict):
            places.append(meta.get(RELATED_TASK))
        suggested = [place["taskId"] for place in places if isinstance(place, dict) and "taskId" in place]
        if suggested and isinstance(suggested[0], str) and self.running(suggested[0]) is None:
            return suggested[0]
        return super().new_id(session, params)


@broken(
    "ids-repeated",
    "v1.id.unique",
    says="Two equal calls of one session within a moment make tasks of one id.",
    also=["quality.many-tasks", "v1.list.complete"],
)
class IdsRepeated(TaskService):
    def new_id(self, session: Session, params: JsonObject) -> str:
        now = asyncio.get_running_loop().time()
        for running in reversed(self._running.values()):
            same = running.session is session and not running.over
            if same and running.params.get("name") == params.get("name") and now - running.began < 0.005:
                return running.task_id
        return super().new_id(session, params)


@broken("ids-counted", "v1.id.unguessable", says="Task ids are counted: task-1, task-2, ...")
class IdsCounted(TaskIds):
    _count = itertools.count(1)

    def new(self) -> str:
        return f"task-{next(self._count)}"
