"""Faults in keeping the tasks of different requestors apart."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from mcp_tasks_reference.cursors import Cursors
from mcp_tasks_reference.deviation import broken
from mcp_tasks_reference.jsonrpc import RpcError
from mcp_tasks_reference.ownership import Ownership
from mcp_tasks_reference.service import TaskService
from mcp_tasks_reference.session import Exchange
from mcp_tasks_reference.store import MemoryStore
from mcp_tasks_reference.task import Owner, Task
from mcp_tasks_reference.v1.task_methods import TaskMethods

_CONNECTIONS = ("memory", "http")
_FOREIGN = ("quality.session-isolation", "quality.foreign-as-unknown")


@broken(
    "get-of-anybody",
    "v1.isolation.get",
    says="tasks/get shows a task to whoever knows its id.",
    also=_FOREIGN,
    only=_CONNECTIONS,
)
class GetOfAnybody(TaskMethods):
    async def owner_for_get(self, exchange: Exchange, task_id: str) -> Owner:
        task = await self._service.load(task_id)
        return exchange.session.owner if task is None else task.owner


@broken(
    "result-of-anybody",
    "v1.isolation.result",
    says="tasks/result gives a result to whoever knows the task's id.",
    also=_FOREIGN,
    only=_CONNECTIONS,
)
class ResultOfAnybody(TaskMethods):
    async def owner_for_result(self, exchange: Exchange, task_id: str) -> Owner:
        task = await self._service.load(task_id)
        return exchange.session.owner if task is None else task.owner


@broken(
    "cancel-by-anybody",
    "v1.isolation.cancel",
    says="tasks/cancel cancels a task for whoever knows its id.",
    also=_FOREIGN,
    only=_CONNECTIONS,
)
class CancelByAnybody(TaskMethods):
    async def owner_for_cancel(self, exchange: Exchange, task_id: str) -> Owner:
        task = await self._service.load(task_id)
        return exchange.session.owner if task is None else task.owner


@broken(
    "list-of-everybody",
    "v1.isolation.list",
    says="tasks/list shows the tasks of everybody.",
    also=["quality.session-isolation", "v1.list.unidentified-not-declared"],
    only=_CONNECTIONS,
)
class ListOfEverybody(MemoryStore):
    async def page(self, owner: Owner, after: int, size: int) -> Sequence[Task]:
        later = (task for task in self._tasks.values() if task.number > after)
        return tuple(itertools.islice(later, size))


@broken(
    "cursor-of-anybody",
    "v1.isolation.cursor",
    says="A cursor opens the list of the requestor that it was issued to, whoever sends it.",
    also=["quality.session-isolation", "v1.isolation.list"],
    only=_CONNECTIONS,
)
class CursorOfAnybody(Cursors):
    def __init__(self) -> None:
        super().__init__()
        self._issued: dict[str, tuple[Owner, int]] = {}

    def issue(self, owner: Owner, position: int) -> str:
        cursor = super().issue(owner, position)
        self._issued[cursor] = (owner, position)
        return cursor

    def read(self, owner: Owner, cursor: str) -> tuple[Owner, int]:
        if cursor in self._issued:
            return self._issued[cursor]
        return super().read(owner, cursor)


@broken(
    "sessions-share-tasks",
    "quality.session-isolation",
    "v1.list.unidentified-not-declared",
    says="Sessions without credentials share their tasks.",
    also=["quality.foreign-as-unknown"],
    only=_CONNECTIONS,
)
class SessionsShareTasks(Ownership):
    def of(self, session_id: str, credential: str | None, local: Owner | None) -> Owner:
        return super().of("anybody", credential, local)


@broken(
    "foreign-told-apart",
    "quality.foreign-as-unknown",
    says="Somebody else's task is refused in other words than one that does not exist.",
    only=_CONNECTIONS,
)
class ForeignToldApart(TaskService):
    async def find(self, owner: Owner, task_id: str) -> Task:
        task = await self._store.load(task_id)
        if task is not None and task.owner != owner:
            raise RpcError(-32001, "Forbidden: the task belongs to somebody else")
        return await super().find(owner, task_id)


@broken(
    "tasks-bound-to-session",
    "quality.disconnect-survival",
    says="A task is known to the session that made it only, whatever credential was shown.",
    only=_CONNECTIONS,
)
class TasksBoundToSession(Ownership):
    def of(self, session_id: str, credential: str | None, local: Owner | None) -> Owner:
        return Owner("session", session_id)
