"""What the target declares, and whether it goes by it: the tasks capability, taskSupport, tasks nobody asked for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from mcp_tasks_conformance.events import JsonValue
from mcp_tasks_conformance.monitors.entry import Entry
from mcp_tasks_conformance.monitors.findings import failed, passed, shown
from mcp_tasks_conformance.monitors.memory import Memory
from mcp_tasks_conformance.monitors.observation import Finding
from mcp_tasks_conformance.monitors.record import Handshake, Record
from mcp_tasks_conformance.monitors.sighting import AUGMENTABLE, asks_for_task, made_task

DECLARED: Final = "v1.capability.declared"
SHAPE: Final = "v1.capability.shape"
SUPPORT: Final = "v1.tool.support-values"
ONLY_IF_ASKED: Final = "v1.create.only-if-asked"

_PATHS: Final[Mapping[str, tuple[str, ...]]] = {
    "tools/call": ("tools", "call"),
    "sampling/createMessage": ("sampling", "createMessage"),
    "elicitation/create": ("elicitation", "create"),
}
"""Where, below tasks.requests, each request type is declared."""
_SUPPORTS: Final = ("required", "optional", "forbidden")
_SHAPE = "objects where capabilities.tasks, its list, cancel, requests and what is in them are present"
_SUPPORT = f"taskSupport as one of {', '.join(_SUPPORTS)}"
_PLAIN = "no task for a request without `task`"


class CapabilitiesJudge:
    """Judges declarations, and answers by what was declared."""

    name = "capabilities"

    def __init__(self, record: Record, *, host: str) -> None:
        self._record = record
        self._methods = ("tools/call",) if host == "server" else ("sampling/createMessage", "elicitation/create")
        tools = (SUPPORT,) if host == "server" else ()
        self.proves: tuple[str, ...] = (DECLARED, SHAPE, ONLY_IF_ASKED, *tools)
        self._told: Memory[tuple[str, int], None] = Memory(20_000)
        """Connections whose handshake has been judged, by attempt: the resident one of stdio serves many."""

    def judge(self, entry: Entry) -> Iterator[Finding]:
        """See Judge."""
        handshake = self._record.handshake(entry)
        place = entry.connection, entry.attempt
        if handshake is not None and place not in self._told:
            self._told[place] = None
            yield from self._judge_shape(handshake, entry)
        frame, asked = entry.incoming, entry.asked
        if frame is None or asked is None or frame.is_error or not isinstance(frame.result, Mapping):
            return
        if asked.frame.method == "tools/list" and SUPPORT in self.proves:
            yield from _judge_support(frame.result, entry.index)
        elif asked.frame.method in AUGMENTABLE:
            task = made_task(frame.result, asked.frame)
            if task is not None and handshake is not None:
                yield _judge_declared(asked.frame.method, handshake, entry.index)
            if not asks_for_task(asked.frame) and asked.frame.params.get("task") is None:
                yield from _judge_unasked(frame.result, task, entry.index)

    def _judge_shape(self, handshake: Handshake, entry: Entry) -> Iterator[Finding]:
        if "tasks" not in handshake.theirs:
            return
        indices = (handshake.index,) if handshake.attempt == entry.attempt else ()
        paths = [("tasks",), ("tasks", "list"), ("tasks", "cancel"), ("tasks", "requests")]
        for method in self._methods:
            group, leaf = _PATHS[method]
            paths += [("tasks", "requests", group), ("tasks", "requests", group, leaf)]
        for path in dict.fromkeys(paths):
            present, value = _at(handshake.theirs, path)
            if present and not isinstance(value, Mapping):
                yield failed(SHAPE, _SHAPE, f"{'.'.join(path)} is {shown(value)}", *indices)
                return
        yield passed(SHAPE, _SHAPE, *indices)


def declares(handshake: Handshake, method: str) -> bool:
    """Whether the target declares that it takes requests of that method as tasks."""
    present, value = _at(handshake.theirs, ("tasks", "requests", *_PATHS[method]))
    return present and value is not None and value is not False


def _judge_declared(method: str, handshake: Handshake, index: int) -> Finding:
    path = ("tasks", "requests", *_PATHS[method])
    expected = f"{'.'.join(path)} declared by who takes {method} as a task"
    if declares(handshake, method):
        return passed(DECLARED, expected, index)
    return failed(DECLARED, expected, f"{method} was taken as a task, and that is not declared", index)


def _judge_unasked(
    result: Mapping[str, JsonValue], task: Mapping[str, JsonValue] | None, index: int
) -> Iterator[Finding]:
    if task is not None:
        yield failed(ONLY_IF_ASKED, _PLAIN, f"the task {shown(task.get('taskId'))}", index)
    elif result.keys() - {"_meta"}:  # an empty answer shows nothing
        yield passed(ONLY_IF_ASKED, _PLAIN, index)


def _judge_support(result: Mapping[str, JsonValue], index: int) -> Iterator[Finding]:
    tools = result.get("tools")
    stated = False
    for tool in tools if isinstance(tools, list) else []:
        execution = tool.get("execution") if isinstance(tool, Mapping) else None
        if not isinstance(execution, Mapping) or "taskSupport" not in execution:
            continue
        stated = True
        if execution["taskSupport"] not in _SUPPORTS:
            observed = f"{shown(execution['taskSupport'])} on the tool {shown(tool.get('name'))}"
            yield failed(SUPPORT, _SUPPORT, observed, index)
            return
    if stated:
        yield passed(SUPPORT, _SUPPORT, index)


def _at(value: JsonValue, path: tuple[str, ...]) -> tuple[bool, JsonValue]:
    """Whether there is a member at the path, and what it is."""
    for step in path:
        if not isinstance(value, Mapping) or step not in value:
            return False, None
        value = value[step]
    return True, value
