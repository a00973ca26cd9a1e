"""The `run` command: library, target, run, verdict, reports."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from mcp_tasks_conformance.catalog import library as shelves
from mcp_tasks_conformance.catalog.model import Baseline, Manifest
from mcp_tasks_conformance.cli.choosing import chosen, wanted_keys
from mcp_tasks_conformance.cli.discretion import mask_stderr
from mcp_tasks_conformance.cli.interruption import SIGNALS, held_back
from mcp_tasks_conformance.cli.outputs import Outputs
from mcp_tasks_conformance.engine.options import RunOptions
from mcp_tasks_conformance.engine.run import Run
from mcp_tasks_conformance.events import Event, JsonValue, Listener, RunFinished, TargetFailed
from mcp_tasks_conformance.orders.baseline import baseline_of
from mcp_tasks_conformance.orders.conduct import run_options
from mcp_tasks_conformance.orders.order import Order, WrongOrder
from mcp_tasks_conformance.orders.profile import choose_profile
from mcp_tasks_conformance.orders.reproduction import reproduce_words
from mcp_tasks_conformance.orders.secrecy import redactor_of
from mcp_tasks_conformance.orders.target import implementation_of, target_of
from mcp_tasks_conformance.reports.console import ConsoleReport
from mcp_tasks_conformance.reports.reproduction import REPRODUCE, reproduction
from mcp_tasks_conformance.targets.errors import UnreachableTarget
from mcp_tasks_conformance.targets.target import Target
from mcp_tasks_conformance.verdicts.fold import Fold
from mcp_tasks_conformance.verdicts.options import UnmatchedPattern, VerdictOptions

UNWRITABLE = 2
INTERRUPTED = 130


def run_command(given: Mapping[str, Any]) -> int:
    """Do what the options say and give the exit code.

    Raises:
        click.UsageError: the options make no sense.
    """
    order = Order.of(given)
    mask_stderr(redactor_of(order))
    try:
        library = shelves.load(own=[Path(file) for file in given["files"]])
        scenarios = chosen(library, given)
        implementation = implementation_of(order)
        profile = choose_profile(order, implementation, library.requirements)
        baseline = baseline_of(order, implementation, library)
        options = run_options(order, _told(order, given), implementation)
        options = replace(options, only=wanted_keys(scenarios, given), baseline=baseline)
        fold = Fold(library.requirements.values(), _verdict_options(given, baseline, profile.claims))
        outputs = Outputs.of(given, baseline)
        target = _target(order, implementation)
    except (UnmatchedPattern, WrongOrder) as wrong:
        raise click.UsageError(str(wrong)) from wrong
    reproduce = reproduction(options.told)
    report = ConsoleReport(sys.stdout, reproduce=reproduce, outcome=fold.outcome, verbose=given["verbose"])

    def tell(event: Event) -> None:
        fold(event)
        report(event)

    def perform() -> bool:
        if isinstance(target, UnreachableTarget):
            _tell_unreachable(target, options, tell)
            return False
        reserve = tuple(library.scenarios.values())
        return _run(Run(scenarios, target, profile, options, tell, reserve=reserve))

    def conclude() -> int:
        result = fold.result()
        problems = outputs.write(result, baseline, reproduce)
        report.finish(result, unwritten=len(problems))
        for problem in problems:
            click.echo(f"Error: {problem}", err=True)
        return UNWRITABLE if problems else result.exit_code

    with outputs.commands_stopped():
        try:
            interrupted = perform()
        except Exception:
            conclude()  # what was seen until then is worth a report
            raise
        with held_back() as late:
            exit_code = conclude()
    outputs.annotate(fold.result())
    return INTERRUPTED if interrupted or late else exit_code


def _target(order: Order, implementation: Manifest | None) -> Target | UnreachableTarget:
    try:
        return target_of(order, implementation, lambda line: click.echo(line, err=True))
    except UnreachableTarget as unreachable:
        return unreachable


def _tell_unreachable(unreachable: UnreachableTarget, options: RunOptions, listener: Listener) -> None:
    tell = options.redactor.before(listener)
    tell(TargetFailed(unreachable.problem, unreachable.hint, unreachable.stderr_tail, options=options.told))
    tell(RunFinished(unreachable.problem))


def _run(run: Run) -> bool:
    """Run to the end, or to an interrupt; says whether it was interrupted."""

    async def until_done() -> bool:
        loop = asyncio.get_running_loop()
        doing = asyncio.ensure_future(run.run())
        for number in SIGNALS:
            loop.add_signal_handler(number, doing.cancel)
        try:
            await doing
        except asyncio.CancelledError:
            return True
        finally:
            for number in SIGNALS:
                loop.remove_signal_handler(number)
        return False

    return asyncio.run(until_done())


def _verdict_options(given: Mapping[str, Any], baseline: Baseline | None, claims: tuple[str, ...]) -> VerdictOptions:
    return VerdictOptions(
        strict=given["strict"],
        min_proven=given["min_proven"],
        fail_on=tuple(given["fail_on"]),
        claims=claims,
        transcripts=given["transcripts"] or "all",
        baseline=baseline,
    )


def _told(order: Order, given: Mapping[str, Any]) -> dict[str, JsonValue]:
    names = ("generation", "intensity", "jobs", "fresh", "time_limit", "strict", "min_proven")
    told = {name: given[name] for name in names}
    told |= {name: list(given[name]) for name in ("suites", "scenarios", "requirements", "levels", "fail_on")}
    return told | {REPRODUCE: list(reproduce_words(order, given["files"]))}
