"""How a server answers over Streamable HTTP: status and content type of what we POST and GET.

Spec: transports#streamable-http of 2025-11-25.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Final

from mcp_tasks_conformance.counting import counted
from mcp_tasks_conformance.events import Direction, SeenKind
from mcp_tasks_conformance.monitors.entry import Entry
from mcp_tasks_conformance.monitors.findings import failed, passed
from mcp_tasks_conformance.monitors.memory import Memory
from mcp_tasks_conformance.monitors.observation import Finding
from mcp_tasks_conformance.monitors.record import Record
from mcp_tasks_conformance.wire.jsonrpc import FrameKind

RESPONSE_TYPE: Final = "base.http-response-type"
ACCEPTED: Final = "base.http-accepted"
GET: Final = "base.http-get"

_JSON = "application/json"
_EVENTS = "text/event-stream"
_TYPED = f"a request answered as {_JSON} or {_EVENTS}"
_BARE = "a notification or response that is accepted answered 202 with no body"
_LISTENING = "GET answered with an event stream or 405"
_NO_RESPONSE = "no response on a listening stream"
_OTHER_REASONS = frozenset({401, 403, 408, 409, 421, 425, 429, 502, 503, 504})
"""Refusals of GET that say something else than that there is no such stream: who asks, how often, a proxy."""


class HttpAnswersJudge:
    """Judges the heads of HTTP answers, and what may not come on a listening stream."""

    name = "http answers"
    proves: tuple[str, ...] = (RESPONSE_TYPE, ACCEPTED, GET)

    def __init__(self, record: Record) -> None:
        self._record = record
        self._posted: Memory[tuple[str, str], bool] = Memory(20_000)
        """Lanes of POSTs; whether what was posted is owed no message."""
        self._ended_sessions: Memory[str, None] = Memory(20_000)
        self._refused: dict[int, dict[str, list[tuple[int, str]]]] = defaultdict(lambda: defaultdict(list))
        """By attempt and session: refusals of GET that count once the session proves to be alive."""

    def judge(self, entry: Entry) -> Iterator[Finding]:
        """See Judge."""
        observation = entry.observation
        if observation.transport != "http" or observation.seen.direction is not Direction.RECEIVED:
            return
        if observation.seen.kind is SeenKind.HTTP:
            method, status = observation.seen.detail.get("method"), observation.seen.detail.get("status")
            if not isinstance(status, int):
                return
            if method == "POST":
                yield from self._judge_post(entry, status)
            elif method == "GET":
                yield from self._judge_get(entry, status)
            elif method == "DELETE":
                self._ended_sessions[observation.session] = None
        elif entry.incoming is not None:
            yield from self._judge_message(entry)

    def settle(self, attempt: int) -> tuple[Finding, ...]:
        """A refusal of GET in a session that nothing proved to be alive is not judged."""
        self._refused.pop(attempt, None)
        return ()

    def _judge_post(self, entry: Entry, status: int) -> Iterator[Finding]:
        seen, posted = entry.observation.seen, entry.observation.request
        if entry.lenient or (posted is not None and posted.problem is not None) or not 200 <= status < 300:
            return
        media_type = str(seen.detail.get("type") or "")
        if posted is not None and posted.kind is FrameKind.REQUEST:
            if media_type in (_JSON, _EVENTS) and status != 202:
                yield passed(RESPONSE_TYPE, _TYPED, entry.index)
            else:
                observed = f"HTTP {status} {media_type or 'without a content type'}"
                yield failed(RESPONSE_TYPE, _TYPED, observed, entry.index)
            yield from self._judge_refused(entry)
        else:
            self._posted[entry.lane] = True
            if status != 202:
                yield failed(ACCEPTED, _BARE, f"HTTP {status}", entry.index)
            elif seen.text:
                yield failed(
                    ACCEPTED, _BARE, f"HTTP 202 with a body of {counted(len(seen.text), 'character')}", entry.index
                )
            else:
                yield passed(ACCEPTED, _BARE, entry.index)

    def _judge_get(self, entry: Entry, status: int) -> Iterator[Finding]:
        media_type = str(entry.observation.seen.detail.get("type") or "")
        if status == 405 or (200 <= status < 300 and media_type == _EVENTS):
            yield passed(GET, _LISTENING, entry.index)
        elif 200 <= status < 300:
            observed = f"HTTP {status} {media_type or 'without a content type'}"
            yield failed(GET, _LISTENING, observed, entry.index)
        elif status >= 400 and status not in _OTHER_REASONS:
            self._refused[entry.attempt][entry.observation.session].append((entry.index, f"HTTP {status}"))

    def _judge_refused(self, entry: Entry) -> Iterator[Finding]:
        """A request has just been served, so a refusal of GET before it was not because the session had ended."""
        session = entry.observation.session
        refusals = self._refused[entry.attempt].pop(session, [])
        if session not in self._ended_sessions:
            for index, observed in refusals:
                yield failed(GET, _LISTENING, observed, index)

    def _judge_message(self, entry: Entry) -> Iterator[Finding]:
        frame, stream = entry.incoming, entry.observation.seen.stream
        if frame is None:
            return
        if self._posted.get(entry.lane):
            yield failed(ACCEPTED, _BARE, "an answer with a message as its body", entry.index)
        if stream.startswith("get:") and frame.kind is FrameKind.RESPONSE and frame.method is None:
            yield failed(GET, _NO_RESPONSE, "a response on the listening stream", entry.index)
        elif stream.startswith("get:"):
            yield passed(GET, _NO_RESPONSE, entry.index)
