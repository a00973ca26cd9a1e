"""The outcome of each scenario run, from the checks that count and the levels of their requirements."""

from __future__ import annotations

from collections.abc import Callable

from mcp_tasks_conformance.events import Check, Outcome, ScenarioOutcome
from mcp_tasks_conformance.verdicts.bounds import plain_object
from mcp_tasks_conformance.verdicts.ledger import Trial, control_reason
from mcp_tasks_conformance.verdicts.model import ScenarioResult
from mcp_tasks_conformance.verdicts.proofs import LEFT_NOTHING, TOLD_TO_ITS_END

_AS_TOLD = frozenset(
    {ScenarioOutcome.CRASHED, ScenarioOutcome.HUNG, ScenarioOutcome.NOT_RUN, ScenarioOutcome.HARNESS_ERROR}
)
"""Outcomes that no check changes."""

FAILING = frozenset({ScenarioOutcome.FAILED, ScenarioOutcome.CRASHED, ScenarioOutcome.HUNG})


def conclude(trial: Trial, breaks: Callable[[Check], bool], early: str | None) -> ScenarioResult:
    """How a scenario run ended.

    Args:
        trial: the run with its checks.
        breaks: whether a check is a violation that counts.
        early: why the run ended before its plan was done, or none.
    """
    outcome, reason = _outcome(trial, breaks, early)
    plan, finished = trial.plan, trial.finished
    return ScenarioResult(
        key=plan.key,
        scenario=plan.scenario,
        title=plan.title,
        parameters=plain_object(plan.parameters),
        proves=plan.proves,
        place=plan.place,
        outcome=outcome,
        reason=reason,
        duration_ms=0 if finished is None else round(finished.duration * 1000),
        attempts=0 if finished is None else finished.attempts,
        flaky=finished is not None and finished.flaky,
    )


def _outcome(trial: Trial, breaks: Callable[[Check], bool], early: str | None) -> tuple[ScenarioOutcome, str | None]:
    finished = trial.finished
    if trial.plan.skip is not None:
        return ScenarioOutcome.NOT_APPLICABLE, trial.plan.skip
    if finished is None:
        return ScenarioOutcome.NOT_RUN, early
    if finished.outcome in _AS_TOLD:
        return finished.outcome, finished.reason
    if any(breaks(note.check) for note in trial.kept):
        return ScenarioOutcome.FAILED, finished.reason
    if finished.outcome is ScenarioOutcome.INCONCLUSIVE or (
        finished.inconclusive and finished.outcome not in TOLD_TO_ITS_END
    ):
        return ScenarioOutcome.INCONCLUSIVE, finished.reason
    for note in trial.dropped:
        if note.by_step:
            return ScenarioOutcome.INCONCLUSIVE, control_reason(note.check.control)
    if any(note.check.outcome is not Outcome.PASS for note in trial.kept):
        return ScenarioOutcome.WARNED, finished.reason
    if finished.outcome is ScenarioOutcome.NOT_APPLICABLE or not _judged(trial):
        return ScenarioOutcome.NOT_APPLICABLE, finished.reason or LEFT_NOTHING
    return ScenarioOutcome.PASSED, None


def _judged(trial: Trial) -> bool:
    """Whether a step judged anything, or a watcher where the scenario only makes the traffic for it."""
    return any(note.by_step for note in trial.kept) or (not trial.plan.proves and bool(trial.kept))
