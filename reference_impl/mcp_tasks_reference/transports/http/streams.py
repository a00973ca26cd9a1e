"""Event streams: numbered events that somebody follows, now or after a break."""

from __future__ import annotations

import asyncio
import itertools
from collections import deque
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass

from mcp_tasks_reference import jsonrpc
from mcp_tasks_reference.jsonrpc import JsonObject

KEPT_EVENTS = 1000
"""How many events a stream keeps that have been sent."""
UNSENT_EVENTS = 20_000
"""How many it keeps until somebody follows it."""
KEPT_STREAMS = 100
"""How many streams a session keeps that have ended or that nobody listens to."""


@dataclass(frozen=True, slots=True)
class Event:
    """One event of a stream; the first of each stream is empty and only gives the client an id to resume from."""

    id: str
    data: str


class EventStream:
    """The messages of one stream, in order, kept for a while so that it can be resumed."""

    def __init__(self, name: str, *, listening: bool) -> None:
        self.name = name
        self.listening = listening
        """Whether it is for messages that belong to no request."""
        self.finished = False
        self._events: deque[tuple[int, str]] = deque([(0, "")], UNSENT_EVENTS)
        self._numbers = itertools.count(1)
        self._stirred = asyncio.Event()
        self._follower: object | None = None

    @property
    def is_followed(self) -> bool:
        """Whether a client is connected to it."""
        return self._follower is not None

    def put(self, message: JsonObject) -> None:
        """Add a message."""
        self._events.append((next(self._numbers), jsonrpc.write(message)))
        self._stirred.set()

    def finish(self) -> None:
        """Nothing more comes."""
        self.finished = True
        self._stirred.set()

    async def follow(self, after: int = -1) -> AsyncIterator[Event]:
        """Give events past a number, then those to come, until the stream is finished or somebody else follows it."""
        follower = self._follower = object()
        self._stirred.set()
        try:
            while self._follower is follower:
                self._stirred.clear()
                fresh = [event for event in self._events if event[0] > after]
                for number, data in fresh:
                    after = number
                    yield Event(f"{self.name}.{number}", data)
                while len(self._events) > KEPT_EVENTS and self._events[0][0] <= after:
                    self._events.popleft()
                if fresh:
                    continue  # more may have come, and even the end, while these were sent
                if self.finished:
                    return
                await self._stirred.wait()
        finally:
            if self._follower is follower:
                self._follower = None


class StreamBook:
    """All streams of one session, found again by the id of any of their events."""

    def __init__(self) -> None:
        self._streams: dict[str, EventStream] = {}
        self._names = itertools.count(1)

    def open(self, *, listening: bool = False) -> EventStream:
        """Begin a stream; of those that need not be resumed any more only the latest are kept."""
        stream = EventStream(str(next(self._names)), listening=listening)
        self._streams[stream.name] = stream
        idle = [kept for kept in self._streams.values() if kept.finished or (kept.listening and not kept.is_followed)]
        for old in idle[: max(0, len(idle) - KEPT_STREAMS)]:
            self.drop(old)
        return stream

    def drop(self, stream: EventStream) -> None:
        """Forget a stream that nobody can resume."""
        self._streams.pop(stream.name, None)

    def find(self, event_id: str) -> tuple[EventStream, int] | None:
        """The stream that an event belongs to, and the event's number in it."""
        name, _, number = event_id.partition(".")
        stream = self._streams.get(name)
        return (stream, int(number)) if stream is not None and number.isdecimal() and number.isascii() else None

    def finish_all(self) -> None:
        """The session is over."""
        for stream in self._streams.values():
            stream.finish()


class Listening:
    """The outlet of a session over its listening streams: each message goes to one of them."""

    def __init__(self) -> None:
        self._streams: list[EventStream] = []

    def add(self, stream: EventStream) -> None:
        """A client listens."""
        self._streams = [known for known in self._streams if known.is_followed and known is not stream]
        self._streams.append(stream)

    @property
    def is_open(self) -> bool:
        """Whether a client is listening just now."""
        return any(stream.is_followed for stream in self._streams)

    def put(self, message: JsonObject) -> bool:
        """Send to the newest stream that is followed; else keep it on the newest, which may be resumed."""
        streams = [stream for stream in self._streams if stream.is_followed] or self._streams
        if not streams:
            return False
        streams[-1].put(message)
        return True

    def end(self) -> None:
        """Listening goes on until the session ends."""


class Answering:
    """The outlet of one POSTed request."""

    def __init__(self, stream: EventStream, stirred: Callable[[], None]) -> None:
        self.stream = stream
        self.first: JsonObject | None = None
        self.abandoned = False
        """Whether the client left before anything came that it could resume from."""
        self.streaming = False
        self._stirred = stirred

    @property
    def is_open(self) -> bool:
        """Whether the client is still connected."""
        return not self.abandoned and not self.stream.finished and (self.stream.is_followed or not self.streaming)

    def put(self, message: JsonObject) -> bool:
        """Add a message to the answer."""
        if self.first is None:
            self.first = message
        self.stream.put(message)
        self._stirred()
        return True

    def end(self) -> None:
        """The answer is complete, or never comes."""
        self.stream.finish()
        self._stirred()
