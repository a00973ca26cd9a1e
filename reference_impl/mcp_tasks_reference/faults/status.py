"""Faults in the states of tasks and in how their work ends."""

from __future__ import annotations

import asyncio

from mcp_tasks_reference.deviation import broken
from mcp_tasks_reference.execution import Execution
from mcp_tasks_reference.jsonrpc import JsonValue
from mcp_tasks_reference.lifecycle import Lifecycle, Status
from mcp_tasks_reference.running import Running
from mcp_tasks_reference.service import TaskService
from mcp_tasks_reference.task import Outcome, Task
from mcp_tasks_reference.v1.views import Views


@broken(
    "status-running",
    "v1.status.values",
    says="A task at work shows the status `running`.",
    also=[
        "v1.create.starts-working",
        "v1.create.schema",
        "v1.get.schema",
        "v1.list.schema",
        "v1.notify.schema",
    ],
)
class StatusRunning(Views):
    def task(self, task: Task) -> dict[str, JsonValue]:
        shown = super().task(task)
        return {**shown, "status": "running"} if task.status is Status.WORKING else shown


@broken(
    "completed-then-failed",
    "v1.status.transitions",
    "v1.status.terminal-final",
    says="A completed task turns failed a moment later.",
    also=["v1.status.completed-on-success", "v1.notify.truthful"],
)
class CompletedThenFailed(TaskService):
    def wake(self, running: Running) -> None:
        super().wake(running)
        self._jobs.start(self._spoil(running.task_id), "second thoughts")

    async def _spoil(self, task_id: str) -> None:
        await asyncio.sleep(0.03)
        task = await self._store.load(task_id)
        if task is not None and task.status is Status.COMPLETED:
            await self._store.swap(task, self.moved(task, Status.FAILED, "On second thoughts, no", task.outcome))


@broken(
    "cancelled-completes",
    "v1.cancel.sticks",
    "v1.status.terminal-final",
    says="A cancelled task turns completed or failed when its work comes to its end.",
    also=["v1.status.transitions"],
)
class CancelledCompletes(Lifecycle):
    def may_move(self, before: Status, after: Status) -> bool:
        return super().may_move(before, after) or (
            before is Status.CANCELLED and after in (Status.COMPLETED, Status.FAILED)
        )


@broken("success-fails", "v1.status.completed-on-success", says="A task whose request succeeded ends failed.")
class SuccessFails(Execution):
    def status_after_success(self) -> Status:
        return Status.FAILED


@broken(
    "tool-error-completes",
    "v1.status.failed-on-tool-error",
    says="A task whose tool says that it failed ends completed.",
)
class ToolErrorCompletes(Execution):
    def status_after_tool_error(self) -> Status:
        return Status.COMPLETED


@broken(
    "rpc-error-completes",
    "v1.status.failed-on-rpc-error",
    says="A task whose request ended in a JSON-RPC error ends completed.",
)
class RpcErrorCompletes(Execution):
    def status_after_error(self) -> Status:
        return Status.COMPLETED


@broken(
    "rpc-error-forgotten",
    "v1.status.failed-on-rpc-error",
    says="A task whose request ended in a JSON-RPC error stays working for ever.",
    also=["v1.result.wakes", "v1.result.same-error", "base.answers"],
)
class RpcErrorForgotten(Execution):
    async def end(self, running: Running, outcome: Outcome) -> None:
        if outcome.error is None:
            await super().end(running, outcome)


@broken("failed-without-words", "v1.status.failed-message", says="A failed task has no statusMessage.")
class FailedWithoutWords(Execution):
    def message_after(self, outcome: Outcome) -> str | None:
        return super().message_after(outcome) if outcome.succeeded else None
