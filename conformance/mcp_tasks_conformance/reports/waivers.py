"""The parts of the terminal report about the baseline: what it waives, and which of its entries are none any more."""

from __future__ import annotations

from collections.abc import Callable
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
    told = "It occurs by chance: that it did not proves nothing."
    _write_entries(page, result, EntryState.NOT_SEEN, ("Waived, though not seen in this run", "cyan"), lambda _: told)


def write_stale(page: Page, result: RunResult) -> None:
    """The entries whose failures no longer occur."""
    told = "What it knows of no longer fails. Remove it from the baseline."
    _write_entries(page, result, EntryState.STALE, ("Stale entries of the baseline", "red"), lambda _: told)


def write_expired(page: Page, result: RunResult) -> None:
    """The entries whose last day is past."""
    title = "Expired entries of the baseline", "yellow"
    _write_entries(
        page, result, EntryState.EXPIRED, title, lambda entry: f"It counted until {entry.expires}. {still(entry)}"
    )


def still(entry: EntryResult) -> str:
    """Whether there is anything left for an expired entry to know of."""
    number = len(entry.occurred)
    if not number:
        return "What it knows of did not occur."
    return f"What it knows of occurred in {counted(number, 'scenario')} and counts."


def _write_entries(
    page: Page, result: RunResult, state: EntryState, title: tuple[str, str], told: Callable[[EntryResult], str]
) -> None:
    """A part about the entries in one state: its title with the style, and what is told of each."""
    found = entries(result, state)
    if found:
        page.heading(title[0], len(found), title[1])
    for entry in found:
        page.blank()
        page.line(Span("  "), Span(entry.requirement, "bold"), Span(f"  {visible(entry.place)}"))
        page.text(brief(entry.reason, _LONGEST), 4, "dim")
        page.text(listed(entry.scenarios) if entry.scenarios else "in every scenario", 4, "dim")
        page.text(told(entry), 4)
