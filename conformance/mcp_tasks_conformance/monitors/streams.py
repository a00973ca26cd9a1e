"""One message goes to one stream: nothing is broadcast over several streams of a session.

Spec: transports#multiple-connections of 2025-11-25.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from mcp_tasks_conformance.events import SeenKind
from mcp_tasks_conformance.monitors.entry import Entry, Lane
from mcp_tasks_conformance.monitors.findings import failed, passed, shown
from mcp_tasks_conformance.monitors.memory import Memory
from mcp_tasks_conformance.monitors.observation import Finding
from mcp_tasks_conformance.monitors.record import Head, Record
from mcp_tasks_conformance.wire.jsonrpc import Frame, FrameKind

ONE_STREAM: Final = "base.http-one-stream"

_ONCE = "each message on one stream of the session"
_SAME_PROGRESS: Final = 2
"""So many values of one token on the same two streams are no accident; one could be progress that stands still."""


_SETTLED_S: Final = 0.5
"""How old a tasks/result must be when a request comes for it to be no reason to deliver the request again."""


@dataclass(frozen=True, slots=True)
class _Delivery:
    lane: Lane
    ordinal: int
    at: float
    attempt: int


class StreamsJudge:
    """Judges requests, responses and progress; two notifications that are alike may be two.

    A request that is delivered again on a stream opened later, or after its own stream has ended, is no broadcast.
    """

    name = "streams"
    proves: tuple[str, ...] = (ONE_STREAM,)

    def __init__(self, record: Record) -> None:
        self._record = record
        self._ended: Memory[Lane, None] = Memory(20_000)
        self._requests: Memory[tuple[str, int], _Delivery] = Memory(20_000)
        """By session and the fingerprint of a request's whole content."""
        self._given: Memory[tuple[str, str], int] = Memory(20_000)
        """By session and token: to how many requests we gave it."""
        self._progress: dict[int, dict[tuple[str, str], dict[str, Lane]]] = defaultdict(lambda: defaultdict(dict))
        """By attempt, session and token: each progress notification's text, and where it came first."""
        self._twins: dict[int, dict[tuple[str, str, Lane, Lane], set[str]]] = defaultdict(lambda: defaultdict(set))
        """Which of a token's notifications came on the same two lanes."""

    def judge(self, entry: Entry) -> Iterator[Finding]:
        """See Judge."""
        seen = entry.observation.seen
        if entry.observation.transport != "http":
            return
        if seen.kind is SeenKind.STREAM and seen.detail.get("ended"):
            self._ended[entry.lane] = None
        self._note_token(entry)
        frame = entry.incoming
        if frame is None:
            return
        if frame.kind is FrameKind.RESPONSE:
            yield from self._judge_response(entry, frame)
        elif frame.kind is FrameKind.REQUEST:
            yield from self._judge_request(entry, frame)
        elif frame.method == "notifications/progress":
            yield from self._judge_progress(entry, frame)

    def settle(self, attempt: int) -> tuple[Finding, ...]:
        """Forget what belongs to the attempt."""
        self._progress.pop(attempt, None)
        self._twins.pop(attempt, None)
        return ()

    def _judge_response(self, entry: Entry, frame: Frame) -> Iterator[Finding]:
        if entry.asked is not None:
            yield passed(ONE_STREAM, _ONCE, entry.index)
        elif entry.answered_on is not None and entry.answered_on != entry.lane and not entry.lenient:
            streams = f"{entry.answered_on[1]} and {entry.lane[1]}"
            yield failed(ONE_STREAM, _ONCE, f"the response with the id {shown(frame.id)} on {streams}", entry.index)

    def _judge_request(self, entry: Entry, frame: Frame) -> Iterator[Finding]:
        place = entry.observation.session, hash(json.dumps([frame.id, frame.method, frame.params], sort_keys=True))
        first = self._requests.get(place)
        self._requests[place] = _Delivery(entry.lane, entry.ordinal, entry.at, entry.attempt)
        if first is None:
            yield passed(ONE_STREAM, _ONCE, entry.index)
        elif first.lane not in self._ended and self._is_broadcast(first, entry):
            streams = f"{first.lane[1]} and {entry.lane[1]}"
            observed = f"the {frame.method} with the id {shown(frame.id)} on {streams}"
            yield failed(ONE_STREAM, _ONCE, observed, entry.index)

    def _judge_progress(self, entry: Entry, frame: Frame) -> Iterator[Finding]:
        place = entry.observation.session, json.dumps(frame.params.get("progressToken"))
        if (self._given.get(place) or 0) > 1:
            return  # two operations with one token may tell the same of themselves
        text = json.dumps(frame.params, sort_keys=True)
        first = self._progress[entry.attempt][place].setdefault(text, entry.lane)
        twins = self._twins[entry.attempt][*place, first, entry.lane]
        if first == entry.lane or text in twins:
            return
        twins.add(text)
        if len(twins) == _SAME_PROGRESS:
            observed = f"the same progress of token {place[1]} on {first[1]} and {entry.lane[1]}"
            yield failed(ONE_STREAM, _ONCE, observed, entry.index)

    def _note_token(self, entry: Entry) -> None:
        frame = entry.outgoing
        meta = frame.params.get("_meta") if frame is not None and frame.kind is FrameKind.REQUEST else None
        if isinstance(meta, Mapping) and "progressToken" in meta:
            place = entry.observation.session, json.dumps(meta["progressToken"])
            self._given[place] = (self._given.get(place) or 0) + 1

    def _is_broadcast(self, first: _Delivery, entry: Entry) -> bool:
        """Whether both streams were there for the first delivery, and no tasks/result can have called for another."""
        if first.lane == entry.lane or first.attempt != entry.attempt:
            return False
        heads = [self._record.head(lane) for lane in (first.lane, entry.lane)]
        return all(head is not None and head.ordinal < first.ordinal and _is_settled(head, first) for head in heads)


def _is_settled(head: Head, first: _Delivery) -> bool:
    asked = head.asked
    if asked is None or asked.frame.method != "tasks/result":
        return True
    return asked.attempt == first.attempt and first.at - asked.at > _SETTLED_S
