"""Timestamps as messages carry them: ISO 8601, and the stricter RFC 3339.

Spec: tasks#ttl-and-resource-management says ISO 8601 and links RFC 3339.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime

_RFC3339 = re.compile(r"\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}:\d{2}(?:\.(\d+))?(?:[Zz]|[+-]\d{2}:\d{2})")
_FRACTION = re.compile(r"[.,](\d+)")


@dataclass(frozen=True, slots=True)
class Timestamp:
    """An instant with the resolution in which it was written."""

    instant: datetime
    """In UTC; a timestamp without an offset is read as UTC."""
    resolution_s: float
    rfc3339: bool


def parse(text: str) -> Timestamp | None:
    """The instant that a timestamp names, or none where the text is no ISO 8601 date and time."""
    strict = _RFC3339.fullmatch(text)
    if "T" not in text.upper() and strict is None:
        return None
    fraction = _FRACTION.search(text)
    readable = text.replace("t", "T").replace("z", "Z").replace(",", ".")
    if fraction is not None and len(fraction[1]) > 6:
        readable = readable.replace(fraction[1], fraction[1][:6], 1)
    leap = re.sub(r":60(?=[.Z+-]|$)", ":59", readable)
    try:
        instant = datetime.fromisoformat(leap)
    except ValueError:
        return None
    if instant.tzinfo is None:
        instant = instant.replace(tzinfo=UTC)
    digits = len(fraction[1]) if fraction is not None else 0
    return Timestamp(instant.astimezone(UTC), 10.0**-digits, strict is not None)


def is_iso8601(text: str) -> bool:
    """Whether the text is a date and time of ISO 8601."""
    return parse(text) is not None


def is_rfc3339(text: str) -> bool:
    """Whether the text is a timestamp of RFC 3339, the profile that the specification links."""
    stamp = parse(text)
    return stamp is not None and stamp.rfc3339
