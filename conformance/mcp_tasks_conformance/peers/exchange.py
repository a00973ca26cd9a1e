"""A request of ours and what became of it."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass

from mcp_tasks_conformance.events import JsonValue
from mcp_tasks_conformance.wire.jsonrpc import Frame


class NoAnswer(Exception):
    """The deadline passed, or the stream ended, without a response."""

    def __init__(self, method: str, waited: float, *, stream_ended: bool = False) -> None:
        self.method = method
        self.waited = waited
        self.stream_ended = stream_ended
        how = "its stream ended without a response" if stream_ended else f"no answer within {waited:.1f} s"
        super().__init__(f"{method}: {how}")


class ConnectionGone(Exception):
    """The other side closed the connection, died or refused to be reached."""


@dataclass(frozen=True, slots=True)
class Reply:
    """What came for a request: a response, or over HTTP a bare refusal."""

    frame: Frame | None
    http: Mapping[str, JsonValue] | None
    at: float
    """Loop time of its arrival."""
    index: int
    """Transcript index of what was judged."""

    def view(self) -> dict[str, JsonValue]:
        """The reply as expectations see it: ``result`` or ``error`` and ``id``, and ``http`` over HTTP."""
        seen: dict[str, JsonValue] = {}
        if self.frame is not None and isinstance(self.frame.value, Mapping):
            seen.update({key: self.frame.value[key] for key in ("result", "error", "id") if key in self.frame.value})
        if self.http is not None:
            seen["http"] = self.http
        return seen


@dataclass(slots=True)
class Exchange:
    """One request under way; ``reply`` resolves when its response arrives or is sure not to."""

    id: str | int
    method: str
    frame: Frame
    sent_at: float
    sent_index: int
    reply: asyncio.Future[Reply]
    stream: str = ""
    http: Mapping[str, JsonValue] | None = None
    http_index: int | None = None
    drop_expected: bool = False
    """We abandoned the stream ourselves: its end says nothing of the other side."""

    @property
    def answered(self) -> bool:
        """Whether a response has come."""
        return self.reply.done() and not self.reply.cancelled() and self.reply.exception() is None
