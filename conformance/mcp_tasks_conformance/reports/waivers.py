"""The parts of the terminal report about the baseline: what it waives, and which of its entries are none any more."""

from __future__ import annotations

from typing import Final

from mcp_tasks_conformance.catalog.model import Level
from mcp_tasks_conformance.counting import counted
from mcp_tasks_conformance.reports.digest import entries, waived
from mcp_tasks_conformance.reports.page import Page, Span
from mcp_tasks_conformance.reports.remainder import listed
from mcp_tasks_conformance.reports.text import brief, visible
from mcp_tasks_conformance.verdicts.model import EntryResult, EntryState, RunResult

_LONGEST: Final = 400


def write_waived(page: Page, result: RunResult, *, verbose: bool) -> None:
    """Each waived requirement with its reasons, and where it came out badly."""
    breaches = waived(result)
    if breaches:
        page.heading("Waived by the baseline", len(breaches), "cyan")
    known = entries(result, EntryState.IN_USE)
    for breach in breaches:
        row = breach.requirement
        page.blank()
        page.line(Span("  "), Span(row.id, "bold"), Span("" if row.level is Level.QUALITY else f"  {row.level}"))
        for reason in dict.fromkeys(case.check.waived for case in breach.cases if case.check.waived is not None):
            page.text(brief(reason, _LONGEST), 2)
        for link in dict.fromkeys(entry.link for entry in known if entry.requirement == row.id and entry.link):
            page.unbroken(link, 2, "dim")
        keys = list(dict.fromkeys(case.scenario.key for case in breach.cases))
        page.text(listed(keys, None if verbose else 1), 4, "dim")


def write_unseen(page: Page, result: RunResult) -> None:
    """The entries whose failures occur by chance, and did not."""
    unseen = entries(result, EntryState.NOT_SEEN)
    if unseen:
        page.heading("Waived, though not seen in this run", len(unseen), "cyan")
    for entry in unseen:
        _write_entry(page, entry)
        page.text("It occurs by chance: that it did not proves nothing.", 4)


def write_stale(page: Page, result: RunResult) -> None:
    """The entries whose failures no longer occur."""
    stale = entries(result, EntryState.STALE)
    if stale:
        page.heading("Stale entries of the baseline", len(stale), "red")
    for entry in stale:
        _write_entry(page, entry)
        page.text("What it knows of no longer fails. Remove it from the baseline.", 4)


def write_expired(page: Page, result: RunResult) -> None:
    """The entries whose last day is past."""
    expired = entries(result, EntryState.EXPIRED)
    if expired:
        page.heading("Expired entries of the baseline", len(expired), "yellow")
    for entry in expired:
        _write_entry(page, entry)
        page.text(f"It counted until {entry.expires}. {still(entry)}", 4)


def still(entry: EntryResult) -> str:
    """Whether there is anything left for an expired entry to know of."""
    number = len(entry.occurred)
    if not number:
        return "What it knows of did not occur."
    return f"What it knows of occurred in {counted(number, 'scenario')} and counts."


def _write_entry(page: Page, entry: EntryResult) -> None:
    page.blank()
    page.line(Span("  "), Span(entry.requirement, "bold"), Span(f"  {visible(entry.place)}"))
    page.text(brief(entry.reason, _LONGEST), 4, "dim")
    page.text(listed(entry.scenarios) if entry.scenarios else "in every scenario", 4, "dim")
