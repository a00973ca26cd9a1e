"""The part of a task that lives only in this process."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

from mcp_tasks_reference.jsonrpc import JsonObject, Request, RequestId
from mcp_tasks_reference.mailbox import Mailbox
from mcp_tasks_reference.outlet import Outlet
from mcp_tasks_reference.session import Session


@dataclass(eq=False, slots=True)
class Waiter:
    """A tasks/result that waits for the end, and the stream it can be told things on meanwhile."""

    session: Session
    outlet: Outlet


@dataclass(eq=False, slots=True)
class Running:
    """A task's work, its queue and those who wait for it."""

    task_id: str
    session: Session
    """The session that made the task: status, progress and unasked questions go there."""
    mailbox: Mailbox
    request: Request
    """The request that made the task."""
    began: float
    """When, by the event loop's clock."""
    over: bool = False
    """Whether the task has ended: nothing but what is queued is told after that."""
    ended: asyncio.Event = field(default_factory=asyncio.Event)
    job: asyncio.Task[None] | None = None
    stoppable: bool = True
    waiters: list[Waiter] = field(default_factory=list)

    @property
    def params(self) -> JsonObject:
        """Those of the request."""
        return self.request.params if isinstance(self.request.params, dict) else {}

    @property
    def progress_token(self) -> RequestId | None:
        """What its progress is to bear."""
        return self.request.progress_token

    def open_waiter(self) -> Waiter | None:
        """The newest tasks/result whose stream is still there."""
        return next((waiter for waiter in reversed(self.waiters) if waiter.outlet.is_open), None)
