"""How far each requirement is proven: one proof for each scenario run that was to prove it, one for each watcher."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import Enum, auto

from mcp_tasks_conformance.events import Outcome, ScenarioFinished, ScenarioOutcome
from mcp_tasks_conformance.verdicts.ledger import Noted, Trial, control_reason

TOLD_TO_ITS_END = frozenset({ScenarioOutcome.PASSED, ScenarioOutcome.WARNED, ScenarioOutcome.NOT_APPLICABLE})
"""Outcomes of a story that went as far as the target's choices let it go; what it did not judge, these left out."""
_BROKEN_OFF = frozenset({ScenarioOutcome.CRASHED, ScenarioOutcome.HUNG, ScenarioOutcome.HARNESS_ERROR})

NOTHING_CAME = "nothing came that it is about"
"""Why what is only watched for was not exercised."""


LEFT_NOTHING = "what the target chose to do left nothing to judge"
"""Why a proof that ran was not one."""


class State(Enum):
    """What one proof came to."""

    PASSED = auto()
    FAILED = auto()
    OPEN = auto()
    """It applies and came to nothing."""
    SKIPPED = auto()
    """It does not apply, or there was nothing to judge."""


@dataclass(frozen=True, slots=True)
class Proof:
    """One proof of one requirement."""

    state: State
    reason: str | None = None
    """Why it is open or skipped."""
    lacks_tool: bool = False
    """Whether it was skipped only because no tool is known that behaves as it asks."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """All that a run has about one requirement."""

    proofs: tuple[Proof, ...]
    kept: tuple[Noted, ...]


def gather(trials: Iterable[Trial], watched: Iterable[str], early: str | None) -> dict[str, Evidence]:
    """The evidence by requirement; a requirement that nothing in the run is about is not in it.

    Args:
        trials: every scenario run of the plan.
        watched: requirements that the monitors judge as messages come.
        early: why the run ended before its plan was done, or none.
    """
    proofs: dict[str, list[Proof]] = defaultdict(list)
    kept: dict[str, list[Noted]] = defaultdict(list)
    watchers: dict[tuple[str, str], list[tuple[Noted, bool]]] = defaultdict(list)
    for trial in trials:
        for note, counts in _notes(trial):
            if counts:
                kept[note.check.requirement].append(note)
            if not note.by_step:
                watchers[note.check.requirement, note.check.source].append((note, counts))
        stepped = (note.check.requirement for note, _ in _notes(trial) if note.by_step)
        for requirement in dict.fromkeys((*trial.plan.proves, *stepped)):
            proofs[requirement].append(_by_scenario(trial, requirement, early))
        for requirement in trial.finished.unconfirmed if trial.finished is not None else ():
            proofs[requirement].append(Proof(State.OPEN, f"seen to be broken once, in {trial.plan.key}"))
    for (requirement, _), notes in watchers.items():
        proofs[requirement].append(_by_watcher(notes))
    judged = {requirement for requirement, _ in watchers}
    for requirement in watched:
        if requirement not in judged:
            proofs[requirement].append(Proof(State.SKIPPED, NOTHING_CAME))
    return {id_: Evidence(tuple(found), tuple(kept[id_])) for id_, found in proofs.items()}


def _notes(trial: Trial) -> Iterator[tuple[Noted, bool]]:
    yield from ((note, True) for note in trial.kept)
    yield from ((note, False) for note in trial.dropped)


def _by_watcher(notes: list[tuple[Noted, bool]]) -> Proof:
    if any(counts and note.check.outcome is Outcome.FAIL for note, counts in notes):
        return Proof(State.FAILED)
    control = next((note.check.control for note, counts in notes if not counts), None)
    return Proof(State.PASSED) if control is None else Proof(State.OPEN, control_reason(control))


def _by_scenario(trial: Trial, requirement: str, early: str | None) -> Proof:
    if trial.plan.skip is not None:
        return Proof(State.SKIPPED, trial.plan.skip, lacks_tool=trial.plan.lacks_tool)
    finished = trial.finished
    if finished is None:
        return Proof(State.OPEN, f"not run: {early}" if early else "not run")
    kept = [note.check for note in trial.kept if note.check.requirement == requirement and note.by_step]
    if any(check.outcome is Outcome.FAIL for check in kept):
        return Proof(State.FAILED)
    for note in trial.dropped:
        if note.check.requirement == requirement and note.by_step:
            return Proof(State.OPEN, control_reason(note.check.control))
    whole = finished.outcome in TOLD_TO_ITS_END
    if finished.outcome in _BROKEN_OFF or (requirement in finished.inconclusive and not whole):
        return Proof(State.OPEN, open_reason(finished))
    if kept:
        return Proof(State.PASSED)
    if whole or finished.outcome is ScenarioOutcome.FAILED:
        chosen = finished.reason if finished.outcome is ScenarioOutcome.NOT_APPLICABLE else None
        return Proof(State.SKIPPED, chosen or LEFT_NOTHING)
    return Proof(State.OPEN, open_reason(finished))


def open_reason(finished: ScenarioFinished) -> str:
    """Why a scenario that ran did not come to its judgement."""
    match finished.outcome:
        case ScenarioOutcome.CRASHED:
            return "the target crashed"
        case ScenarioOutcome.HUNG:
            return "the target hung"
        case ScenarioOutcome.HARNESS_ERROR:
            return f"the harness failed: {finished.reason or 'no reason told'}"
        case ScenarioOutcome.NOT_RUN:
            return f"not run: {finished.reason}" if finished.reason else "not run"
        case _:
            return finished.reason or "the scenario did not get so far"
