"""Whether a result agrees with itself: its verdicts are what its own checks come to, and its counts what they count."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from mcp_tasks_conformance.catalog.model import Level
from mcp_tasks_conformance.events import Outcome, ScenarioOutcome
from mcp_tasks_conformance.verdicts.model import (
    EntryState,
    JudgedCheck,
    RequirementResult,
    RunResult,
    RunVerdict,
    Verdict,
)
from mcp_tasks_conformance.verdicts.options import VerdictOptions
from mcp_tasks_conformance.verdicts.requirements import OPEN_TO_CHANCE
from mcp_tasks_conformance.verdicts.run import certify, conclude, count

_OF_A_BREACH: Final = frozenset(
    {
        ScenarioOutcome.FAILED,
        ScenarioOutcome.CRASHED,
        ScenarioOutcome.HUNG,
        ScenarioOutcome.NOT_RUN,
        ScenarioOutcome.HARNESS_ERROR,
    }
)
"""How a scenario may stand in which something failed that counts."""


def contradictions(result: RunResult, document: Mapping[str, Any]) -> Iterator[str]:
    """Each thing that is told in one way and follows in another, in words.

    Args:
        result: what a document tells.
        document: the document, for what it tells besides.
    """
    rows = {row.id: row for row in result.requirements}
    keys = {scenario.key for scenario in result.scenarios}
    for check in (*result.checks, *result.dropped):
        if check.requirement not in rows and check.dropped is None:
            yield f"a check is of {check.requirement}, which is not among the requirements"
            return
        if check.scenario not in keys:
            yield f"a check is of {check.scenario}, which is not among the scenarios"
            return
    by_requirement: dict[str, list[JudgedCheck]] = {}
    for check in result.checks:
        by_requirement.setdefault(check.requirement, []).append(check)
    entries = result.baseline.in_state(EntryState.NOT_SEEN) if result.baseline is not None else ()
    unseen = {entry.requirement for entry in entries}
    for row in result.requirements:
        yield from _of_requirement(row, by_requirement.get(row.id, []), unseen=row.id in unseen)
    yield from _of_scenarios(result, rows)
    yield from _of_run(result, document)


def _of_requirement(row: RequirementResult, checks: list[JudgedCheck], *, unseen: bool) -> Iterator[str]:
    if row.counted is not row.level.binding and (row.level.binding or row.level is Level.MAY):
        yield f"{row.id} is a {row.level}, and is said {'not ' if row.level.binding else ''}to count"
    expected = _verdict(row, checks)
    if unseen and expected in OPEN_TO_CHANCE:
        expected = Verdict.WAIVED
    if expected is not row.verdict:
        yield f"{row.id} is said to be {row.verdict}, and by its checks and proofs it is {expected}"
    for check in checks:
        if check.outcome is Outcome.FAIL and check.fails is not (row.counted and check.waived is None):
            yield f"a failed check of {row.id} is said {'' if check.fails else 'not '}to make the run fail"


def _verdict(row: RequirementResult, checks: list[JudgedCheck]) -> Verdict:
    open_ = {check.outcome for check in checks if check.waived is None}
    if Outcome.FAIL in open_:
        return Verdict.VIOLATED
    if Outcome.WARN in open_:
        return Verdict.WARNED
    if any(check.waived is not None for check in checks):
        return Verdict.WAIVED
    if row.proofs.planned == 0:
        return Verdict.UNTESTABLE if row.verdict is Verdict.UNTESTABLE else Verdict.NOT_EXERCISED
    return Verdict.SATISFIED if row.proofs.passed == row.proofs.planned else Verdict.INCONCLUSIVE


def _of_scenarios(result: RunResult, rows: Mapping[str, RequirementResult]) -> Iterator[str]:
    broken = {
        check.scenario
        for check in result.checks
        if check.outcome is Outcome.FAIL and check.waived is None and rows[check.requirement].counted
    }
    for scenario in result.scenarios:
        if scenario.key in broken and scenario.outcome not in _OF_A_BREACH:
            yield f"{scenario.key} is said to have {scenario.outcome}, and a check of it failed"
        if scenario.outcome is ScenarioOutcome.FAILED and scenario.key not in broken:
            yield f"{scenario.key} is said to have failed, and no check of it did"


def _of_run(result: RunResult, document: Mapping[str, Any]) -> Iterator[str]:
    counts = count(result.requirements)
    if result.counts != counts:
        yield f"the counts are said to be {result.counts.summary!r}, and by the requirements are {counts.summary!r}"
    elif document.get("summary") != counts.summary:
        yield f"the summary is said to be {document.get('summary')!r}, and is {counts.summary!r}"
    verdict = _run_verdict(result)
    if verdict is not result.verdict:
        yield f"the verdict is said to be {result.verdict}, and by the requirements and scenarios it is {verdict}"
    elif document.get("exit_code") != result.exit_code:
        yield f"the exit code is said to be {document.get('exit_code')}, and for {verdict} it is {result.exit_code}"
    level, _ = certify(result.requirements, verdict)
    if verdict is result.verdict and level is not result.level:
        yield f"the level is said to be {result.level}, and by the requirements it is {level}"
    if result.complete is not (result.ended_early is None):
        yield f"the run is said to be {'' if result.complete else 'in'}complete, and ended_early says otherwise"


def _run_verdict(result: RunResult) -> RunVerdict:
    least = result.options.get("min_proven")
    if not isinstance(least, int):  # whoever runs without a command line need not tell; nobody gains by more
        least = result.counts.must.proven + 1 if result.verdict is RunVerdict.COULD_NOT_TEST else 0
    strict = any(check.fails and check.outcome is Outcome.WARN for check in result.checks)
    options = VerdictOptions(strict=strict, min_proven=least)
    verdict, _ = conclude(result.requirements, result.scenarios, options, result.ended_early, result.baseline)
    if result.failure is not None and verdict is not RunVerdict.VIOLATIONS:
        return RunVerdict.COULD_NOT_TEST
    return verdict
