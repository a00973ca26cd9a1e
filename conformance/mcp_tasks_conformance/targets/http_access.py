"""Connections to one HTTP endpoint, which share what carries them."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING
from weakref import WeakSet

from mcp_tasks_conformance.targets.errors import UnreachableTarget
from mcp_tasks_conformance.wire.client_pool import ClientPool

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mcp_tasks_conformance.wire.open_sessions import OpenSessions
    from mcp_tasks_conformance.wire.transport import Sink, Transport

WRONG_PATH = "is the path right? MCP servers mostly answer at /mcp"


class HttpAccess:
    """A URL with the headers that go with every request."""

    def __init__(self, url: str, headers: Mapping[str, str], left_open: OpenSessions | None = None) -> None:
        """``left_open`` is told of the sessions that are not over when their connections are closed."""
        self._url = url
        self._left_open = left_open
        self._headers = dict(headers)
        self._clients = ClientPool()
        self._open: WeakSet[Transport] = WeakSet()

    def open(self, sink: Sink, headers: Mapping[str, str], session_of: Transport | None) -> Transport:
        """Make a connection whose own headers go before those of the target, or join the session of another.

        Raises:
            UnreachableTarget: a header cannot be sent.
        """
        from mcp_tasks_conformance.wire.http import HttpTransport

        assert session_of is None or isinstance(session_of, HttpTransport)
        own = {name.lower() for name in headers}
        both = {name: value for name, value in self._headers.items() if name.lower() not in own} | dict(headers)
        try:
            transport = HttpTransport(
                self._url,
                sink,
                headers=both,
                client_pool=self._clients,
                session_of=session_of,
                left_open=self._left_open,
            )
        except ValueError as error:
            raise UnreachableTarget(str(error)) from error
        self._open.add(transport)
        return transport

    async def close(self) -> None:
        """End all connections, those that somebody still has too."""
        try:
            async with asyncio.TaskGroup() as closing:
                for transport in self._open:
                    closing.create_task(transport.close())
        finally:
            await self._clients.close()
