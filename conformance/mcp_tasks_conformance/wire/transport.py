"""The seam between a peer and what carries its messages.

A transport moves text. It validates and drops nothing: whatever the other side does reaches the sink as it came.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

from mcp_tasks_conformance.events import JsonValue, SeenKind


@dataclass(frozen=True, slots=True)
class HttpAnswer:
    """The whole answer to an HTTP request outside JSON-RPC; an event stream's body is not read."""

    status: int
    content_type: str
    headers: Mapping[str, str] = field(default_factory=dict)
    text: str = ""


class Sink(Protocol):
    """Where a transport delivers; called on the event loop, in order of arrival, never awaited."""

    def received(self, stream: str, text: str) -> None:
        """One message's text, exactly as it came, JSON or not where a message was due."""

    def noted(self, stream: str, kind: SeenKind, detail: Mapping[str, JsonValue], text: str = "") -> None:
        """Something that is no message: an HTTP head, a stream's end (detail ``ended`` true), noise on stdout."""

    def closed(self, reason: str) -> None:
        """The connection is gone and will deliver nothing more; called once, not after close()."""


class Transport(Protocol):
    """One connection: one stdio process, one HTTP session, one in-memory session."""

    kind: str
    """``stdio``, ``http`` or ``memory``."""

    async def send(self, text: str, *, headers: Mapping[str, str | None] | None = None) -> str:
        """Send one message and return the name of the stream that may carry its answer.

        Over HTTP it returns as soon as the POST is under way; the answer comes through the sink. ``headers`` override
        the transport's own for this message, None leaves one out; other transports ignore them.

        Raises:
            ConnectionError: the connection is gone.
        """

    async def listen(self) -> str | None:
        """Open a listening stream (HTTP GET) and return its name; None where the transport has no such thing.

        Returns once the answer's head has come; whether the target refused (405) is noted to the sink.
        """

    async def drop(self, stream: str) -> None:
        """Abandon one stream without telling the other side; a transport of one stream ignores it."""

    async def close(self) -> None:
        """End the connection in an orderly way and free all it holds; safe to call twice."""


@runtime_checkable
class HttpConversation(Protocol):
    """What a transport over HTTP can do beside carrying messages."""

    listening: str | None
    """The name of its latest listening stream; none before there is one."""

    async def exchange(self, method: str, headers: Mapping[str, str | None] | None, body: str | None) -> HttpAnswer:
        """One HTTP request of one's own making to the endpoint.

        Raises:
            ConnectionError: no answer can be had.
        """

    async def end_session(self) -> int:
        """End the session with DELETE and give the status of the answer."""
