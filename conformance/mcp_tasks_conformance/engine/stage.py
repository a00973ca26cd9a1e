"""A running instance of the target with the connections that are open to it."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from mcp_tasks_conformance.engine.judging import PreconditionFailed
from mcp_tasks_conformance.engine.pace import Pace
from mcp_tasks_conformance.engine.patience import Patience
from mcp_tasks_conformance.engine.witness import Witness
from mcp_tasks_conformance.events import Check, JsonValue
from mcp_tasks_conformance.monitors.observation import Monitor
from mcp_tasks_conformance.peers.connection import Connection
from mcp_tasks_conformance.peers.handshake import (
    DEFAULT_CAPABILITIES,
    V1_REVISION,
    initialize,
    open_listening_stream,
)
from mcp_tasks_conformance.targets.target import Instance
from mcp_tasks_conformance.wire.transcript import Transcript
from mcp_tasks_conformance.wire.transport import HttpConversation


@dataclass(frozen=True, slots=True)
class Doors:
    """How the target is entered: the headers of everyone, and those of each identity."""

    headers: Mapping[str, str] = field(default_factory=dict)
    identities: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """Name to headers, in the order given: the first is what scenarios call ``first``."""
    default_identity: str | None = None
    """The identity of connections that name none, where the target lets nobody in without."""
    in_url: bool = False
    """Whether the target's URL has credentials in it, which every connection without others carries."""

    @property
    def anonymous(self) -> bool:
        """Whether a connection that names no identity carries nothing that could be a credential."""
        return self.default_identity is None and not self.headers and not self.in_url

    def named(self, name: str | None) -> str | None:
        """The identity that a scenario's word stands for."""
        if name in ("first", "second"):
            position = 0 if name == "first" else 1
            return list(self.identities)[position]
        return name or self.default_identity

    def headers_for(self, identity: str | None) -> Mapping[str, str]:
        """All headers of a connection with this identity."""
        return {**self.headers, **(self.identities[identity] if identity is not None else {})}


class Stage:
    """One instance, its monitors and its connections."""

    def __init__(
        self,
        instance: Instance,
        monitors: Callable[[], Sequence[Monitor]],
        doors: Doors,
        pace: Pace,
        *,
        single: bool,
    ) -> None:
        self.instance = instance
        self.start_again: Callable[[Instance], Awaitable[Instance]] | None = None
        """Puts another instance in the place of this one; none where others use it too."""
        self._monitors = monitors
        self.doors = doors
        self.pace = pace
        self.patience = Patience()
        """That of all who wait under the same circumstances."""
        self.single = single
        """Whether the instance has one connection only, initialized once (stdio)."""
        self.witness = self._new_witness()
        self._earlier: list[Witness] = []
        """Those of the instances before, where it was restarted."""
        self.resident: Connection | None = None
        """The one connection of a single-connection instance."""
        self.spoiled = False
        """Whether what happened here forbids that another scenario uses the instance."""
        self.lost = False
        """Whether an attempt ended the target here, or saw its end."""
        self.ends_sessions = False
        """Whether sessions are ended once the attempt is over."""
        self.left: Connection | None = None
        """The connection that was closed last, its session left open."""
        self._sessions: list[Connection] = []
        """Connections whose sessions are to be ended."""
        self._labels = itertools.count(1)

    @property
    def _greeting_s(self) -> float:
        """How long initialize may take; who has one connection only is still starting up when it is asked."""
        return max(self.pace.request_s, self.pace.start_s) if self.single else self.pace.request_s

    def _new_witness(self) -> Witness:
        return Witness(
            self._monitors(),
            instance=self.instance.name,
            transport=self.instance.transport,
            everyone="everyone" if self.doors.headers else None,
        )

    async def restart(self) -> None:
        """End the instance, whose connections are closed already, and start another in its place: a new receiver.

        Raises:
            PreconditionFailed: it is shared, or not ours to start.
            UnreachableTarget: it does not start again.
        """
        if self.start_again is None:
            raise PreconditionFailed("only a target that nobody else uses can be restarted")
        self.instance = await self.start_again(self.instance)
        self.resident = None
        self._earlier.append(self.witness)
        self.witness = self._new_witness()

    def settle(self, attempt: int) -> list[Check]:
        """The checks that the monitors make for an attempt that is over."""
        return [check for witness in (*self._earlier, self.witness) for check in witness.settle(attempt)]

    @property
    def alive(self) -> bool:
        """Whether the instance can still be used."""
        resident_gone = self.resident is not None and self.resident.closed_reason is not None
        return not self.instance.gone.is_set() and not resident_gone and not self.spoiled and not self.lost

    def fits(self, capabilities: Mapping[str, JsonValue]) -> bool:
        """Whether a scenario that declares these capabilities can start here."""
        if not self.single or self.resident is None:
            return True
        return self.resident.idle and self.resident.declared == capabilities

    async def open(
        self,
        transcript: Transcript,
        attempt: int,
        *,
        name: str = "main",
        identity: str | None = None,
        capabilities: Mapping[str, JsonValue] = DEFAULT_CAPABILITIES,
        version: str = V1_REVISION,
        session_of: Connection | None = None,
        listen: bool = True,
        initialized: bool = True,
        within: float | None = None,
        reuse: bool = True,
    ) -> Connection:
        """A connection for an attempt: a new one, or the resident one of a single-connection instance.

        Raises:
            HandshakeRefused, NoAnswer, ConnectionGone: it could not be initialized.
            PreconditionFailed: there is one connection only, and it is taken.
        """
        if self.single and self.resident is not None:
            if not reuse or not self.fits(capabilities):
                raise PreconditionFailed(f"{self.instance.transport} has one connection, which is open already")
            self.witness.assign(self.resident, attempt)
            self.resident.attach(transcript, name)
            return self.resident
        who = self.doors.named(identity)
        label = f"{self.instance.name}/{next(self._labels)}"
        connection = Connection(
            label=label, transport_kind=self.instance.transport, identity=who, watcher=self.witness.watch
        )
        session = self.witness.session(session_of) if session_of is not None else label
        self.witness.assign(connection, attempt, session)
        connection.attach(transcript, name)
        if self.ends_sessions and session_of is None:
            self._sessions.append(connection)
        transport = await self.instance.open(
            connection,
            headers=self.doors.headers_for(who),
            session_of=session_of.transport if session_of is not None else None,
        )
        connection.bind(transport)
        if self.single:
            self.resident = connection
        try:
            if session_of is not None:
                connection.declared, connection.capabilities = session_of.declared, session_of.capabilities
                connection.initialize_reply = session_of.initialize_reply
                if listen:
                    await open_listening_stream(connection)
            else:
                await initialize(
                    connection,
                    within=within if within is not None else self.pace.deadline(None, self._greeting_s),
                    version=version,
                    capabilities=capabilities,
                    initialized=initialized,
                    listen=listen,
                )
        except BaseException:
            self.spoiled = self.spoiled or self.single
            await self.release(connection)
            raise
        return connection

    async def release(self, connection: Connection) -> None:
        """An attempt is done with a connection: closed, unless it is the resident one and fit for another."""
        if connection is self.resident and self.single:
            if not connection.idle:
                self.spoiled = True
            return
        if connection.initialize_reply is not None:
            self.left = connection
        await connection.close()

    async def tidy(self) -> None:
        """End the sessions that attempts have left open, if that is to be."""
        sessions, self._sessions = self._sessions, []
        with suppress(TimeoutError):
            async with asyncio.timeout(self.pace.deadline(None, self.pace.ping_s)):
                for connection in sessions:
                    await self.end_session(connection)

    async def end_session(self, connection: Connection) -> int | None:
        """Ask the target to end a connection's session; the status of the answer, or none where none came."""
        if not isinstance(connection.transport, HttpConversation):
            return None
        try:
            async with asyncio.timeout(self.pace.deadline(None, self.pace.ping_s)):
                return (await connection.transport.exchange("DELETE", {}, None)).status
        except (ConnectionError, TimeoutError):
            return None  # a target that does not answer that is not judged by it here
