"""The `selftest` command."""

from __future__ import annotations

import time
from collections.abc import Sequence

import click

from mcp_tasks_conformance.counting import counted
from mcp_tasks_conformance.selftest.bench import try_all
from mcp_tasks_conformance.selftest.cases import TRANSPORTS, cases
from mcp_tasks_conformance.selftest.trial import CaseResult


def selftest_command(
    *,
    pattern: str | None,
    full: bool,
    transports: Sequence[str],
    generation: str | None,
    workers: int | None,
    verbose: bool,
) -> int:
    """Try the suite on the reference's faults, variants and husks; 1 if anything was missed or reported in vain."""
    chosen = cases(pattern=pattern, full=full, transports=transports or TRANSPORTS, generation=generation)
    if not chosen:
        raise click.UsageError(f"no fault, variant or husk is named {pattern}")
    started = time.perf_counter()

    def tell(result: CaseResult) -> None:
        if verbose or not result.good:
            click.echo(_worded(result, verbose=verbose))

    results = try_all(chosen, tell, workers=workers)
    faults = [result for result in results if result.case.kind == "fault"]
    caught = sum(1 for result in faults if not result.missed)
    others = len(results) - len(faults)
    missed = sum(1 for result in results if result.missed)
    alarmed = sum(1 for result in results if result.alarms)
    click.echo(
        f"{caught} of {counted(len(faults), 'fault')} caught, {missed} missed; "
        f"{counted(others, 'sound target, variant or husk', 'sound targets, variants and husks')}; "
        f"false alarms in {counted(alarmed, 'case')}; "
        f"{time.perf_counter() - started:.0f} s"
    )
    return 0 if all(result.good for result in results) else 1


def _worded(result: CaseResult, *, verbose: bool) -> str:
    again = ", tried twice" if result.tries > 1 else ""
    lines = [f"{'ok  ' if result.good else 'FAIL'} {result.case.key} [{result.seconds:.1f} s{again}]"]
    if not result.good or verbose:
        lines += [f"       {result.case.sentence}"]
    if verbose:
        lines += [f"       caught by {source}" for source in result.caught_by[:3]]
    lines += [f"       missed: {what}" for what in result.missed]
    lines += [f"       false alarm: {what}" for what in result.alarms]
    return "\n".join(lines)
