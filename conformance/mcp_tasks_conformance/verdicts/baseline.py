"""A baseline applied to a run: which failures it waives, and which of its entries have nothing left to waive."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable
from dataclasses import replace
from datetime import date
from enum import Enum, auto

from mcp_tasks_conformance.catalog.model import Baseline, Waiver
from mcp_tasks_conformance.events import ScenarioOutcome
from mcp_tasks_conformance.verdicts.ledger import Noted, Trial
from mcp_tasks_conformance.verdicts.model import BaselineResult, EntryResult, EntryState

_TOLD_TO_THE_POINT = frozenset({ScenarioOutcome.PASSED, ScenarioOutcome.WARNED, ScenarioOutcome.FAILED})
"""Outcomes of stories that can have come to the moment where a known failure would have shown."""


class _Look(Enum):
    """What looking for an entry's failure in one scenario run came to."""

    OCCURRED = auto()
    GONE = auto()
    OPEN = auto()
    """It would have been looked for, and nothing came of it."""
    NOTHING = auto()
    """There was nothing to look at: the scenario does not apply, or the target's choice left nothing to judge."""


class Waiving:
    """The entries of a baseline that concern a run, applied to its scenarios."""

    def __init__(self, baseline: Baseline, transport: object, today: date) -> None:
        """Sort out the entries that hold.

        Args:
            baseline: the whole baseline.
            transport: how the target is reached in this run.
            today: the day by which entries expire.
        """
        self._baseline = baseline
        self._transport = transport
        self._today = today
        self._holding: dict[str, list[Waiver]] = defaultdict(list)
        for waiver in baseline.waivers:
            if self._is_here(waiver) and not self._is_expired(waiver):
                self._holding[waiver.requirement].append(waiver)

    def waives(self, key: str, requirement: str) -> bool:
        """Whether an entry that holds knows of failures of the requirement in the scenario run with that key."""
        return any(waiver.covers(key) for waiver in self._holding.get(requirement, ()))

    def applied(self, trial: Trial) -> Trial:
        """The scenario run with the waivers of its checks."""
        if not any(note.check.requirement in self._holding for note in trial.kept):
            return trial
        return replace(trial, kept=tuple(self._noted(trial.plan.key, note) for note in trial.kept))

    def result(self, trials: Iterable[Trial]) -> BaselineResult:
        """What became of each entry."""
        by_key = {trial.plan.key: trial for trial in trials}
        return BaselineResult(
            str(self._baseline.path), tuple(self._entry(waiver, by_key) for waiver in self._baseline.waivers)
        )

    def _is_here(self, waiver: Waiver) -> bool:
        return not waiver.transports or self._transport in waiver.transports

    def _is_expired(self, waiver: Waiver) -> bool:
        return waiver.expires is not None and waiver.expires < self._today

    def _noted(self, key: str, note: Noted) -> Noted:
        if not note.bad:
            return note
        holding = self._holding.get(note.check.requirement, ())
        return replace(note, waiver=next((waiver for waiver in holding if waiver.covers(key)), None))

    def _entry(self, waiver: Waiver, trials: dict[str, Trial]) -> EntryResult:
        here = self._is_here(waiver)
        looks = {key: _look(waiver, trial) for key, trial in trials.items() if here and waiver.covers(key)}
        occurred = tuple(key for key, look in looks.items() if look is _Look.OCCURRED)
        return EntryResult(
            requirement=waiver.requirement,
            reason=waiver.reason,
            place=f"{waiver.place.path}:{waiver.place.line}",
            state=self._state(waiver, looks, trials),
            scenarios=waiver.scenarios,
            link=waiver.link,
            expires=None if waiver.expires is None else waiver.expires.isoformat(),
            transports=waiver.transports,
            occurred=occurred,
        )

    def _state(self, waiver: Waiver, looks: dict[str, _Look], planned: Collection[str]) -> EntryState:
        if self._is_expired(waiver):
            return EntryState.EXPIRED
        found = looks.values()
        if _Look.OCCURRED in found:
            return EntryState.IN_USE
        if waiver.sometimes:
            return EntryState.NOT_SEEN if {_Look.GONE, _Look.OPEN} & set(found) else EntryState.NOT_JUDGED
        # What was not looked for everywhere may still be there: only a whole look says that it is gone.
        whole = _Look.OPEN not in found and _Look.GONE in found and waiver.keys.issubset(planned)
        return EntryState.STALE if whole else EntryState.NOT_JUDGED


def _look(waiver: Waiver, trial: Trial) -> _Look:
    """Look for the requirement's failures in one scenario run that the entry covers."""
    id_ = waiver.requirement
    judged = [note for note in trial.kept if note.check.requirement == id_]
    if any(note.bad for note in judged):
        return _Look.OCCURRED
    if trial.plan.key not in waiver.keys or trial.plan.skip is not None:
        return _Look.NOTHING
    finished = trial.finished
    if finished is not None and finished.outcome is ScenarioOutcome.NOT_APPLICABLE:
        return _Look.NOTHING
    to_prove = id_ in trial.plan.proves
    if finished is None or finished.outcome not in _TOLD_TO_THE_POINT or id_ in finished.inconclusive:
        return _Look.OPEN if to_prove or waiver.scenarios else _Look.NOTHING
    if any(note.check.requirement == id_ and note.by_step for note in trial.dropped):
        return _Look.OPEN
    # A monitor need not have praised what it has nothing against.
    return _Look.GONE if judged or not to_prove else _Look.NOTHING
