"""Faults in the states of tasks."""

from __future__ import annotations

from mcp_tasks_reference.deviation import broken
from mcp_tasks_reference.jsonrpc import JsonValue
from mcp_tasks_reference.lifecycle import Lifecycle, Status
from mcp_tasks_reference.task import Task
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
