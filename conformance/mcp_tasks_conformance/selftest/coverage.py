"""Which requirement is proven by what: scenarios, monitors and faults, and whether each proof is ever evaluated."""

from __future__ import annotations

import importlib
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from mcp_tasks_conformance.catalog.library import Library
from mcp_tasks_conformance.catalog.model import Requirement, Scenario
from mcp_tasks_conformance.monitors.registry import monitors_for
from mcp_tasks_conformance.selftest.cases import TRANSPORTS, cases, sound
from mcp_tasks_conformance.selftest.trial import run_case
from mcp_tasks_conformance.targets.bundled import PACKAGE

ENGINE_PROVES = ("base.answers",)
"""Judged by the engine itself: silence and death are not on the wire."""
SIDE: Mapping[str, tuple[str, ...]] = {"server": ("server", "receiver", "both")}
"""The parties of requirements that a server can be tested on."""


@dataclass(frozen=True, slots=True)
class Proven:
    """What proves one requirement."""

    requirement: Requirement
    scenarios: tuple[str, ...]
    monitors: tuple[str, ...]
    faults: tuple[str, ...]
    idle: tuple[str, ...] = ()
    """Scenarios that claim to prove it and never judged it on the reference."""

    @property
    def gap(self) -> str | None:
        """What is missing, or none."""
        if not self.requirement.testable:
            return None
        missing = [] if self.scenarios or self.monitors else ["no proof"]
        missing += [] if self.faults else ["no fault"]
        missing += [f"never evaluated in {scenario}" for scenario in self.idle]
        return "; ".join(missing) or None


def covered(library: Library, *, generation: str) -> tuple[Proven, ...]:
    """What proves each requirement that a server of this generation can be tested on, by the library as it is.

    Of a library with suites of one's own: what these prove, and nothing else.
    """
    scenarios: dict[str, list[str]] = defaultdict(list)
    for scenario in counted_scenarios(library):
        if scenario.generation == generation and "server" in scenario.hosts:
            for requirement in scenario.proves:
                scenarios[requirement].append(scenario.id)
    monitors: dict[str, list[str]] = defaultdict(list)
    for monitor in monitors_for(generation, "server"):
        for requirement in monitor.proves:
            monitors[requirement].append(monitor.name)
    for requirement in ENGINE_PROVES:
        monitors[requirement].append("engine")
    faults: dict[str, list[str]] = defaultdict(list)
    for row in importlib.import_module(f"{PACKAGE}.catalog").describe():
        if row["kind"] == "fault":
            for requirement in row["requirements"]:
                faults[requirement].append(row["name"])
    return tuple(
        Proven(
            requirement,
            tuple(scenarios[requirement.id]),
            tuple(monitors[requirement.id]),
            tuple(faults[requirement.id]),
        )
        for requirement in library.requirements.values()
        if requirement.generation in (generation, "both")
        and requirement.party in SIDE["server"]
        and (requirement.id in scenarios or not library.own)
    )


def counted_scenarios(library: Library) -> tuple[Scenario, ...]:
    """Those of one's own where there are any, else all."""
    own = tuple(scenario for suite in library.own for scenario in library.suites[suite].scenarios)
    return own or tuple(library.scenarios.values())


def evaluated(library: Library, proven: Iterable[Proven], tell: Callable[[int, int], None]) -> tuple[Proven, ...]:
    """The same, with the proofs that no run on the reference or a variant of it ever evaluates, over any transport.

    Args:
        library: the scenarios.
        proven: what is to be proven.
        tell: hears how many of how many runs are done.
    """
    judged: set[tuple[str, str]] = set()
    scenarios, reserve = counted_scenarios(library), tuple(library.scenarios.values())
    variants = [case for case in cases(transports=("memory",)) if case.kind == "variant"]
    tried = [*(case for transport in TRANSPORTS for case in sound(transport)), *variants]
    for number, case in enumerate(tried):
        tell(number, len(tried))
        result = run_case(case, scenarios, reserve)
        judged |= {(check.scenario.partition("[")[0], check.requirement) for check in result.checks}
    return tuple(
        Proven(
            one.requirement,
            one.scenarios,
            one.monitors,
            one.faults,
            tuple(s for s in one.scenarios if (s, one.requirement.id) not in judged),
        )
        for one in proven
    )
