"""Progress notifications: whose token they carry, that they rise, and that they end with their task.

Spec: progress#behavior-requirements of 2025-11-25.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Final

from mcp_tasks_conformance.events import JsonValue
from mcp_tasks_conformance.monitors.entry import Entry
from mcp_tasks_conformance.monitors.findings import failed, passed, shown, warned
from mcp_tasks_conformance.monitors.memory import Memory
from mcp_tasks_conformance.monitors.observation import Finding
from mcp_tasks_conformance.monitors.record import Made, Record
from mcp_tasks_conformance.monitors.relation import relation
from mcp_tasks_conformance.monitors.tokens import Grant, Mark, Peak, Tokens
from mcp_tasks_conformance.wire.jsonrpc import Frame, FrameKind

RETAINED: Final = "v1.progress.token-retained"
STOPS: Final = "v1.progress.stops-at-terminal"
INCREASES: Final = "v1.progress.increases"
KNOWN: Final = "v1.progress.known-token"
RELATED: Final = "v1.progress.related-task"

_RETAINED = "progress of a task with the token of the request that made it"
_STOPS = "no progress after the task's end"
_RISES = "progress that rises with every notification of a token"
_KNOWN = "a token that a live request or task was given"
_RELATED = "the task's related-task metadata on its progress"
_LENIENT = "the text says all messages of a task, its own example of a result that makes one leaves it out"

_SAME_STREAM_GRACE_S: Final = 0.1
_GRACE_S: Final = 0.25
"""How much later than an end progress may come: two streams have no common order, and what is on its way is sent."""


class ProgressJudge:
    """Judges every progress notification by what is known of its token."""

    name = "progress"
    proves: tuple[str, ...] = (RETAINED, STOPS, INCREASES, KNOWN, RELATED)

    def __init__(self, record: Record) -> None:
        self._record = record
        self._tokens = Tokens()
        self._latest_at: dict[int, float] = defaultdict(float)
        self._older: Memory[str, None] = Memory(20_000)
        """Scopes that showed a task which was not made on this instance: its token may have been given before."""

    def judge(self, entry: Entry) -> Iterator[Finding]:
        """See Judge."""
        self._latest_at[entry.attempt] = entry.at
        if any(sighting.task_id not in self._record.tasks for sighting in entry.sightings):
            self._older[entry.scope] = None
        turned_into_task = self._tokens.note(entry)
        if turned_into_task is not None:
            yield from _judge_early(turned_into_task, entry.index)
        frame = entry.incoming
        if frame is not None and frame.kind is FrameKind.NOTIFICATION and frame.method == "notifications/progress":
            yield from self._judge(entry, frame)

    def settle(self, attempt: int) -> Iterator[Finding]:
        """Silence after an end counts where the task had told of progress and we listened for long enough."""
        latest_at = self._latest_at.pop(attempt, 0.0)
        for grant in self._tokens.forget(attempt):
            end = grant.ended
            silent = end is not None and grant.peaks and not grant.shared and not grant.heard_after_end
            if silent and end is not None and latest_at - end.at > _GRACE_S:
                yield passed(STOPS, _STOPS, end.index)

    def _judge(self, entry: Entry, frame: Frame) -> Iterator[Finding]:
        token = frame.params.get("progressToken")
        if isinstance(token, bool) or not isinstance(token, str | int | float):
            yield failed(KNOWN, _KNOWN, f"progressToken {shown(token)}", entry.index)
            return
        grant = self._tokens.find(entry, token)
        if grant is None:
            yield from self._judge_stranger(entry, frame, token)
        elif not grant.shared:
            yield from self._judge_known(entry, frame, grant)

    def _judge_stranger(self, entry: Entry, frame: Frame, token: JsonValue) -> Iterator[Finding]:
        """Progress with a token that this session never gave; what leaks from others is judged between credentials."""
        named = relation(frame.params).task_id
        # A task's own id is a likely thing to use in place of its token.
        meant = next((made for name in (named, token) if isinstance(name, str) and (made := self._task(name))), None)
        if meant is not None and meant.session != entry.observation.session:
            return
        grant = self._tokens.of_task(meant.scope, meant.task_id) if meant is not None else None
        if grant is not None:
            observed = f"token {shown(token)} for a task whose token is {shown(grant.token)}"
            yield failed(RETAINED, _RETAINED, observed, entry.index)
        elif not (entry.lenient or entry.scope in self._older or self._tokens.may_have_been_given(token)):
            yield failed(KNOWN, _KNOWN, f"token {shown(token)}, which no request gave", entry.index)

    def _task(self, task_id: str) -> Made | None:
        return self._record.tasks.get(task_id)

    def _judge_known(self, entry: Entry, frame: Frame, grant: Grant) -> Iterator[Finding]:
        yield from self._judge_value(entry, frame, grant)
        if grant.answered is not None:
            if not grant.cancelled and _is_late(entry, grant, grant.answered):
                observed = f"token {shown(grant.token)} of a request that had been answered"
                yield failed(KNOWN, _KNOWN, observed, grant.answered.index, entry.index)
            return
        yield passed(KNOWN, _KNOWN, entry.index)
        if grant.task_id is None or grant.made is None:
            named = relation(frame.params).task_id
            grant.early += [] if named is None else [(entry.index, named)]
            return
        yield from _judge_relation(frame, grant.task_id, entry.index)
        if grant.ended is None and (grant.made.lane == entry.lane or _is_late(entry, grant, grant.made)):
            yield passed(RETAINED, _RETAINED, entry.index)
        elif grant.ended is not None and _is_late(entry, grant, grant.ended):
            grant.heard_after_end = True
            yield failed(STOPS, _STOPS, "progress after the end", grant.ended.index, entry.index)

    def _judge_value(self, entry: Entry, frame: Frame, grant: Grant) -> Iterator[Finding]:
        """Compare with what came before on this stream, or on any before this stream was asked for."""
        value = frame.params.get("progress")
        if isinstance(value, bool) or not isinstance(value, int | float):
            yield failed(INCREASES, _RISES, f"progress {shown(value)}", entry.index)
            return
        head = self._record.head(entry.lane)
        opened = head.asked.ordinal if head is not None and head.asked is not None else 0
        before = [peak for lane, peak in grant.peaks.items() if lane == entry.lane or peak.mark.ordinal < opened]
        highest = max(before, key=lambda peak: peak.value, default=None)
        own = grant.peaks.get(entry.lane)
        if own is None or value > own.value:
            grant.peaks[entry.lane] = Peak(value, Mark(entry.lane, entry.ordinal, entry.index, entry.at))
        if highest is None:
            return
        messages = (highest.mark.index, entry.index) if entry.attempt == grant.attempt else (entry.index,)
        if value > highest.value:
            yield passed(INCREASES, _RISES, *messages)
        else:
            yield failed(INCREASES, _RISES, f"{shown(value)} after {shown(highest.value)}", *messages)


def _judge_early(grant: Grant, index: int) -> Iterator[Finding]:
    """Progress that came before the task's id was known: it may be of the time before the task, but no other's."""
    for early, named in grant.early:
        if named != grant.task_id:
            yield failed(RELATED, _RELATED, f"the task {shown(named)}", early, index)


def _judge_relation(frame: Frame, task_id: str, index: int) -> Iterator[Finding]:
    stated = relation(frame.params)
    if not stated.present:
        yield warned(RELATED, _RELATED, "none", index, because=_LENIENT)
    elif stated.task_id == task_id:
        yield passed(RELATED, _RELATED, index)
    else:
        yield failed(RELATED, _RELATED, stated.flaw or f"the task {shown(stated.task_id)}", index)


def _is_late(entry: Entry, grant: Grant, mark: Mark) -> bool:
    """Whether an entry came clearly later than another; attempts have no common clock."""
    grace_s = _SAME_STREAM_GRACE_S if mark.lane == entry.lane else _GRACE_S
    return entry.attempt == grant.attempt and entry.at - mark.at > grace_s
