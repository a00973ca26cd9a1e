"""What the messages of one target instance add up to, kept once for all its judges."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from mcp_tasks_conformance.events import Direction, JsonValue, SeenKind
from mcp_tasks_conformance.monitors.entry import Asked, Entry, Lane, scope_of
from mcp_tasks_conformance.monitors.legibility import is_hard_to_read
from mcp_tasks_conformance.monitors.memory import Memory
from mcp_tasks_conformance.monitors.observation import Observation
from mcp_tasks_conformance.monitors.sighting import Place, Sighting, sightings
from mcp_tasks_conformance.wire.jsonrpc import Frame, FrameKind

_MANY: Final = 20_000

MessagePlace = tuple[str, str]
"""A connection and the key of a request id."""


@dataclass(frozen=True, slots=True)
class Handshake:
    """What both sides declared on a connection."""

    ours: Mapping[str, JsonValue]
    theirs: Mapping[str, JsonValue]
    index: int
    attempt: int


@dataclass(frozen=True, slots=True)
class Made:
    """A task and who had it made."""

    task_id: str
    identity: str | None
    session: str
    scope: str
    ordinal: int
    attempt: int
    asked_at: float
    """When it was asked for, within its attempt: its life began then or later."""
    doubtful: bool = False
    """Whether another request had been given the same id."""


@dataclass(frozen=True, slots=True)
class Head:
    """The head of an HTTP answer, and the request of ours that it is the answer to, where it was one."""

    status: int
    ordinal: int
    asked: Asked | None


class Record:
    """Facts about one instance, brought up to date by the first judge that looks at an observation."""

    def __init__(self) -> None:
        self.tasks: Memory[str, Made] = Memory(_MANY)
        """Every task by its id, whoever had it made."""
        self._shortest_ttl: Memory[str, float] = Memory(_MANY)
        """By task: the shortest life that it was shown to have, in seconds."""
        self._latest: tuple[Observation, Entry] | None = None
        self._ordinal = 0
        self._waiting: dict[MessagePlace, list[Asked]] = {}
        self._answered: Memory[MessagePlace, Lane] = Memory(_MANY)
        self._initializing: Memory[MessagePlace, Frame] = Memory(_MANY)
        self._heads: Memory[Lane, Head] = Memory(_MANY)
        self._walks: Memory[tuple[int, str, str], Asked] = Memory(_MANY)
        """By attempt, scope and cursor: the request for the first page of the earliest walk that it goes on with."""
        self._malformed: Memory[tuple[str, int], None] = Memory(_MANY)
        self._handshakes: Memory[str, Handshake] = Memory(_MANY)

    def note(self, observation: Observation) -> Entry:
        """Take an observation in, once however many judges ask."""
        if self._latest is None or self._latest[0] is not observation:
            self._ordinal += 1
            self._latest = observation, self._read(observation)
        return self._latest[1]

    # -- what judges ask -------------------------------------------------------------------------------------

    def handshake(self, entry: Entry) -> Handshake | None:
        """What was declared on the connection of an entry, or in the session that it joined."""
        observation = entry.observation
        own = self._handshakes.get(f"connection {observation.connection}")
        return own or self._handshakes.get(f"session {observation.session}")

    def is_same(self, entry: Entry, sighting: Sighting) -> bool:
        """Whether what an entry shows under an id is sure to be the one task that is known by it.

        It need not be where several tasks were given the id, nor once the task may have been deleted at its ttl.
        """
        made = self.tasks.get(sighting.task_id)
        if made is None:
            return True
        ttl_s = self._shortest_ttl.get(sighting.task_id)
        kept = ttl_s is None or made.attempt != entry.attempt or entry.at < made.asked_at + ttl_s
        return kept and not made.doubtful

    def head(self, lane: Lane) -> Head | None:
        """The head of the HTTP answer that a stream is."""
        return self._heads.get(lane)

    def waiting(self, session: str) -> Iterator[Asked]:
        """Requests of ours in a session that have no answer yet."""
        return (asked for queue in self._waiting.values() for asked in queue if asked.session == session)

    def is_waiting(self, asked: Asked) -> bool:
        """Whether a request of ours still has no answer."""
        return any(asked is other for other in self._waiting.get(_place(asked.connection, asked.frame), ()))

    @property
    def forgot_answers(self) -> bool:
        """Whether it can no longer be told which requests have been answered."""
        return self._answered.forgot

    # -- reading ---------------------------------------------------------------------------------------------

    def _read(self, observation: Observation) -> Entry:
        seen, frame = observation.seen, observation.frame
        if seen.kind is SeenKind.HTTP and seen.direction is Direction.RECEIVED:
            self._note_head(observation)
        if seen.kind is not SeenKind.MESSAGE or frame is None:
            return Entry(observation, self._ordinal, lenient=self._lenient(observation))
        if seen.direction is Direction.SENT:
            self._note_sent(observation, frame)
            return Entry(observation, self._ordinal, lenient=self._lenient(observation))
        asked, answered_on = None, None
        if frame.kind is FrameKind.RESPONSE:
            asked, answered_on = self._pair(observation, frame)
        elif frame.kind is FrameKind.REQUEST and frame.method == "initialize":
            self._initializing[_place(observation.connection, frame)] = frame
        shown = sightings(frame, asked.frame if asked is not None else None)
        since = asked
        if asked is not None and asked.frame.method == "tasks/list":
            since = self._walked(observation, asked, frame.result)
        entry = Entry(observation, self._ordinal, asked, since, answered_on, shown, self._lenient(observation))
        if asked is not None and asked.frame.method == "initialize":
            self._note_handshake(observation, asked.frame.params, frame.result)
        for sighting in shown:
            self._note_task(entry, sighting)
        return entry

    def _note_head(self, observation: Observation) -> None:
        status, posted = observation.seen.detail.get("status"), observation.request
        if not isinstance(status, int):
            return
        queue = self._waiting.get(_place(observation.connection, posted), []) if posted is not None else []
        asked = next((asked for asked in queue if asked.frame is posted), None)
        self._heads[observation.connection, observation.seen.stream] = Head(status, self._ordinal, asked)

    def _note_sent(self, observation: Observation, frame: Frame) -> None:
        seen, place = observation.seen, _place(observation.connection, frame)
        used = place in self._waiting or place in self._answered
        if is_hard_to_read(frame) or (frame.kind is FrameKind.REQUEST and used):
            self._malformed[observation.connection, observation.attempt] = None
        if frame.kind is FrameKind.REQUEST:
            asked = Asked(
                frame,
                self._ordinal,
                seen.index,
                seen.at,
                observation.attempt,
                observation.connection,
                observation.session,
            )
            self._waiting.setdefault(place, []).append(asked)
        elif frame.kind is FrameKind.RESPONSE:
            initialize = self._initializing.pop(place)
            if initialize is not None:
                self._note_handshake(observation, frame.result, initialize.params)

    def _pair(self, observation: Observation, frame: Frame) -> tuple[Asked | None, Lane | None]:
        if frame.id is None:
            return None, None
        place = _place(observation.connection, frame)
        queue = self._waiting.get(place)
        if not queue:
            return None, self._answered.get(place)
        # Where we used an id twice the earlier request is taken: it makes the answer tell of less.
        asked = queue.pop(0)
        if not queue:
            del self._waiting[place]
        self._answered[place] = observation.connection, observation.seen.stream
        return asked, None

    def _walked(self, observation: Observation, asked: Asked, result: JsonValue) -> Asked | None:
        """The request for the first page of the walk that an answer to tasks/list is part of."""
        walk = observation.attempt, scope_of(observation)
        cursor = asked.frame.params.get("cursor")
        first = asked if cursor is None else self._walks.get((*walk, json.dumps(cursor)))
        following = result.get("nextCursor") if isinstance(result, Mapping) else None
        if first is not None and following is not None:
            place = (*walk, json.dumps(following))
            # Cursors that say no more than a place in the list are given out by every walk.
            self._walks[place] = self._walks.get(place) or first
        return first

    def _note_handshake(self, observation: Observation, one: JsonValue, other: JsonValue) -> None:
        """Remember an initialize that went well: our params and its result, or our result and its params."""
        ours, theirs = _capabilities(one), _capabilities(other)
        if ours is None or theirs is None:
            return
        handshake = Handshake(ours, theirs, observation.seen.index, observation.attempt)
        self._handshakes[f"connection {observation.connection}"] = handshake
        self._handshakes[f"session {observation.session}"] = handshake

    def _note_task(self, entry: Entry, sighting: Sighting) -> None:
        task_id, ttl = sighting.task_id, sighting.task.get("ttl")
        if sighting.place is Place.CREATE and entry.asked is not None:
            self.tasks[task_id] = Made(
                task_id,
                entry.observation.identity,
                entry.observation.session,
                entry.scope,
                entry.ordinal,
                entry.attempt,
                entry.asked.at if entry.asked.attempt == entry.attempt else 0.0,
                doubtful=task_id in self.tasks,
            )
        if isinstance(ttl, int | float) and not isinstance(ttl, bool):
            known = self._shortest_ttl.get(task_id)
            self._shortest_ttl[task_id] = ttl / 1000 if known is None else min(known, ttl / 1000)

    def _lenient(self, observation: Observation) -> bool:
        return (observation.connection, observation.attempt) in self._malformed


def _place(connection: str, frame: Frame) -> MessagePlace:
    return connection, frame.key or ""


def _capabilities(holder: JsonValue) -> Mapping[str, JsonValue] | None:
    capabilities = holder.get("capabilities") if isinstance(holder, Mapping) else None
    return capabilities if isinstance(capabilities, Mapping) else None
