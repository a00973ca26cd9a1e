"""Requirements, plans and events in few words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from mcp_tasks_conformance.catalog.model import Level, Place, Requirement, Waiver
from mcp_tasks_conformance.events import (
    Check,
    Direction,
    Event,
    JsonValue,
    MethodSucceeded,
    Outcome,
    PlannedScenario,
    RunFinished,
    RunStarted,
    ScenarioFinished,
    ScenarioOutcome,
    Seen,
    SeenKind,
)
from mcp_tasks_conformance.verdicts.fold import Fold
from mcp_tasks_conformance.verdicts.model import RequirementResult, RunResult, ScenarioResult
from mcp_tasks_conformance.verdicts.options import VerdictOptions


def must(id_: str, level: Level = Level.MUST, **members: Any) -> Requirement:
    """A requirement; a MUST of a v1 receiver unless said."""
    given: dict[str, Any] = {
        "generation": "v1",
        "party": "receiver",
        "rule": f"The rule of {id_}.",
        "observe": "wire",
        "specification": id_.split(".", 1)[0],
        "link": f"https://example.org/spec#{id_}",
    }
    return Requirement(id=id_, level=level, place=Place(Path("requirements.yaml"), 1, 1), **{**given, **members})


def waiver(requirement: str, *keys: str, line: int = 3, **members: Any) -> Waiver:
    """An entry of a baseline: of these scenario runs, or without a list of scenarios."""
    given: dict[str, Any] = {
        "reason": f"{requirement} is known",
        "place": Place(Path("baseline.yaml"), line, 3),
        "scenarios": keys,
        "keys": frozenset(keys),
    }
    return Waiver(requirement, **{**given, **members})


def planned(name: str, *proves: str, skip: str | None = None, party: str = "receiver") -> PlannedScenario:
    """A scenario of the plan."""
    key = f"v1/{party}/suite/{name}"
    return PlannedScenario(key, key, f"What {name} tells", {}, proves, f"scenarios/v1/{party}/suite.yaml:7", skip)


def started(*plan: PlannedScenario, **members: Any) -> RunStarted:
    """The start of a run."""
    given: dict[str, Any] = {
        "target": {"name": "sample", "version": "1.2", "protocol": "2025-11-25", "transport": "stdio"},
        "options": {},
        "suite": {"version": "0.1.0", "digest": "abc"},
        "generations": {"detected": ["v1"], "run": ["v1"]},
    }
    return RunStarted(planned=plan, **{**given, **members})


def check(requirement: str, outcome: str = "pass", source: str = "send, line 31", **members: Any) -> Check:
    """A check."""
    given = {"expected": "error.code: -32602", "observed": "error.code: -32600" if outcome != "pass" else "as expected"}
    return Check(requirement, source, Outcome(outcome), **{**given, **members})


def finished(plan: PlannedScenario, *checks: Check, outcome: str = "passed", **members: Any) -> ScenarioFinished:
    """The end of a scenario."""
    given: dict[str, Any] = {"reason": None, "duration": 0.25, "transcript": ()}
    return ScenarioFinished(plan.key, ScenarioOutcome(outcome), checks=checks, **{**given, **members})


def message(index: int, direction: str, text: str, **members: Any) -> Seen:
    """An entry of a transcript."""
    given: dict[str, Any] = {"at": index / 100, "kind": SeenKind.MESSAGE, "connection": "main", "stream": "stdio"}
    return Seen(index=index, direction=Direction(direction), text=text, **{**given, **members})


def run(
    requirements: Iterable[Requirement], *events: Event, options: VerdictOptions | None = None, ends: bool = True
) -> RunResult:
    """The result of a run that told these events."""
    fold = Fold(requirements, options)
    for event in events:
        fold(event)
    if ends:
        fold(RunFinished(None, timing={"total_ms": 1234}))
    return fold.result()


def simple(
    requirement: Requirement,
    *checks: Check,
    options: VerdictOptions | None = None,
    methods: Iterable[str] = (),
    outcome: str = "passed",
    facts: Mapping[str, JsonValue] | None = None,
    **members: Any,
) -> RunResult:
    """The result of a run of one scenario that is to prove one requirement."""
    plan = planned("only", requirement.id)
    succeeded = [MethodSucceeded(method) for method in methods]
    begun = started(plan, **({"target": facts} if facts is not None else {}))
    end = finished(plan, *checks, outcome=outcome, **members)
    return run([requirement], begun, *succeeded, end, options=options)


def row(result: RunResult, id_: str) -> RequirementResult:
    """The result of one requirement."""
    return next(row for row in result.requirements if row.id == id_)


def scenario(result: RunResult, name: str) -> ScenarioResult:
    """The result of one scenario."""
    return next(scenario for scenario in result.scenarios if scenario.key.endswith(f"/{name}"))
