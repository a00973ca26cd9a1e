"""createdAt and lastUpdatedAt: their form, that the one never changes, and that the other only moves forward."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Generator, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from mcp_tasks_conformance.monitors.entry import Asked, Entry
from mcp_tasks_conformance.monitors.findings import failed, passed, shown, warned
from mcp_tasks_conformance.monitors.instants import RESOLUTIONS, is_before, resolution
from mcp_tasks_conformance.monitors.observation import Finding
from mcp_tasks_conformance.monitors.record import Record
from mcp_tasks_conformance.monitors.sighting import Sighting
from mcp_tasks_conformance.wire.timestamps import Timestamp, parse

CREATED_AT: Final = "v1.time.created-at"
UPDATED_AT: Final = "v1.time.last-updated-at"

_FORM = "a timestamp of ISO 8601, in the form of RFC 3339"
_CONSTANT = "the same createdAt for the task's whole life"
_SANE = "a lastUpdatedAt that is not before createdAt"
_FORWARD = "a lastUpdatedAt that never goes back"
_MOVES = "a lastUpdatedAt that a change of status moves on"
_LOOSE = "the words say ISO 8601, their link goes to RFC 3339"
_TICK_S: Final = 0.1
"""Clocks tick more coarsely than they write; no clock in use ticks more coarsely than this beyond its resolution."""
_KEPT: Final = 200


@dataclass(frozen=True, slots=True)
class _Shown:
    """One answer about a task."""

    status: str
    updated: Timestamp
    ordinal: int
    index: int
    asked: Asked


@dataclass(slots=True)
class _History:
    created: tuple[str, Timestamp, int] | None = None
    first_seen: dict[datetime, float] = field(default_factory=dict)
    """When each lastUpdatedAt was seen first."""
    shown: list[_Shown] = field(default_factory=list)
    """Answers in which something was new, in order of arrival, and the latest one."""


class TimestampsJudge:
    """Judges every task object's timestamps; order is told by causality, never by arrival."""

    name = "timestamps"
    proves: tuple[str, ...] = (CREATED_AT, UPDATED_AT)

    def __init__(self, record: Record) -> None:
        self._record = record
        self._resolution = RESOLUTIONS[0]
        """As fine as any lastUpdatedAt of this instance: whole seconds may be written with decimals."""
        self._histories: dict[int, dict[tuple[str, str], _History]] = defaultdict(dict)

    def judge(self, entry: Entry) -> Iterator[Finding]:
        """See Judge."""
        for sighting in entry.sightings:
            created = yield from _judge_form(CREATED_AT, sighting, "createdAt", entry.index)
            updated = yield from _judge_form(UPDATED_AT, sighting, "lastUpdatedAt", entry.index)
            if created is not None and updated is not None:
                yield from _judge_pair(created, updated, sighting, entry.index)
            if self._record.is_same(entry, sighting):
                yield from self._judge_history(entry, sighting, created, updated)

    def settle(self, attempt: int) -> tuple[Finding, ...]:
        """Forget what belongs to the attempt."""
        self._histories.pop(attempt, None)
        return ()

    def _judge_history(
        self, entry: Entry, sighting: Sighting, created: Timestamp | None, updated: Timestamp | None
    ) -> Iterator[Finding]:
        history = self._histories[entry.attempt].setdefault((entry.scope, sighting.task_id), _History())
        if created is not None:
            yield from _judge_constant(history, created, sighting, entry.index)
        if updated is None:
            return
        self._resolution = min(self._resolution, resolution(updated.instant))
        history.first_seen.setdefault(updated.instant, entry.at)
        if entry.since is None or entry.since.attempt != entry.attempt or sighting.status is None:
            return
        latest = _Shown(sighting.status, updated, entry.ordinal, entry.index, entry.since)
        yield from _judge_forward(history, latest)
        yield from self._judge_moved(history, latest)
        if len(history.shown) >= 2 and _tells_the_same(history.shown[-1], history.shown[-2], latest):
            history.shown[-1] = latest
        else:
            history.shown.append(latest)
            del history.shown[:-_KEPT]

    def _judge_moved(self, history: _History, latest: _Shown) -> Iterator[Finding]:
        """A change of status that lastUpdatedAt does not show, where its clock must have gone on in between.

        The old status was still there when ``before`` was asked for, and the timestamp is no younger than its first
        sighting: so much later, at least, the status changed.
        """
        before = next((it for it in reversed(history.shown) if it.ordinal < latest.asked.ordinal), None)
        if before is None or before.status == latest.status or before.updated.instant != latest.updated.instant:
            return
        gap_s = before.asked.at - history.first_seen[latest.updated.instant]
        if gap_s > self._resolution.total_seconds() + _TICK_S:
            observed = f"the same lastUpdatedAt in {before.status} and, at least {gap_s:.1f} s on, in {latest.status}"
            yield failed(UPDATED_AT, _MOVES, observed, before.index, latest.index)


def _judge_form(
    requirement: str, sighting: Sighting, member: str, index: int
) -> Generator[Finding, None, Timestamp | None]:
    """Judge one timestamp and return it; what is no string is a flaw of shape and told there."""
    text = sighting.task.get(member)
    if not isinstance(text, str):
        return None
    stamp = parse(text)
    if stamp is None:
        yield failed(requirement, _FORM, f"{member} {shown(text)}", index)
    elif not stamp.rfc3339:
        yield warned(requirement, _FORM, f"{member} {shown(text)}", index, because=_LOOSE)
    else:
        yield passed(requirement, _FORM, index)
    return stamp


def _judge_pair(created: Timestamp, updated: Timestamp, sighting: Sighting, index: int) -> Iterator[Finding]:
    if is_before(updated, created):
        texts = f"lastUpdatedAt {shown(sighting.task['lastUpdatedAt'])}, createdAt {shown(sighting.task['createdAt'])}"
        yield failed(UPDATED_AT, _SANE, texts, index)


def _judge_constant(history: _History, created: Timestamp, sighting: Sighting, index: int) -> Iterator[Finding]:
    text = str(sighting.task["createdAt"])
    if history.created is None:
        history.created = text, created, index
        return
    first_text, first, first_index = history.created
    if text != first_text and (is_before(created, first) or is_before(first, created)):
        yield failed(CREATED_AT, _CONSTANT, f"{shown(first_text)}, then {shown(text)}", first_index, index)


def _judge_forward(history: _History, latest: _Shown) -> Iterator[Finding]:
    for before in history.shown:
        if before.ordinal < latest.asked.ordinal and is_before(latest.updated, before.updated):
            observed = f"{before.updated.instant.isoformat()}, then {latest.updated.instant.isoformat()}"
            yield failed(UPDATED_AT, _FORWARD, observed, before.index, latest.index)
            return


def _tells_the_same(one: _Shown, other: _Shown, third: _Shown) -> bool:
    """Whether nothing changed over three answers, so that the middle one need not be kept."""
    return all(it.status == third.status and it.updated == third.updated for it in (one, other))
