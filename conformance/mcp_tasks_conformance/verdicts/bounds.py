"""Bounds for what a target may put into a result: texts are cut, values are made plain JSON."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from mcp_tasks_conformance.events import JsonValue, Seen

LONGEST_MESSAGE: Final = 20_000
LONGEST_WORDING: Final = 4_000
"""Characters kept of what a check expected or observed, and of every reason."""
DEEPEST: Final = 40
CUT_FROM: Final = "cut_from"
"""Member of a transcript entry's detail that says how many characters its text had before it was cut."""


def cut(text: str, longest: int = LONGEST_WORDING) -> str:
    """The text, or its beginning with its whole length said."""
    return text if len(text) <= longest else f"{text[:longest]}... (cut, {len(text)} characters in all)"


def bounded(seen: Seen) -> Seen:
    """A transcript entry that keeps at most LONGEST_MESSAGE characters, with the length it had in its detail."""
    if not seen.detail and len(seen.text) <= LONGEST_MESSAGE:
        return seen
    detail = plain_object(seen.detail)
    if len(seen.text) > LONGEST_MESSAGE:
        return replace(seen, text=seen.text[:LONGEST_MESSAGE], detail={**detail, CUT_FROM: len(seen.text)})
    return replace(seen, detail=detail)


def plain(value: JsonValue, depth: int = 0) -> JsonValue:
    """A copy that any JSON reader takes: no NaN or infinity, no endless nesting, lists and dicts only."""
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, str):
        return cut(value, LONGEST_MESSAGE)
    if isinstance(value, Mapping | Sequence) and depth >= DEEPEST:
        return "... (nested too deeply)"
    if isinstance(value, Mapping):
        return {str(key): plain(item, depth + 1) for key, item in value.items()}
    if isinstance(value, Sequence):
        return [plain(item, depth + 1) for item in value]
    return value


def plain_object(value: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """The same for an object."""
    return {str(key): plain(item, 1) for key, item in value.items()}
