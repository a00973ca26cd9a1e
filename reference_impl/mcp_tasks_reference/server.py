"""The server: its components put together, and the sessions it holds."""

from __future__ import annotations

import uuid

from mcp_tasks_reference.jobs import Jobs
from mcp_tasks_reference.outlet import Outlet
from mcp_tasks_reference.parts import SOUND, Parts
from mcp_tasks_reference.session import Session
from mcp_tasks_reference.settings import Settings
from mcp_tasks_reference.store import TaskStore
from mcp_tasks_reference.task import EVERYONE, Owner


class Server:
    """One server, whatever transports it is reached by."""

    def __init__(self, settings: Settings, parts: Parts = SOUND) -> None:
        self.settings = settings
        self.parts = parts
        self.jobs = Jobs()
        self._opened = False
        clock = parts.clock()
        views = parts.views(clock)
        courier = parts.courier(views)
        self.service = parts.service(
            settings,
            lifecycle=parts.lifecycle(),
            clock=clock,
            ids=parts.ids(),
            store=_store(settings, parts),
            mailbox=parts.mailbox,
            courier=courier,
            jobs=self.jobs,
        )
        capabilities, params = parts.capabilities(settings), parts.params(settings)
        tools = parts.tool_methods(
            parts.toolbox(),
            capabilities=capabilities,
            params=params,
            service=self.service,
            execution=parts.execution(self.service, self.jobs),
            courier=courier,
            questions=parts.questions(),
            views=views,
        )
        tasks = parts.task_methods(
            self.service, capabilities=capabilities, params=params, cursors=parts.cursors(), views=views
        )
        self.dispatcher = parts.dispatcher([parts.core_methods(capabilities), tools, tasks], params, self.jobs)

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
        return self.parts.session(session_id, self.owner_of(session_id, credential, owner), listening)

    def owner_of(self, session_id: str, credential: str | None, owner: Owner | None) -> Owner:
        """Whom the tasks of a session belong to."""
        if self.settings.single_tenant:
            return EVERYONE
        if credential is not None:
            return Owner.by_credential(credential)
        return owner or Owner("session", session_id)

    async def close(self) -> None:
        """End all work."""
        await self.jobs.close()
        await self.service.close()


def _store(settings: Settings, parts: Parts) -> TaskStore:
    if settings.store_path is None:
        return parts.memory_store()
    from mcp_tasks_reference.store_sqlite import SqliteStore

    return SqliteStore(settings.store_path)
