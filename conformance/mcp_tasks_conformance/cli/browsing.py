"""The commands that look at single things: show, check."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from pathlib import Path

import click

from mcp_tasks_conformance.catalog.baselines import Shelf, load_baseline
from mcp_tasks_conformance.catalog.file_kinds import FileKind, kind_of_file
from mcp_tasks_conformance.catalog.library import Library, load, root
from mcp_tasks_conformance.catalog.manifests import load_manifest
from mcp_tasks_conformance.catalog.model import Requirement, Scenario
from mcp_tasks_conformance.catalog.profiles import load_profile
from mcp_tasks_conformance.cli.story import phrase, write_step
from mcp_tasks_conformance.cli.streams import Screen
from mcp_tasks_conformance.counting import counted
from mcp_tasks_conformance.reports.page import Page
from mcp_tasks_conformance.selftest.coverage import covered


def check_command(files: Iterable[Path]) -> int:
    """Load suite files, profiles, baselines and manifests.

    Raises:
        CatalogError: something is wrong with them; it tells all.
    """
    kinds: dict[FileKind, list[Path]] = {kind: [] for kind in FileKind}
    for file in files:
        kinds[kind_of_file(file)].append(file)
    library = load(own=kinds[FileKind.SUITE])
    for file in kinds[FileKind.PROFILE]:
        load_profile(file, library.requirements)
    for file in kinds[FileKind.BASELINE]:
        load_baseline(file, Shelf(library.requirements, library.scenarios.values()))
    for file in kinds[FileKind.MANIFEST]:
        load_manifest(file.parent)
    own = [library.suites[suite] for suite in library.own]
    count = sum(len(suite.scenarios) for suite in own)
    parts = [counted(len(own), "suite"), counted(count, "scenario")] if own else []
    parts += [counted(len(kinds[kind]), kind.value) for kind in FileKind if kinds[kind] and kind is not FileKind.SUITE]
    click.echo(f"{', '.join(parts)}: nothing amiss")
    return 0


def show_command(names: Iterable[str]) -> int:
    """Print requirements with their proofs, scenarios as stories; of a file of one's own all of its scenarios.

    Raises:
        click.UsageError: there is nothing of such a name.
        CatalogError: a file is broken.
    """
    listed = list(names)
    files = [name for name in listed if Path(name).is_file()]
    library = load(own=[Path(file) for file in files])
    wanted = [name for name in listed if name not in files] or _own_scenarios(library)
    screen = Screen()
    for number, name in enumerate(wanted):
        if number:
            screen.page.blank()
        _show(name, library, screen.page)
    screen.show()
    return 0


def _own_scenarios(library: Library) -> list[str]:
    return [scenario.id for suite in library.own for scenario in library.suites[suite].scenarios]


def _show(name: str, library: Library, page: Page) -> None:
    requirement = library.requirements.get(name)
    scenario = library.scenarios.get(name.partition("[")[0])
    if requirement is not None:
        _show_requirement(requirement, library, page)
    elif scenario is not None:
        _show_scenario(scenario, library, page)
    else:
        near = difflib.get_close_matches(name, [*library.requirements, *library.scenarios], n=3)
        hint = f"; did you mean {' or '.join(near)}?" if near else "; `list` and `list --requirements` show all"
        raise click.UsageError(f"there is no scenario, requirement or file {name}{hint}")


def _show_requirement(requirement: Requirement, library: Library, page: Page) -> None:
    page.text(f"{requirement.id}  ({requirement.level}, {requirement.party}, {requirement.generation})")
    page.blank()
    page.text(requirement.rule)
    for label, text in (
        ("Ambiguity", requirement.ambiguity),
        ("Untestable", requirement.why),
        ("Source", requirement.source),
    ):
        if text:
            page.blank()
            page.hanging(f"{label}: ", text)
    if requirement.link:
        page.blank()
        page.unbroken(requirement.link)
    page.blank()
    for title, proofs in _proofs(requirement.id, library).items():
        page.text(f"{title}:" if proofs else f"{title}: none")
        for name, text in proofs:
            page.hanging("  ", f"{name}  {text}" if text else name)


def _proofs(requirement: str, library: Library) -> dict[str, list[tuple[str, str]]]:
    """What proves it: scenarios and monitors, and the faults on which that is tried."""
    found = next((one for one in covered(library, generation="v1") if one.requirement.id == requirement), None)
    return {
        "Proven by scenarios": [(s.id, s.title) for s in library.scenarios.values() if requirement in s.proves],
        "Proven by monitors": [(name, "") for name in found.monitors] if found is not None else [],
        "Tried on the faults": [(name, "") for name in found.faults] if found is not None else [],
    }


def _show_scenario(scenario: Scenario, library: Library, page: Page) -> None:
    page.text(scenario.id)
    page.text(scenario.title)
    place = scenario.place
    path = place.path if not place.path.is_relative_to(root()) else place.path.relative_to(root())
    page.text(f"{path}:{place.line}")
    for name, values in scenario.each.items():
        page.text(f"for each {name}: {', '.join(phrase(value) for value in values)}")
    page.blank()
    for number, step in enumerate(scenario.steps, 1):
        write_step(page, step, f"{number}. ")
    page.blank()
    page.text("Proves:" if scenario.proves else "Proves no requirement.")
    for requirement in scenario.proves:
        found = library.requirements[requirement]
        page.hanging("  ", f"{requirement} ({found.level}): {found.rule}")
