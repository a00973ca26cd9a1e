"""What every report tells of a result, whatever its form: which breaches, seen where, and the rest by its reasons."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias, TypeVar

from mcp_tasks_conformance.catalog.model import Level
from mcp_tasks_conformance.events import Outcome, ScenarioOutcome, by_monitor
from mcp_tasks_conformance.verdicts.model import (
    EntryResult,
    EntryState,
    JudgedCheck,
    RequirementResult,
    RunResult,
    ScenarioResult,
    Verdict,
)

_Row = TypeVar("_Row")
Reproduce: TypeAlias = Callable[[str], str]
"""Gives the shell command that runs the scenario with that key again."""

CASES_SHOWN: Final = 3
"""Cases of one requirement that are shown whole; further ones are named."""


@dataclass(frozen=True, slots=True)
class Case:
    """One check that came out badly, with the scenario it was made in."""

    check: JudgedCheck
    scenario: ScenarioResult


@dataclass(frozen=True, slots=True)
class Breach:
    """A requirement that is violated, warned of or waived, with every case of it."""

    requirement: RequirementResult
    cases: tuple[Case, ...]


def violations(result: RunResult) -> tuple[Breach, ...]:
    """The breaches that make the run fail."""
    return _breaches(result, Outcome.FAIL, lambda row: row.verdict is Verdict.VIOLATED and row.counted)


def warnings(result: RunResult) -> tuple[Breach, ...]:
    """Broken recommendations and lesser readings that the baseline does not know."""
    return _breaches(result, Outcome.WARN, lambda row: row.verdict is Verdict.WARNED and not apart(row))


def readings(result: RunResult) -> tuple[Breach, ...]:
    """Each thing that scenarios warn of and nothing fails by: a requirement with one way in which it was not met."""
    warned = {one.key for one in ended(result, ScenarioOutcome.WARNED)}
    told = _gathered(
        result,
        lambda check: (
            check.outcome is not Outcome.PASS and check.waived is None and not check.fails and check.scenario in warned
        ),
        bool,
    )
    ways: dict[tuple[str, str, str | None], Breach] = {}
    for breach in told:
        for case in breach.cases:
            way = (breach.requirement.id, case.check.expected, case.check.because)
            known = ways.get(way, Breach(breach.requirement, ()))
            ways[way] = Breach(breach.requirement, (*known.cases, case))
    return tuple(ways.values())


def quality_findings(result: RunResult) -> tuple[Breach, ...]:
    """What quality rows found that count for nothing."""
    failed = _breaches(result, Outcome.FAIL, lambda row: row.verdict is Verdict.VIOLATED and apart(row))
    warned = _breaches(result, Outcome.WARN, lambda row: row.verdict is Verdict.WARNED and apart(row))
    return failed + warned


def waived(result: RunResult) -> tuple[Breach, ...]:
    """What came out badly and is in the baseline."""
    return _gathered(result, lambda check: check.waived is not None, bool)


def entries(result: RunResult, state: EntryState) -> tuple[EntryResult, ...]:
    """The entries of the baseline in one state."""
    return result.baseline.in_state(state) if result.baseline is not None else ()


def checks_by_scenario(result: RunResult) -> dict[str, list[JudgedCheck]]:
    """The checks that count, by the key of their scenario."""
    checks: dict[str, list[JudgedCheck]] = {}
    for check in result.checks:
        checks.setdefault(check.scenario, []).append(check)
    return checks


def worth_showing(cases: Sequence[Case]) -> tuple[Case, ...]:
    """A few cases that tell most: of each scenario one, and of a monitor only where no step saw the breach."""
    by_steps = [case for case in cases if not by_monitor(case.check.source)]
    if not by_steps:
        return tuple(cases[:1])
    first_of_each = {case.scenario.scenario: case for case in reversed(by_steps)}
    return tuple(case for case in by_steps if first_of_each[case.scenario.scenario] is case)[:CASES_SHOWN]


def apart(row: RequirementResult) -> bool:
    """Whether a row is reported apart from the verdict."""
    return row.level is Level.QUALITY and not row.counted


def with_verdict(result: RunResult, verdict: Verdict) -> tuple[RequirementResult, ...]:
    """The requirements of that verdict, those that are reported apart left out."""
    return tuple(row for row in result.requirements if row.verdict is verdict and not apart(row))


def ended(result: RunResult, *outcomes: ScenarioOutcome) -> tuple[ScenarioResult, ...]:
    """The scenarios of these outcomes."""
    return tuple(scenario for scenario in result.scenarios if scenario.outcome in outcomes)


def by_reason(rows: Iterable[_Row], reason: Callable[[_Row], str | None]) -> tuple[tuple[str, tuple[_Row, ...]], ...]:
    """The rows by their reason, the most frequent first, equally frequent ones in their order."""
    groups: dict[str, list[_Row]] = {}
    for row in rows:
        groups.setdefault(reason(row) or "no reason told", []).append(row)
    ordered = sorted(groups.items(), key=lambda group: -len(group[1]))
    return tuple((why, tuple(members)) for why, members in ordered)


def _breaches(result: RunResult, outcome: Outcome, wanted: Callable[[RequirementResult], bool]) -> tuple[Breach, ...]:
    found = _gathered(result, lambda check: check.outcome is outcome and check.waived is None, lambda _: True)
    return tuple(breach for breach in found if wanted(breach.requirement))


def _gathered(
    result: RunResult, of: Callable[[JudgedCheck], bool], enough: Callable[[Sequence[Case]], bool]
) -> tuple[Breach, ...]:
    """Requirements with those of their checks that are meant, where these are enough to tell."""
    scenarios = {scenario.key: scenario for scenario in result.scenarios}
    cases: dict[str, list[Case]] = {}
    for check in result.checks:
        if of(check):
            cases.setdefault(check.requirement, []).append(Case(check, scenarios[check.scenario]))
    told = ((row, cases.get(row.id, ())) for row in result.requirements)
    return tuple(Breach(row, tuple(found)) for row, found in told if enough(found))
