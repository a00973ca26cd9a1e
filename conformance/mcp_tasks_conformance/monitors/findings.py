"""How monitors word what they found."""

from __future__ import annotations

import json

from mcp_tasks_conformance.events import JsonValue, Outcome
from mcp_tasks_conformance.monitors.observation import Finding

_LONGEST = 120


def passed(requirement: str, expected: str, *messages: int) -> Finding:
    """The requirement held here."""
    return Finding(requirement, Outcome.PASS, expected, expected, messages)


def warned(requirement: str, expected: str, observed: str, *messages: int, because: str | None = None) -> Finding:
    """A broken recommendation, or a lesser reading that the text permits."""
    return Finding(requirement, Outcome.WARN, expected, observed, messages, because)


def failed(requirement: str, expected: str, observed: str, *messages: int, because: str | None = None) -> Finding:
    """The requirement is broken."""
    return Finding(requirement, Outcome.FAIL, expected, observed, messages, because)


def shown(value: JsonValue) -> str:
    """A value on one line, cut where it is long; lone surrogates, which no terminal can print, are escaped."""
    text = json.dumps(value, ensure_ascii=False).encode("utf-8", "backslashreplace").decode()
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."
