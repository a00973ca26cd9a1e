"""What a task asks of its requestor: only what the requestor declared at initialization.

Spec: lifecycle#operation; the modes of elicitation: client/elicitation#capabilities of 2025-11-25.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from mcp_tasks_conformance.events import JsonValue
from mcp_tasks_conformance.monitors.entry import Entry
from mcp_tasks_conformance.monitors.findings import failed, passed
from mcp_tasks_conformance.monitors.observation import Finding
from mcp_tasks_conformance.monitors.record import Record
from mcp_tasks_conformance.monitors.relation import relation
from mcp_tasks_conformance.wire.jsonrpc import Frame, FrameKind

ONLY_DECLARED: Final = "v1.input.only-declared"

_DECLARED = "requests of a kind that the requestor declared at initialization"


class InputsJudge:
    """Judges requests that name their task, on a connection of the session that had the task made."""

    name = "inputs"
    proves: tuple[str, ...] = (ONLY_DECLARED,)

    def __init__(self, record: Record) -> None:
        self._record = record

    def judge(self, entry: Entry) -> Iterator[Finding]:
        """See Judge."""
        frame, handshake = entry.incoming, self._record.handshake(entry)
        if frame is None or frame.kind is not FrameKind.REQUEST or handshake is None:
            return
        needed = _needed(frame)
        task_id = relation(frame.params).task_id
        made = self._record.tasks.get(task_id) if task_id is not None else None
        # Another session of the same requestor may have declared more, and the task was made for that one.
        if needed is None or (made is not None and made.session != entry.observation.session) or task_id is None:
            return
        if _declares(handshake.ours, needed):
            yield passed(ONLY_DECLARED, _DECLARED, entry.index)
        else:
            observed = f"{frame.method}, and {' '.join(needed)} was not declared"
            yield failed(ONLY_DECLARED, _DECLARED, observed, entry.index)


def _needed(frame: Frame) -> tuple[str, ...] | None:
    """The capability that a request needs, and below it the mode."""
    if frame.method == "sampling/createMessage":
        return ("sampling",)
    if frame.method == "elicitation/create":
        mode = frame.params.get("mode", "form")
        return ("elicitation", mode) if mode in ("form", "url") and isinstance(mode, str) else ("elicitation",)
    return None


def _declares(capabilities: Mapping[str, JsonValue], needed: tuple[str, ...]) -> bool:
    declared = capabilities.get(needed[0])
    if declared is None or declared is False:
        return False
    if len(needed) == 1 or not isinstance(declared, Mapping):
        return True
    plain = not {"form", "url"} & declared.keys()  # an object that names no mode stands for form
    return needed[1] in declared or (plain and needed[1] == "form")
