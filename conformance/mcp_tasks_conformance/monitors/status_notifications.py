"""Whether status notifications are true: held against each other's dates and against what answers show.

An earlier state that arrives late, or the same state twice, is no lie: only dates, answers that were asked for after
the notification had come, and ends that exclude each other can show one. Two states of the same lastUpdatedAt need not
contradict each other, for a clock may stand still between them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from mcp_tasks_conformance.events import JsonValue
from mcp_tasks_conformance.monitors.entry import Entry
from mcp_tasks_conformance.monitors.findings import failed, passed, shown
from mcp_tasks_conformance.monitors.instants import is_before
from mcp_tasks_conformance.monitors.observation import Finding
from mcp_tasks_conformance.monitors.record import Record
from mcp_tasks_conformance.monitors.sighting import TERMINAL, Place, Sighting
from mcp_tasks_conformance.wire.timestamps import Timestamp, parse

TRUTHFUL: Final = "v1.notify.truthful"

_TRUE = "status notifications that show states which the task had"


_What: TypeAlias = tuple[str, Timestamp | None]
"""A status and its date."""


@dataclass(frozen=True, slots=True)
class _State:
    status: str
    updated: Timestamp | None
    dated: JsonValue
    """The date as it was written."""
    place: Place
    ordinal: int
    index: int

    def __str__(self) -> str:
        return f"{self.status} (lastUpdatedAt {shown(self.dated)}) in {self.place}"


@dataclass(slots=True)
class _Told:
    """What one attempt heard of a task."""

    ends: dict[_What, _State] = field(default_factory=dict)
    """Every end that was told or shown."""
    ends_told: dict[_What, _State] = field(default_factory=dict)
    first_end: _State | None = None
    """The end with the earliest date, told or shown."""
    last_live: _State | None = None
    """The live state with the latest date that a notification told."""
    shown_at_end: bool = False
    told: dict[_What, _State] = field(default_factory=dict)
    shown: set[_What] = field(default_factory=set)


class StatusNotificationsJudge:
    """Judges notifications/tasks/status by what else is known of the task in the same attempt."""

    name = "status notifications"
    proves: tuple[str, ...] = (TRUTHFUL,)

    def __init__(self, record: Record) -> None:
        self._record = record
        self._told: dict[int, dict[tuple[str, str], _Told]] = defaultdict(lambda: defaultdict(_Told))

    def judge(self, entry: Entry) -> Iterator[Finding]:
        """See Judge."""
        for sighting in entry.sightings:
            if sighting.status is None or not self._record.is_same(entry, sighting):
                continue
            told = self._told[entry.attempt][entry.scope, sighting.task_id]
            text = sighting.task.get("lastUpdatedAt")
            updated = parse(text) if isinstance(text, str) else None
            state = _State(sighting.status, updated, text, sighting.place, entry.ordinal, entry.index)
            if sighting.place is Place.NOTIFY:
                yield from _judge_told(told, state)
            elif entry.asked is not None:
                yield from _judge_shown(told, state, sighting, entry.asked.ordinal)
            yield from _judge_dates(told, state)

    def settle(self, attempt: int) -> tuple[Finding, ...]:
        """Forget what belongs to the attempt."""
        self._told.pop(attempt, None)
        return ()


def _judge_told(told: _Told, state: _State) -> Iterator[Finding]:
    what = state.status, state.updated
    told.told.setdefault(what, state)
    if state.status in TERMINAL:
        yield from _judge_ends(told.ends, state)
        told.ends.setdefault(what, state)
        told.ends_told.setdefault(what, state)
    else:
        told.last_live = _later(told.last_live, state)
    if what in told.shown and state.updated is not None:
        yield passed(TRUTHFUL, _TRUE, state.index)


def _judge_shown(told: _Told, state: _State, sighting: Sighting, asked: int) -> Iterator[Finding]:
    what = state.status, state.updated
    told.shown.add(what)
    if what in told.told and state.updated is not None:
        yield passed(TRUTHFUL, _TRUE, told.told[what].index, state.index)
    if state.status in TERMINAL:
        yield from _judge_ends(told.ends_told, state)
        told.ends.setdefault(what, state)
        told.shown_at_end = True
    elif sighting.place is not Place.LIST and not told.shown_at_end:  # else a list is late, or answers disagree
        yield from _judge_premature(told, state, asked)


def _judge_ends(ends: Mapping[_What, _State], state: _State) -> Iterator[Finding]:
    """Two ends of one date: one of them was never so. Of two dates, the task may have moved on after its end."""
    for end in ends.values():
        if end.status != state.status and end.updated is not None and end.updated == state.updated:
            observed = f"{end}, and {state}: two ends of one date"
            yield failed(TRUTHFUL, _TRUE, observed, end.index, state.index)
            return


def _judge_premature(told: _Told, state: _State, asked: int) -> Iterator[Finding]:
    """An end that was told, and an answer asked for after that which has not got so far."""
    for end in told.ends_told.values():
        if end.ordinal < asked and _is_no_later(state, end):
            observed = f"{end}, and asked for after it, {state}"
            yield failed(TRUTHFUL, _TRUE, observed, end.index, state.index)
            return


def _judge_dates(told: _Told, state: _State) -> Iterator[Finding]:
    """No live state is dated after the end."""
    if state.status in TERMINAL:
        told.first_end = _earlier(told.first_end, state)
    end, live = told.first_end, told.last_live
    if end is None or live is None or state not in (end, live):
        return
    if end.updated is not None and live.updated is not None and is_before(end.updated, live.updated):
        observed = f"{live}, dated after the end: {end}"
        yield failed(TRUTHFUL, _TRUE, observed, live.index, end.index)


def _is_no_later(one: _State, other: _State) -> bool:
    """Whether a state is dated as early as another; where it is dated later, the task may have moved on."""
    if one.updated is None or other.updated is None or one.updated.rfc3339 != other.updated.rfc3339:
        return False
    return not is_before(other.updated, one.updated)


def _later(one: _State | None, other: _State) -> _State:
    if one is None or one.updated is None:
        return other
    return other if other.updated is not None and is_before(one.updated, other.updated) else one


def _earlier(one: _State | None, other: _State) -> _State:
    if one is None or one.updated is None:
        return other
    return other if other.updated is not None and is_before(other.updated, one.updated) else one
