"""Reading the related-task metadata of a message.

Spec: tasks#related-task-metadata of 2025-11-25.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from mcp_tasks_conformance.events import JsonValue
from mcp_tasks_conformance.monitors.findings import shown

KEY: Final = "io.modelcontextprotocol/related-task"


@dataclass(frozen=True, slots=True)
class Relation:
    """What a message says of the task that it belongs to."""

    present: bool
    """Whether the key is there."""
    task_id: str | None = None
    flaw: str | None = None
    """Why it names no task although it means to: the value, or a key that only looks like it."""


def relation(holder: Mapping[str, JsonValue]) -> Relation:
    """Read the metadata from a result or from params."""
    meta = holder.get("_meta")
    if not isinstance(meta, Mapping):
        return Relation(present=False)
    if KEY in meta:
        value = meta[KEY]
        task_id = value.get("taskId") if isinstance(value, Mapping) else None
        if isinstance(task_id, str):
            return Relation(present=True, task_id=task_id)
        return Relation(present=True, flaw=f"{KEY}: {shown(value)}")
    alike = next((key for key in meta if key.endswith("related-task")), None)
    return Relation(present=False, flaw=None if alike is None else f"the key {shown(alike)} instead")
