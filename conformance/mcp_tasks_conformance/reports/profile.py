"""The parts of the terminal report about the profile: what is odd about it, and what it has no tool for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from mcp_tasks_conformance.events import JsonValue
from mcp_tasks_conformance.reports.digest import by_reason
from mcp_tasks_conformance.reports.page import Page
from mcp_tasks_conformance.reports.text import brief
from mcp_tasks_conformance.verdicts.model import RunResult, Verdict

_LONGEST: Final = 400
_BROKEN: Final = (Verdict.VIOLATED, Verdict.WARNED, Verdict.WAIVED)


def write_profile(page: Page, target: Mapping[str, JsonValue]) -> None:
    """The profile where it leaves behaviours out, and what its user should hear."""
    missing = not_shown(target)
    if missing:
        names = ", ".join(str(row.get("behaviour")) for row in missing)
        page.field("Profile", brief(f"{target.get('profile')}, without {names}", _LONGEST), 0)
    write_notes(page, notes(target))


def write_notes(page: Page, told: Iterable[str]) -> None:
    """Notes, one below the other."""
    for note in told:
        page.field("Note", brief(note, _LONGEST), 0, "yellow")


def write_not_shown(page: Page, target: Mapping[str, JsonValue]) -> None:
    """For each behaviour without a tool, by the reason, the line of a profile that would name one."""
    missing = not_shown(target)
    if not missing:
        return
    page.heading("Behaviours without a tool", len(missing), "")
    page.blank()
    page.text("a profile with such lines has them exercised (`mcp-tasks-conformance profile` writes one)", 2, "dim")
    for reason, rows in by_reason(missing, lambda row: str(row.get("reason"))):
        page.hanging(f"{len(rows):>4}  ", brief(reason, _LONGEST))
        for row in rows:
            page.unbroken(brief(str(row.get("line")), _LONGEST), 6, "dim")


def write_amiss(page: Page, result: RunResult) -> None:
    """What trial calls showed to be broken and no scenario did."""
    left = amiss_in_trials(result)
    if left:
        page.heading("Seen broken in trial calls, in no scenario, and not counted", len(left), "yellow")
        page.blank()
    for requirement, said in left.items():
        page.text(brief(f"{requirement} {said}", _LONGEST), 2)


def amiss_in_trials(result: RunResult) -> dict[str, str]:
    """What trial calls showed to be broken and no scenario did, by requirement."""
    found = result.target.get("amiss_in_trials")
    amiss = found if isinstance(found, Mapping) else {}
    known = {row.id for row in result.requirements if row.verdict in _BROKEN}
    return {str(requirement): str(said) for requirement, said in amiss.items() if requirement not in known}


def notes(target: Mapping[str, JsonValue]) -> list[str]:
    """What the user of a run should hear of it."""
    told = target.get("notes")
    return [str(item) for item in told] if isinstance(told, Sequence) and not isinstance(told, str) else []


def not_shown(target: Mapping[str, JsonValue]) -> list[Mapping[str, JsonValue]]:
    """The behaviours without a tool, as a run tells of them."""
    rows = target.get("not_shown")
    return [row for row in rows if isinstance(row, Mapping)] if isinstance(rows, Sequence) else []
