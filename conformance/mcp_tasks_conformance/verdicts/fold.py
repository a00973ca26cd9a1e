"""The fold of a run's events into its result."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from mcp_tasks_conformance.catalog.model import Requirement
from mcp_tasks_conformance.events import Check, Event, Outcome, ScenarioFinished, ScenarioOutcome, Seen
from mcp_tasks_conformance.verdicts.baseline import Waiving
from mcp_tasks_conformance.verdicts.bounds import LONGEST_WORDING, cut, plain_object
from mcp_tasks_conformance.verdicts.ledger import Ledger, Noted, Trial, control_reason
from mcp_tasks_conformance.verdicts.model import (
    BaselineResult,
    EntryState,
    Failure,
    JudgedCheck,
    RequirementResult,
    RunResult,
    RunVerdict,
    ScenarioEnding,
    ScenarioResult,
    Verdict,
)
from mcp_tasks_conformance.verdicts.options import VerdictOptions
from mcp_tasks_conformance.verdicts.proofs import gather
from mcp_tasks_conformance.verdicts.requirements import RunScope, judge
from mcp_tasks_conformance.verdicts.run import certify, conclude, count
from mcp_tasks_conformance.verdicts.scenarios import conclude as conclude_scenario


class Fold:
    """A listener that holds what a run came to so far; its result can be asked for at any time.

    Raises:
        UnmatchedPattern: the options name requirements that do not exist.
    """

    def __init__(self, requirements: Iterable[Requirement], options: VerdictOptions | None = None) -> None:
        self._requirements = {requirement.id: requirement for requirement in requirements}
        self._options = options or VerdictOptions()
        self._options.check(self._requirements.values())
        self._ledger = Ledger()

    def __call__(self, event: Event) -> None:
        """Take note of one event."""
        if isinstance(event, ScenarioFinished):
            for check in event.checks:
                if check.requirement not in self._requirements:
                    raise ValueError(f"{event.key}, {check.source}: no catalogue has {check.requirement}")
        self._ledger.enter(event)

    def outcome(self, event: ScenarioFinished) -> ScenarioOutcome:
        """How a scenario that has just ended will stand in the result, provided that its controls will hold."""
        trial = self._ledger.trial(event.key)
        held = self._waived([replace(trial, kept=trial.kept + trial.dropped, dropped=())])[0]
        return conclude_scenario(held, self._breaks, None).outcome

    def settled(self, key: str) -> bool:
        """Whether a scenario run has ended and nothing that may still come changes how it stands in the result."""
        trial = self._ledger.trial(key)
        return trial.finished is not None and (not trial.dropped or self._ledger.ended is not None)

    def ending(self, key: str) -> ScenarioEnding:
        """How one scenario run stands in the result."""
        trial = self._waived([self._ledger.trial(key)])[0]
        return ScenarioEnding(
            conclude_scenario(trial, self._breaks, self._early()),
            tuple(self._check(trial, note) for note in trial.kept),
            trial.finished.transcript if trial.finished is not None else (),
        )

    def result(self) -> RunResult:
        """What the run has come to; before its end, what has not finished stands as not run."""
        ledger = self._ledger
        trials = self._waived(ledger.trials())
        baseline = self._baseline(trials)
        early = self._early()
        scenarios = tuple(conclude_scenario(trial, self._breaks, early) for trial in trials)
        requirements = self._judged(trials, early, baseline)
        verdict, reason = self._verdict(requirements, scenarios, early, baseline)
        level, level_reason = certify(requirements, verdict)
        return RunResult(
            suite=plain_object(ledger.facts("suite")),
            target=plain_object(ledger.facts("target")),
            options=plain_object(ledger.facts("options")),
            verdict=verdict,
            reason=reason,
            level=level,
            level_reason=level_reason,
            generations=plain_object(ledger.started.generations) if ledger.started is not None else {},
            counts=count(requirements),
            requirements=requirements,
            scenarios=scenarios,
            checks=tuple(self._check(trial, note) for trial in trials for note in trial.kept),
            dropped=tuple(
                replace(self._check(trial, note), dropped=control_reason(note.check.control), fails=False)
                for trial in trials
                for note in trial.dropped
            ),
            transcripts=self._transcripts(trials, scenarios),
            timing=plain_object(ledger.ended.timing) if ledger.ended is not None else {},
            baseline=baseline,
            failure=self._failure(),
            stderr_tail=self._stderr_tail(),
            ended_early=early,
            complete=early is None,
        )

    def _breaks(self, check: Check) -> bool:
        return check.outcome is Outcome.FAIL and self._options.binds(self._requirements[check.requirement])

    def _early(self) -> str | None:
        if self._ledger.failed is not None:
            return cut(self._ledger.failed.problem)
        if self._ledger.ended is None:
            return "the run did not come to its end"
        return None if self._ledger.ended.reason is None else cut(self._ledger.ended.reason)

    def _judged(
        self, trials: list[Trial], early: str | None, baseline: BaselineResult | None
    ) -> tuple[RequirementResult, ...]:
        started = self._ledger.started
        if started is None:
            return ()
        scope = RunScope.of(started)
        evidence = gather(trials, started.watched, early)
        entries = baseline.in_state(EntryState.NOT_SEEN) if baseline is not None else ()
        unseen = {entry.requirement: entry for entry in entries}
        return tuple(
            _once_broken(judge(requirement, evidence.get(id_), self._options, unseen.get(id_)), trials)
            for id_, requirement in self._requirements.items()
            if scope.holds(requirement) or (id_ in evidence and evidence[id_].kept)
        )

    def _waiving(self) -> Waiving | None:
        baseline = self._options.baseline
        if baseline is None:
            return None
        return Waiving(baseline, self._ledger.facts("target").get("transport"), self._options.day)

    def _waived(self, trials: list[Trial]) -> list[Trial]:
        waiving = self._waiving()
        return trials if waiving is None else [waiving.applied(trial) for trial in trials]

    def _baseline(self, trials: list[Trial]) -> BaselineResult | None:
        waiving = self._waiving()
        return None if waiving is None else waiving.result(trials)

    def _verdict(
        self,
        requirements: tuple[RequirementResult, ...],
        scenarios: tuple[ScenarioResult, ...],
        early: str | None,
        baseline: BaselineResult | None,
    ) -> tuple[RunVerdict, str]:
        verdict, reason = conclude(requirements, scenarios, self._options, early, baseline)
        if self._ledger.failed is not None and verdict is not RunVerdict.VIOLATIONS:
            return RunVerdict.COULD_NOT_TEST, cut(self._ledger.failed.problem)
        return verdict, reason

    def _check(self, trial: Trial, note: Noted) -> JudgedCheck:
        check = note.check
        requirement = self._requirements[check.requirement]
        waived = None if note.waiver is None else note.waiver.reason
        return JudgedCheck(
            scenario=trial.plan.key,
            requirement=check.requirement,
            source=check.source,
            outcome=self._options.weigh(requirement, check.outcome),
            expected=check.expected,
            observed=check.observed,
            messages=check.messages,
            because=check.because,
            control=check.control,
            sent=note.sent,
            came=note.came,
            fails=waived is None and self._options.fails(requirement, check.outcome),
            waived=waived,
        )

    def _transcripts(
        self, trials: list[Trial], scenarios: tuple[ScenarioResult, ...]
    ) -> Mapping[str, tuple[Seen, ...]]:
        if self._options.transcripts == "none":
            return {}
        every = self._options.transcripts == "all"
        return {
            trial.plan.key: trial.finished.transcript
            for trial, scenario in zip(trials, scenarios, strict=True)
            if trial.finished is not None and (every or scenario.outcome is not ScenarioOutcome.PASSED)
        }

    def _failure(self) -> Failure | None:
        failed = self._ledger.failed
        if failed is None:
            return None
        return Failure(cut(failed.problem), None if failed.hint is None else cut(failed.hint))

    def _stderr_tail(self) -> str | None:
        teller = self._ledger.failed or self._ledger.ended
        tail = teller.stderr_tail if teller is not None else None
        return None if tail is None else tail[-LONGEST_WORDING:]


def _once_broken(row: RequirementResult, trials: list[Trial]) -> RequirementResult:
    """A requirement that was left open, with the scenarios that saw it broken and could not be run again."""
    if row.verdict is not Verdict.INCONCLUSIVE:
        return row
    saw = [one.plan.key for one in trials if one.finished is not None and row.id in one.finished.unconfirmed]
    return replace(row, seen_broken=tuple(saw))
