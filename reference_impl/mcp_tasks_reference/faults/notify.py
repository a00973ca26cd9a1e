"""Faults in status notifications."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import ClassVar

from mcp_tasks_reference.courier import Courier
from mcp_tasks_reference.deviation import broken
from mcp_tasks_reference.execution import Execution
from mcp_tasks_reference.jsonrpc import JsonObject
from mcp_tasks_reference.lifecycle import ENDS, Status
from mcp_tasks_reference.outlet import Outlet
from mcp_tasks_reference.running import Running
from mcp_tasks_reference.service import TaskService
from mcp_tasks_reference.session import Session
from mcp_tasks_reference.task import Outcome, Owner, Task
from mcp_tasks_reference.v1.views import Views


@broken(
    "notification-in-part",
    "v1.notify.schema",
    says="Status notifications carry the id and the status only.",
    also=["v1.time.created-at", "v1.time.last-updated-at"],
)
class NotificationInPart(Views):
    def status(self, task: Task) -> JsonObject:
        return {"taskId": task.task_id, "status": task.status.value}


@broken(
    "notification-with-related-task",
    "v1.notify.no-related-task",
    says="Status notifications carry related-task metadata.",
)
class NotificationWithRelatedTask(Views):
    def status(self, task: Task) -> JsonObject:
        return {**super().status(task), "_meta": self.related(task.task_id)}


@broken(
    "notification-lies",
    "v1.notify.truthful",
    says="After a task's end a notification says that it works.",
    also=["v1.status.terminal-final", "v1.status.transitions"],
)
class NotificationLies(Courier):
    def tell_status(self, running: Running, task: Task) -> None:
        super().tell_status(running, task)
        if task.status in ENDS:
            later = replace(task, status=Status.WORKING, updated_at=task.updated_at + 0.001)
            super().tell_status(running, later)


@broken(
    "notification-to-all",
    "v1.notify.only-owner",
    says="Status notifications go to every session that has a task.",
    also=["base.http-one-stream", "quality.session-isolation"],
    only=["memory", "http"],
)
class NotificationToAll(TaskService):
    def tell(self, running: Running, task: Task) -> None:
        sessions = {other.session: other for other in self._running.values()}
        for other in sessions.values():
            self._courier.tell_status(other, task)


@broken(
    "notification-to-sessions",
    "quality.session-isolation",
    says="Status notifications of a task without an owner go to every session without credentials.",
    also=["base.http-one-stream"],
    only=["memory", "http"],
)
class NotificationToSessions(Session):
    _all: ClassVar[list[Session]]

    def __init_subclass__(cls) -> None:
        cls._all = []  # those of one server

    def __init__(self, session_id: str, owner: Owner, listening: Outlet) -> None:
        super().__init__(session_id, owner, listening)
        if owner.kind == "session":
            self._all.append(self)

    def notify(self, method: str, params: JsonObject, outlet: Outlet | None = None) -> bool:
        if method != "notifications/tasks/status" or self not in self._all:
            return super().notify(method, params, outlet)
        return max([Session.notify(session, method, params) for session in self._all])


@broken(
    "ends-when-heard",
    "v1.notify.may-send",
    says="A task whose requestor listens to nothing when its work is done never ends.",
    also=["quality.disconnect-survival", "v1.result.wakes", "base.answers"],
    only=["http"],
)
class EndsWhenHeard(Execution):
    async def end(self, running: Running, outcome: Outcome) -> None:
        if not running.session.listening.is_open:
            await asyncio.get_running_loop().create_future()
        await super().end(running, outcome)
