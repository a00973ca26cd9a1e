"""Ids of JSON-RPC messages: those of the target's requests, and whose its responses carry."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from mcp_tasks_conformance.monitors.entry import Asked, Entry
from mcp_tasks_conformance.monitors.findings import failed, passed, shown
from mcp_tasks_conformance.monitors.memory import Memory
from mcp_tasks_conformance.monitors.observation import Finding
from mcp_tasks_conformance.monitors.record import Record
from mcp_tasks_conformance.wire.jsonrpc import Frame, FrameKind

REQUEST_IDS: Final = "base.request-ids"
RESPONSE_ID: Final = "base.response-id"
NOTIFICATION_SILENT: Final = "base.notification-silent"

_NEW_ID = "a request id that is a string or an integer, not used before in the session"
_SAME_ID = "a response with the id of a request that waits for it"
_SILENT = "no response to a notification"
_SETTLED_S: Final = 0.5


@dataclass(frozen=True, slots=True)
class _Stray:
    """A response without an id, and the requests that were waiting when it came."""

    index: int
    text: str
    waiting: tuple[Asked, ...]


@dataclass(frozen=True, slots=True)
class _Reply:
    """When we answered a request."""

    ordinal: int
    attempt: int
    at: float


@dataclass(slots=True)
class _Asking:
    """A request of the target's."""

    fingerprint: int
    """Of method and params: the very same request may be delivered once more."""
    replied: _Reply | None = None


@dataclass(slots=True)
class _Ours:
    """What we sent on one connection in one attempt that gets no response: ordinals, 0 for never."""

    notified: int = 0
    replied: int = 0


class MessageIdsJudge:
    """Judges ids; what cannot be told from the order of messages waits for the end of the attempt."""

    name = "message ids"
    proves: tuple[str, ...] = (REQUEST_IDS, RESPONSE_ID, NOTIFICATION_SILENT)

    def __init__(self, record: Record) -> None:
        self._record = record
        self._askings: Memory[tuple[str, str], _Asking] = Memory(20_000)
        """By session and id."""
        self._confirmed: Memory[str, int] = Memory(20_000)
        """By connection: the ordinal of our latest request that has been answered."""
        self._ours: dict[int, dict[str, _Ours]] = defaultdict(lambda: defaultdict(_Ours))
        """By attempt and connection."""
        self._strays: dict[int, list[_Stray]] = defaultdict(list)

    def judge(self, entry: Entry) -> Iterator[Finding]:
        """See Judge."""
        sent, received = entry.outgoing, entry.incoming
        if sent is not None and sent.kind is FrameKind.NOTIFICATION:
            self._ours[entry.attempt][entry.connection].notified = entry.ordinal
        elif sent is not None and sent.kind is FrameKind.RESPONSE:
            self._ours[entry.attempt][entry.connection].replied = entry.ordinal
            asking = self._askings.get((entry.observation.session, sent.key or ""))
            if asking is not None:
                asking.replied = _Reply(entry.ordinal, entry.attempt, entry.at)
        elif received is not None and received.kind is FrameKind.REQUEST:
            yield from self._judge_request(entry, received)
        elif received is not None and received.kind is FrameKind.RESPONSE and received.method is None:
            yield from self._judge_response(entry, received)

    def settle(self, attempt: int) -> Iterator[Finding]:
        """A stray whose waiting requests all got their own answers was no answer to them, but to a notification."""
        self._ours.pop(attempt, None)
        for stray in self._strays.pop(attempt, ()):
            if any(self._record.is_waiting(asked) for asked in stray.waiting):
                yield failed(RESPONSE_ID, _SAME_ID, f"a response without an id: {stray.text}", stray.index)
            else:
                yield failed(NOTIFICATION_SILENT, _SILENT, f"a response without an id: {stray.text}", stray.index)

    def _judge_request(self, entry: Entry, frame: Frame) -> Iterator[Finding]:
        whole = isinstance(frame.id, int) or (isinstance(frame.id, float) and frame.id.is_integer())
        if isinstance(frame.id, bool) or not (isinstance(frame.id, str) or whole):
            yield failed(REQUEST_IDS, _NEW_ID, f"{frame.method} with the id {shown(frame.id)}", entry.index)
            return
        place = entry.observation.session, frame.key or ""
        asking = _Asking(hash(json.dumps([frame.method, frame.params], sort_keys=True)))
        before = self._askings.get(place)
        if before is None:
            self._askings[place] = asking
            yield passed(REQUEST_IDS, _NEW_ID, entry.index)
        elif before.fingerprint != asking.fingerprint or self._is_over(entry, before):
            used = f"{frame.method} with the id {shown(frame.id)} of an earlier request"
            yield failed(REQUEST_IDS, _NEW_ID, used, entry.index)

    def _is_over(self, entry: Entry, asking: _Asking) -> bool:
        """Whether the target must have had our answer when it sent this.

        It has answered what we asked after that, and what was on its way meanwhile has come.
        """
        replied = asking.replied
        if replied is None or replied.attempt != entry.attempt:
            return False
        confirmed = self._confirmed.get(entry.connection) or 0
        return confirmed > replied.ordinal and entry.at - replied.at > _SETTLED_S

    def _judge_response(self, entry: Entry, frame: Frame) -> Iterator[Finding]:
        ours = self._ours[entry.attempt][entry.connection]
        if entry.asked is not None:
            self._confirmed[entry.connection] = max(self._confirmed.get(entry.connection) or 0, entry.asked.ordinal)
            yield passed(RESPONSE_ID, _SAME_ID, entry.index)
            if 0 < ours.notified < entry.asked.ordinal:
                yield passed(NOTIFICATION_SILENT, _SILENT, entry.index)
            return
        head = self._record.head(entry.lane)
        if entry.lenient or (head is not None and head.status >= 400):
            return
        if frame.id is None and ours.notified > ours.replied:
            waiting = tuple(self._record.waiting(entry.observation.session))
            self._strays[entry.attempt].append(_Stray(entry.index, shown(frame.text), waiting))
        elif frame.id is None:
            yield failed(RESPONSE_ID, _SAME_ID, f"a response without an id: {shown(frame.text)}", entry.index)
        elif entry.answered_on == entry.lane:
            yield failed(RESPONSE_ID, _SAME_ID, f"a second response with the id {shown(frame.id)}", entry.index)
        elif entry.answered_on is None and not self._record.forgot_answers:
            yield failed(RESPONSE_ID, _SAME_ID, self._describe_unknown(entry, frame), entry.index)

    def _describe_unknown(self, entry: Entry, frame: Frame) -> str:
        alike = [
            asked.frame.id
            for asked in self._record.waiting(entry.observation.session)
            if str(asked.frame.id) == str(frame.id) and asked.connection == entry.connection
        ]
        what = f"a response with the id {shown(frame.id)}"
        return f"{what}, where {shown(alike[0])} was asked" if alike else f"{what}, which no request has"
