"""The `coverage` command, and docs/requirements.md which is made from the same facts."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path

import click

from mcp_tasks_conformance.catalog.library import Library, load
from mcp_tasks_conformance.cli.outputs import unwritten
from mcp_tasks_conformance.cli.streams import UNWRITABLE, Screen
from mcp_tasks_conformance.counting import counted
from mcp_tasks_conformance.selftest.coverage import Proven, covered, evaluated
from mcp_tasks_conformance.verdicts.writing import write_whole

HEAD = """# Requirements

Made by `mcp-tasks-conformance coverage --markdown docs/requirements.md`; do not edit. Every normative statement about
tasks that concerns a server, with what proves it. *Faults* are deliberately broken references that a check of the
requirement must catch.
"""


def coverage_command(files: Sequence[Path], *, generation: str, markdown: Path | None, run: bool) -> int:
    """Print what proves each requirement; 1 if a testable one has a gap.

    Args:
        files: suites of one's own; what these prove is told then, and nothing else.
        generation: the requirements of which generation.
        markdown: where to write the page of requirements instead.
        run: whether to see which proofs are ever evaluated on the reference.

    Raises:
        click.UsageError: the page is asked for of files, which it is not about.
    """
    if files and markdown is not None:
        raise click.UsageError("--markdown writes the page about the whole library; leave the FILES out")
    library = load(own=files)
    proven = covered(library, generation=generation)
    if markdown is not None:
        problem = unwritten(markdown, lambda path: write_whole(path, as_markdown(proven).encode()))
        click.echo(problem or f"{counted(len(proven), 'requirement')} written to {markdown}", err=problem is not None)
        return UNWRITABLE if problem else 0
    if run:
        proven = _evaluated(library, proven)
    screen = Screen()
    for one in proven:
        screen.row(one.requirement.id, _said(one))
        if one.gap is not None:
            screen.page.text(f"GAP: {one.gap}", 4)
    testable = [one for one in proven if one.requirement.testable]
    gaps = [one for one in proven if one.gap is not None]
    screen.page.text(
        f"{len(testable) - len(gaps)} of {counted(len(testable), 'testable requirement')} covered, "
        f"{len(gaps)} with gaps"
    )
    screen.show()
    return 1 if gaps else 0


def _evaluated(library: Library, proven: Sequence[Proven]) -> tuple[Proven, ...]:
    """See which proofs are evaluated, and tell whoever watches how far that is."""
    watched = sys.stderr.isatty()
    line = ""

    def tell(done: int, of: int) -> None:
        nonlocal line
        line = f"{done} of {of} runs on the reference and its variants"
        if watched:
            click.echo(f"\r{line}", nl=False, err=True)

    found = evaluated(library, proven, tell)
    if watched:
        click.echo(f"\r{' ' * len(line)}\r", nl=False, err=True)
    return found


def _said(one: Proven) -> str:
    if not one.requirement.testable:
        return f"untestable: {one.requirement.why}"
    counts = f"{counted(len(one.scenarios), 'scenario')}, {counted(len(one.faults), 'fault')}"
    return f"{counts}, monitors: {', '.join(one.monitors) or 'none'}"


def as_markdown(proven: Sequence[Proven]) -> str:
    """The page of requirements: a table for each area."""
    parts = [HEAD]
    for area, rows in groupby(proven, key=lambda one: one.requirement.id.rpartition(".")[0]):
        parts.append(f"\n## {area}\n\n| requirement | level | rule | proven by | faults |\n|---|---|---|---|---|")
        parts += [_row(one) for one in rows]
    return "\n".join(parts) + "\n"


def _row(one: Proven) -> str:
    requirement = one.requirement
    name = f"[`{requirement.id}`]({requirement.link})" if requirement.link else f"`{requirement.id}`"
    if not requirement.testable:
        by = f"untestable: {requirement.why}"
    else:
        by = "<br>".join([f"`{s}`" for s in one.scenarios] + [f"monitor {m}" for m in one.monitors])
    rule = requirement.rule + (f" *{requirement.ambiguity}*" if requirement.ambiguity else "")
    cells = (name, str(requirement.level), rule, by, ", ".join(one.faults))
    return "| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in cells) + " |"
