"""The server without a process: it serves whoever hands it a way to receive and to send."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence

from mcp_tasks_reference.conversation import converse
from mcp_tasks_reference.credentials import credential_in
from mcp_tasks_reference.husks.serving import HuskApp
from mcp_tasks_reference.options import build
from mcp_tasks_reference.server import Server


class MemoryApp:
    """One server and its connections."""

    def __init__(self, server: Server) -> None:
        self._server = server

    async def serve(
        self,
        receive: Callable[[], Awaitable[str | None]],
        send: Callable[[str], Awaitable[None]],
        headers: Mapping[str, str],
    ) -> None:
        """Serve one connection until ``receive`` gives None."""
        await converse(self._server, receive, send, credential=credential_in(headers))

    async def close(self) -> None:
        """End everything."""
        await self._server.close()


def create(options: Sequence[str] = ()) -> MemoryApp | HuskApp:
    """Make a server, or a husk, from command line flags."""
    chosen = build(options)
    if chosen.husk is not None:
        return HuskApp(chosen.husk)
    return MemoryApp(Server(chosen.settings, chosen.parts))
