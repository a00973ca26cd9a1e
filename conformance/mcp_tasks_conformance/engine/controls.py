"""Scenarios that show a method at work, for checks of refusals that count only where it has been seen to work."""

from __future__ import annotations

from collections.abc import Iterable

from mcp_tasks_conformance.catalog.model import Step, every_step
from mcp_tasks_conformance.engine.judging import WORK, is_negative
from mcp_tasks_conformance.engine.planning import PlannedRun

_NAMING = ("send", "begin", "walk")
"""Verbs whose subject is the method that they use."""
_IMPLYING = {"start_task": WORK, "call_tool": WORK, "await_status": "tasks/get"}


def showing(method: str, planned: Iterable[PlannedRun]) -> list[PlannedRun]:
    """The runs that apply, disturb nobody, and use the method with success in mind; the shortest first."""
    can_run = [one for one in planned if one.skip is None and one.undecided is None]
    fit = [one for one in can_run if one.scenario.sharing == "parallel" and one.scenario.main]
    using = [one for one in fit if method in _used(one.scenario.steps)]
    return sorted(using, key=lambda one: len(list(every_step(one.scenario.steps))))


def _used(steps: tuple[Step, ...]) -> set[str]:
    methods: set[str] = set()
    for step in every_step(steps):
        if any(is_negative(expectation.that) for expectation in step.expect):
            continue
        if step.verb in _NAMING and isinstance(step.subject, str):
            methods.add(step.subject)
        elif step.verb in _IMPLYING:
            methods.add(_IMPLYING[step.verb])
    return methods
