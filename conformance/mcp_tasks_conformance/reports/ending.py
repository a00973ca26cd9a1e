"""The whole report of a result for the terminal, from the result alone."""

from __future__ import annotations

from mcp_tasks_conformance.reports.breaches import write_in_brief, write_violations
from mcp_tasks_conformance.reports.digest import Reproduce, quality_findings, violations, warnings
from mcp_tasks_conformance.reports.page import Page, Span
from mcp_tasks_conformance.reports.profile import write_amiss, write_not_shown
from mcp_tasks_conformance.reports.remainder import (
    write_broken_off,
    write_dropped,
    write_inconclusive,
    write_not_exercised,
    write_seen_broken,
    write_stderr,
)
from mcp_tasks_conformance.reports.summary import write_verdict
from mcp_tasks_conformance.reports.text import brief
from mcp_tasks_conformance.reports.waivers import write_expired, write_stale, write_unseen, write_waived
from mcp_tasks_conformance.verdicts.model import RunResult

_LONGEST_PROBLEM = 1_000


def ending_of(result: RunResult, width: int, reproduce: Reproduce | None = None, *, verbose: bool = False) -> Page:
    """All that is told once the run is over: what is wrong, what is open, and last the verdict.

    Args:
        result: what the run came to.
        width: columns of the page.
        reproduce: gives the shell command that runs a scenario again; without it no command is shown.
        verbose: whether long lists are shown whole.
    """
    page = Page(width)
    if result.failure is not None:
        _write_failure(page, result)
    write_violations(page, violations(result), reproduce, verbose=verbose)
    write_seen_broken(page, result)
    write_stale(page, result)
    write_expired(page, result)
    write_in_brief(page, "Warnings", warnings(result), "yellow", verbose=verbose)
    write_waived(page, result, verbose=verbose)
    write_unseen(page, result)
    write_inconclusive(page, result, reproduce, verbose=verbose)
    if verbose:  # the requirements that lack them say so themselves
        write_dropped(page, result)
    write_not_exercised(page, result, verbose=verbose)
    write_not_shown(page, result.target)
    write_amiss(page, result)
    write_in_brief(page, "Quality, apart from the verdict", quality_findings(result), "yellow", verbose=verbose)
    write_broken_off(page, result, verbose=verbose)
    write_verdict(page, result)
    return page


def _write_failure(page: Page, result: RunResult) -> None:
    """Why there is nothing to judge, what to do, and the target's own last words."""
    assert result.failure is not None
    page.text(f"Could not test: {brief(result.failure.problem, _LONGEST_PROBLEM)}", style="bold yellow")
    if result.failure.hint is not None:
        page.line(Span(""))
        page.text(brief(result.failure.hint, _LONGEST_PROBLEM), 2)
    write_stderr(page, result.stderr_tail, 2)
