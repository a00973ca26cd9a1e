"""What a run tells of its scenarios: each is told once, whatever becomes of it."""

from __future__ import annotations

from collections.abc import Sequence

from mcp_tasks_conformance.engine.attempt import ANSWERS, LOST, AttemptResult
from mcp_tasks_conformance.engine.planning import PlannedRun
from mcp_tasks_conformance.events import Check, Listener, Outcome, ScenarioFinished, ScenarioOutcome, ScenarioStarted


class Teller:
    """Tells how the planned scenarios end."""

    def __init__(self, planned: Sequence[PlannedRun], tell: Listener) -> None:
        self._planned = planned
        self._tell = tell
        self._told: set[str] = set()
        self.last_words: str | None = None
        """Of the first target whose loss was told."""

    def told(self, planned: PlannedRun) -> bool:
        """Whether this one has been told of."""
        return planned.key in self._told

    def started(self, planned: PlannedRun, attempt: int) -> None:
        """An attempt begins."""
        self._tell(ScenarioStarted(planned.key, attempt))

    def finished(
        self,
        planned: PlannedRun,
        result: AttemptResult,
        *,
        attempts: int,
        flaky: bool = False,
        unconfirmed: tuple[str, ...] = (),
    ) -> None:
        """The attempt that counts is over; one before it saw some requirements broken that cannot be left at that."""
        checks = result.checks
        if result.outcome in LOST:
            last = len(result.transcript) - 1
            expected = "an answer to every request, from a target that lives on"
            seen = (last,) if last >= 0 else ()
            checks += (Check(ANSWERS, "engine", Outcome.FAIL, expected, result.reason or "", seen),)
            self.last_words = self.last_words or result.last_words
        self._told.add(planned.key)
        self._tell(
            ScenarioFinished(
                planned.key,
                result.outcome,
                result.reason,
                result.duration,
                checks,
                result.transcript,
                attempts,
                flaky,
                result.inconclusive,
                unconfirmed,
            )
        )

    def skipped(self, planned: PlannedRun) -> None:
        """It does not apply; the plan says why."""
        self._without_attempt(planned, ScenarioOutcome.NOT_APPLICABLE, planned.skip, ())

    def undecided(self, planned: PlannedRun) -> None:
        """It applies, and nothing can come of it; the plan says why."""
        self._without_attempt(planned, ScenarioOutcome.INCONCLUSIVE, planned.undecided, planned.scenario.proves)

    def not_run(self, planned: PlannedRun, reason: str, *, unconfirmed: tuple[str, ...] = ()) -> None:
        """It could not be run, or not to an end that counts."""
        self._without_attempt(planned, ScenarioOutcome.NOT_RUN, reason, planned.scenario.proves, unconfirmed)

    def rest(self, reason: str) -> None:
        """What has not been told of is not run any more."""
        for planned in self._planned:
            if not self.told(planned):
                self.not_run(planned, reason)

    def _without_attempt(
        self,
        planned: PlannedRun,
        outcome: ScenarioOutcome,
        reason: str | None,
        missed: tuple[str, ...],
        unconfirmed: tuple[str, ...] = (),
    ) -> None:
        self._told.add(planned.key)
        self._tell(ScenarioFinished(planned.key, outcome, reason, 0.0, (), (), 0, False, missed, unconfirmed))
