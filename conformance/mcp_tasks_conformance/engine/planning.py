"""What runs against this target, with which parameters, and why the rest does not."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import cast

from mcp_tasks_conformance.catalog.model import Needs, Profile, Ref, Scenario, Template
from mcp_tasks_conformance.catalog.runs import key_of
from mcp_tasks_conformance.engine.discovery import Facts
from mcp_tasks_conformance.engine.scope import Scope
from mcp_tasks_conformance.events import JsonValue, PlannedScenario
from mcp_tasks_conformance.peers.handshake import DEFAULT_CAPABILITIES


@dataclass(frozen=True, slots=True)
class Circumstances:
    """What the run offers to scenarios, beside what the target says of itself."""

    transport: str
    restartable: bool
    identities: int
    anonymous: bool = True
    """Whether connections carry no credentials unless a scenario asks for them."""
    durable: bool = False
    intensity: str = "normal"
    one_session: bool = False
    """Whether the target was seen to hold one session at a time."""


@dataclass(frozen=True, slots=True)
class PlannedRun:
    """A scenario with its parameters, ready to run, or with the reason why it does not."""

    key: str
    scenario: Scenario
    parameters: Mapping[str, JsonValue]
    capabilities: Mapping[str, JsonValue]
    """What our side declares on the main connection."""
    skip: str | None
    undecided: str | None = None
    """Why it applies and nothing could come of it."""
    lacks_tool: bool = False
    """Whether all that it needs and does not have is a tool."""
    behaviours: tuple[str, ...] = ()
    """Those that it needs."""

    def told(self, root: str) -> PlannedScenario:
        """The plan's entry in the event stream."""
        place = self.scenario.place
        path = place.path.relative_to(root) if place.path.is_relative_to(root) else place.path
        return PlannedScenario(
            self.key,
            self.scenario.id,
            self.scenario.title,
            self.parameters,
            self.scenario.proves,
            f"{path}:{place.line}",
            self.skip,
            self.lacks_tool,
        )


def plan(
    scenarios: Iterable[Scenario], facts: Facts, profile: Profile, circumstances: Circumstances
) -> tuple[PlannedRun, ...]:
    """Every run of every scenario, in the library's order."""
    return tuple(
        _planned(scenario, parameters, facts, profile, circumstances)
        for scenario in scenarios
        for parameters in _combinations(scenario)
    )


def longest_first(planned: Iterable[PlannedRun]) -> tuple[PlannedRun, ...]:
    """The same, beginning with what waits for a task to grow old: none takes longer, and the rest goes on beside it."""
    return tuple(sorted(planned, key=lambda one: not any(step.verb == "age" for step in one.scenario.steps)))


def _combinations(scenario: Scenario) -> list[dict[str, JsonValue]]:
    names = list(scenario.each)
    scope = Scope()
    choices = [[scope.fill(value) for value in scenario.each[name]] for name in names]
    return [dict(zip(names, values, strict=True)) for values in itertools.product(*choices)]


def _planned(
    scenario: Scenario,
    parameters: Mapping[str, JsonValue],
    facts: Facts,
    profile: Profile,
    circumstances: Circumstances,
) -> PlannedRun:
    scope = Scope(parameters)
    client = scope.fill(cast(Template, scenario.client)) if scenario.client else DEFAULT_CAPABILITIES
    assert isinstance(client, Mapping)
    behaviours = [str(scope.fill(name)) if isinstance(name, Ref) else name for name in scenario.needs.behaviours]
    needs = replace(scenario.needs, behaviours=tuple(behaviours))
    of_target = _unmet(scenario, needs, facts, circumstances)
    of_profile = _without_tools(needs, profile)
    reasons = of_target + of_profile
    otherwise = [f"for {name}, {profile.otherwise[name]}" for name in behaviours if name in profile.otherwise]
    return PlannedRun(
        key_of(scenario, parameters),
        scenario,
        parameters,
        client,
        "; ".join(reasons) or None,
        "; ".join(otherwise) or None,
        lacks_tool=bool(of_profile) and not of_target,
        behaviours=tuple(behaviours),
    )


def _without_tools(needs: Needs, profile: Profile) -> list[str]:
    by_why: dict[str | None, dict[str, None]] = {}
    for name in map(str, needs.behaviours):
        if name not in profile.behaviours:
            by_why.setdefault(profile.missing.get(name), {})[name] = None
    return [f"no tool is known for {', '.join(names)}" + (f": {why}" if why else "") for why, names in by_why.items()]


def _unmet(scenario: Scenario, needs: Needs, facts: Facts, circumstances: Circumstances) -> list[str]:
    reasons: list[str] = []
    if "server" not in scenario.hosts:
        reasons.append("it is about clients")
    if scenario.generation != "v1":
        reasons.append(f"generation {scenario.generation} is not run")
    if needs.transports and circumstances.transport not in needs.transports:
        reasons.append(f"it is about {' or '.join(needs.transports)}")
    reasons += [f"the target does not declare {name}" for name in needs.capabilities if not facts.declares(name)]
    reasons += [f"the target declares {name}" for name in needs.lacks if facts.declares(name)]
    if needs.identities > circumstances.identities:
        reasons.append(f"it needs {needs.identities} identities (--identity NAME=HEADER)")
    if needs.sessions and not facts.sessions:
        reasons.append("the target keeps no sessions")
    if needs.anonymous and not circumstances.anonymous:
        reasons.append("every connection carries credentials")
    if needs.connections > 1 and circumstances.transport == "stdio":
        reasons.append("stdio has one connection")
    elif needs.connections > 1 and circumstances.one_session:
        reasons.append("the target holds one session at a time")
    if (needs.own_process or scenario.sharing == "own_process") and not circumstances.restartable:
        reasons.append("it needs a process of its own (--command)")
    if needs.durable and not circumstances.durable:
        reasons.append("the profile does not say that the store is durable")
    if needs.intensity == "full" and circumstances.intensity != "full":
        reasons.append("it is hard on the target (--intensity full)")
    return reasons
