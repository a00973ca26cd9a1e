"""The outcome of each scenario run, from the checks that count and the levels of their requirements."""

from __future__ import annotations

from collections.abc import Callable

from mcp_tasks_conformance.events import Check, ScenarioOutcome
from mcp_tasks_conformance.verdicts.bounds import plain_object
from mcp_tasks_conformance.verdicts.ledger import Trial, control_reason
from mcp_tasks_conformance.verdicts.model import ScenarioResult
from mcp_tasks_conformance.verdicts.proofs import LEFT_NOTHING, TOLD_TO_ITS_END
from mcp_tasks_conformance.verdicts.requests import Requests

LOST = frozenset({ScenarioOutcome.CRASHED, ScenarioOutcome.HUNG})
"""Outcomes in which the target died or fell silent."""
_AS_TOLD = LOST | {ScenarioOutcome.NOT_RUN, ScenarioOutcome.HARNESS_ERROR}
"""Outcomes that no check changes; only a baseline can know of those in which the target was lost."""

FAILING = LOST | {ScenarioOutcome.FAILED}


def conclude(trial: Trial, breaks: Callable[[Check], bool], early: str | None) -> ScenarioResult:
    """How a scenario run ended.

    Args:
        trial: the run with its checks and the waivers of these.
        breaks: whether a check is a violation that counts.
        early: why the run ended before its plan was done, or none.
    """
    outcome, reason = _outcome(trial, breaks, early)
    plan, finished = trial.plan, trial.finished
    came = None
    if outcome is ScenarioOutcome.INCONCLUSIVE and finished is not None and finished.reason is not None:
        came = Requests(finished.transcript).came(finished.reason)
    return ScenarioResult(
        key=plan.key,
        scenario=plan.scenario,
        title=plan.title,
        parameters=plain_object(plan.parameters),
        proves=plan.proves,
        place=plan.place,
        outcome=outcome,
        reason=reason,
        came=came,
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
    if finished.outcome in _AS_TOLD and not (finished.outcome in LOST and trial.loss_waived):
        return finished.outcome, finished.reason
    breaches = [note for note in trial.kept if breaks(note.check)]
    if breaches:
        waived = all(note.waiver is not None for note in breaches)
        return ScenarioOutcome.WAIVED if waived else ScenarioOutcome.FAILED, finished.reason
    if finished.outcome is ScenarioOutcome.INCONCLUSIVE or (
        finished.inconclusive and finished.outcome not in TOLD_TO_ITS_END
    ):
        return ScenarioOutcome.INCONCLUSIVE, finished.reason
    for note in trial.dropped:
        if note.by_step:
            return ScenarioOutcome.INCONCLUSIVE, control_reason(note.check.control)
    bad = [note for note in trial.kept if note.bad]
    if bad:
        waived = all(note.waiver is not None for note in bad)
        return ScenarioOutcome.WAIVED if waived else ScenarioOutcome.WARNED, finished.reason
    if finished.outcome is ScenarioOutcome.NOT_APPLICABLE or not _judged(trial):
        return ScenarioOutcome.NOT_APPLICABLE, finished.reason or LEFT_NOTHING
    return ScenarioOutcome.PASSED, finished.reason


def _judged(trial: Trial) -> bool:
    """Whether a step judged anything, or a watcher where the scenario only makes the traffic for it."""
    return any(note.by_step for note in trial.kept) or (not trial.plan.proves and bool(trial.kept))
