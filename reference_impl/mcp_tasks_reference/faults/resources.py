"""Faults in queues, memory and durability."""

from __future__ import annotations

from collections.abc import Sequence

from mcp_tasks_reference.deviation import broken
from mcp_tasks_reference.jsonrpc import JsonObject
from mcp_tasks_reference.mailbox import Mailbox, Note, Question
from mcp_tasks_reference.outlet import Outlet
from mcp_tasks_reference.running import Running
from mcp_tasks_reference.service import TaskService
from mcp_tasks_reference.session import Exchange
from mcp_tasks_reference.store import MemoryStore
from mcp_tasks_reference.store_sqlite import SqliteStore
from mcp_tasks_reference.task import Task
from mcp_tasks_reference.v1.task_methods import TaskMethods

_BALLAST_BYTES = 600_000
_KEPT = 150


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
    "queue-after-result",
    "quality.queue-before-result",
    says="Of a task's log messages all but the first come after the answer of the tasks/result that waited for them.",
    only=["stdio", "memory"],
)
class QueueAfterResult(TaskMethods):
    async def result(self, exchange: Exchange, params: JsonObject) -> JsonObject:
        holding = _Holding(exchange.outlet)
        exchange.afterwards(holding.let_go)
        return await super().result(Exchange(exchange.session, exchange.request, holding), params)


class _Holding:
    """An outlet that holds log messages back, once one has gone through."""

    def __init__(self, outlet: Outlet) -> None:
        self._outlet = outlet
        self._held: list[JsonObject] = []
        self._seen = 0

    @property
    def is_open(self) -> bool:
        return self._outlet.is_open

    def put(self, message: JsonObject) -> bool:
        self._seen += message.get("method") == "notifications/message"
        if self._seen < 2 or "id" in message:
            return self._outlet.put(message)
        self._held.append(message)
        return True

    def end(self) -> None:
        self._outlet.end()

    def let_go(self) -> None:
        for message in self._held:
            self._outlet.put(message)


@broken(
    "tasks-lost",
    "quality.many-tasks",
    says=f"Beyond {_KEPT} tasks the oldest are forgotten.",
    also=["v1.ttl.alive-until", "v1.ttl.may-override"],
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
