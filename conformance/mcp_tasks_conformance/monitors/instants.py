"""Comparing timestamps that need not be equally precise."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Final

from mcp_tasks_conformance.wire.timestamps import Timestamp

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
RESOLUTIONS: Final = tuple(timedelta(seconds=60 if power > 0 else 10.0**power) for power in range(1, -7, -1))
"""From whole minutes down to microseconds."""


def is_before(one: Timestamp, other: Timestamp) -> bool:
    """Whether one is earlier, by more than the coarser of the two forms would hide.

    A timestamp without an offset cannot be compared with one that has it.
    """
    if one.rfc3339 != other.rfc3339:
        return False
    differ = one.resolution_s != other.resolution_s
    slack = timedelta(seconds=max(one.resolution_s, other.resolution_s)) if differ else timedelta()
    return one.instant + slack < other.instant


def resolution(instant: datetime) -> timedelta:
    """The coarsest resolution in which the instant can be written."""
    since = instant - _EPOCH
    return next((step for step in RESOLUTIONS if since % step == timedelta()), RESOLUTIONS[-1])
