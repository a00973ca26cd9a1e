"""The `run` command: library, target, run, verdict, reports."""

from __future__ import annotations

import asyncio
import shlex
import signal
import sys
from collections.abc import Collection, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from mcp_tasks_conformance.catalog import library as shelves
from mcp_tasks_conformance.catalog.model import Manifest, Profile
from mcp_tasks_conformance.catalog.profiles import built_in_profiles, load_profile
from mcp_tasks_conformance.cli.choosing import chosen
from mcp_tasks_conformance.cli.targeting import (
    doors_of,
    implementation_of,
    on_this_machine,
    reproduce_words,
    start_s,
    target_of,
)
from mcp_tasks_conformance.engine.behaviours import guess, present
from mcp_tasks_conformance.engine.discovery import Facts
from mcp_tasks_conformance.engine.options import RunOptions
from mcp_tasks_conformance.engine.pace import Pace
from mcp_tasks_conformance.engine.run import ChooseProfile, Run
from mcp_tasks_conformance.events import Event, RunFinished, TargetFailed
from mcp_tasks_conformance.reports.console import ConsoleReport
from mcp_tasks_conformance.targets.errors import UnreachableTarget
from mcp_tasks_conformance.verdicts.fold import Fold
from mcp_tasks_conformance.verdicts.options import UnmatchedPattern, VerdictOptions
from mcp_tasks_conformance.verdicts.results import UnwritableResultsError, write_results

UNWRITABLE = 2
INTERRUPTED = 130
FAMILIAR = 3
"""So many tools of a built-in profile by name, and a target is taken to keep that profile's contract."""


def run_command(given: Mapping[str, Any]) -> int:
    """Do what the options say and give the exit code.

    Raises:
        click.UsageError: the options make no sense.
    """
    try:
        library = shelves.load(own=[Path(file) for file in given["files"]])
        scenarios = chosen(library, given)
        implementation = implementation_of(given)
        profile = choose_profile(given, implementation, library.requirements)
        fold = Fold(library.requirements.values(), _verdict_options(given))
    except UnmatchedPattern as unmatched:
        raise click.UsageError(str(unmatched)) from unmatched
    _check_results(given["results"])
    words = reproduce_words(given)
    report = ConsoleReport(
        sys.stdout,
        reproduce=lambda scenario: shlex.join([*words, "--scenario", scenario]),
        verbose=given["verbose"],
    )

    def tell(event: Event) -> None:
        fold(event)
        report(event)

    try:
        target = target_of(given, implementation)
    except UnreachableTarget as unreachable:
        tell(TargetFailed(unreachable.problem, unreachable.hint, unreachable.stderr_tail))
        tell(RunFinished(unreachable.problem))
        return conclude(given, fold, report)
    run = Run(scenarios, target, profile, _run_options(given), tell)
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


def choose_profile(
    given: Mapping[str, Any], implementation: Manifest | None, requirements: Collection[str]
) -> ChooseProfile:
    """How behaviours are mapped to tools once the target's tools are known.

    Raises:
        CatalogError: the profile file is broken.
    """
    built_in = {name: load_profile(file, requirements) for name, file in built_in_profiles().items()}
    named = given["profile"] or (implementation.profile if implementation is not None else "auto")
    if named != "auto":
        file = implementation.folder / named if implementation is not None and not given["profile"] else Path(named)
        profile = built_in[named] if named in built_in else load_profile(file, requirements)
        return lambda facts: present(profile, facts)

    def choose(facts: Facts) -> Profile:
        for profile in built_in.values():
            found = present(profile, facts)
            if len(found.behaviours) >= FAMILIAR:
                return found
        return guess(facts, loopback=on_this_machine(given))

    return choose


def _verdict_options(given: Mapping[str, Any]) -> VerdictOptions:
    return VerdictOptions(
        strict=given["strict"],
        min_proven=given["min_proven"],
        fail_on=tuple(given["fail_on"]),
        transcripts=given["transcripts"],
    )


def _run_options(given: Mapping[str, Any]) -> RunOptions:
    pace = Pace(start_s=start_s(given), poll_ms_override=given["poll_interval"])
    if given["timescale"]:
        pace = replace(pace, stretch=given["timescale"])
    told = {name: given[name] for name in ("generation", "intensity", "jobs", "fresh", "strict", "min_proven")}
    told |= {name: list(given[name]) for name in ("suites", "scenarios", "requirements", "fail_on")}
    return RunOptions(
        jobs=given["jobs"],
        fresh=given["fresh"],
        doors=doors_of(given),
        pace=pace,
        automatic_timescale=not given["timescale"],
        intensity=given["intensity"] or ("full" if on_this_machine(given) else "normal"),
        told=told,
    )
