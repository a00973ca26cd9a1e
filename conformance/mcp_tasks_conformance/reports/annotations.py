"""The report as workflow commands of GitHub: errors for what fails, warnings for the rest, each with its place."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
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
    about: str = ""
    """What stands at the place, for the title where the place cannot be shown."""


def annotations_of(result: RunResult, repository: Path) -> str:
    """A workflow command on each line; empty where there is nothing to say.

    Args:
        result: what the run came to.
        repository: the folder that the workflow is about. GitHub shows no annotation of a file that lies elsewhere,
            as those of the library mostly do, so that one has no file.
    """
    lines = [
        *_commands("error", _errors(result), repository),
        *_commands("warning", _warnings(result), repository),
    ]
    return "".join(f"{line}\n" for line in lines)


def repository_of(environment: Mapping[str, str]) -> Path:
    """The repository that a workflow is about; where there is none, the current folder."""
    return Path(environment.get("GITHUB_WORKSPACE") or ".")


def _within(place: str, repository: Path) -> tuple[str, str]:
    """File and line of a place in the repository, the file by its path from there; empty for any other."""
    file, line = located(place)
    path, root = Path(file).resolve(), repository.resolve()
    if not file or not path.is_file() or not path.is_relative_to(root):
        return "", ""
    return path.relative_to(root).as_posix(), line


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
                f"MCP Tasks: the target {scenario.outcome}",
                [visible(scenario.key), reason],
                scenario.place,
                f" in {visible(scenario.key)}",
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
    about = f" in {visible(case.scenario.key)}"
    return _Annotation(f"{row.id} ({row.level}) {row.verdict}", lines, case.scenario.place, about)


def _of_entry(entry: EntryResult, what: str, why: str) -> _Annotation:
    title, about = f"Baseline: {entry.requirement} {what}", f", {visible(entry.place)}"
    return _Annotation(title, [why, brief(entry.reason, _LONGEST)], entry.place, about)


def _commands(kind: str, annotations: Iterable[_Annotation], repository: Path) -> list[str]:
    listed = list(annotations)
    shown = listed if len(listed) <= MOST else listed[: MOST - 1]
    more = [brief(annotation.title, _LONGEST) for annotation in listed[len(shown) :]]
    if more:
        shown = [*shown, _Annotation(f"and {len(more)} more", more)]
    return [_command(kind, annotation, repository) for annotation in shown]


def _command(kind: str, annotation: _Annotation, repository: Path) -> str:
    file, line = _within(annotation.place, repository)
    title = annotation.title if file else annotation.title + annotation.about
    return command(kind, chr(10).join(annotation.lines), {"file": file, "line": line, "title": title})
