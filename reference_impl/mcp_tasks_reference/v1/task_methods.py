"""tasks/get, tasks/result, tasks/list and tasks/cancel."""

from __future__ import annotations

from collections.abc import Mapping

from mcp_tasks_reference.cursors import Cursors
from mcp_tasks_reference.jsonrpc import INVALID_PARAMS, JsonObject, RpcError
from mcp_tasks_reference.running import Waiter
from mcp_tasks_reference.service import TaskService
from mcp_tasks_reference.session import Exchange, Session
from mcp_tasks_reference.task import Owner, Task
from mcp_tasks_reference.v1.capabilities import Capabilities
from mcp_tasks_reference.v1.core_methods import Method
from mcp_tasks_reference.v1.params import Params
from mcp_tasks_reference.v1.views import Views


class TaskMethods:
    """What requestors ask of their tasks.

    Spec: basic/utilities/tasks#protocol-messages
    """

    def __init__(
        self, service: TaskService, *, capabilities: Capabilities, params: Params, cursors: Cursors, views: Views
    ) -> None:
        self._service = service
        self._capabilities = capabilities
        self._params = params
        self._cursors = cursors
        self._views = views

    def offered(self, session: Session) -> Mapping[str, Method]:
        """What may be called follows from what was declared."""
        if not self._capabilities.has_tasks(session.version):
            return {}
        offered: dict[str, Method] = {"tasks/get": self.get, "tasks/result": self.result}
        if self._capabilities.serves_list(session.version):
            offered["tasks/list"] = self.list_tasks
        if self._capabilities.serves_cancel(session.version):
            offered["tasks/cancel"] = self.cancel
        return offered

    async def get(self, exchange: Exchange, params: JsonObject) -> JsonObject:
        """The task as it stands."""
        task_id = self._params.task_id(params)
        task = await self._service.find(await self.owner_for_get(exchange, task_id), task_id)
        return self._views.got(task)

    async def result(self, exchange: Exchange, params: JsonObject) -> JsonObject:
        """Wait for the task's end, then answer what its request would have been answered."""
        task_id = self._params.task_id(params)
        owner = await self.owner_for_result(exchange, task_id)
        task = await self._service.await_end(owner, task_id, Waiter(exchange.session, exchange.outlet))
        return await self.outcome(task)

    async def outcome(self, task: Task) -> JsonObject:
        """The end of a task's request: its result, or its error raised."""
        if task.outcome is None:
            raise RpcError(INVALID_PARAMS, f"The task has no result: it is {task.status.value}")
        if task.outcome.result is None:
            raise task.outcome.error or RpcError(INVALID_PARAMS, "The task has no result")
        return self._views.result(task, task.outcome.result)

    async def list_tasks(self, exchange: Exchange, params: JsonObject) -> JsonObject:
        """A page of the requestor's tasks."""
        owner = exchange.session.owner
        cursor = self._params.cursor(params)
        after = 0
        if cursor is not None:
            owner, after = self._cursors.read(owner, cursor)
        tasks, position = await self._service.page(owner, after)
        return self._views.listed(tasks, None if position is None else self._cursors.issue(owner, position))

    async def cancel(self, exchange: Exchange, params: JsonObject) -> JsonObject:
        """Cancel a task that has not ended."""
        task_id = self._params.task_id(params)
        task = await self._service.cancel(await self.owner_for_cancel(exchange, task_id), task_id)
        return self._views.cancelled(task)

    async def owner_for_get(self, exchange: Exchange, task_id: str) -> Owner:  # noqa: ARG002
        """Whose tasks may be looked at."""
        return exchange.session.owner

    async def owner_for_result(self, exchange: Exchange, task_id: str) -> Owner:  # noqa: ARG002
        """Whose results may be fetched."""
        return exchange.session.owner

    async def owner_for_cancel(self, exchange: Exchange, task_id: str) -> Owner:  # noqa: ARG002
        """Whose tasks may be cancelled."""
        return exchange.session.owner
