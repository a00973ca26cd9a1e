"""What was left open: the scenarios that came to no judgement, by what was seen instead, with the requirements."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from mcp_tasks_conformance.events import ScenarioOutcome
from mcp_tasks_conformance.reports.digest import ended, with_verdict
from mcp_tasks_conformance.reports.evidence import located
from mcp_tasks_conformance.verdicts.model import RequirementResult, RunResult, ScenarioResult, Verdict

_STEP: Final = re.compile(r"(?P<verb>[a-z_]+), line (?P<line>\d+): ")
"""How a reason begins that is about a step."""
_PASSING: Final = re.compile(
    r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"
    r"|\d{4}-\d\d-\d\dT[\d:.]+Z?"
    r"|\b\d+(?:\.\d+)?(?= m?s\b)"
    r"|(?<=\"ttl\": )\d+|(?<=\"id\": )\d+"
)
"""What differs from run to run: ids, instants, durations; not what a target may be blamed for, such as codes."""
_TOLD_APART: Final = frozenset(
    {ScenarioOutcome.CRASHED, ScenarioOutcome.HUNG, ScenarioOutcome.HARNESS_ERROR, ScenarioOutcome.NOT_RUN}
)
"""Outcomes of which a part of their own tells."""
_ALIKE: Final = 100
"""Reasons that begin alike for so many characters are one; further on stands what a target happened to say."""


@dataclass(frozen=True, slots=True)
class Doubt:
    """One reason, all the scenarios that ended in it, and the requirements that they leave open."""

    reason: str
    came: str | None
    scenarios: tuple[ScenarioResult, ...]
    requirements: tuple[RequirementResult, ...]


def open_requirements(result: RunResult) -> tuple[Doubt, ...]:
    """Why requirements are inconclusive: one is named with each reason for which a proof of it came to nothing."""
    groups: dict[str, _Group] = {}
    for row in with_verdict(result, Verdict.INCONCLUSIVE):
        blocking = [one for one in result.scenarios if row.id in one.proves and _blocks(one, row)]
        for scenario in blocking:
            _group(groups, scenario.reason).add(row, scenario)
        if not blocking:
            _group(groups, row.reason).add(row)
    return _told(groups.values())


def open_scenarios(result: RunResult) -> tuple[Doubt, ...]:
    """The inconclusive scenarios of which no inconclusive requirement tells: what they prove is nothing, is reported
    apart, or was decided elsewhere."""
    told = {row.id for row in with_verdict(result, Verdict.INCONCLUSIVE)}
    groups: dict[str, _Group] = {}
    for scenario in ended(result, ScenarioOutcome.INCONCLUSIVE):
        if told.isdisjoint(scenario.proves):
            _group(groups, scenario.reason).add(None, scenario)
    return _told(groups.values())


def place_of(scenario: ScenarioResult) -> str:
    """The file of a scenario and the line of the step that it ended in; of the scenario where no step is told."""
    step = _STEP.match(scenario.reason or "")
    file, _ = located(scenario.place)
    return f"{file}:{step['line']}" if step is not None else scenario.place


def _blocks(scenario: ScenarioResult, row: RequirementResult) -> bool:
    """Whether a scenario that was to prove a requirement left it open; it may stand otherwise for another."""
    if scenario.outcome is ScenarioOutcome.INCONCLUSIVE:
        return True
    return scenario.outcome not in _TOLD_APART and bool(scenario.reason and scenario.reason in (row.reason or ""))


class _Group:
    def __init__(self, reason: str) -> None:
        self.reason = reason
        self.requirements: dict[str, RequirementResult] = {}
        self.scenarios: dict[str, ScenarioResult] = {}

    def add(self, row: RequirementResult | None, scenario: ScenarioResult | None = None) -> None:
        if row is not None:
            self.requirements[row.id] = row
        if scenario is not None:
            self.scenarios[scenario.key] = scenario


def _group(groups: dict[str, _Group], reason: str | None) -> _Group:
    said = _STEP.sub("", reason or "no reason told", count=1)
    return groups.setdefault(_PASSING.sub("#", said)[:_ALIKE], _Group(said))


def _told(groups: Iterable[_Group]) -> tuple[Doubt, ...]:
    ordered = sorted(groups, key=lambda group: -max(len(group.requirements), len(group.scenarios)))
    return tuple(
        Doubt(
            group.reason,
            next((one.came for one in group.scenarios.values() if one.came is not None), None),
            tuple(group.scenarios.values()),
            tuple(group.requirements.values()),
        )
        for group in ordered
    )


def examples(scenarios: Sequence[ScenarioResult], most: int) -> tuple[ScenarioResult, ...]:
    """A few of the scenarios, each of another story."""
    first = {one.scenario: one for one in reversed(scenarios)}
    return tuple(one for one in scenarios if first[one.scenario] is one)[:most]
