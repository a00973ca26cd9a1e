"""The task state machine as it shows from outside: how a task begins, and that nothing comes after its end.

Only answers are judged, in the order that causality gives them; what notifications claim has a rule of its own.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from mcp_tasks_conformance.monitors.entry import Entry
from mcp_tasks_conformance.monitors.findings import failed, passed
from mcp_tasks_conformance.monitors.observation import Finding
from mcp_tasks_conformance.monitors.record import Record
from mcp_tasks_conformance.monitors.sighting import LIVE, Place, Sighting

STARTS_WORKING: Final = "v1.create.starts-working"
TRANSITIONS: Final = "v1.status.transitions"
FINAL: Final = "v1.status.terminal-final"

_WORKING = "a new task in working"
_MOVES = "moves between working and input_required, and from either to an end"
_STAYS = "a task that has ended keeps its status"


@dataclass(frozen=True, slots=True)
class _Shown:
    status: str
    ordinal: int
    index: int
    at_birth: bool
    """Whether the answer that made the task showed it."""


@dataclass(slots=True)
class _History:
    latest: _Shown | None = None
    ends: dict[str, _Shown] = field(default_factory=dict)
    """The first answer that showed each end."""


class LifecycleJudge:
    """Keeps each task's statuses of an attempt. A sighting follows another if it was asked for after that had come."""

    name = "lifecycle"
    proves: tuple[str, ...] = (STARTS_WORKING, TRANSITIONS, FINAL)

    def __init__(self, record: Record) -> None:
        self._record = record
        self._histories: dict[int, dict[tuple[str, str], _History]] = defaultdict(dict)

    def judge(self, entry: Entry) -> Iterator[Finding]:
        """See Judge."""
        for sighting in entry.sightings:
            if sighting.status is not None and entry.since is not None and self._record.is_same(entry, sighting):
                yield from self._judge(entry, sighting, sighting.status, entry.since.ordinal)

    def settle(self, attempt: int) -> tuple[Finding, ...]:
        """Forget what belongs to the attempt."""
        self._histories.pop(attempt, None)
        return ()

    def _judge(self, entry: Entry, sighting: Sighting, status: str, asked: int) -> Iterator[Finding]:
        histories, key = self._histories[entry.attempt], (entry.scope, sighting.task_id)
        born = sighting.place is Place.CREATE
        shown = _Shown(status, entry.ordinal, entry.index, born)
        if born:
            histories[key] = _History()
            if status == "working":
                yield passed(STARTS_WORKING, _WORKING, entry.index)
        history = histories.setdefault(key, _History())
        yield from _compare(history, shown, asked, sighting.place)
        history.latest = shown
        if sighting.ended:
            history.ends.setdefault(status, shown)


def _compare(history: _History, shown: _Shown, asked: int, place: Place) -> Iterator[Finding]:
    for end in history.ends.values():
        if end.ordinal >= asked:
            continue
        indices = end.index, shown.index
        if end.status == shown.status:
            yield passed(FINAL, _STAYS, *indices)
        elif end.at_birth and shown.status in LIVE:
            # The work did last: what the first answer said was wrong, and nothing came after an end.
            yield failed(STARTS_WORKING, _WORKING, f"{end.status}, and later {shown.status}", *indices)
            return
        else:
            yield failed(FINAL, _STAYS, f"{shown.status} in {place} after {end.status}", *indices)
            yield failed(TRANSITIONS, _MOVES, f"from {end.status} to {shown.status}", *indices)
            return
    latest = history.latest
    if latest is not None and latest.ordinal < asked and latest.status in LIVE and latest.status != shown.status:
        yield passed(TRANSITIONS, _MOVES, latest.index, shown.index)
