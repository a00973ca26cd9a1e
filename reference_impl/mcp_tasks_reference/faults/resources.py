"""Faults in queues, memory and durability."""

from __future__ import annotations

from collections.abc import Sequence

from mcp_tasks_reference.courier import Courier
from mcp_tasks_reference.deviation import broken
from mcp_tasks_reference.mailbox import Mailbox, Note, Question
from mcp_tasks_reference.running import Running, Waiter
from mcp_tasks_reference.service import TaskService
from mcp_tasks_reference.store import MemoryStore
from mcp_tasks_reference.store_sqlite import SqliteStore
from mcp_tasks_reference.task import Task

_BALLAST_BYTES = 200_000
_KEPT = 300


@broken("queue-unbounded", "quality.queue-bounded", says="A task's message queue takes any number of messages.")
class QueueUnbounded(Mailbox):
    def is_full(self) -> bool:
        return False


@broken(
    "queue-outlives-cancel",
    "quality.queue-cleared",
    says="The questions of a cancelled task are still delivered.",
)
class QueueOutlivesCancel(TaskService):
    def close_queue(self, running: Running, *, keep_notes: bool, reason: str) -> None:
        pass


@broken(
    "queue-backwards",
    "quality.queue-before-result",
    says="The messages queued for a task are delivered last to first.",
)
class QueueBackwards(Mailbox):
    def letters(self) -> Sequence[Note | Question]:
        return tuple(reversed(super().letters()))


@broken(
    "queue-withheld",
    "quality.queue-before-result",
    says="Notifications queued for a task are not delivered with its result.",
    only=["http"],
)
class QueueWithheld(Courier):
    def catch_up(self, running: Running, waiter: Waiter) -> None:
        for letter in running.mailbox.letters():
            if isinstance(letter, Note):
                running.mailbox.remove(letter)
        super().catch_up(running, waiter)


@broken(
    "tasks-lost",
    "quality.many-tasks",
    says=f"Beyond {_KEPT} tasks the oldest are forgotten.",
    also=["v1.ttl.alive-until"],
)
class TasksLost(MemoryStore):
    async def add(self, task: Task) -> Task:
        kept = await super().add(task)
        if len(self._tasks) > _KEPT:
            await self.remove(next(iter(self._tasks)))
        return kept


@broken(
    "memory-kept",
    "quality.no-leak",
    says="Tasks that have expired go on costing memory.",
    only=["stdio", "http"],
)
class MemoryKept(TaskService):
    _kept: tuple[bytearray, ...] = ()

    async def expire(self, task_id: str) -> None:
        await super().expire(task_id)
        self._kept = (*self._kept, bytearray(b"\x01" * _BALLAST_BYTES))


@broken(
    "store-forgets",
    "quality.restart-survival",
    says="A durable store is emptied when the server starts.",
    only=["stdio", "http"],
)
class StoreForgets(SqliteStore):
    async def open(self) -> Sequence[Task]:
        for task in await super().open():
            await self.remove(task.task_id)
        return ()
