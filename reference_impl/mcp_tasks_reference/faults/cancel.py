"""Faults of tasks/cancel."""

from __future__ import annotations

from dataclasses import replace

from mcp_tasks_reference.deviation import broken
from mcp_tasks_reference.jsonrpc import JsonObject
from mcp_tasks_reference.lifecycle import Lifecycle, Status
from mcp_tasks_reference.task import Task
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
    "cancel-rewrites-history",
    "v1.cancel.terminal-rejected",
    "v1.status.terminal-final",
    says="A task that has ended can be cancelled, and is cancelled from then on.",
    also=["v1.status.transitions"],
)
class CancelRewritesHistory(Lifecycle):
    def may_move(self, before: Status, after: Status) -> bool:
        return super().may_move(before, after) or after is Status.CANCELLED
