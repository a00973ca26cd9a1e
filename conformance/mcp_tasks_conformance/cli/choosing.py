"""Which scenarios the options leave."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from fnmatch import fnmatchcase
from typing import Any

import click

from mcp_tasks_conformance.catalog.library import Library
from mcp_tasks_conformance.catalog.model import Scenario
from mcp_tasks_conformance.catalog.runs import keys_of

LEVELS: Mapping[str, tuple[str, ...]] = {
    "must": ("MUST", "MUST NOT"),
    "should": ("SHOULD", "SHOULD NOT"),
    "may": ("MAY",),
    "quality": ("QUALITY",),
}


def chosen(library: Library, given: Mapping[str, Any]) -> tuple[Scenario, ...]:
    """The scenarios that the options leave; those of the files that were named, where any were.

    Raises:
        click.UsageError: they leave none; the message says which pattern matches nothing.
    """
    everything = tuple(library.scenarios.values())
    left = everything
    if library.own:
        own = {scenario.id for suite in library.own for scenario in library.suites[suite].scenarios}
        left = everything = tuple(scenario for scenario in everything if scenario.id in own)
    for option, names in _NAMES.items():
        # Behind a bracket a scenario's pattern names parameters; a run is chosen by them in wanted_keys.
        patterns = [p.partition("[")[0] if option == "scenarios" else p for p in given.get(option) or ()]
        for pattern in patterns:
            if not any(fnmatchcase(name, pattern) for scenario in everything for name in names(scenario)):
                shows = "`list FILE` shows what is in the files" if library.own else "`list` shows what there is"
                raise click.UsageError(f"--{option[:-1]} {pattern} matches nothing; {shows}")
        if patterns:
            left = tuple(s for s in left if any(fnmatchcase(name, p) for p in patterns for name in names(s)))
    levels = levels_of(given)
    if levels:
        left = tuple(s for s in left if any(library.requirements[r].level in levels for r in s.proves))
    if given.get("generation"):
        left = tuple(s for s in left if s.generation == given["generation"])
    if not left:
        raise click.UsageError("these options together leave no scenario")
    return left


def wanted_keys(scenarios: Iterable[Scenario], given: Mapping[str, Any]) -> frozenset[str] | None:
    """The keys of the runs that are wanted where a pattern names parameters in brackets; none where no pattern does.

    Raises:
        click.UsageError: such a pattern names no run.
    """
    patterns = given.get("scenarios") or ()
    if not any("[" in pattern for pattern in patterns):
        return None
    wanted: set[str] = set()
    for pattern in patterns:
        named, bracket, parameters = pattern.partition("[")
        runs = {key for s in scenarios if fnmatchcase(s.id, named) for key in keys_of(s)}
        found = {key for key in runs if not bracket or key.partition("[")[2] == parameters}
        if not found:
            raise click.UsageError(f"--scenario {pattern} names no run; there are {', '.join(sorted(runs))}")
        wanted |= found
    return frozenset(wanted)


def levels_of(given: Mapping[str, Any]) -> set[str]:
    """The levels that the options name.

    Raises:
        click.UsageError: there is no such level.
    """
    return {level for word in given.get("levels") or () for level in _levels(word)}


def _levels(word: str) -> tuple[str, ...]:
    found = LEVELS.get(word.lower())
    if found is None:
        raise click.UsageError(f"--level takes {', '.join(LEVELS)}, not {word}")
    return found


def _suite_names(scenario: Scenario) -> tuple[str, ...]:
    return scenario.suite, scenario.suite.rpartition("/")[2]


def _scenario_names(scenario: Scenario) -> tuple[str, ...]:
    return (scenario.id,)


def _requirement_names(scenario: Scenario) -> tuple[str, ...]:
    return scenario.proves


_NAMES: Mapping[str, Callable[[Scenario], tuple[str, ...]]] = {
    "suites": _suite_names,
    "scenarios": _scenario_names,
    "requirements": _requirement_names,
}
