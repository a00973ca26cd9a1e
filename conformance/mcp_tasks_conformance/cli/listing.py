"""The `list` command: scenarios, requirements, and what can be made of the bundled reference."""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any

import click

from mcp_tasks_conformance.catalog.library import Library
from mcp_tasks_conformance.catalog.model import Scenario
from mcp_tasks_conformance.cli.choosing import chosen, levels_of
from mcp_tasks_conformance.cli.streams import Screen
from mcp_tasks_conformance.targets.bundled import PACKAGE

FLAW_LISTS = ("faults", "variants", "husks")


def list_command(library: Library, what: str, given: Mapping[str, Any]) -> int:
    """Print what there is, each with what it is about; in a pipe a line for each.

    Args:
        library: the library, with files of the user's own.
        what: ``scenarios``, ``requirements``, or one of FLAW_LISTS.
        given: the options that leave only some of them.

    Raises:
        click.UsageError: they leave nothing, or mean nothing here.
    """
    if what == "scenarios":
        rows = [(scenario.id, scenario.title) for scenario in chosen(library, given)]
    elif what == "requirements":
        rows = _requirements(library, given)
    else:
        rows = _flaws(what, given)
    if not rows:
        raise click.UsageError(f"these options together leave none of the {what}")
    screen = Screen()
    for head, text in rows:
        screen.row(head, text)
    screen.show()
    return 0


def _requirements(library: Library, given: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Those of the generations that have scenarios; with --suite, --scenario or files those that these prove."""
    patterns = given.get("requirements") or ()
    _check(patterns, library.requirements, "list --requirements")
    narrowed = library.own or given.get("suites") or given.get("scenarios")
    scenarios = chosen(library, {**given, "requirements": (), "levels": ()}) if narrowed else ()
    proven = {requirement for scenario in scenarios for requirement in scenario.proves}
    levels = levels_of(given)
    generations = {given.get("generation")} if given.get("generation") else _generations(library.scenarios.values())
    return [
        (f"{requirement.id}  {requirement.level}, {requirement.party}", requirement.rule)
        for requirement in library.requirements.values()
        if requirement.generation in (*generations, "both")
        and (not patterns or _named(requirement.id, patterns))
        and (not levels or requirement.level in levels)
        and (not narrowed or requirement.id in proven)
    ]


def _generations(scenarios: Iterable[Scenario]) -> set[str | None]:
    return {scenario.generation for scenario in scenarios}


def _flaws(what: str, given: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Faults with the requirements that they break, variants and husks."""
    mute = [name for name in ("suites", "scenarios", "levels", "files") if given.get(name)]
    if mute or (given.get("requirements") and what != "faults"):
        option = "FILE" if mute == ["files"] else f"--{(mute or ['requirements'])[0].removesuffix('s')}"
        raise click.UsageError(f"{option} does not go with --{what}")
    patterns = given.get("requirements") or ()
    described = importlib.import_module(f"{PACKAGE}.catalog").describe()
    listed = [row for row in described if f"{row['kind']}s" == what]
    _check(patterns, {name for row in listed for name in row["requirements"]}, "list --faults")
    return [
        (row["name"], _sentence(row))
        for row in listed
        if not patterns or any(_named(name, patterns) for name in row["requirements"])
    ]


def _sentence(row: Mapping[str, Any]) -> str:
    broken = ", ".join(row["requirements"])
    return f"{row['sentence']} ({broken})" if row["kind"] == "fault" else row["sentence"]


def _named(name: str, patterns: Sequence[str]) -> bool:
    return any(fnmatchcase(name, pattern) for pattern in patterns)


def _check(patterns: Sequence[str], names: Iterable[str], shows: str) -> None:
    known = tuple(names)
    for pattern in patterns:
        if not any(fnmatchcase(name, pattern) for name in known):
            raise click.UsageError(f"--requirement {pattern} matches nothing; `{shows}` shows what there is")
