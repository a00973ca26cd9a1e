"""The HTTP server around the endpoint."""

from __future__ import annotations

import signal
from types import FrameType

import uvicorn

from mcp_tasks_reference.server import Server
from mcp_tasks_reference.transports.http.endpoint import Endpoint
from mcp_tasks_reference.transports.http.gate import Gate
from mcp_tasks_reference.transports.http.listener import listen
from mcp_tasks_reference.transports.http.sessions import SessionBook


class _Uvicorn(uvicorn.Server):
    """Ends open streams as soon as the process is told to end."""

    sessions: SessionBook

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        super().handle_exit(signal.Signals(sig), frame)
        self.sessions.end_all()


async def serve_http(server: Server, host: str, port: int) -> None:
    """Serve ``http://HOST:PORT/mcp`` until the process is told to end."""
    listener = listen(host, port)
    sessions = server.parts.of(SessionBook)(server)
    endpoint = server.parts.of(Endpoint)(server, server.parts.of(Gate)(host), sessions)
    config = uvicorn.Config(endpoint.app(), log_level="warning", lifespan="off", ws="none", timeout_graceful_shutdown=1)
    uvicorn_server = _Uvicorn(config)
    uvicorn_server.sessions = sessions
    try:
        await server.open()
        await uvicorn_server.serve(sockets=[listener])
    finally:
        sessions.end_all()
        await server.close()
