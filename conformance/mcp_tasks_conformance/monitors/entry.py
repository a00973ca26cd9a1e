"""One observation with its place in the order of events and what follows from the messages before it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol, TypeAlias, runtime_checkable

from mcp_tasks_conformance.events import Direction, SeenKind
from mcp_tasks_conformance.monitors.observation import Finding, Observation
from mcp_tasks_conformance.monitors.sighting import Sighting
from mcp_tasks_conformance.wire.jsonrpc import Frame

Lane: TypeAlias = tuple[str, str]
"""A connection and one of its streams: what comes on one lane comes in the order in which it was sent."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A request of ours on its way."""

    frame: Frame
    ordinal: int
    index: int
    at: float
    attempt: int
    connection: str
    session: str


@dataclass(frozen=True, slots=True)
class Entry:
    """An observation as judges see it.

    ``ordinal`` counts the entries of all connections of the instance in the order in which they happened. A response
    that was asked for after an entry (``since.ordinal > earlier.ordinal``) tells of what was so after that entry;
    any other two entries of different lanes have no order.
    """

    observation: Observation
    ordinal: int
    asked: Asked | None = None
    """For a response of the target, the request that it answers, at the first answer only."""
    since: Asked | None = None
    """For such a response, the request after which what it tells was so. For a page that was asked for by cursor, which
    may show how things were at the first page, it is the request for that one; none where nobody can tell."""
    answered_on: Lane | None = None
    """For a response to a request that has been answered before: where that first answer came."""
    sightings: tuple[Sighting, ...] = ()
    lenient: bool = False
    """Whether we sent something malformed on this connection in this attempt: answers to it may lack an id."""

    @property
    def incoming(self) -> Frame | None:
        """The message, where the target sent it."""
        seen = self.observation.seen
        received = seen.direction is Direction.RECEIVED and seen.kind is SeenKind.MESSAGE
        return self.observation.frame if received else None

    @property
    def outgoing(self) -> Frame | None:
        """The message, where we sent it."""
        seen = self.observation.seen
        sent = seen.direction is Direction.SENT and seen.kind is SeenKind.MESSAGE
        return self.observation.frame if sent else None

    @property
    def attempt(self) -> int:
        """The number of the scenario attempt."""
        return self.observation.attempt

    @property
    def index(self) -> int:
        """The index in the attempt's transcript."""
        return self.observation.seen.index

    @property
    def at(self) -> float:
        """Seconds since the attempt began: comparable within one attempt only."""
        return self.observation.seen.at

    @property
    def connection(self) -> str:
        """The connection."""
        return self.observation.connection

    @property
    def lane(self) -> Lane:
        """Where it came."""
        return self.observation.connection, self.observation.seen.stream

    @property
    def scope(self) -> str:
        """Whose tasks are meant: the credential's, or without one the session's."""
        return scope_of(self.observation)


def scope_of(who: Observation) -> str:
    """Whose tasks an observation is about; see Entry.scope."""
    return f"session {who.session}" if who.identity is None else f"identity {who.identity}"


class Judge(Protocol):
    """The rules of one subject, judged entry by entry."""

    name: str
    proves: tuple[str, ...]

    def judge(self, entry: Entry) -> Iterable[Finding]:
        """Judge one entry."""


@runtime_checkable
class Settling(Protocol):
    """A judge that remembers something of an attempt."""

    def settle(self, attempt: int) -> Iterable[Finding]:
        """Judge what only the end of an attempt can tell, and forget the attempt."""
