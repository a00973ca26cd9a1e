"""Faults of tasks/list."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from mcp_tasks_reference.cursors import Cursors
from mcp_tasks_reference.deviation import broken
from mcp_tasks_reference.jsonrpc import JsonObject, RpcError
from mcp_tasks_reference.lifecycle import ENDS, Status
from mcp_tasks_reference.service import TaskService
from mcp_tasks_reference.task import Owner, Task
from mcp_tasks_reference.v1.views import Views


@broken(
    "list-as-map",
    "v1.list.schema",
    says="tasks/list answers the tasks by their ids, not in an array.",
    also=["v1.list.complete", "v1.list.next-cursor", "v1.list.paginates"],
)
class ListAsMap(Views):
    def listed(self, tasks: Sequence[Task], next_cursor: str | None) -> JsonObject:
        return {**super().listed(tasks, next_cursor), "tasks": {task.task_id: self.task(task) for task in tasks}}


@broken("list-null-cursor", "v1.list.schema", says="The last page of tasks/list has the nextCursor null.")
class ListNullCursor(Views):
    def listed(self, tasks: Sequence[Task], next_cursor: str | None) -> JsonObject:
        return {**super().listed(tasks, next_cursor), "nextCursor": next_cursor}


@broken(
    "list-stale",
    "v1.status.terminal-final",
    says="tasks/list shows tasks as they were when they were made.",
    also=["v1.status.transitions", "v1.time.last-updated-at"],
)
class ListStale(Views):
    def listed(self, tasks: Sequence[Task], next_cursor: str | None) -> JsonObject:
        as_made = [replace(task, status=Status.WORKING, updated_at=task.created_at) for task in tasks]
        return super().listed(as_made, next_cursor)


@broken(
    "list-shows-nothing",
    "v1.list.complete",
    says="tasks/list shows no task to anybody.",
    also=["v1.list.next-cursor"],
    unseen=[
        "v1.create.only-if-asked",
        "v1.isolation.list",
        "v1.isolation.cursor",
        "v1.list.unidentified-not-declared",
        "v1.list.paginates",
        "quality.session-isolation",
    ],
)
class ListShowsNothing(TaskService):
    async def page(self, owner: Owner, after: int) -> tuple[Sequence[Task], int | None]:
        return [], None


@broken(
    "list-omits-ended",
    "v1.list.complete",
    says="tasks/list leaves out tasks that have ended.",
    also=["v1.list.next-cursor"],
)
class ListOmitsEnded(TaskService):
    async def page(self, owner: Owner, after: int) -> tuple[Sequence[Task], int | None]:
        tasks, position = await super().page(owner, after)
        return [task for task in tasks if task.status not in ENDS], position


@broken(
    "list-breaks-off",
    "v1.list.next-cursor",
    says="tasks/list shows one page and no cursor to the next.",
    also=["v1.list.complete"],
)
class ListBreaksOff(Views):
    def listed(self, tasks: Sequence[Task], next_cursor: str | None) -> JsonObject:
        return super().listed(tasks, None)


@broken(
    "list-in-circles",
    "v1.list.next-cursor",
    says="Every cursor of tasks/list leads to the first page.",
    also=["v1.list.complete"],
)
class ListInCircles(Cursors):
    def read(self, owner: Owner, cursor: str) -> tuple[Owner, int]:
        return super().read(owner, cursor)[0], 0


@broken("list-on-one-page", "v1.list.paginates", says="tasks/list shows all tasks at once, however many.")
class ListOnOnePage(TaskService):
    def page_size(self) -> int:
        return self._settings.max_tasks


@broken(
    "bad-cursor-first-page",
    "v1.list.bad-cursor",
    says="tasks/list takes a cursor that it never issued for none.",
)
class BadCursorFirstPage(Cursors):
    def read(self, owner: Owner, cursor: str) -> tuple[Owner, int]:
        try:
            return super().read(owner, cursor)
        except RpcError:
            return owner, 0


@broken("list-with-related-task", "v1.list.no-related-task", says="tasks/list answers with related-task metadata.")
class ListWithRelatedTask(Views):
    def listed(self, tasks: Sequence[Task], next_cursor: str | None) -> JsonObject:
        page = super().listed(tasks, next_cursor)
        return {**page, "_meta": self.related(tasks[0].task_id)} if tasks else page
