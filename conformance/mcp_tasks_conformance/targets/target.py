"""What the engine knows of targets: something that can be started, and what runs then."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Mapping

    from mcp_tasks_conformance.events import JsonValue
    from mcp_tasks_conformance.targets.errors import UnreachableTarget
    from mcp_tasks_conformance.wire.transport import Sink, Transport

NO_HEADERS: Mapping[str, str] = MappingProxyType({})


class Instance(Protocol):
    """A target that runs: a process, a server behind a URL, an application in this process."""

    @property
    def name(self) -> str:
        """Names it among all instances of its target: ``stdio 3``."""

    @property
    def transport(self) -> str:
        """``stdio``, ``http`` or ``memory``."""

    @property
    def single_connection(self) -> bool:
        """Whether it serves one connection in its life (stdio)."""

    @property
    def gone(self) -> asyncio.Event:
        """Set once the process has exited; what it wrote before may still arrive. Never set where it is not ours."""

    @property
    def exit_code(self) -> int | None:
        """The exit code once it is gone, negative for a signal; None before, and where it is not ours."""

    def stderr_tail(self) -> str | None:
        """The last lines that it printed for people; None where it is not ours."""

    async def open(
        self, sink: Sink, *, headers: Mapping[str, str] = NO_HEADERS, session_of: Transport | None = None
    ) -> Transport:
        """Open a connection, over HTTP with these headers besides the target's own.

        Args:
            sink: where everything that comes is delivered.
            headers: for HTTP and in memory: credentials and the like.
            session_of: over HTTP, the connection whose session this one joins.
        """

    async def why_silent(self, awaited: str) -> UnreachableTarget:
        """Find out why what was awaited (``initialize``) was never answered: died, listens elsewhere, or no idea."""

    def memory_mb(self) -> float | None:
        """Resident memory of the process and its descendants; None where it is not ours."""

    async def stop(self) -> None:
        """End it and free all it holds. Safe to call twice; cancelled, it ends it by force and at once."""


class Target(Protocol):
    """An implementation under test."""

    @property
    def transport(self) -> str:
        """``stdio``, ``http`` or ``memory``."""

    @property
    def restartable(self) -> bool:
        """Whether ``start`` gives a receiver of its own that knows nothing of the others (never for URLs)."""

    @property
    def facts(self) -> Mapping[str, JsonValue]:
        """What the report says of it, secrets masked."""

    async def start(self) -> Instance:
        """Start or reach it.

        Raises:
            UnreachableTarget: it cannot be; nothing is left running.
        """


@runtime_checkable
class OutlivingTarget(Protocol):
    """A target that is there before a run and after it."""

    async def leave(self) -> None:
        """Undo there what can be undone, once nothing more is asked of it."""
