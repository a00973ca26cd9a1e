"""Scenarios written in a test, run whole against a server in memory, under virtual time."""

from __future__ import annotations

import asyncio
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from mcp_tasks_conformance.catalog import library, source
from mcp_tasks_conformance.catalog.model import Behaviour, Profile, Requirement, Scenario
from mcp_tasks_conformance.catalog.problems import Problems
from mcp_tasks_conformance.catalog.requirements import read_requirements
from mcp_tasks_conformance.catalog.suites import Shelf, read_suite
from mcp_tasks_conformance.engine.options import RunOptions
from mcp_tasks_conformance.engine.run import Run
from mcp_tasks_conformance.engine.verifying import Claimed
from mcp_tasks_conformance.events import Check, Event, RunFinished, ScenarioFinished, ScenarioOutcome, TargetFailed
from mcp_tasks_conformance.selftest.virtual_time import VirtualTimeLoop
from mcp_tasks_conformance.targets.in_process import InProcessTarget
from mcp_tasks_conformance.targets.target import Target
from mcp_tasks_conformance.verdicts.fold import Fold
from mcp_tasks_conformance.verdicts.model import RunResult

HEAD = "suite: try\ngeneration: v1\nparty: receiver\ntitle: Tries\nscenarios:\n"
PROVES = "v1.get.unknown-id"
"""Some requirement of the catalogue, for scenarios whose subject is the engine."""
DURATIONS_MS = {"completes": 20, "slow": 600, "asks-elicitation": 50, "plain-only": 20}
PROFILE = Profile("small", {name: Behaviour(name, name, {}, ms) for name, ms in DURATIONS_MS.items()})


@cache
def requirements() -> Mapping[str, Requirement]:
    """Those of the product's catalogues."""
    problems, found = Problems(), dict[str, Requirement]()
    for file in sorted((library.root() / "scenarios").rglob("requirements.yaml")):
        document = source.read(file, problems)
        assert document is not None
        read_requirements(document, problems, found)
    problems.settle()
    return found


def suite(scenarios: str) -> tuple[Scenario, ...]:
    """Scenarios from the YAML of their list."""
    problems = Problems()
    text = HEAD + textwrap.indent(textwrap.dedent(scenarios).strip("\n"), "  ")
    document = source.parse(text.encode(), Path("try.yaml"), problems)
    assert document is not None
    read = read_suite(document, Shelf(requirements(), library.schema_names()), problems)
    problems.settle()
    return read.scenarios


def scenario(steps: str, name: str = "one", **members: str) -> tuple[Scenario, ...]:
    """One scenario from the YAML of its steps and of further members."""
    head = "".join(f"  {key}: {value}\n" for key, value in members.items())
    body = textwrap.indent(textwrap.dedent(steps).strip("\n"), "    ")
    return suite(f"- id: {name}\n  title: A try\n{head}  steps:\n{body}\n")


@dataclass(frozen=True)
class Performance:
    """What a run told, and what it came to."""

    events: tuple[Event, ...]
    result: RunResult
    seconds: float
    """By the loop's clock."""

    @property
    def finished(self) -> dict[str, ScenarioFinished]:
        """By the last part of the key."""
        ended = [event for event in self.events if isinstance(event, ScenarioFinished)]
        assert len({event.key for event in ended}) == len(ended), "a scenario was told of twice"
        return {event.key.removeprefix("v1/receiver/try/"): event for event in ended}

    @property
    def one(self) -> ScenarioFinished:
        (only,) = self.finished.values()
        return only

    @property
    def outcomes(self) -> dict[str, ScenarioOutcome]:
        return {key: event.outcome for key, event in self.finished.items()}

    @property
    def failure(self) -> TargetFailed | None:
        return next((event for event in self.events if isinstance(event, TargetFailed)), None)

    @property
    def end(self) -> RunFinished:
        last = self.events[-1]
        assert isinstance(last, RunFinished)
        return last

    def checks(self, requirement: str = PROVES) -> list[Check]:
        """The checks of one requirement that steps made, in all scenarios."""
        return [
            check
            for event in self.finished.values()
            for check in event.checks
            if check.requirement == requirement and not check.source.startswith("monitor")
        ]


def perform(
    scenarios: Sequence[Scenario],
    *server: str,
    target: Target | None = None,
    options: RunOptions | None = None,
    profile: Profile | Claimed = PROFILE,
    reserve: Sequence[Scenario] = (),
) -> Performance:
    """Run scenarios against the small server, or against a kind of those that misbehave."""
    module = "misbehaving" if server else "server"
    target = target or InProcessTarget(f"tests.engine.data.{module}:create", server)
    fold = Fold(requirements().values())
    events: list[Event] = []

    def tell(event: Event) -> None:
        events.append(event)
        fold(event)

    run = Run(scenarios, target, lambda _: profile, options or RunOptions(), tell, reserve=reserve)
    with asyncio.Runner(loop_factory=VirtualTimeLoop) as runner:
        seconds = runner.run(_timed(run))
    return Performance(tuple(events), fold.result(), seconds)


async def _timed(run: Run) -> float:
    await run.run()
    left = asyncio.all_tasks() - {asyncio.current_task()}
    assert not left, f"tasks are left: {left}"
    return asyncio.get_running_loop().time()


def seen(event: ScenarioFinished) -> list[Any]:
    """What of a transcript tells of methods and results, in order."""
    return [entry.text for entry in event.transcript]
