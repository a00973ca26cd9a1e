"""Error answers to the task methods: that they say what was wrong, and that a failure inside is told as one."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

from mcp_tasks_conformance.counting import counted
from mcp_tasks_conformance.monitors.entry import Asked, Entry
from mcp_tasks_conformance.monitors.findings import failed, passed, shown, warned
from mcp_tasks_conformance.monitors.memory import Memory
from mcp_tasks_conformance.monitors.observation import Finding
from mcp_tasks_conformance.monitors.record import Record
from mcp_tasks_conformance.wire.jsonrpc import Frame

INFORMATIVE: Final = "v1.error.informative"
INTERNAL: Final = "v1.error.internal"
INTERNAL_ERROR: Final = -32603
_REFUSALS: Final = frozenset({-32600, -32601, -32602})
"""Codes that blame the request: it may have been late, after a ttl or after a cancellation."""

_SENTENCE = "a short message that says what was wrong"
_CODED = f"a failure inside answered with code {INTERNAL_ERROR}"
_LONGEST: Final = 1000
"""Characters; a single sentence is asked for, a list of what a validator found is let pass."""
_TRACE = re.compile(
    r"Traceback \(most recent call last\)"
    r"|\bat [^\n]*(?:\.[cm]?[jt]sx?|\bnode:[\w/]+|<anonymous>):\d+:\d+"
    r"|\bat [^\n]+(?:\.(?:java|kt|scala):\d+|\.cs:line \d+)"
    r"|File \"[^\"\n]+\", line \d+"
    r"|\bgoroutine \d+ \["
    r"|\bpanicked at "
)
_FAILURE = re.compile(
    r"\binternal (?:server )?error\b|\bunhandled (?:error|exception|rejection)\b|\bNullPointerException\b"
    r"|\b(?:Type|Key|Attribute|Reference|Assertion)Error\b|\bCannot read propert|\bnil pointer dereference\b"
    r"|\b(?:database|store|disk) (?:is |was )?(?:locked|full|closed|corrupt|unavailable|unreachable|down)\b"
    r"|\b(?:ECONNREFUSED|ENOSPC|EIO)\b|\bdeadlock\b|\bout of memory\b",
    re.IGNORECASE,
)
"""What implementations say when something broke in them, and do not say of a request that they refuse."""


class ErrorsJudge:
    """Judges errors of the task methods.

    That of tasks/result may be the outcome of the task's own request: it is judged only where nobody has the task.
    """

    name = "errors"
    proves: tuple[str, ...] = (INFORMATIVE, INTERNAL)

    def __init__(self, record: Record) -> None:
        self._record = record
        self._cursors: Memory[tuple[str, str], None] = Memory(20_000)
        """Cursors that the target gave, by scope."""

    def judge(self, entry: Entry) -> Iterator[Finding]:
        """See Judge."""
        frame, asked = entry.incoming, entry.asked
        if frame is not None and asked is not None and asked.frame.method == "tasks/list":
            self._note_cursor(entry, frame)
        error = frame.error if frame is not None and asked is not None else None
        message = error.get("message") if isinstance(error, Mapping) else None
        if frame is None or asked is None or not isinstance(message, str) or not self._is_protocol_error(asked):
            return
        yield _judge_message(message, asked, entry.index)
        if not self._was_in_order(asked, entry) or not (_FAILURE.search(message) or _TRACE.search(message)):
            return
        if frame.error_code == INTERNAL_ERROR:
            yield passed(INTERNAL, _CODED, entry.index)
        elif frame.error_code not in _REFUSALS:
            yield failed(INTERNAL, _CODED, f"code {shown(frame.error_code)}: {shown(message)}", entry.index)

    def _note_cursor(self, entry: Entry, frame: Frame) -> None:
        cursor = frame.result.get("nextCursor") if isinstance(frame.result, Mapping) else None
        if isinstance(cursor, str):
            self._cursors[entry.scope, cursor] = None

    def _is_protocol_error(self, asked: Asked) -> bool:
        """Whether an error cannot be the outcome of the task itself."""
        if asked.frame.method == "tasks/result":
            task_id = asked.frame.params.get("taskId")
            return not isinstance(task_id, str) or not (task_id in self._record.tasks or self._record.tasks.forgot)
        return asked.frame.method in ("tasks/get", "tasks/list", "tasks/cancel")

    def _was_in_order(self, asked: Asked, entry: Entry) -> bool:
        """Whether the request asked for something that its sender may ask for: then an error is no refusal.

        A cancellation may always be refused, and the refusal may tell how the task had failed.
        """
        params = asked.frame.params
        if asked.frame.method == "tasks/list":
            cursor = params.get("cursor")
            known = isinstance(cursor, str) and (entry.scope, cursor) in self._cursors
            return known or "cursor" not in params  # null may count as a wrong one
        task_id = params.get("taskId") if asked.frame.method == "tasks/get" else None
        made = self._record.tasks.get(task_id) if isinstance(task_id, str) else None
        return made is not None and made.scope == entry.scope


def _judge_message(message: str, asked: Asked, index: int) -> Finding:
    task_id = asked.frame.params.get("taskId")
    said = message.replace(task_id, "") if isinstance(task_id, str) and task_id else message
    if not message.strip():
        return warned(INFORMATIVE, _SENTENCE, "an empty message", index)
    if _TRACE.search(said):
        return warned(INFORMATIVE, _SENTENCE, f"a stack trace: {shown(message)}", index)
    if len(said) > _LONGEST:
        return warned(INFORMATIVE, _SENTENCE, f"a message of {counted(len(message), 'character')}", index)
    return passed(INFORMATIVE, _SENTENCE, index)
