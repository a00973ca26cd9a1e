"""Waits of steps: how long each is, given what earlier scenarios of the run have waited for in vain."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

from mcp_tasks_conformance.catalog.model import Step
from mcp_tasks_conformance.engine.attempt import Attempt
from mcp_tasks_conformance.engine.matching import show
from mcp_tasks_conformance.engine.patience import Awaited
from mcp_tasks_conformance.events import JsonValue

LEAST_MS = 1_000
"""How much longer than the work is said to take something is waited for that has been waited for in vain before."""


@dataclass(frozen=True, slots=True)
class Wait:
    """One wait of one step."""

    attempt: Attempt
    step: Step
    awaited: Awaited
    within: float
    cut: str | None
    """Why it is shorter than it would be, or none."""

    def came(self) -> None:
        """What was awaited came."""
        self.attempt.stage.patience.came(self.awaited)

    def in_vain(self) -> None:
        """It did not."""
        patience, attempt = self.attempt.stage.patience, self.attempt
        patience.in_vain(self.awaited, attempt.number, attempt.source(self.step), in_full=self.cut is None)

    @property
    def because(self) -> str:
        """What to say beside how long it was waited for."""
        return f" ({self.cut})" if self.cut is not None else ""


def wait_for(
    attempt: Attempt, step: Step, awaited: Awaited, full_s: float, *, judged: bool, work_s: float = 0.0
) -> Wait:
    """A wait for something.

    Args:
        attempt: who waits.
        step: the step that waits.
        awaited: what for.
        full_s: how long, where nothing speaks against it.
        judged: whether the step judges that it comes: then it is waited for in full, whatever happened before.
        work_s: how long the work behind it is said to take.
    """
    cut = None if judged else attempt.stage.patience.lost(awaited)
    least = work_s + attempt.stage.pace.deadline(LEAST_MS, 0.0)
    return Wait(attempt, step, awaited, full_s if cut is None else min(full_s, least), cut)


def end_of(attempt: Attempt, task_id: str) -> Awaited:
    """The end of a task."""
    return Awaited("end", f"the end of a task of {_tool_of(attempt, task_id)}")


def status_of(attempt: Attempt, task_id: str, wanted: str) -> Awaited:
    """A status that is no end."""
    return Awaited("message", f"status {wanted} of a task of {_tool_of(attempt, task_id)}")


def message_of(attempt: Attempt, task_id: str | None, method: str) -> Awaited:
    """A message that the target sends of its own accord, of a task or of none."""
    return Awaited("message", f"{method} of {_tool_of(attempt, task_id)}" if task_id is not None else method)


def answer_to(attempt: Attempt, method: str, params: Mapping[str, JsonValue] | None) -> Awaited:
    """The answer to a request; that to tasks/result comes with the end of its task."""
    given = params if params is not None else {}
    task_id = given.get("taskId")
    if method == "tasks/result" and isinstance(task_id, str) and task_id in attempt.tasks:
        return Awaited("result", f"the answer to tasks/result for a task of {_tool_of(attempt, task_id)}")
    if method == "tools/call":
        how = "as a task" if "task" in given else "called plainly"
        return Awaited("call", f"the answer to tools/call of {given.get('name')} {how}")
    return Awaited("answer", f"the answer to {method}")


def _tool_of(attempt: Attempt, task_id: str) -> str:
    known = attempt.tasks.get(task_id)
    behaviour = attempt.profile.behaviours.get(known.behaviour) if known is not None else None
    if behaviour is None:
        return "an unknown tool"
    arguments = cast("Mapping[str, JsonValue]", behaviour.arguments)
    return f"{behaviour.tool} {show(arguments, 60)}" if arguments else behaviour.tool
