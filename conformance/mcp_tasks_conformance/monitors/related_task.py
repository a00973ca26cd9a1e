"""The related-task metadata: on results of tasks/result and on what a task asks, and not where the id stands anyway."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from mcp_tasks_conformance.counting import counted
from mcp_tasks_conformance.events import JsonValue
from mcp_tasks_conformance.monitors.entry import Asked, Entry
from mcp_tasks_conformance.monitors.findings import failed, passed, shown, warned
from mcp_tasks_conformance.monitors.observation import Finding
from mcp_tasks_conformance.monitors.record import Record
from mcp_tasks_conformance.monitors.relation import KEY, relation
from mcp_tasks_conformance.monitors.sighting import STATUS_NOTIFICATION, Place, Sighting, made_task
from mcp_tasks_conformance.wire.jsonrpc import Frame, FrameKind

RESULT: Final = "v1.result.related-task"
NOT_ON: Final[Mapping[str | None, str]] = {
    "tasks/get": "v1.get.no-related-task",
    "tasks/list": "v1.list.no-related-task",
    "tasks/cancel": "v1.cancel.no-related-task",
    STATUS_NOTIFICATION: "v1.notify.no-related-task",
}
ON_MESSAGES: Final = "v1.create.related-task-on-messages"
ON_REQUEST: Final = "v1.input.request-related-task"

ASKING: Final = frozenset({"elicitation/create", "sampling/createMessage"})
"""Requests that a task makes of its requestor."""

_NAMED = f"_meta with {KEY}, naming the task"
_BARE = f"no {KEY} in _meta"
_EXAMPLE = "the text says all messages, its own example of this one carries none"


@dataclass(slots=True)
class _Question:
    """A request that nobody but a task can have sent."""

    index: int
    ordinal: int
    names: str | None = None
    """The task that its metadata names; none where it has no metadata."""
    answered: int | None = None
    """The ordinal of our answer."""


@dataclass(slots=True)
class _Need:
    """What is known in one attempt of who in a session asks us for something."""

    in_need: set[str] = field(default_factory=set)
    """Tasks that were seen to wait for input."""
    explained: set[str] = field(default_factory=set)
    """Tasks that have asked with their metadata."""
    questions: dict[str, _Question] = field(default_factory=dict)
    """By request id."""
    gone_on: dict[str, Entry] = field(default_factory=dict)
    """Tasks in need, and the first answer that showed them to have gone on."""

    def answered_before(self, entry: Entry) -> list[_Question]:
        """The questions that had been answered when it was asked what an entry shows."""
        asked = entry.asked.ordinal if entry.asked is not None else -1
        return [one for one in self.questions.values() if one.answered is not None and one.answered < asked]


class RelatedTaskJudge:
    """Judges where the metadata stands. A request without it is judged only where it must have been a task's, one that
    names a task only where another must have sent it."""

    name = "related task"
    proves: tuple[str, ...] = (RESULT, *NOT_ON.values(), ON_MESSAGES, ON_REQUEST)

    def __init__(self, record: Record) -> None:
        self._record = record
        self._needs: dict[int, dict[str, _Need]] = defaultdict(lambda: defaultdict(_Need))
        """By attempt and session."""

    def judge(self, entry: Entry) -> Iterator[Finding]:
        """See Judge."""
        need = self._needs[entry.attempt][entry.observation.session]
        sent, frame = entry.outgoing, entry.incoming
        if sent is not None and sent.kind is FrameKind.RESPONSE and (asked := need.questions.get(sent.key or "")):
            asked.answered = entry.ordinal
        if frame is None:
            return
        if frame.kind is FrameKind.RESPONSE and entry.asked is not None and isinstance(frame.result, Mapping):
            yield from _judge_result(frame.result, entry.asked.frame, entry.index)
        elif frame.kind is FrameKind.NOTIFICATION and frame.method == STATUS_NOTIFICATION:
            yield from _judge_absence(NOT_ON[STATUS_NOTIFICATION], frame.params, entry.index)
        elif frame.kind is FrameKind.REQUEST and frame.method in ASKING:
            yield from self._judge_request(entry, frame, need)
        for sighting in entry.sightings:
            self._note_need(entry, sighting, need)

    def settle(self, attempt: int) -> Iterator[Finding]:
        """Tasks that waited, went on once we had answered, and never asked in their own name, asked otherwise.

        A task may also go on because it waited long enough: other tasks' questions explain it only where we answered no
        fewer than there are tasks that went on.
        """
        needs = self._needs.pop(attempt, {}).values()
        explained = {task_id for need in needs for task_id in need.explained}
        for need in needs:
            for task_id, entry in need.gone_on.items():
                answered = [] if task_id in explained else need.answered_before(entry)
                if bare := [one for one in answered if one.names is None]:
                    observed = f"a request without it, whose answer the task {shown(task_id)} was waiting for"
                    yield failed(ON_REQUEST, _NAMED, observed, bare[0].index, entry.index)
                elif answered and len(answered) >= len(need.gone_on):
                    waiting, named = counted(len(need.gone_on), "task"), ", ".join(shown(one.names) for one in answered)
                    observed = (
                        f"{counted(len(answered), 'request')} that {waiting} waited for, and none names "
                        f"{shown(task_id)}: {named}"
                    )
                    yield failed(ON_REQUEST, _NAMED, observed, *(one.index for one in answered), entry.index)

    def _judge_request(self, entry: Entry, frame: Frame, need: _Need) -> Iterator[Finding]:
        stated = relation(frame.params)
        if stated.task_id is not None:
            need.explained.add(stated.task_id)
            need.questions[frame.key or ""] = _Question(entry.index, entry.ordinal, stated.task_id)
            if stated.task_id in self._record.tasks:
                yield passed(ON_REQUEST, _NAMED, entry.index)
        elif stated.flaw is not None:
            yield failed(ON_REQUEST, _NAMED, f"{frame.method}: {stated.flaw}", entry.index)
        elif not any(_may_ask(asked) for asked in self._record.waiting(entry.observation.session)):
            need.questions[frame.key or ""] = _Question(entry.index, entry.ordinal)

    def _note_need(self, entry: Entry, sighting: Sighting, need: _Need) -> None:
        made = self._record.tasks.get(sighting.task_id)
        if entry.asked is None or made is None or made.doubtful or made.session != entry.observation.session:
            return
        if sighting.status == "input_required":
            need.in_need.add(sighting.task_id)
        elif sighting.status not in ("working", "completed") or sighting.task_id not in need.in_need:
            return
        elif need.answered_before(entry):
            need.gone_on.setdefault(sighting.task_id, entry)


def _may_ask(asked: Asked) -> bool:
    """Whether a request of ours may make the target ask us something outside tasks."""
    method = asked.frame.method or ""
    return not (method.startswith("tasks/") or method == "ping")


def _judge_result(result: Mapping[str, JsonValue], asked: Frame, index: int) -> Iterator[Finding]:
    if asked.method in NOT_ON:
        yield from _judge_absence(NOT_ON[asked.method], result, index)
    elif asked.method == "tasks/result" and isinstance(task_id := asked.params.get("taskId"), str):
        stated = relation(result)
        if stated.task_id == task_id:
            yield passed(RESULT, _NAMED, index)
        elif stated.task_id is None or stated.task_id != relation(asked.params).task_id:
            # Where metadata of ours led the target astray, v1.get.param-wins is what it broke.
            observed = stated.flaw or ("none" if stated.task_id is None else f"the task {shown(stated.task_id)}")
            yield failed(RESULT, f"{_NAMED} {shown(task_id)}", observed, index)
    elif (task := made_task(result, asked)) is not None:
        yield from _judge_creation(result, task.get("taskId"), index)


def _judge_creation(result: Mapping[str, JsonValue], task_id: JsonValue, index: int) -> Iterator[Finding]:
    stated = relation(result)
    if not stated.present:
        yield warned(ON_MESSAGES, _NAMED, f"{Place.CREATE} carries none", index, because=_EXAMPLE)
    elif stated.task_id is not None and stated.task_id == task_id:
        yield passed(ON_MESSAGES, _NAMED, index)
    else:
        observed = stated.flaw or f"the task {shown(stated.task_id)} on the making of {shown(task_id)}"
        yield failed(ON_MESSAGES, _NAMED, observed, index)


def _judge_absence(requirement: str, holder: Mapping[str, JsonValue], index: int) -> Iterator[Finding]:
    if relation(holder).present:
        yield warned(requirement, _BARE, "it is there", index)
    elif holder.keys() - {"_meta"}:  # an empty answer shows nothing
        yield passed(requirement, _BARE, index)
