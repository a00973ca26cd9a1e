"""Faults of tasks/cancel."""

from __future__ import annotations

from dataclasses import replace

from mcp_tasks_reference.deviation import broken
from mcp_tasks_reference.dispatcher import Dispatcher
from mcp_tasks_reference.jsonrpc import INTERNAL_ERROR, INVALID_REQUEST, JsonObject, RequestId, RpcError
from mcp_tasks_reference.lifecycle import Lifecycle, Status
from mcp_tasks_reference.service import TaskService
from mcp_tasks_reference.session import Exchange, Session
from mcp_tasks_reference.task import Outcome, Owner, Task
from mcp_tasks_reference.v1.task_methods import TaskMethods
from mcp_tasks_reference.v1.tool_methods import ToolMethods
from mcp_tasks_reference.v1.views import Views


@broken(
    "cancel-answers-working",
    "v1.cancel.to-cancelled",
    says="tasks/cancel answers the task as it was before.",
)
class CancelAnswersWorking(Views):
    def cancelled(self, task: Task) -> JsonObject:
        return super().cancelled(replace(task, status=Status.WORKING))


@broken(
    "cancel-refused",
    "v1.cancel.to-cancelled",
    says="tasks/cancel refuses every task, as if it had ended.",
    unseen=[
        "v1.cancel.may-delete",
        "v1.cancel.schema",
        "v1.cancel.sticks",
        "v1.cancel.stops-work",
        "v1.cancel.terminal-rejected",
        "v1.cancel.unknown-id",
        "v1.capability.cancel-gate",
        "v1.isolation.cancel",
        "v1.result.cancelled-answers",
        "quality.queue-cleared",
    ],
)
class CancelRefused(TaskService):
    def refuses_cancel(self, task: Task) -> bool:
        return True


@broken(
    "cancel-completes",
    "v1.cancel.to-cancelled",
    says="tasks/cancel ends a task as completed, with an empty result.",
    also=["v1.cancel.sticks"],
)
class CancelCompletes(TaskService):
    async def cancel(self, owner: Owner, task_id: str) -> Task:
        task = await self.find(owner, task_id)
        done = await self.move(task_id, Status.COMPLETED, None, Outcome(result={"content": []}))
        if done is None:
            raise self.too_late(task)
        self.stop_work(task_id)
        return done


@broken(
    "cancel-rewrites-history",
    "v1.cancel.terminal-rejected",
    "v1.status.terminal-final",
    says="A task that has ended can be cancelled, and is cancelled from then on.",
    also=["v1.status.transitions", "v1.notify.truthful"],
)
class CancelRewritesHistory(Lifecycle):
    def may_move(self, before: Status, after: Status) -> bool:
        return super().may_move(before, after) or after is Status.CANCELLED


@broken(
    "cancel-ended-accepted",
    "v1.cancel.terminal-rejected",
    says="tasks/cancel of a task that has ended is answered with the task, unchanged.",
)
class CancelEndedAccepted(TaskService):
    async def cancel(self, owner: Owner, task_id: str) -> Task:
        task = await self.find(owner, task_id)
        return task if self.refuses_cancel(task) else await super().cancel(owner, task_id)


@broken(
    "cancel-ended-wrong-code",
    "v1.cancel.terminal-rejected",
    says="tasks/cancel of a task that has ended is refused with -32600.",
)
class CancelEndedWrongCode(TaskService):
    def too_late(self, task: Task) -> RpcError:
        return RpcError(INVALID_REQUEST, super().too_late(task).message)


@broken("cancel-leaves-work", "v1.cancel.stops-work", says="The work of a cancelled task goes on to its end.")
class CancelLeavesWork(TaskService):
    def stop_work(self, task_id: str) -> None:
        pass


@broken(
    "cancel-unknown-accepted",
    "v1.cancel.unknown-id",
    says="tasks/cancel makes up a cancelled task for an id that no task has.",
    also=[
        "v1.isolation.cancel",
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
class CancelUnknownAccepted(TaskMethods):
    async def cancel(self, exchange: Exchange, params: JsonObject) -> JsonObject:
        task_id = self._params.task_id(params)
        try:
            await self._service.find(exchange.session.owner, task_id)
        except RpcError:
            moment = "2026-01-01T00:00:00Z"
            shown = {"taskId": task_id, "status": "cancelled", "ttl": None}
            return {**shown, "createdAt": moment, "lastUpdatedAt": moment}
        return await super().cancel(exchange, params)


@broken(
    "cancel-unknown-wrong-code",
    "v1.cancel.unknown-id",
    says="tasks/cancel refuses an id that no task has with -32603.",
    also=["v1.ttl.may-delete-after", "v1.cancel.may-delete"],
)
class CancelUnknownWrongCode(TaskMethods):
    async def cancel(self, exchange: Exchange, params: JsonObject) -> JsonObject:
        task_id = self._params.task_id(params)
        try:
            await self._service.find(exchange.session.owner, task_id)
        except RpcError as error:
            raise RpcError(INTERNAL_ERROR, error.message) from None
        return await super().cancel(exchange, params)


@broken(
    "cancel-with-related-task",
    "v1.cancel.no-related-task",
    says="tasks/cancel answers with related-task metadata.",
)
class CancelWithRelatedTask(Views):
    def cancelled(self, task: Task) -> JsonObject:
        return {**super().cancelled(task), "_meta": self.related(task.task_id)}


@broken(
    "cancel-answers-nothing",
    "v1.cancel.schema",
    says="tasks/cancel answers an empty result.",
    also=["v1.cancel.to-cancelled"],
)
class CancelAnswersNothing(Views):
    def cancelled(self, task: Task) -> JsonObject:
        return {}


@broken(
    "cancel-nested",
    "v1.cancel.schema",
    says="tasks/cancel answers the task under `task`.",
    also=["v1.cancel.to-cancelled"],
)
class CancelNested(Views):
    def cancelled(self, task: Task) -> JsonObject:
        return {"task": self.task(task)}


@broken(
    "call-cancelled-ends-task",
    "v1.cancel.notification-harmless",
    says="notifications/cancelled for the answered request that made a task cancels the task.",
)
class CallCancelledEndsTask(Dispatcher):
    def abandon(self, session: Session, request_id: RequestId) -> None:
        super().abandon(session, request_id)
        self._jobs.start(self._cancel(session, request_id), "a cancellation nobody asked for")

    async def _cancel(self, session: Session, request_id: RequestId) -> None:
        service = next(methods.service for methods in self._methods if isinstance(methods, ToolMethods))
        for running in service.all_running():
            if running.session is session and running.request.id == request_id and not running.over:
                await service.cancel(session.owner, running.task_id)


@broken(
    "cancelled-as-internal-error",
    "v1.cancel.may-delete",
    says="A cancelled task is deleted at once, and asking for it ends in an internal error.",
    also=["v1.get.unknown-id", "v1.result.unknown-id", "v1.cancel.unknown-id", "v1.cancel.terminal-rejected"],
)
class CancelledAsInternalError(TaskService):
    _cancelled: frozenset[str] = frozenset()

    async def cancel(self, owner: Owner, task_id: str) -> Task:
        task = await super().cancel(owner, task_id)
        await self.expire(task_id)
        self._cancelled |= {task_id}
        return task

    def unknown(self, task_id: str) -> RpcError:
        if task_id in self._cancelled:
            return RpcError(INTERNAL_ERROR, "Internal error")
        return super().unknown(task_id)
