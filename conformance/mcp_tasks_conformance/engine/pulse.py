"""Whether the target of an attempt is still there: silence, death and a lost session told apart."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Collection, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from enum import StrEnum

from mcp_tasks_conformance.engine.ledger import Ledger
from mcp_tasks_conformance.engine.stage import Stage
from mcp_tasks_conformance.events import JsonValue
from mcp_tasks_conformance.peers.connection import Connection
from mcp_tasks_conformance.peers.exchange import ConnectionGone, NoAnswer, Reply
from mcp_tasks_conformance.targets.target import Instance

SESSION_GONE = "the session is gone: HTTP 404 for a session that nobody ended"
LAST_WORDS_S = 0.2
"""How long the exit of a process whose connection is gone is waited for."""


class Loss(StrEnum):
    """How a target was lost."""

    CRASHED = "crashed"
    HUNG = "hung"


class TargetLost(Exception):
    """The target died or fell silent: nothing more can be judged in this attempt."""

    def __init__(self, loss: Loss, what: str) -> None:
        super().__init__(what)
        self.loss = loss


async def exit_words(instance: Instance) -> str:
    """How the process of an instance whose connection is gone has ended, to say behind what was seen of it."""
    with suppress(TimeoutError):
        async with asyncio.timeout(LAST_WORDS_S):
            await instance.gone.wait()
    known = instance.gone.is_set() and instance.exit_code is not None
    return f" (exit code {instance.exit_code})" if known else ""


@dataclass(frozen=True, slots=True)
class Pulse:
    """Looks after the target of one attempt."""

    stage: Stage
    ledger: Ledger
    connections: Mapping[str, Connection]
    """Those of the attempt, by name."""
    ended_sessions: Collection[str]
    """The connections whose sessions the attempt has ended."""

    @asynccontextmanager
    async def sending(self, what: str) -> AsyncIterator[None]:
        """Within, something is sent.

        Raises:
            TargetLost: it cannot be sent, because the target is gone or does not read.
        """
        within = self.stage.pace.deadline(None, self.stage.pace.request_s)
        try:
            async with asyncio.timeout(within):
                yield
        except TimeoutError:
            raise TargetLost(Loss.HUNG, f"the target did not take {what} within {within:.1f} s") from None
        except (ConnectionGone, ConnectionError) as gone:
            raise TargetLost(Loss.CRASHED, str(gone)) from gone

    async def goes_on(self, connection: Connection, task_id: JsonValue) -> bool:
        """Whether the task shows that it has not ended."""
        within = self.stage.pace.deadline(None, self.stage.pace.request_s)
        try:
            reply = await connection.request("tasks/get", {"taskId": task_id}, within=within)
        except (NoAnswer, ConnectionGone):
            return False
        task = reply.view().get("result")
        return isinstance(task, Mapping) and task.get("status") in ("working", "input_required")

    async def require_life(self, connection: Connection, otherwise: str) -> None:
        """Ping the target.

        Raises:
            TargetLost: it does not answer.
        """
        within = self.stage.pace.deadline(None, self.stage.pace.ping_s)
        try:
            reply = await connection.request("ping", within=within)
        except (NoAnswer, ConnectionGone):
            raise await self.lost(connection, otherwise) from None
        if self._turned_away(connection, reply):
            raise TargetLost(Loss.CRASHED, SESSION_GONE)
        self.ledger.note("ping", None, reply.view())

    async def require_connections(self) -> None:
        """Make sure that every connection that we hold open still stands.

        Raises:
            TargetLost: the target has ended one of them.
        """
        for connection in self.connections.values():
            if connection.closed_reason is not None:
                raise await self.lost(connection, connection.closed_reason)

    async def require_survival(self, *, main: bool) -> None:
        """Make sure that the story was not the target's last: a death at its end is its own, not that of the next.

        Raises:
            TargetLost: the target is dead or silent.
        """
        await self.require_connections()
        if main and "main" in self.connections and "main" not in self.ended_sessions:
            await self.require_life(self.connections["main"], "the target fell silent when all was done")

    async def lost(self, connection: Connection, what: str) -> TargetLost:
        """That the target is lost, as an error to raise: dead where it or the connection is gone, else silent."""
        if not connection.gone.is_set() and not self.stage.instance.gone.is_set():
            return TargetLost(Loss.HUNG, what)
        ending = await exit_words(self.stage.instance)
        return TargetLost(Loss.CRASHED, f"{what or connection.closed_reason}{ending}")

    async def check_session(self, connection: Connection, reply: Reply) -> None:
        """A session that turns 404 by itself is lost, whatever the step expected, and whatever the body says."""
        if not self._turned_away(connection, reply):
            return
        try:
            ping = await connection.request("ping", within=self.stage.pace.deadline(None, self.stage.pace.ping_s))
        except (NoAnswer, ConnectionGone):
            raise await self.lost(connection, "the session turned 404 and then the target fell silent") from None
        if self._turned_away(connection, ping):
            raise TargetLost(Loss.CRASHED, SESSION_GONE)

    def _turned_away(self, connection: Connection, reply: Reply) -> bool:
        """Whether a request came back with 404, on a session that we have not ended."""
        if reply.http is None or reply.http.get("status") != 404:
            return False
        return connection.name not in self.ended_sessions and connection.initialize_reply is not None
