"""Progress tokens that we gave, and what became of the requests that they were given to."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from mcp_tasks_conformance.events import JsonValue
from mcp_tasks_conformance.monitors.entry import Entry, Lane
from mcp_tasks_conformance.monitors.memory import Memory
from mcp_tasks_conformance.monitors.sighting import Place
from mcp_tasks_conformance.wire.jsonrpc import Frame, FrameKind, id_key

_MANY: Final = 20_000


@dataclass(frozen=True, slots=True)
class Mark:
    """Where and when something came."""

    lane: Lane
    ordinal: int
    index: int
    at: float


@dataclass(frozen=True, slots=True)
class Peak:
    """The highest progress that came on one stream."""

    value: int | float
    mark: Mark


@dataclass(slots=True)
class Grant:
    """One token and the request that it was given to."""

    token: JsonValue
    attempt: int
    shared: bool = False
    """Whether another request of the session may still be using it: then nothing can be told of either."""
    cancelled: bool = False
    """Whether we asked by notification to give the request up: it may have no answer, or a late one."""
    answered: Mark | None = None
    """The answer of a request that made no task."""
    task_id: str | None = None
    made: Mark | None = None
    ended: Mark | None = None
    """The first sign of the task's end."""
    peaks: dict[Lane, Peak] = field(default_factory=dict)
    early: list[tuple[int, str]] = field(default_factory=list)
    """Progress before the task's id was known: its index and the task that it named."""
    heard_after_end: bool = False

    @property
    def is_over(self) -> bool:
        """Whether the operation is known to have come to its end."""
        return self.answered is not None or self.ended is not None


class Tokens:
    """Follows every token from the request that gave it to the end of its operation."""

    def __init__(self) -> None:
        self._grants: Memory[tuple[str, str], Grant] = Memory(_MANY)
        """By session and token."""
        self._given: Memory[str, None] = Memory(_MANY)
        """Tokens given in any session."""
        self._by_request: Memory[int, Grant] = Memory(_MANY)
        """By the ordinal of the request, until it is answered."""
        self._by_id: Memory[tuple[str, str], Grant] = Memory(_MANY)
        """By connection and request id."""
        self._by_task: Memory[tuple[str, str], Grant] = Memory(_MANY)
        """By scope and task."""
        self._of_attempt: dict[int, list[Grant]] = defaultdict(list)

    def note(self, entry: Entry) -> Grant | None:
        """Take note of an entry; gives the grant whose request it turned into a task."""
        if entry.outgoing is not None:
            self._note_sent(entry, entry.outgoing)
            return None
        made = self._note_answer(entry)
        for sighting in entry.sightings:
            grant = self._by_task.get((entry.scope, sighting.task_id))
            if sighting.ended and grant is not None and grant.ended is None:
                grant.ended = _mark(entry)
        return made

    def find(self, entry: Entry, token: JsonValue) -> Grant | None:
        """The grant of a token in the session of an entry."""
        return self._grants.get((entry.observation.session, id_key(token)))

    def of_task(self, scope: str, task_id: str) -> Grant | None:
        """The grant of a task, where the request that made it gave a token."""
        return self._by_task.get((scope, task_id))

    def may_have_been_given(self, token: JsonValue) -> bool:
        """Whether any session gave the token, as far as we remember."""
        return id_key(token) in self._given or self._given.forgot

    def forget(self, attempt: int) -> Iterator[Grant]:
        """The grants of an attempt that is over."""
        yield from self._of_attempt.pop(attempt, ())

    def _note_sent(self, entry: Entry, frame: Frame) -> None:
        for token in _tokens(frame):
            self._given[id_key(token)] = None
            if frame.kind is FrameKind.REQUEST:
                self._grant(entry, frame, token)
        if frame.method == "notifications/cancelled":
            cancelled = self._by_id.get((entry.connection, id_key(frame.params.get("requestId"))))
            if cancelled is not None:
                cancelled.cancelled = True

    def _grant(self, entry: Entry, frame: Frame, token: JsonValue) -> None:
        place = entry.observation.session, id_key(token)
        before = self._grants.get(place)
        grant = Grant(token, entry.attempt)
        # Over several streams, what the first operation told last may still be on its way.
        clear = before is None or (before.is_over and not before.shared and entry.observation.transport != "http")
        if before is not None and not clear:
            before.shared = grant.shared = True
        self._grants[place] = grant
        self._by_request[entry.ordinal] = grant
        self._by_id[entry.connection, frame.key or ""] = grant
        self._of_attempt[entry.attempt].append(grant)

    def _note_answer(self, entry: Entry) -> Grant | None:
        grant = self._by_request.pop(entry.asked.ordinal) if entry.asked is not None else None
        if grant is None:
            return None
        made = next((sighting for sighting in entry.sightings if sighting.place is Place.CREATE), None)
        if made is None:
            grant.answered = _mark(entry)
            return None
        grant.task_id, grant.made = made.task_id, _mark(entry)
        self._by_task[entry.scope, made.task_id] = grant
        return grant


def _mark(entry: Entry) -> Mark:
    return Mark(entry.lane, entry.ordinal, entry.index, entry.at)


def _tokens(frame: Frame) -> Iterator[JsonValue]:
    """Every token that a message of ours gives, be it malformed or a batch."""
    for message in frame.value if isinstance(frame.value, list) else [frame.value]:
        params = message.get("params") if isinstance(message, Mapping) else None
        meta = params.get("_meta") if isinstance(params, Mapping) else None
        if isinstance(meta, Mapping) and "progressToken" in meta:
            yield meta["progressToken"]
