"""The `report` command: an old run's results in another form."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TextIO

import click

from mcp_tasks_conformance.cli.outputs import unwritten, write_text
from mcp_tasks_conformance.reports.annotations import annotations_of, repository_of
from mcp_tasks_conformance.reports.console import ConsoleReport
from mcp_tasks_conformance.reports.junit import junit_of
from mcp_tasks_conformance.reports.markdown import markdown_of
from mcp_tasks_conformance.reports.reproduction import reproduction
from mcp_tasks_conformance.verdicts.model import RunResult
from mcp_tasks_conformance.verdicts.results import ResultsError, read_results

UNUSABLE = 2
CONSOLE = "console"
_FORMS: Mapping[str, Callable[[RunResult], str]] = {
    "junit": lambda result: junit_of(result, reproduction(result.options)),
    "markdown": lambda result: markdown_of(result, reproduction(result.options)),
    "annotations": lambda result: annotations_of(result, repository_of(os.environ)),
}


def report_command(results: Path, form: str, output: Path | None, *, verbose: bool) -> int:
    """Print the report of an old run, or write it to a file; 2 where its results cannot be used.

    Raises:
        click.UsageError: --verbose is said of a form that has no other.
    """
    if verbose and form != CONSOLE:
        raise click.UsageError(f"--verbose is for --format {CONSOLE}; the others hold everything as they are")
    try:
        result = read_results(results)
    except ResultsError as unusable:
        click.echo(f"Error: {unusable}", err=True)
        return UNUSABLE
    if output is None and form == CONSOLE:
        _console(result, sys.stdout, verbose=verbose)
        return 0
    text = _console_text(result, verbose=verbose) if form == CONSOLE else _FORMS[form](result)
    if output is None:
        click.echo(text, nl=False)
        return 0
    problem = unwritten(output, lambda path: write_text(path, text))
    if problem is not None:
        click.echo(f"Error: {problem}", err=True)
        return UNUSABLE
    return 0


def _console_text(result: RunResult, *, verbose: bool) -> str:
    stream = io.StringIO()
    _console(result, stream, verbose=verbose)
    return stream.getvalue()


def _console(result: RunResult, stream: TextIO, *, verbose: bool) -> None:
    ConsoleReport(stream, reproduce=reproduction(result.options), verbose=verbose).finish(result)
