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
from mcp_tasks_conformance.catalog.model import Baseline
from mcp_tasks_conformance.cli.choosing import chosen
from mcp_tasks_conformance.cli.outputs import Outputs
from mcp_tasks_conformance.engine.run import Run
from mcp_tasks_conformance.events import Event, JsonValue, RunFinished, TargetFailed
from mcp_tasks_conformance.orders.baseline import baseline_of
from mcp_tasks_conformance.orders.conduct import run_options
from mcp_tasks_conformance.orders.order import Order, WrongOrder
from mcp_tasks_conformance.orders.profile import choose_profile
from mcp_tasks_conformance.orders.reproduction import reproduce_words
from mcp_tasks_conformance.orders.target import implementation_of, target_of
from mcp_tasks_conformance.reports.console import ConsoleReport
from mcp_tasks_conformance.targets.errors import UnreachableTarget
from mcp_tasks_conformance.verdicts.fold import Fold
from mcp_tasks_conformance.verdicts.model import RunResult
from mcp_tasks_conformance.verdicts.options import UnmatchedPattern, VerdictOptions

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
        baseline = baseline_of(order, implementation, library)
        fold = Fold(library.requirements.values(), _verdict_options(given, baseline))
    except (UnmatchedPattern, WrongOrder) as wrong:
        raise click.UsageError(str(wrong)) from wrong
    outputs = Outputs.of(given)
    report = ConsoleReport(
        sys.stdout,
        reproduce=lambda scenario: shlex.join([*reproduce_words(order, given["files"]), "--scenario", scenario]),
        outcome=fold.outcome,
        verbose=given["verbose"],
    )

    def conclude() -> int:
        return _conclude(fold.result(), outputs, baseline, report)

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
        return conclude()
    run = Run(scenarios, target, profile, options, tell)
    try:
        interrupted = _run(run)
    except Exception:
        conclude()  # what was seen until then is worth a report
        raise
    exit_code = conclude()
    return INTERRUPTED if interrupted else exit_code


def _conclude(result: RunResult, outputs: Outputs, baseline: Baseline | None, report: ConsoleReport) -> int:
    """Write what was asked for, tell people, and give the exit code."""
    written = outputs.write(result, baseline, lambda line: click.echo(line, err=True))
    report.finish(result)
    return result.exit_code if written else UNWRITABLE


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


def _verdict_options(given: Mapping[str, Any], baseline: Baseline | None) -> VerdictOptions:
    return VerdictOptions(
        strict=given["strict"],
        min_proven=given["min_proven"],
        fail_on=tuple(given["fail_on"]),
        transcripts=given["transcripts"],
        baseline=baseline,
    )


def _told(given: Mapping[str, Any]) -> dict[str, JsonValue]:
    told = {name: given[name] for name in ("generation", "intensity", "jobs", "fresh", "strict", "min_proven")}
    return told | {name: list(given[name]) for name in ("suites", "scenarios", "requirements", "fail_on")}
