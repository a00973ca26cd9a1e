"""Faults of tasks/get."""

from __future__ import annotations

import asyncio

from mcp_tasks_reference.deviation import broken
from mcp_tasks_reference.jsonrpc import INVALID_REQUEST, JsonObject, RpcError
from mcp_tasks_reference.session import Exchange
from mcp_tasks_reference.task import Task
from mcp_tasks_reference.v1.params import Params
from mcp_tasks_reference.v1.task_methods import TaskMethods
from mcp_tasks_reference.v1.views import RELATED_TASK, Views

SLOWNESS_S = 0.8


@broken(
    "get-answers-nothing",
    "v1.get.schema",
    says="tasks/get answers an empty result.",
    also=["v1.ttl.actual-returned"],
    unseen=["v1.get.no-related-task", "v1.result.blocks", "v1.result.get-in-parallel", "v1.cancel.to-cancelled"],
)
class GetAnswersNothing(Views):
    def got(self, task: Task) -> JsonObject:
        return {}


@broken("get-nested", "v1.get.schema", says="tasks/get answers the task under `task`, as at its creation.")
class GetNested(Views):
    def got(self, task: Task) -> JsonObject:
        return {"task": self.task(task)}


@broken("get-id-as-number", "v1.id.string", says="tasks/get shows the taskId as a number.", also=["v1.get.schema"])
class GetIdAsNumber(Views):
    def got(self, task: Task) -> JsonObject:
        return {**super().got(task), "taskId": task.number}


@broken(
    "get-unknown-works",
    "v1.get.unknown-id",
    says="tasks/get makes up a working task for an id that no task has.",
    also=[
        "v1.isolation.get",
        "quality.session-isolation",
        "quality.foreign-as-unknown",
        "v1.ttl.may-delete-after",
        "v1.cancel.may-delete",
        "v1.status.transitions",
        "v1.status.terminal-final",
        "v1.time.created-at",
        "v1.time.last-updated-at",
    ],
)
class GetUnknownWorks(TaskMethods):
    async def get(self, exchange: Exchange, params: JsonObject) -> JsonObject:
        try:
            return await super().get(exchange, params)
        except RpcError:
            task_id = self._params.task_id(params)
            moment = "2026-01-01T00:00:00Z"
            shown = {"taskId": task_id, "status": "working", "ttl": None}
            return {**shown, "createdAt": moment, "lastUpdatedAt": moment}


@broken(
    "get-unknown-wrong-code",
    "v1.get.unknown-id",
    says="tasks/get refuses an id that no task has with -32600.",
    also=["v1.ttl.may-delete-after", "v1.cancel.may-delete"],
)
class GetUnknownWrongCode(TaskMethods):
    async def get(self, exchange: Exchange, params: JsonObject) -> JsonObject:
        task_id = self._params.task_id(params)
        try:
            return await super().get(exchange, params)
        except RpcError:
            raise RpcError(INVALID_REQUEST, f"Task not found: {task_id[:80]}") from None


@broken("get-with-related-task", "v1.get.no-related-task", says="tasks/get answers with related-task metadata.")
class GetWithRelatedTask(Views):
    def got(self, task: Task) -> JsonObject:
        return {**super().got(task), "_meta": self.related(task.task_id)}


@broken(
    "related-task-wins",
    "v1.get.param-wins",
    says="Related-task metadata in a request decides which task is meant, not params.taskId.",
    also=["v1.get.schema", "v1.result.related-task"],
)
class RelatedTaskWins(Params):
    def task_id(self, params: JsonObject) -> str:
        meta = params.get("_meta")
        related = meta.get(RELATED_TASK) if isinstance(meta, dict) else None
        return super().task_id(related if isinstance(related, dict) else params)


@broken(
    "get-waits-behind-result",
    "v1.result.get-in-parallel",
    says="While a tasks/result waits, tasks/get of that task waits as well.",
    also=["quality.get-prompt", "base.answers"],
)
class GetWaitsBehindResult(TaskMethods):
    async def get(self, exchange: Exchange, params: JsonObject) -> JsonObject:
        running = self._service.running(self._params.task_id(params))
        if running is not None and running.waiters:
            await running.ended.wait()
        return await super().get(exchange, params)


@broken("get-slow", "quality.get-prompt", says="tasks/get takes its time.")
class GetSlow(TaskMethods):
    async def get(self, exchange: Exchange, params: JsonObject) -> JsonObject:
        await asyncio.sleep(SLOWNESS_S)
        return await super().get(exchange, params)


@broken(
    "get-unknown-unanswered",
    "base.answers",
    "v1.get.unknown-id",
    says="tasks/get of an id that no task has is never answered.",
    also=[
        "quality.session-isolation",
        "quality.foreign-as-unknown",
        "v1.isolation.get",
        "v1.ttl.may-delete-after",
        "v1.cancel.may-delete",
    ],
)
class GetUnknownUnanswered(TaskMethods):
    async def get(self, exchange: Exchange, params: JsonObject) -> JsonObject:
        self._params.task_id(params)
        try:
            return await super().get(exchange, params)
        except RpcError:
            await asyncio.get_running_loop().create_future()
            raise
