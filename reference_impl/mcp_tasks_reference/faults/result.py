"""Faults of tasks/result."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from mcp_tasks_reference.deviation import broken
from mcp_tasks_reference.dispatcher import Dispatcher
from mcp_tasks_reference.jsonrpc import INVALID_PARAMS, INVALID_REQUEST, SERVER_BUSY, JsonObject, RequestId, RpcError
from mcp_tasks_reference.lifecycle import Status
from mcp_tasks_reference.running import Running, Waiter
from mcp_tasks_reference.service import TaskService
from mcp_tasks_reference.session import Exchange, Session
from mcp_tasks_reference.task import Owner, Task
from mcp_tasks_reference.v1.task_methods import TaskMethods
from mcp_tasks_reference.v1.views import Views

_OTHER_ID = "b0a7f0d2-6f0e-4d0b-a2f5-3b9c40b1c111"


@broken(
    "result-impatient",
    "v1.result.blocks",
    says="tasks/result on a task that has not ended is answered at once, with an error.",
    unseen=[
        "v1.result.wakes",
        "v1.result.get-in-parallel",
        "v1.result.wait-cancelled",
        "quality.result-wakeup",
    ],
)
class ResultImpatient(TaskService):
    async def until_ended(self, running: Running) -> None:
        return


@broken(
    "result-never-wakes",
    "v1.result.wakes",
    says="A waiting tasks/result is not told of the end of a task that failed or was cancelled.",
    also=["base.answers", "v1.result.cancelled-answers", "v1.ttl.may-delete-after", "quality.result-wakeup"],
)
class ResultNeverWakes(TaskService):
    async def until_ended(self, running: Running) -> None:
        waited = not running.ended.is_set()
        await super().until_ended(running)
        task = await self.load(running.task_id)
        if waited and task is not None and task.status is not Status.COMPLETED:
            await asyncio.get_running_loop().create_future()


@broken(
    "result-wakes-one",
    "v1.result.wakes",
    says="Of several who wait in tasks/result for one task only the last is told of its end.",
    also=["base.answers"],
)
class ResultWakesOne(TaskService):
    _last: Mapping[str, object] = {}

    async def until_ended(self, running: Running) -> None:
        mine = object()
        self._last = {**self._last, running.task_id: mine}
        waited = not running.ended.is_set()
        await super().until_ended(running)
        if waited and self._last[running.task_id] is not mine:
            await asyncio.get_running_loop().create_future()


@broken(
    "result-polls",
    "quality.result-wakeup",
    says="A waiting tasks/result looks for the task's end every second and a half.",
)
class ResultPolls(TaskService):
    async def until_ended(self, running: Running) -> None:
        while not running.ended.is_set():  # noqa: ASYNC110
            await asyncio.sleep(1.5)


@broken("result-wrapped", "v1.result.exact", says="tasks/result puts the tool's result under `result`.")
class ResultWrapped(Views):
    def result(self, task: Task, result: JsonObject) -> JsonObject:
        return {"result": result, "_meta": self.related(task.task_id)}


@broken("result-without-content", "v1.result.exact", says="tasks/result answers metadata and nothing else.")
class ResultWithoutContent(Views):
    def result(self, task: Task, result: JsonObject) -> JsonObject:
        return {"_meta": self.related(task.task_id)}


@broken(
    "result-without-structure",
    "v1.result.exact",
    says="tasks/result leaves structuredContent out.",
)
class ResultWithoutStructure(Views):
    def result(self, task: Task, result: JsonObject) -> JsonObject:
        shown = super().result(task, result)
        return {name: value for name, value in shown.items() if name != "structuredContent"}


@broken(
    "error-replaced",
    "v1.result.same-error",
    says="tasks/result of a task whose request ended in an error answers an error of its own.",
)
class ErrorReplaced(TaskMethods):
    async def outcome(self, task: Task) -> JsonObject:
        if task.outcome is not None and task.outcome.error is not None:
            raise RpcError(INVALID_PARAMS, "The task has no result")
        return await super().outcome(task)


@broken(
    "tool-error-as-rpc-error",
    "v1.result.tool-error-is-result",
    says="tasks/result answers a tool's failed result as a JSON-RPC error.",
    also=["v1.result.exact"],
)
class ToolErrorAsRpcError(TaskMethods):
    async def outcome(self, task: Task) -> JsonObject:
        if task.outcome is not None and task.outcome.error is None and not task.outcome.succeeded:
            raise RpcError(SERVER_BUSY, task.status_message or "The tool failed")
        return await super().outcome(task)


@broken(
    "result-without-related-task",
    "v1.result.related-task",
    says="tasks/result answers without related-task metadata.",
)
class ResultWithoutRelatedTask(Views):
    def result(self, task: Task, result: JsonObject) -> JsonObject:
        return {name: member for name, member in super().result(task, result).items() if name != "_meta"}


@broken(
    "result-with-draft-key",
    "v1.result.related-task",
    says="tasks/result names its task under the key of an early draft.",
)
class ResultWithDraftKey(Views):
    def result(self, task: Task, result: JsonObject) -> JsonObject:
        draft = {"modelcontextprotocol.io/related-task": {"taskId": task.task_id}}
        return {**super().result(task, result), "_meta": draft}


@broken(
    "result-with-other-related-task",
    "v1.result.related-task",
    says="tasks/result names another task in its related-task metadata.",
)
class ResultWithOtherRelatedTask(Views):
    def result(self, task: Task, result: JsonObject) -> JsonObject:
        return {**super().result(task, result), "_meta": self.related(_OTHER_ID)}


@broken(
    "result-unknown-wrong-code",
    "v1.result.unknown-id",
    says="tasks/result refuses an id that no task has with -32600.",
    also=["v1.ttl.may-delete-after", "v1.cancel.may-delete"],
)
class ResultUnknownWrongCode(TaskService):
    async def await_end(self, owner: Owner, task_id: str, waiter: Waiter) -> Task:
        try:
            return await super().await_end(owner, task_id, waiter)
        except RpcError as error:
            raise RpcError(INVALID_REQUEST, error.message) from None


@broken(
    "result-once",
    "v1.result.repeatable",
    says="tasks/result gives a result once and refuses it from then on.",
)
class ResultOnce(TaskMethods):
    _given: frozenset[str] = frozenset()

    async def outcome(self, task: Task) -> JsonObject:
        if task.task_id in self._given:
            raise RpcError(INVALID_PARAMS, "The result has been fetched already")
        self._given |= {task.task_id}
        return await super().outcome(task)


@broken(
    "fetched-then-forgotten",
    "v1.result.repeatable",
    "v1.ttl.alive-until",
    says="A task is deleted when its result has been fetched.",
    also=["v1.input.decline-handled"],
)
class FetchedThenForgotten(TaskService):
    async def await_end(self, owner: Owner, task_id: str, waiter: Waiter) -> Task:
        task = await super().await_end(owner, task_id, waiter)
        await self.expire(task_id)
        return task


@broken(
    "cancelled-result-empty",
    "v1.result.cancelled-answers",
    says="tasks/result of a cancelled task answers metadata and nothing else.",
)
class CancelledResultEmpty(TaskMethods):
    async def outcome(self, task: Task) -> JsonObject:
        if task.status is Status.CANCELLED:
            return self._views.result(task, {})
        return await super().outcome(task)


@broken(
    "cancelled-result-hangs",
    "v1.result.cancelled-answers",
    says="tasks/result of a cancelled task is never answered.",
    also=["v1.result.wakes", "base.answers"],
)
class CancelledResultHangs(TaskMethods):
    async def outcome(self, task: Task) -> JsonObject:
        if task.status is Status.CANCELLED:
            await asyncio.get_running_loop().create_future()
        return await super().outcome(task)


@broken(
    "wait-cancelled-ends-task",
    "v1.result.wait-cancelled",
    says="notifications/cancelled for a waiting tasks/result cancels the task.",
    also=["v1.result.disconnect-safe"],
)
class WaitCancelledEndsTask(Dispatcher):
    def abandon(self, session: Session, request_id: RequestId) -> None:
        exchange = session.in_flight.get(request_id)
        if exchange is not None and exchange.request.method == "tasks/result":
            self._jobs.start(self._cancel(exchange), "a cancellation nobody asked for")
        super().abandon(session, request_id)

    async def _cancel(self, exchange: Exchange) -> None:
        await self.find(exchange.session, "tasks/cancel")(exchange, self._params.of(exchange.request.params))
