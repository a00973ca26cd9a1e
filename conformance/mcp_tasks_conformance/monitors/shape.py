"""The shape of everything about tasks that the target sends; each flaw is told for the most specific requirement."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from mcp_tasks_conformance.events import JsonValue
from mcp_tasks_conformance.monitors.entry import Entry
from mcp_tasks_conformance.monitors.findings import failed, passed, shown, warned
from mcp_tasks_conformance.monitors.observation import Finding
from mcp_tasks_conformance.monitors.record import Record
from mcp_tasks_conformance.monitors.relation import relation
from mcp_tasks_conformance.monitors.sighting import AUGMENTABLE, PLAIN_MEMBERS, STATUS_NOTIFICATION, made_task
from mcp_tasks_conformance.wire import shapes
from mcp_tasks_conformance.wire.jsonrpc import Frame, FrameKind

CREATE: Final = "v1.create.schema"
GET: Final = "v1.get.schema"
LIST: Final = "v1.list.schema"
CANCEL: Final = "v1.cancel.schema"
NOTIFY: Final = "v1.notify.schema"
ID: Final = "v1.id.string"
STATUS: Final = "v1.status.values"
CREATED_AT: Final = "v1.time.created-at"
UPDATED_AT: Final = "v1.time.last-updated-at"
TTL: Final = "v1.ttl.actual-returned"
POLL: Final = "v1.poll.interval-number"

_MEMBERS: Final[Mapping[str, str]] = {
    "taskId": ID,
    "status": STATUS,
    "createdAt": CREATED_AT,
    "lastUpdatedAt": UPDATED_AT,
    "pollInterval": POLL,
}
"""Members of a task that have a requirement of their own, wherever the task stands."""
_NAMED_BY_PLACE: Final = frozenset({"taskId", "status"})
"""Members whose absence is a flaw of the message: what their own requirement says is of a value."""
_WORDED: Final[Mapping[str, str]] = {
    ID: "a taskId that is a string",
    STATUS: "one of the five statuses",
    CREATED_AT: "createdAt, a timestamp",
    UPDATED_AT: "lastUpdatedAt, a timestamp",
    TTL: "ttl, a number of milliseconds or null",
    POLL: "a pollInterval that is a number",
}
_LOOSE_NUMBER = "the schema has a number without a minimum, yet no time is shorter than none"


@dataclass(frozen=True, slots=True)
class _Message:
    """One value that shows tasks, and how it is judged."""

    requirement: str
    shape: str
    value: JsonValue
    what: str
    tasks: tuple[tuple[str, JsonValue], ...]
    """Where tasks stand in it, as JSON pointers, and what stands there."""


class ShapeJudge:
    """Judges results, notifications and the tasks within them against the wire schemas."""

    name = "shape"
    proves: tuple[str, ...] = (CREATE, GET, LIST, CANCEL, NOTIFY, ID, STATUS, CREATED_AT, UPDATED_AT, TTL, POLL)

    def __init__(self, record: Record) -> None:
        self._record = record

    def judge(self, entry: Entry) -> Iterator[Finding]:
        """See Judge."""
        frame = entry.incoming
        message = None if frame is None else _message(frame, entry)
        if message is None:
            return
        if message.requirement == GET and entry.asked is not None:
            yield from _judge_identity(message, entry.asked.frame, entry.index)
        yield from _judge(message, entry.index)


def _message(frame: Frame, entry: Entry) -> _Message | None:
    if frame.kind is FrameKind.NOTIFICATION and frame.method == STATUS_NOTIFICATION:
        params = frame.value.get("params") if isinstance(frame.value, Mapping) else None
        return _Message(NOTIFY, "v1/TaskStatusNotificationParams", params, "a flat Task in params", (("", params),))
    if entry.asked is None or not isinstance(frame.value, Mapping) or "result" not in frame.value or frame.is_error:
        return None
    result, asked = frame.result, entry.asked.frame
    match asked.method:
        case "tasks/get":
            return _Message(GET, "v1/GetTaskResult", result, "a flat Task", (("", result),))
        case "tasks/cancel":
            return _Message(CANCEL, "v1/CancelTaskResult", result, "a flat Task", (("", result),))
        case "tasks/list":
            tasks = result.get("tasks") if isinstance(result, Mapping) else None
            listed = tasks if isinstance(tasks, list) else []
            places = tuple((f"/tasks/{place}", task) for place, task in enumerate(listed))
            return _Message(LIST, "v1/ListTasksResult", result, "tasks, and nextCursor as a string if any", places)
        case method if method in AUGMENTABLE and isinstance(result, Mapping):
            return _created(result, asked)
        case _:
            return None


def _created(result: Mapping[str, JsonValue], asked: Frame) -> _Message | None:
    """A CreateTaskResult, also one whose task is no object; the operation's own result is none."""
    meant = "task" in result and "task" in asked.params and not PLAIN_MEMBERS & result.keys()
    if made_task(result, asked) is None and not meant:
        return None
    return _Message(CREATE, "v1/CreateTaskResult", result, "a Task in result.task", (("/task", result.get("task")),))


def _judge(message: _Message, index: int) -> Iterator[Finding]:
    broken: dict[str, str] = {}
    wrapped = _wrapped(message)
    if wrapped is not None:
        yield failed(message.requirement, message.what, wrapped, index)
        return
    for flaw in shapes.check(message.shape, message.value):
        requirement = _requirement(message, flaw)
        broken.setdefault(requirement, f"{flaw.pointer or 'the whole'} {flaw.problem}")
    for requirement, observed in broken.items():
        yield failed(requirement, _WORDED.get(requirement, message.what), observed, index)
    if message.requirement not in broken and message.tasks:  # an empty list shows nothing
        yield passed(message.requirement, message.what, index)
    for _, task in message.tasks:
        if isinstance(task, Mapping):
            yield from _judge_members(message, task, broken, index)


def _judge_members(
    message: _Message, task: Mapping[str, JsonValue], broken: Mapping[str, str], index: int
) -> Iterator[Finding]:
    """What holds of a task's members, and numbers that are odd without being wrong."""
    for requirement, member in ((ID, "taskId"), (STATUS, "status"), (POLL, "pollInterval"), (TTL, "ttl")):
        if requirement in broken or member not in task or (requirement == TTL and message.requirement != GET):
            continue
        value = task[member]
        if member in ("pollInterval", "ttl") and _is_negative(value):
            expected = f"{member} as a number of milliseconds, not negative"
            yield warned(requirement, expected, f"{member} {shown(value)}", index, because=_LOOSE_NUMBER)
        elif requirement != message.requirement:
            yield passed(requirement, _WORDED[requirement], index)


def _is_negative(value: JsonValue) -> bool:
    return isinstance(value, int | float) and value < 0


def _judge_identity(message: _Message, asked: Frame, index: int) -> Iterator[Finding]:
    """Judge whose the answer is; where metadata of ours led the target astray, v1.get.param-wins is what it broke."""
    wanted = asked.params.get("taskId")
    found = message.value.get("taskId") if isinstance(message.value, Mapping) else None
    if isinstance(found, str) and isinstance(wanted, str) and found not in (wanted, relation(asked.params).task_id):
        yield failed(GET, f"the task that was asked for, {shown(wanted)}", f"the task {shown(found)}", index)


def _wrapped(message: _Message) -> str | None:
    """Why nothing of the members need be told: there is no task where it should be."""
    for pointer, task in message.tasks:
        if not isinstance(task, Mapping) and message.requirement != LIST:
            return f"{pointer or 'the whole'} is {shown(task)}, no object"
        if isinstance(task, Mapping) and not _NAMED_BY_PLACE & task.keys() and message.requirement != LIST:
            members = ", ".join(sorted(task)[:8]) or "none"
            return f"no taskId and no status at {pointer or 'the top level'} (members: {members})"
    return None


def _requirement(message: _Message, flaw: shapes.Flaw) -> str:
    """The most specific requirement that a flaw breaks."""
    for pointer, _ in message.tasks:
        member = flaw.pointer.removeprefix(f"{pointer}/")
        if member == flaw.pointer or "/" in member:
            continue
        if member == "ttl" and message.requirement == GET:
            return TTL
        if flaw.keyword == "required" and member in _NAMED_BY_PLACE:
            return message.requirement
        return _MEMBERS.get(member, message.requirement)
    return message.requirement
