"""The parts of the terminal report about what was not proven: inconclusive, not exercised, broken off, not run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from mcp_tasks_conformance.events import ScenarioOutcome
from mcp_tasks_conformance.reports.digest import by_reason, ended, unexplained, with_verdict
from mcp_tasks_conformance.reports.page import Page, Span
from mcp_tasks_conformance.reports.text import brief, visible
from mcp_tasks_conformance.verdicts.model import RequirementResult, RunResult, ScenarioResult, Verdict

NAMES_SHOWN: Final = 3
_LONGEST: Final = 400
_STDERR_LINES: Final = 12
_STDERR_LINE: Final = 300


def write_inconclusive(page: Page, result: RunResult, *, verbose: bool) -> None:
    """Requirements that could not be judged, by what was seen instead."""
    rows = with_verdict(result, Verdict.INCONCLUSIVE)
    if rows:
        page.heading("Inconclusive", len(rows), "yellow")
        page.blank()
    for reason, members in by_reason(rows, lambda row: row.reason):
        _write_group(page, reason, [_named(row) for row in members], verbose)
    _write_listed(page, unexplained(result), "Inconclusive scenarios that leave no requirement open", "yellow", verbose)


def _named(row: RequirementResult) -> str:
    partly = f" ({row.proofs.passed} of {row.proofs.planned} proofs passed)" if row.proofs.passed else ""
    return f"{row.id}{partly}"


def write_not_exercised(page: Page, result: RunResult, *, verbose: bool) -> None:
    """Requirements that nothing could exercise, by the reason."""
    rows = with_verdict(result, Verdict.NOT_EXERCISED)
    if rows:
        page.heading("Not exercised", len(rows), "")
        page.blank()
    for reason, members in by_reason(rows, lambda row: row.reason):
        _write_group(page, reason, [row.id for row in members], verbose)


def write_dropped(page: Page, result: RunResult) -> None:
    """Checks that do not count, by the control that never held."""
    if result.dropped:
        page.heading("Checks dropped", len(result.dropped), "yellow")
        page.blank()
    for reason, members in by_reason(result.dropped, lambda check: check.dropped):
        names = list(dict.fromkeys(check.requirement for check in members))
        _write_group(page, reason, names, verbose=True, number=len(members))


def write_broken_off(page: Page, result: RunResult, *, verbose: bool) -> None:
    """Scenarios in which the target died or fell silent, those that were not run, and our own failures."""
    broken = ended(result, ScenarioOutcome.CRASHED, ScenarioOutcome.HUNG)
    if broken:
        page.heading("Crashed or hung", len(broken), "red")
        page.blank()
    for scenario in broken:
        page.line(Span("  "), Span(scenario.outcome, "red"), Span(f"  {visible(scenario.key)}"))
        if scenario.reason is not None:
            page.text(brief(scenario.reason, _LONGEST), 4)
    if broken:
        write_stderr(page, result.stderr_tail, 2)
    _write_scenarios(page, result, ScenarioOutcome.NOT_RUN, "Not run", "yellow", verbose)
    title = "Harness errors, which are defects of mcp-tasks-conformance"
    _write_scenarios(page, result, ScenarioOutcome.HARNESS_ERROR, title, "magenta", verbose)
    flaky = [scenario for scenario in result.scenarios if scenario.flaky]
    if flaky:
        page.heading("Flaky: ended otherwise at the first attempt", len(flaky), "yellow")
        page.blank()
    for scenario in flaky:
        page.unbroken(scenario.key, 2)
        if scenario.reason is not None:
            page.text(brief(scenario.reason, _LONGEST), 4)


def _write_scenarios(
    page: Page, result: RunResult, outcome: ScenarioOutcome, title: str, style: str, verbose: bool
) -> None:
    _write_listed(page, ended(result, outcome), title, style, verbose)


def _write_listed(page: Page, scenarios: Sequence[ScenarioResult], title: str, style: str, verbose: bool) -> None:
    if scenarios:
        page.heading(title, len(scenarios), style)
        page.blank()
    for reason, members in by_reason(scenarios, lambda scenario: scenario.reason):
        _write_group(page, reason, [scenario.key for scenario in members], verbose)


def _write_group(page: Page, reason: str, names: Sequence[str], verbose: bool, *, number: int | None = None) -> None:
    """A count with its reason, and beneath it the names, or the first of them."""
    said = f"{len(names) if number is None else number:>4}  "
    page.hanging(said, brief(reason, _LONGEST))
    page.text(listed(names, None if verbose else NAMES_SHOWN), len(said), "dim")


def listed(names: Sequence[str], most: int | None = NAMES_SHOWN) -> str:
    """Names in a row; where one more than shown is left, it is shown too."""
    if most is None or len(names) <= most + 1:
        return ", ".join(names)
    return f"{', '.join(names[:most])} and {len(names) - most} more"


def write_stderr(page: Page, tail: str | None, indent: int) -> None:
    """The last lines that the target wrote to its standard error."""
    lines = _last_lines(tail)
    if lines:
        page.blank()
        page.text("last lines of the target's stderr", indent, "dim")
        page.quoted(lines, indent)


def _last_lines(tail: str | None) -> list[str]:
    lines = [line for line in (tail or "").splitlines() if line.strip()]
    return [brief(line, _STDERR_LINE) for line in lines[-_STDERR_LINES:]]
