"""The report as workflow commands of GitHub: errors for what fails, warnings for the rest, each with its place."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from mcp_tasks_conformance.counting import plural
from mcp_tasks_conformance.events import ScenarioOutcome
from mcp_tasks_conformance.reports.digest import Breach, ended, entries, violations, warnings, worth_showing
from mcp_tasks_conformance.reports.evidence import evidence_lines, located
from mcp_tasks_conformance.reports.text import brief, visible
from mcp_tasks_conformance.reports.workflow_commands import command
from mcp_tasks_conformance.verdicts.model import EntryResult, EntryState, RunResult, RunVerdict

MOST: Final = 10
"""Annotations of one kind; GitHub shows no more of a step."""
_LONGEST: Final = 400


@dataclass(frozen=True, slots=True)
class _Annotation:
    title: str
    lines: Sequence[str]
    place: str = ""


def annotations_of(result: RunResult) -> str:
    """A workflow command on each line; empty where there is nothing to say."""
    lines = [*_commands("error", _errors(result)), *_commands("warning", _warnings(result))]
    return "".join(f"{line}\n" for line in lines)


def _errors(result: RunResult) -> Iterator[_Annotation]:
    if result.verdict is RunVerdict.COULD_NOT_TEST:
        hint = [] if result.failure is None or result.failure.hint is None else [brief(result.failure.hint, _LONGEST)]
        yield _Annotation("MCP Tasks: could not test", [brief(result.reason, _LONGEST), *hint])
    failing = {check.requirement for check in result.checks if check.fails}
    for breach in (*violations(result), *warnings(result)):
        if breach.requirement.id in failing:
            yield _of_breach(breach)
    for scenario in ended(result, ScenarioOutcome.CRASHED, ScenarioOutcome.HUNG):
        if not any(check.fails and check.scenario == scenario.key for check in result.checks):
            reason = brief(scenario.reason or "", _LONGEST)
            yield _Annotation(
                f"MCP Tasks: the target {scenario.outcome}", [visible(scenario.key), reason], scenario.place
            )
    for entry in entries(result, EntryState.STALE):
        yield _of_entry(entry, "is stale", "What it knows of no longer fails. Remove it from the baseline.")


def _warnings(result: RunResult) -> Iterator[_Annotation]:
    failing = {check.requirement for check in result.checks if check.fails}
    for entry in entries(result, EntryState.EXPIRED):
        yield _of_entry(entry, "has expired", f"It counted until {entry.expires}.")
    for breach in warnings(result):
        if breach.requirement.id not in failing:
            yield _of_breach(breach)


def _of_breach(breach: Breach) -> _Annotation:
    row = breach.requirement
    lines = [visible(row.rule), *([visible(row.link)] if row.link is not None else [])]
    case = next(iter(worth_showing(breach.cases)), None)
    if case is None:
        return _Annotation(f"{row.id} {row.verdict}", lines)
    lines += [visible(case.scenario.key), *evidence_lines(case.check)]
    others = len({each.scenario.key for each in breach.cases}) - 1
    if others:
        lines.append(f"and in {others} more {plural(others, 'scenario')}")
    return _Annotation(f"{row.id} ({row.level}) {row.verdict}", lines, case.scenario.place)


def _of_entry(entry: EntryResult, what: str, why: str) -> _Annotation:
    return _Annotation(f"Baseline: {entry.requirement} {what}", [why, brief(entry.reason, _LONGEST)], entry.place)


def _commands(kind: str, annotations: Iterable[_Annotation]) -> list[str]:
    listed = list(annotations)
    shown = listed if len(listed) <= MOST else listed[: MOST - 1]
    more = [brief(annotation.title, _LONGEST) for annotation in listed[len(shown) :]]
    if more:
        shown = [*shown, _Annotation(f"and {len(more)} more", more)]
    return [_command(kind, annotation) for annotation in shown]


def _command(kind: str, annotation: _Annotation) -> str:
    file, line = located(annotation.place)
    return command(kind, chr(10).join(annotation.lines), {"file": file, "line": line, "title": annotation.title})
