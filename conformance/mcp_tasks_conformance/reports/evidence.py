"""What is told of one check that came out badly, in labelled lines that any form of report can take."""

from __future__ import annotations

from typing import Final

from mcp_tasks_conformance.reports.requests import request_line
from mcp_tasks_conformance.reports.text import brief
from mcp_tasks_conformance.verdicts.model import JudgedCheck, RequirementResult

_LONGEST: Final = 400
_LABEL_WIDTH: Final = 10


def evidence(check: JudgedCheck) -> tuple[tuple[str, str], ...]:
    """Labels and their texts, visible and cut: who saw it, what was sent, came and was expected, and why."""
    told = [
        ("seen by", brief(check.source, _LONGEST)),
        ("sent", None if check.sent is None else request_line(check.sent)),
        ("received", brief(check.observed, _LONGEST)),
        ("came", None if check.came is None else request_line(check.came)),
        ("expected", brief(check.expected, _LONGEST)),
        ("because", None if check.because is None else brief(check.because, _LONGEST)),
        ("waived", None if check.waived is None else brief(check.waived, _LONGEST)),
    ]
    return tuple((label, text) for label, text in told if text is not None)


def evidence_lines(check: JudgedCheck) -> list[str]:
    """The same as lines of plain text."""
    return [f"{label:<{_LABEL_WIDTH}}{text}" for label, text in evidence(check)]


def headline(row: RequirementResult, check: JudgedCheck) -> str:
    """The requirement and what came in its place, in one line."""
    return f"{row.id} ({row.level}): expected {brief(check.expected, 200)}; received {brief(check.observed, 200)}"


def located(place: str) -> tuple[str, str]:
    """File and line of a place; no line where the place has none."""
    file, mark, line = place.rpartition(":")
    return (file, line) if mark and line.isdecimal() else (place, "")
