"""No two tasks of a receiver share an id, in whatever session and however close together they are made."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from mcp_tasks_conformance.events import JsonValue
from mcp_tasks_conformance.monitors.entry import Entry
from mcp_tasks_conformance.monitors.findings import failed, passed, shown
from mcp_tasks_conformance.monitors.memory import Memory
from mcp_tasks_conformance.monitors.observation import Finding
from mcp_tasks_conformance.monitors.record import Record
from mcp_tasks_conformance.monitors.sighting import Place, Sighting
from mcp_tasks_conformance.wire.timestamps import Timestamp, parse

UNIQUE: Final = "v1.id.unique"

_LONGEST_MS: Final = 1e14
_UNIQUE = "a taskId that no other task has"


@dataclass(slots=True)
class _Life:
    """How long a task must have its id to itself, by the target's own words."""

    created: Timestamp | None
    ttl: timedelta | None
    """None for unlimited."""
    may_be_gone: bool = False
    """Whether its cancellation was asked for: then it may be deleted at any time, and its id be free."""

    def is_over(self, at: Timestamp | None) -> bool:
        """Whether it may be over at an instant of the target's clock; an id that is free may be given again."""
        if self.may_be_gone or self.created is None or at is None or self.created.rfc3339 != at.rfc3339:
            return True
        if self.ttl is None:
            return False
        coarse = timedelta(seconds=max(self.created.resolution_s, at.resolution_s))
        return at.instant - self.created.instant + coarse >= self.ttl


class TaskIdsJudge:
    """Compares the ids of all tasks that are made on the instance."""

    name = "task ids"
    proves: tuple[str, ...] = (UNIQUE,)

    def __init__(self, record: Record) -> None:
        self._record = record
        self._lives: Memory[str, _Life] = Memory(20_000)

    def judge(self, entry: Entry) -> Iterator[Finding]:
        """See Judge."""
        sent = entry.outgoing
        if sent is not None and sent.method == "tasks/cancel":
            life = self._lives.get(str(sent.params.get("taskId")))
            if life is not None:
                life.may_be_gone = True
        for sighting in entry.sightings:
            if sighting.place is Place.CREATE and not entry.lenient:
                yield from self._judge(sighting, entry.index)
            elif sighting.task_id in self._lives:
                self._note_ttl(sighting)

    def _judge(self, sighting: Sighting, index: int) -> Iterator[Finding]:
        text, ttl = sighting.task.get("createdAt"), sighting.task.get("ttl")
        created = parse(text) if isinstance(text, str) else None
        before = self._lives.get(sighting.task_id)
        if before is not None and not before.is_over(created):
            yield failed(UNIQUE, _UNIQUE, f"{shown(sighting.task_id)} given to two tasks", index)
        elif before is None and len(self._lives):
            yield passed(UNIQUE, _UNIQUE, index)
        self._lives[sighting.task_id] = _Life(created, _span(ttl))

    def _note_ttl(self, sighting: Sighting) -> None:
        """A ttl may be made shorter or longer while the task lives; the shortest seen is safe."""
        life, ttl = self._lives.get(sighting.task_id), sighting.task.get("ttl")
        span = _span(ttl)
        if life is not None and span is not None and (life.ttl is None or span < life.ttl):
            life.ttl = span


def _span(ttl: JsonValue) -> timedelta | None:
    if isinstance(ttl, bool) or not isinstance(ttl, int | float):
        return None
    return timedelta(milliseconds=max(0.0, min(float(ttl), _LONGEST_MS)))
