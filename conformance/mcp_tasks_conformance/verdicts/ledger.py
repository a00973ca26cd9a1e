"""The book that a run is entered in: plan, finished scenarios, checks, and which methods ever succeeded."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from mcp_tasks_conformance.catalog.model import Waiver
from mcp_tasks_conformance.events import (
    Check,
    Event,
    JsonValue,
    MethodSucceeded,
    Outcome,
    PlannedScenario,
    RunFinished,
    RunStarted,
    ScenarioFinished,
    TargetFailed,
    by_monitor,
)
from mcp_tasks_conformance.verdicts.bounds import LONGEST_WORDING, bounded, cut
from mcp_tasks_conformance.verdicts.requests import Requests

_ENGINE = "engine"
"""The source of checks that are made in every scenario alike, as those of monitors are; any other is a step of it."""


@dataclass(frozen=True, slots=True)
class Noted:
    """A check as it came, where it is not a pass with the request that led to it and the message that explains it."""

    check: Check
    sent: str | None = None
    came: str | None = None
    waiver: Waiver | None = None
    """The entry of the baseline that knows of it, where it is not a pass."""

    @property
    def by_step(self) -> bool:
        """Whether the scenario itself made it, and no one who watches all of them."""
        return self.check.source != _ENGINE and not by_monitor(self.check.source)

    @property
    def bad(self) -> bool:
        """Whether it is anything but a pass."""
        return self.check.outcome is not Outcome.PASS


@dataclass(frozen=True, slots=True)
class Trial:
    """A scenario run of the plan, with its checks parted by whether their control held."""

    plan: PlannedScenario
    finished: ScenarioFinished | None
    """None where the run ended before it did, and where it does not apply."""
    kept: tuple[Noted, ...] = ()
    dropped: tuple[Noted, ...] = ()

    @property
    def loss_waived(self) -> bool:
        """Whether the baseline knows that the target dies or falls silent here."""
        losses = [note for note in self.kept if note.check.source == _ENGINE and note.check.outcome is Outcome.FAIL]
        return bool(losses) and all(note.waiver is not None for note in losses)


def control_reason(method: str | None) -> str:
    """Why a check is dropped."""
    return f"{method} never succeeded, without which this proves nothing"


class Ledger:
    """Takes the events of a run in; what stands in it is bounded however much the target sent."""

    def __init__(self) -> None:
        self.started: RunStarted | None = None
        self.failed: TargetFailed | None = None
        self.ended: RunFinished | None = None
        self._planned: dict[str, PlannedScenario] = {}
        self._methods: set[str] = set()
        self._finished: dict[str, tuple[ScenarioFinished, tuple[Noted, ...]]] = {}

    def enter(self, event: Event) -> None:
        """Take note of one event."""
        match event:
            case RunStarted():
                self.started = event
                self._planned = {plan.key: plan for plan in event.planned}
            case ScenarioFinished():
                self._finished[event.key] = (_bounded(event), _noted(event))
            case MethodSucceeded():
                self._methods.add(event.method)
            case TargetFailed():
                self.failed = event
            case RunFinished():
                self.ended = event
            case _:  # the start of an attempt changes no verdict
                pass

    def holds(self, check: Check) -> bool:
        """Whether the check needs no control, or its control has held so far."""
        return check.control is None or check.control in self._methods

    def facts(self, name: str) -> Mapping[str, JsonValue]:
        """``target``, ``options`` or ``suite``, from whichever event told it."""
        teller = self.started or self.failed
        found: Mapping[str, JsonValue] = getattr(teller, name) if teller is not None else {}
        if name == "target" and self.ended is not None and self.ended.notes:
            told = found.get("notes")
            return {**found, "notes": [*(told if isinstance(told, list | tuple) else ()), *self.ended.notes]}
        return found

    def trials(self) -> list[Trial]:
        """Every scenario run of the plan, in its order."""
        return [self.trial(key) for key in self._planned]

    def trial(self, key: str) -> Trial:
        """The scenario run with that key."""
        plan = self._planned[key]
        if key not in self._finished:
            return Trial(plan, None)
        finished, noted = self._finished[key]
        return Trial(
            plan,
            finished,
            kept=tuple(note for note in noted if self.holds(note.check)),
            dropped=tuple(note for note in noted if not self.holds(note.check)),
        )


def _noted(event: ScenarioFinished) -> tuple[Noted, ...]:
    requests = Requests(event.transcript)
    return tuple(
        Noted(
            _short(check),
            requests.behind(check),
            None if check.outcome is Outcome.PASS else requests.came(check.observed, check.messages),
        )
        for check in event.checks
    )


def _short(check: Check) -> Check:
    words = (check.expected, check.observed, check.because or "")
    if max(map(len, words)) <= LONGEST_WORDING:
        return check
    because = None if check.because is None else cut(check.because)
    return replace(check, expected=cut(check.expected), observed=cut(check.observed), because=because)


def _bounded(event: ScenarioFinished) -> ScenarioFinished:
    return replace(
        event,
        checks=(),
        transcript=tuple(bounded(seen) for seen in event.transcript),
        reason=None if event.reason is None else cut(event.reason),
    )
