"""What comes of a tools/call that asks for a task, whichever scenario made it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from mcp_tasks_conformance.events import JsonValue
from mcp_tasks_conformance.monitors.capabilities import declares
from mcp_tasks_conformance.monitors.entry import Entry
from mcp_tasks_conformance.monitors.findings import failed, passed
from mcp_tasks_conformance.monitors.memory import Memory
from mcp_tasks_conformance.monitors.observation import Finding
from mcp_tasks_conformance.monitors.record import Record
from mcp_tasks_conformance.monitors.sighting import asks_for_task, made_task
from mcp_tasks_conformance.wire.jsonrpc import Frame

RETURNS_TASK: Final = "v1.create.returns-task"

_TASK_OR_ERROR = "a task, or an error, for a call that asks for a task of a tool that has made one before"


class CreationJudge:
    """Judges the answers of tools that are known, from a task of theirs, to be taken as tasks."""

    name = "creation"
    proves: tuple[str, ...] = (RETURNS_TASK,)

    def __init__(self, record: Record) -> None:
        self._record = record
        self._taken: Memory[str, None] = Memory(20_000)
        """Tools that have made a task."""

    def judge(self, entry: Entry) -> Iterator[Finding]:
        """See Judge."""
        frame, asked = entry.incoming, entry.asked
        if frame is None or asked is None or not isinstance(frame.result, Mapping) or not _plainly_asks(asked.frame):
            return
        tool = str(asked.frame.params.get("name"))
        if made_task(frame.result, asked.frame) is not None:
            self._taken[tool] = None
            yield passed(RETURNS_TASK, _TASK_OR_ERROR, entry.index)
        elif tool in self._taken and _is_tool_result(frame.result) and self._is_declared(entry):
            indices = (asked.index, entry.index) if asked.attempt == entry.attempt else (entry.index,)
            yield failed(RETURNS_TASK, _TASK_OR_ERROR, "the result of the tool", *indices)

    def _is_declared(self, entry: Entry) -> bool:
        """Whether tasks are declared where this came: who declares none takes no notice of what asks for one."""
        handshake = self._record.handshake(entry)
        return handshake is not None and declares(handshake, "tools/call")


def _plainly_asks(request: Frame) -> bool:
    """Whether a tools/call asks for a task in a way that leaves no choice but to make one or to refuse."""
    task = request.params.get("task")
    ttl: JsonValue = task.get("ttl") if isinstance(task, Mapping) else None
    usual = ttl is None or (isinstance(ttl, int | float) and not isinstance(ttl, bool) and ttl > 0)
    return request.method == "tools/call" and asks_for_task(request) and usual


def _is_tool_result(result: Mapping[str, JsonValue]) -> bool:
    """Whether this is what the tool came to; one with isError may be how the receiver refuses."""
    return isinstance(result.get("content"), list) and result.get("isError") is not True
