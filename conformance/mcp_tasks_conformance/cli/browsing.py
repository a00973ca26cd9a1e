"""The commands that only read the library: list, show, check."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from pathlib import Path

import click

from mcp_tasks_conformance.catalog.library import Library, load, root
from mcp_tasks_conformance.catalog.model import Matcher, Ref, Requirement, Scenario, Step, Template
from mcp_tasks_conformance.counting import counted


def list_command(scenarios: Iterable[Scenario], *, requirements: bool, library: Library) -> int:
    """Print every scenario with its title, or every requirement with its level and rule."""
    if requirements:
        for requirement in library.requirements.values():
            click.echo(f"{requirement.id}  {requirement.level}  {requirement.rule}")
        return 0
    for scenario in scenarios:
        click.echo(f"{scenario.id}  {scenario.title}")
    return 0


def check_command(files: Iterable[Path]) -> int:
    """Load suite files.

    Raises:
        CatalogError: something is wrong with them; it tells all.
    """
    library = load(own=files)
    own = [library.suites[suite] for suite in library.own]
    count = sum(len(suite.scenarios) for suite in own)
    click.echo(f"{counted(len(own), 'suite')}, {counted(count, 'scenario')}: nothing amiss")
    return 0


def show_command(name: str) -> int:
    """Print a requirement with its proofs, or a scenario as a story."""
    library = load()
    requirement = library.requirements.get(name)
    scenario = library.scenarios.get(name.partition("[")[0])
    if requirement is not None:
        _show_requirement(requirement, library)
    elif scenario is not None:
        _show_scenario(scenario, library)
    else:
        near = difflib.get_close_matches(name, [*library.requirements, *library.scenarios], n=3)
        hint = f"; did you mean {' or '.join(near)}?" if near else "; `list` and `list --requirements` show all"
        raise click.UsageError(f"there is no scenario or requirement {name}{hint}")
    return 0


def _show_requirement(requirement: Requirement, library: Library) -> None:
    click.echo(f"{requirement.id}  ({requirement.level}, {requirement.party}, {requirement.generation})")
    click.echo(f"\n{requirement.rule}")
    for label, text in (
        ("Specification", requirement.link),
        ("Ambiguity", requirement.ambiguity),
        ("Untestable", requirement.why),
        ("Source", requirement.source),
    ):
        if text:
            click.echo(f"\n{label}: {text}")
    proofs = [s for s in library.scenarios.values() if requirement.id in s.proves]
    click.echo("\nProven by:" if proofs else "\nProven by monitors only, or by nothing.")
    for scenario in proofs:
        click.echo(f"  {scenario.id}  {scenario.title}")


def _show_scenario(scenario: Scenario, library: Library) -> None:
    click.echo(f"{scenario.id}\n{scenario.title}")
    place = scenario.place
    path = place.path if not place.path.is_relative_to(root()) else place.path.relative_to(root())
    click.echo(f"{path}:{place.line}")
    if scenario.each:
        for name, values in scenario.each.items():
            click.echo(f"for each {name}: {', '.join(phrase(value) for value in values)}")
    click.echo("")
    for number, step in enumerate(scenario.steps, 1):
        for line in _story(step, f"{number}. "):
            click.echo(line)
    click.echo("\nProves:")
    for requirement in scenario.proves:
        found = library.requirements[requirement]
        click.echo(f"  {requirement} ({found.level}): {found.rule}")


def _story(step: Step, lead: str) -> list[str]:
    indent = " " * len(lead)
    subject = step.subject
    words = [step.verb.replace("_", " ")]
    nested: list[tuple[str, tuple[Step, ...]]] = []
    if isinstance(subject, tuple) and subject and all(isinstance(item, tuple) for item in subject):
        nested += [(f"branch {n}", branch) for n, branch in enumerate(subject, 1) if isinstance(branch, tuple)]  # type: ignore[misc]
    elif subject is not None:
        words.append(phrase(subject))  # type: ignore[arg-type]
    for key, value in step.keys.items():
        if key == "steps":
            nested.append(("each time", value))  # type: ignore[arg-type]
        else:
            words.append(f"{key.replace('_', ' ')} {phrase(value)}")  # type: ignore[arg-type]
    if step.via != "main":
        words.append(f"on {step.via}")
    if step.gives:
        words.append(f"-> ${step.gives}")
    lines = [lead + "  ".join(words)]
    for expectation in step.expect:
        proves = f"  [{', '.join(expectation.proves)}]" if expectation.proves else "  [precondition]"
        lines.append(f"{indent}expect {phrase(expectation.that)}{proves}")
        if expectation.has_else_warn:
            lines.append(f"{indent}  a lesser reading: {phrase(expectation.else_warn)}")
        if expectation.because:
            lines.append(f"{indent}  because {expectation.because}")
    if step.proves and not step.expect:
        lines.append(f"{indent}judged as such  [{', '.join(step.proves)}]")
    for title, steps in nested:
        lines.append(f"{indent}{title}:")
        for number, inner in enumerate(steps, 1):
            lines += _story(inner, f"{indent}  {number}. ")
    return lines


def phrase(value: Template) -> str:
    """A template as the file has it, in one line."""
    if isinstance(value, Ref):
        return str(value)
    if isinstance(value, Matcher):
        return f"{value.name.removeprefix('$').replace('_', ' ')} {phrase(value.argument)}"
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key}: {phrase(item)}" for key, item in value.items()) + "}"
    if isinstance(value, tuple):
        return "[" + ", ".join(phrase(item) for item in value) + "]"
    return "null" if value is None else str(value).lower() if isinstance(value, bool) else str(value)
