"""The states of a task and the moves between them. Pure, without I/O."""

from __future__ import annotations

from enum import StrEnum


class Status(StrEnum):
    """Where a task stands."""

    WORKING = "working"
    INPUT_REQUIRED = "input_required"
    COMPLETED = "completed"
    FAILED = "failed"
    CANCELLED = "cancelled"


ENDS = frozenset({Status.COMPLETED, Status.FAILED, Status.CANCELLED})


class Lifecycle:
    """The guards of the state machine.

    Spec: basic/utilities/tasks#task-status-lifecycle
    """

    def first(self) -> Status:
        """The status that every task begins in."""
        return Status.WORKING

    def is_over(self, status: Status) -> bool:
        """Whether a task in this status has ended for good."""
        return status in ENDS

    def may_move(self, before: Status, after: Status) -> bool:
        """Whether a task may go from one status to the other."""
        return not self.is_over(before) and before is not after
