"""The parts of the terminal report about breaches: violations in full, warnings and quality in brief."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from mcp_tasks_conformance.catalog.model import Level, Requirement
from mcp_tasks_conformance.counting import counted
from mcp_tasks_conformance.reports.digest import Breach, Case, Reproduce, worth_showing
from mcp_tasks_conformance.reports.evidence import evidence
from mcp_tasks_conformance.reports.page import Page, Span
from mcp_tasks_conformance.reports.remainder import listed
from mcp_tasks_conformance.reports.text import brief
from mcp_tasks_conformance.verdicts.model import JudgedCheck, RequirementResult, Verdict

_LONGEST: Final = 400
_STYLES: Final = {"received": "red", "expected": "green"}


def write_violations(page: Page, breaches: Sequence[Breach], reproduce: Reproduce | None, *, verbose: bool) -> None:
    """Each violated requirement: its rule, then each case with what was sent, received and expected."""
    if breaches:
        page.heading("Violated", len(breaches), "red")
    for breach in breaches:
        page.blank()
        write_rule(page, breach.requirement, 2, "bold red")
        shown = breach.cases if verbose else worth_showing(breach.cases)
        for case in shown:
            _write_case(page, case, reproduce)
        _write_more(page, breach.cases, shown)


def write_rule(page: Page, row: RequirementResult | Requirement, indent: int, style: str = "bold") -> None:
    """What a requirement asks, and where that stands."""
    page.line(Span(" " * indent), Span(row.id, style), Span("" if row.level is Level.QUALITY else f"  {row.level}"))
    page.text(row.rule, indent)
    if row.link is not None:
        page.unbroken(row.link, indent, "dim")


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
    for label, text in evidence(check):
        page.field(label, text, indent, _STYLES.get(label, ""))


def _write_more(page: Page, cases: Sequence[Case], shown: Sequence[Case]) -> None:
    """That there are further cases: in the scenarios that are shown, and in others."""
    known = {case.scenario.key for case in shown}
    elsewhere = [case for case in cases if case.scenario.key not in known]
    here = len(cases) - len(elsewhere) - len(shown)
    if here or elsewhere:
        page.blank()
    if here:
        page.text(f"and {counted(here, 'more check')} of {'it' if len(shown) == 1 else 'these'}", 4)
    if elsewhere:
        page.text(f"and {len(elsewhere)} more, in", 4)
        page.text(listed(list(dict.fromkeys(case.scenario.key for case in elsewhere))), 6, "dim")


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
