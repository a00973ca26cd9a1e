"""The socket that an HTTP server listens on."""

from __future__ import annotations

import socket
import sys

from mcp_tasks_reference.unavailable import Unavailable

PATH = "/mcp"


def listen(host: str, port: int) -> socket.socket:
    """Listen, and tell the address on stderr; port 0 takes a free one."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # Named as TCP, or asyncio leaves Nagle's algorithm on and every answer waits for a delayed ACK.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
        listener.listen(1024)
    except OSError as problem:
        listener.close()
        raise Unavailable(f"{host}:{port} cannot be listened on: {problem.strerror or problem}") from None
    named = f"[{host}]" if ":" in host else host
    print(f"Listening on http://{named}:{listener.getsockname()[1]}{PATH}", file=sys.stderr, flush=True)  # noqa: T201
    return listener
