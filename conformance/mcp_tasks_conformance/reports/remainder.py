"""The parts of the terminal report about what was not proven: inconclusive, not exercised, broken off, not run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from mcp_tasks_conformance.events import ScenarioOutcome
from mcp_tasks_conformance.reports.digest import Reproduce, by_reason, ended, with_verdict
from mcp_tasks_conformance.reports.doubts import Doubt, examples, open_requirements, open_scenarios, place_of
from mcp_tasks_conformance.reports.page import LABEL_WIDTH, Page, Span
from mcp_tasks_conformance.reports.requests import request_line
from mcp_tasks_conformance.reports.text import brief, visible
from mcp_tasks_conformance.verdicts.model import RequirementResult, RunResult, ScenarioResult, Verdict

NAMES_SHOWN: Final = 3
SCENARIOS_SHOWN: Final = 2
_LONGEST: Final = 400
_LONGEST_REPLY: Final = 200
_STDERR_LINES: Final = 12
_STDERR_LINE: Final = 300


def write_inconclusive(page: Page, result: RunResult, reproduce: Reproduce | None, *, verbose: bool) -> None:
    """Requirements that could not be judged, by what was seen instead, with the scenarios that saw it."""
    rows = with_verdict(result, Verdict.INCONCLUSIVE)
    if rows:
        page.heading("Inconclusive", len(rows), "yellow")
        _write_doubts(page, open_requirements(result), verbose)
    alone = open_scenarios(result)
    if alone:
        number = sum(len(doubt.scenarios) for doubt in alone)
        page.heading("Inconclusive scenarios that leave no requirement open", number, "yellow")
        _write_doubts(page, alone, verbose)
    example = next((one for doubt in (*open_requirements(result), *alone) for one in doubt.scenarios), None)
    if example is not None and reproduce is not None:
        page.blank()
        page.line(Span("  "), Span("to see one by itself", "dim"))
        page.command(reproduce(example.key), 4)


def write_seen_broken(page: Page, result: RunResult) -> None:
    """Requirements that were seen broken where there was no second attempt to confirm it, with where."""
    rows = [row for row in result.requirements if row.seen_broken]
    if rows:
        page.heading("Seen broken once and not confirmed", len(rows), "yellow")
        page.blank()
    for row in rows:
        page.line(Span("  "), Span(row.id, "bold"), Span(f"  {row.level}"))
        page.text(f"in {listed(row.seen_broken)}", 4, "dim")


def _write_doubts(page: Page, doubts: Sequence[Doubt], verbose: bool) -> None:
    for doubt in doubts:
        page.blank()
        page.text(brief(doubt.reason, _LONGEST), 2)
        if doubt.came is not None:
            page.field("came", brief(request_line(doubt.came), _LONGEST_REPLY), 4)
        if doubt.requirements:
            named = listed([_named(row) for row in doubt.requirements], None if verbose else NAMES_SHOWN)
            page.field("open", named, 4)
        shown = doubt.scenarios if verbose else examples(doubt.scenarios, SCENARIOS_SHOWN)
        for number, scenario in enumerate(shown):
            page.line(
                Span("    "), Span(f"{'' if number else 'in':<{LABEL_WIDTH}}", "dim"), Span(visible(scenario.key))
            )
            page.unbroken(place_of(scenario), 6 + LABEL_WIDTH, "dim")
        more = len(doubt.scenarios) - len(shown)
        if more:
            page.text(f"and {more} more", 4 + LABEL_WIDTH, "dim")


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
