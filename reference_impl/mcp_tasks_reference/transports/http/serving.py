"""The HTTP server around the endpoint."""

from __future__ import annotations

import signal
import socket
import sys
from types import FrameType

import uvicorn

from mcp_tasks_reference.server import Server
from mcp_tasks_reference.transports.http.endpoint import PATH, Endpoint
from mcp_tasks_reference.transports.http.gate import Gate
from mcp_tasks_reference.transports.http.sessions import SessionBook


class _Uvicorn(uvicorn.Server):
    """Ends open streams as soon as the process is told to end."""

    sessions: SessionBook

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        super().handle_exit(signal.Signals(sig), frame)
        self.sessions.end_all()


async def serve_http(server: Server, host: str, port: int) -> None:
    """Serve ``http://HOST:PORT/mcp`` until the process is told to end; the address is told on stderr."""
    listener = _listen(host, port)
    named = f"[{host}]" if ":" in host else host
    print(f"Listening on http://{named}:{listener.getsockname()[1]}{PATH}", file=sys.stderr, flush=True)  # noqa: T201
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


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # Named as TCP, or asyncio leaves Nagle's algorithm on and every answer waits for a delayed ACK.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind((host, port))
    listener.listen(1024)
    return listener
