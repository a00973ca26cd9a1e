"""Where tasks are kept: the seam, and the store in memory."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol

from mcp_tasks_reference.task import Owner, Task


class TaskStore(Protocol):
    """Keeps tasks. Whatever a requestor asks for goes through the methods that take an owner."""

    async def open(self) -> Sequence[Task]:
        """Make ready; gives the tasks that an earlier process has left."""

    async def add(self, task: Task) -> Task:
        """Keep a new task and give it its number."""

    async def find(self, owner: Owner, task_id: str) -> Task | None:
        """The owner's task of this id; somebody else's does not exist."""

    async def page(self, owner: Owner, after: int, size: int) -> Sequence[Task]:
        """The owner's first tasks with a number greater than ``after``, in order."""

    async def count(self, owner: Owner) -> int:
        """How many tasks the owner has."""

    async def load(self, task_id: str) -> Task | None:
        """Any task, for the server's own use."""

    async def swap(self, before: Task, after: Task) -> bool:
        """Replace a task, unless it has changed since ``before`` was read."""

    async def remove(self, task_id: str) -> None:
        """Forget a task; an unknown one is no error."""

    async def close(self) -> None:
        """Free what the store holds."""


class MemoryStore:
    """Tasks in a dictionary, gone with the process."""

    def __init__(self) -> None:
        self._tasks: dict[str, Task] = {}
        self._owned: dict[Owner, dict[str, int]] = {}
        self._numbers = itertools.count(1)

    async def open(self) -> Sequence[Task]:
        """Nothing outlives the process."""
        return ()

    async def add(self, task: Task) -> Task:
        """Keep a new task and give it its number."""
        kept = replace(task, number=next(self._numbers))
        self._tasks[kept.task_id] = kept
        self._owned.setdefault(kept.owner, {})[kept.task_id] = kept.number
        return kept

    async def find(self, owner: Owner, task_id: str) -> Task | None:
        """The owner's task of this id."""
        task = self._tasks.get(task_id)
        return task if task is not None and task.owner == owner else None

    async def page(self, owner: Owner, after: int, size: int) -> Sequence[Task]:
        """The owner's tasks past a number; insertion order is the order of numbers."""
        later = (task_id for task_id, number in self._owned.get(owner, {}).items() if number > after)
        return tuple(self._tasks[task_id] for task_id in itertools.islice(later, size))

    async def count(self, owner: Owner) -> int:
        """How many tasks the owner has."""
        return len(self._owned.get(owner, {}))

    async def load(self, task_id: str) -> Task | None:
        """Any task."""
        return self._tasks.get(task_id)

    async def swap(self, before: Task, after: Task) -> bool:
        """Replace a task of a known revision."""
        current = self._tasks.get(before.task_id)
        if current is None or current.revision != before.revision:
            return False
        self._tasks[before.task_id] = after
        return True

    async def remove(self, task_id: str) -> None:
        """Forget a task, and its owner with the last one."""
        task = self._tasks.pop(task_id, None)
        if task is None:
            return
        owned = self._owned[task.owner]
        del owned[task_id]
        if not owned:
            del self._owned[task.owner]

    async def close(self) -> None:
        """Nothing to free."""
