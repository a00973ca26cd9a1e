"""What monitors see and what they say: the seam between the engine and the rules that hold at every moment."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

from mcp_tasks_conformance.events import Outcome, Seen
from mcp_tasks_conformance.wire.jsonrpc import Frame


@dataclass(frozen=True, slots=True)
class Observation:
    """One entry of a transcript with what a judge needs beside it.

    A set of monitors gets the same object for each entry of its instance, in the order in which things happened: what
    the target sent as it arrives, what we send before it goes out. Causality is told from that order.
    """

    seen: Seen
    frame: Frame | None
    """The message; none where the entry is no message."""
    instance: str
    transport: str
    """``stdio``, ``http`` or ``memory``."""
    identity: str | None
    """The name of the credential that the connection carries; none only where it carries nothing that could be one."""
    connection: str
    """Unique in the instance."""
    session: str
    """Unique in the instance; connections that joined one session share it."""
    request: Frame | None = None
    """For a response, the request that it answers; for the head of an HTTP answer, the request that was posted."""
    request_index: int | None = None
    request_at: float | None = None
    attempt: int = 0
    """The number of the scenario attempt: indices of ``seen`` count within it."""
    keeps_sessions: bool = True
    """Whether the target can tell this session from others; over HTTP, whether it has given it a name."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One evaluation of one requirement by a monitor.

    A recommendation that is broken is a warning here already: monitors know the level of what they watch.
    """

    requirement: str
    outcome: Outcome
    expected: str
    observed: str
    messages: tuple[int, ...]
    """Indices of entries of the attempt that the finding is told for."""
    because: str | None = None


class Monitor(Protocol):
    """Rules watched on every message of every scenario of one target instance."""

    name: str
    proves: tuple[str, ...]
    """Every requirement that it can judge."""

    def see(self, observation: Observation) -> Iterable[Finding]:
        """Take note of an entry and judge it."""

    def settle(self, attempt: int) -> Iterable[Finding]:
        """The attempt is over: what can only be judged then. What it left in memory is freed."""
