"""The `run` command: library, target, run, verdict, reports."""

from __future__ import annotations

import asyncio
import shlex
import signal
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from mcp_tasks_conformance.catalog import library as shelves
from mcp_tasks_conformance.cli.choosing import chosen
from mcp_tasks_conformance.engine.run import Run
from mcp_tasks_conformance.events import Event, JsonValue, RunFinished, TargetFailed
from mcp_tasks_conformance.orders.conduct import run_options
from mcp_tasks_conformance.orders.order import Order, WrongOrder
from mcp_tasks_conformance.orders.profile import choose_profile
from mcp_tasks_conformance.orders.reproduction import reproduce_words
from mcp_tasks_conformance.orders.target import implementation_of, target_of
from mcp_tasks_conformance.reports.console import ConsoleReport
from mcp_tasks_conformance.targets.errors import UnreachableTarget
from mcp_tasks_conformance.verdicts.fold import Fold
from mcp_tasks_conformance.verdicts.options import UnmatchedPattern, VerdictOptions
from mcp_tasks_conformance.verdicts.results import UnwritableResultsError, write_results

UNWRITABLE = 2
INTERRUPTED = 130


def run_command(given: Mapping[str, Any]) -> int:
    """Do what the options say and give the exit code.

    Raises:
        click.UsageError: the options make no sense.
    """
    order = Order.of(given)
    try:
        library = shelves.load(own=[Path(file) for file in given["files"]])
        scenarios = chosen(library, given)
        implementation = implementation_of(order)
        profile = choose_profile(order, implementation, library.requirements)
        options = run_options(order, _told(given))
        fold = Fold(library.requirements.values(), _verdict_options(given))
    except (UnmatchedPattern, WrongOrder) as wrong:
        raise click.UsageError(str(wrong)) from wrong
    _check_results(given["results"])
    words = reproduce_words(order, given["files"])
    report = ConsoleReport(
        sys.stdout,
        reproduce=lambda scenario: shlex.join([*words, "--scenario", scenario]),
        verbose=given["verbose"],
    )

    def tell(event: Event) -> None:
        fold(event)
        report(event)

    try:
        target = target_of(order, implementation, lambda line: click.echo(line, err=True))
    except WrongOrder as wrong:
        raise click.UsageError(str(wrong)) from wrong
    except UnreachableTarget as unreachable:
        tell(TargetFailed(unreachable.problem, unreachable.hint, unreachable.stderr_tail))
        tell(RunFinished(unreachable.problem))
        return conclude(given, fold, report)
    run = Run(scenarios, target, profile, options, tell)
    try:
        interrupted = _run(run)
    except Exception:
        conclude(given, fold, report)  # what was seen until then is worth a report
        raise
    exit_code = conclude(given, fold, report)
    return INTERRUPTED if interrupted else exit_code


def conclude(given: Mapping[str, Any], fold: Fold, report: ConsoleReport) -> int:
    """Write the results, tell people, and give the exit code."""
    result = fold.result()
    exit_code = result.exit_code
    try:
        if given["results"]:
            write_results(Path(given["results"]), result)
    except UnwritableResultsError as unwritable:
        click.echo(f"Error: {unwritable}", err=True)
        exit_code = UNWRITABLE
    report.finish(result)
    return exit_code


def _check_results(file: str | None) -> None:
    """Complain now of what would only show when all the work is done."""
    if file and not Path(file).parent.is_dir():
        raise click.UsageError(f"--results {file}: there is no folder {Path(file).parent}")


def _run(run: Run) -> bool:
    """Run to the end, or to an interrupt; says whether it was interrupted."""

    async def until_done() -> bool:
        loop = asyncio.get_running_loop()
        doing = asyncio.ensure_future(run.run())
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            loop.add_signal_handler(number, doing.cancel)
        try:
            await doing
        except asyncio.CancelledError:
            return True
        finally:
            for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
                loop.remove_signal_handler(number)
        return False

    return asyncio.run(until_done())


def _verdict_options(given: Mapping[str, Any]) -> VerdictOptions:
    return VerdictOptions(
        strict=given["strict"],
        min_proven=given["min_proven"],
        fail_on=tuple(given["fail_on"]),
        transcripts=given["transcripts"],
    )


def _told(given: Mapping[str, Any]) -> dict[str, JsonValue]:
    told = {name: given[name] for name in ("generation", "intensity", "jobs", "fresh", "strict", "min_proven")}
    return told | {name: list(given[name]) for name in ("suites", "scenarios", "requirements", "fail_on")}
