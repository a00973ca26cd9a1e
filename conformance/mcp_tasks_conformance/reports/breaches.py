"""The parts of the terminal report about breaches: violations in full, warnings and quality in brief."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, TypeAlias

from mcp_tasks_conformance.catalog.model import Level, Requirement
from mcp_tasks_conformance.reports.digest import Breach, Case
from mcp_tasks_conformance.reports.page import Page, Span
from mcp_tasks_conformance.reports.remainder import listed
from mcp_tasks_conformance.reports.requests import request_line
from mcp_tasks_conformance.reports.text import brief
from mcp_tasks_conformance.verdicts.model import JudgedCheck, RequirementResult, Verdict

Reproduce: TypeAlias = Callable[[str], str]
"""Gives the shell command that runs the scenario with that key again."""

CASES_SHOWN: Final = 3
"""Cases of one requirement that are shown whole; further ones are named."""
_LONGEST: Final = 400
_MONITOR: Final = "monitor "


def write_violations(page: Page, breaches: Sequence[Breach], reproduce: Reproduce | None, *, verbose: bool) -> None:
    """Each violated requirement: its rule, then each case with what was sent, received and expected."""
    if breaches:
        page.heading("Violated", len(breaches), "red")
    for breach in breaches:
        page.blank()
        write_rule(page, breach.requirement, 2, "bold red")
        shown = breach.cases if verbose else _worth_showing(breach.cases)
        for case in shown:
            _write_case(page, case, reproduce)
        _write_more(page, [case for case in breach.cases if not any(case is other for other in shown)])


def write_rule(page: Page, row: RequirementResult | Requirement, indent: int, style: str = "bold") -> None:
    """What a requirement asks, and where that stands."""
    page.line(Span(" " * indent), Span(row.id, style), Span("" if row.level is Level.QUALITY else f"  {row.level}"))
    page.text(row.rule, indent)
    if row.link is not None:
        page.unbroken(row.link, indent, "dim")


def _worth_showing(cases: Sequence[Case]) -> tuple[Case, ...]:
    """A few cases that tell most: of each scenario one, and of a monitor only where no step saw the breach."""
    by_steps = [case for case in cases if not case.check.source.startswith(_MONITOR)]
    if not by_steps:
        return tuple(cases[:1])
    first_of_each = {case.scenario.scenario: case for case in reversed(by_steps)}
    return tuple(case for case in by_steps if first_of_each[case.scenario.scenario] is case)[:CASES_SHOWN]


def _write_case(page: Page, case: Case, reproduce: Reproduce | None) -> None:
    check, scenario = case.check, case.scenario
    page.blank()
    page.text(scenario.title, 4, "bold")
    page.unbroken(scenario.key, 4)
    write_evidence(page, check, 6)
    if reproduce is not None:
        page.line(Span("      "), Span("reproduce", "dim"))
        page.command(reproduce(scenario.key), 8)


def write_evidence(page: Page, check: JudgedCheck, indent: int) -> None:
    """What was sent, what came and what was expected, for one check that came out badly."""
    page.field("seen by", brief(check.source, _LONGEST), indent)
    if check.sent is not None:
        page.field("sent", request_line(check.sent), indent)
    page.field("received", brief(check.observed, _LONGEST), indent, "red")
    page.field("expected", brief(check.expected, _LONGEST), indent, "green")
    if check.because is not None:
        page.field("because", brief(check.because, _LONGEST), indent)


def _write_more(page: Page, cases: Sequence[Case]) -> None:
    """That there are further cases, and where."""
    if cases:
        keys = list(dict.fromkeys(case.scenario.key for case in cases))
        page.blank()
        page.text(f"and {len(cases)} more, in", 4)
        page.text(listed(keys), 6, "dim")


def write_in_brief(page: Page, title: str, breaches: Sequence[Breach], style: str, *, verbose: bool) -> None:
    """Each requirement with what was received and expected, and where."""
    if breaches:
        page.heading(title, len(breaches), style)
    for breach in breaches:
        row = breach.requirement
        page.blank()
        page.line(Span("  "), Span(row.id, "bold"), Span("" if row.level is Level.QUALITY else f"  {row.level}"))
        page.text(row.rule, 2)
        if row.level.binding and row.verdict is Verdict.WARNED:
            page.text("The text can be read so that this is permitted.", 2)
        for case in breach.cases[: None if verbose else 1]:
            page.unbroken(case.scenario.key, 4)
            page.field("received", brief(case.check.observed, _LONGEST), 6, style)
            page.field("expected", brief(case.check.expected, _LONGEST), 6)
            if case.check.because is not None:
                page.field("because", brief(case.check.because, _LONGEST), 6)
        if not verbose and len(breach.cases) > 1:
            page.text(f"and {len(breach.cases) - 1} more (-v shows all)", 4, "dim")
