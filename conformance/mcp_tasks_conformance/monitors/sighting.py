"""The task objects that a message shows, wherever in it they stand."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from mcp_tasks_conformance.events import JsonValue
from mcp_tasks_conformance.wire.jsonrpc import Frame, FrameKind

STATUS_NOTIFICATION: Final = "notifications/tasks/status"
LIVE: Final = frozenset({"working", "input_required"})
TERMINAL: Final = frozenset({"completed", "failed", "cancelled"})
AUGMENTABLE: Final = frozenset({"tools/call", "sampling/createMessage", "elicitation/create"})
"""Requests that a task can be asked for."""
PLAIN_MEMBERS: Final = frozenset({"content", "action"})
"""Members of the results that tools/call, sampling and elicitation have without tasks."""


class Place(StrEnum):
    """Which message shows the task."""

    CREATE = "the answer that made the task"
    GET = "tasks/get"
    CANCEL = "tasks/cancel"
    LIST = "tasks/list"
    NOTIFY = STATUS_NOTIFICATION


@dataclass(frozen=True, slots=True)
class Sighting:
    """One task as one message shows it."""

    place: Place
    task: Mapping[str, JsonValue]
    task_id: str

    @property
    def status(self) -> str | None:
        """The status, where it is one of the five."""
        status = self.task.get("status")
        return status if isinstance(status, str) and status in LIVE | TERMINAL else None

    @property
    def ended(self) -> bool:
        """Whether it shows the task at its end."""
        return self.status in TERMINAL


def sightings(frame: Frame, request: Frame | None) -> tuple[Sighting, ...]:
    """The tasks that a message of the target shows; ``request`` is the request of ours that it answers."""
    if frame.kind is FrameKind.NOTIFICATION and frame.method == STATUS_NOTIFICATION:
        return tuple(_seen(Place.NOTIFY, frame.params))
    result = frame.result
    if frame.kind is not FrameKind.RESPONSE or request is None or not isinstance(result, Mapping):
        return ()
    match request.method:
        case "tasks/get" | "tasks/cancel":
            # An answer about another task than the one asked for is a flaw of its own and says nothing of either.
            about = result.get("taskId") == request.params.get("taskId")
            return tuple(_seen(Place(request.method), result)) if about else ()
        case "tasks/list":
            tasks = result.get("tasks")
            listed = tasks if isinstance(tasks, list) else []
            return tuple(seen for task in listed for seen in _seen(Place.LIST, task))
        case _:
            made = made_task(result, request)
            return () if made is None else tuple(_seen(Place.CREATE, made))


def made_task(result: Mapping[str, JsonValue], request: Frame) -> Mapping[str, JsonValue] | None:
    """The task of a CreateTaskResult; none where the result is another.

    Results are open objects: a plain one may have a member of that name, and is told by what else it holds.
    """
    task = result.get("task")
    if request.method not in AUGMENTABLE or not isinstance(task, Mapping):
        return None
    if asks_for_task(request) or (isinstance(task.get("taskId"), str) and not PLAIN_MEMBERS & result.keys()):
        return task
    return None


def asks_for_task(request: Frame) -> bool:
    """Whether a request is augmented with a task."""
    return isinstance(request.params.get("task"), Mapping)


def _seen(place: Place, task: JsonValue) -> Iterator[Sighting]:
    if isinstance(task, Mapping) and isinstance(task_id := task.get("taskId"), str):
        yield Sighting(place, task, task_id)
