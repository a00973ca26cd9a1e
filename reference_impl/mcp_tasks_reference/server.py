"""The server: its components put together, and the sessions it holds."""

from __future__ import annotations

import uuid

from mcp_tasks_reference.behaviours import Toolbox
from mcp_tasks_reference.calls import Calls, TaskCall
from mcp_tasks_reference.clock import LoopClock
from mcp_tasks_reference.courier import Courier
from mcp_tasks_reference.cursors import Cursors
from mcp_tasks_reference.dispatcher import Dispatcher
from mcp_tasks_reference.execution import Execution
from mcp_tasks_reference.ids import TaskIds
from mcp_tasks_reference.jobs import Jobs
from mcp_tasks_reference.lifecycle import Lifecycle
from mcp_tasks_reference.mailbox import Mailbox
from mcp_tasks_reference.outlet import Outlet
from mcp_tasks_reference.ownership import Ownership
from mcp_tasks_reference.parts import SOUND, Parts
from mcp_tasks_reference.questions import Questions
from mcp_tasks_reference.service import TaskService
from mcp_tasks_reference.session import Session
from mcp_tasks_reference.settings import Settings
from mcp_tasks_reference.store import MemoryStore, TaskStore
from mcp_tasks_reference.task import Owner
from mcp_tasks_reference.v1.capabilities import Capabilities
from mcp_tasks_reference.v1.core_methods import CoreMethods
from mcp_tasks_reference.v1.params import Params
from mcp_tasks_reference.v1.task_methods import TaskMethods
from mcp_tasks_reference.v1.tool_methods import ToolMethods
from mcp_tasks_reference.v1.views import Views


class Server:
    """One server, whatever transports it is reached by."""

    def __init__(self, settings: Settings, parts: Parts = SOUND) -> None:
        self.settings = settings
        self.parts = parts
        self.jobs = Jobs()
        self._opened = False
        self._session = parts.of(Session)
        self._ownership = parts.of(Ownership)(settings)
        clock = parts.of(LoopClock)()
        views = parts.of(Views)(clock)
        courier = parts.of(Courier)(views)
        self.service = parts.of(TaskService)(
            settings,
            lifecycle=parts.of(Lifecycle)(),
            clock=clock,
            ids=parts.of(TaskIds)(),
            store=_store(settings, parts),
            mailbox=parts.of(Mailbox),
            courier=courier,
            jobs=self.jobs,
        )
        capabilities, params = parts.of(Capabilities)(settings), parts.of(Params)(settings)
        tools = parts.of(ToolMethods)(
            parts.of(Toolbox)(),
            capabilities=capabilities,
            params=params,
            service=self.service,
            execution=parts.of(Execution)(self.service, self.jobs),
            calls=parts.of(Calls)(self.service, courier, parts.of(Questions)(), parts.of(TaskCall)),
            views=views,
        )
        tasks = parts.of(TaskMethods)(
            self.service, capabilities=capabilities, params=params, cursors=parts.of(Cursors)(), views=views
        )
        core = parts.of(CoreMethods)(capabilities)
        self.dispatcher = parts.of(Dispatcher)([core, tools, tasks], params, self.jobs)

    async def open(self) -> None:
        """Make ready to serve; safe to call again."""
        if not self._opened:
            self._opened = True
            await self.service.open()

    def open_session(self, listening: Outlet, *, credential: str | None = None, owner: Owner | None = None) -> Session:
        """Begin a session; its tasks belong to its credential if it has one, else to itself.

        Args:
            listening: The way to the client for what belongs to no request.
            credential: What the client showed.
            owner: Whom the session acts for, where the transport knows that better.
        """
        session_id = str(uuid.uuid4())
        return self._session(session_id, self._ownership.of(session_id, credential, owner), listening)

    async def close(self) -> None:
        """End all work."""
        await self.jobs.close()
        await self.service.close()


def _store(settings: Settings, parts: Parts) -> TaskStore:
    if settings.store_path is None:
        return parts.of(MemoryStore)()
    from mcp_tasks_reference.store_sqlite import SqliteStore

    return parts.of(SqliteStore)(settings.store_path)
