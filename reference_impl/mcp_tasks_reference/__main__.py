"""The command line: ``mcp-tasks-reference --stdio`` or ``--http PORT``."""

from __future__ import annotations

import argparse
import asyncio
import logging
import sys
from typing import TYPE_CHECKING

from mcp_tasks_reference.options import Options
from mcp_tasks_reference.server import Server
from mcp_tasks_reference.unavailable import Unavailable

if TYPE_CHECKING:
    from mcp_tasks_reference.husks import Husk


def main() -> None:
    """Serve until the client leaves (stdio) or the process is told to end (HTTP)."""
    options = Options()
    transport = options.add_mutually_exclusive_group(required=True)
    transport.add_argument("--stdio", action="store_true", help="serve the process that started this one")
    transport.add_argument("--http", type=int, metavar="PORT", help="serve http://HOST:PORT/mcp; 0 chooses a port")
    options.add_argument("--host", default="127.0.0.1", help="address to listen on (127.0.0.1)")
    options.add_argument("--verbose", action="store_true", help="log what happens to tasks, on stderr")
    chosen = options.parse_args()
    logging.basicConfig(
        stream=sys.stderr, level=logging.INFO if chosen.verbose else logging.WARNING, format="%(name)s: %(message)s"
    )
    build = options.build(chosen)
    try:
        if build.husk is not None:
            _serve_husk(build.husk, chosen)
        else:
            _serve(Server(build.settings, build.parts), chosen)
    except Unavailable as problem:
        options.error(str(problem))
    except KeyboardInterrupt:
        sys.exit(130)


def _serve(server: Server, chosen: argparse.Namespace) -> None:
    if chosen.stdio:
        from mcp_tasks_reference.transports.stdio import serve_stdio

        asyncio.run(serve_stdio(server))
    else:
        from mcp_tasks_reference.transports.http import serve_http

        asyncio.run(serve_http(server, chosen.host, chosen.http))


def _serve_husk(husk: Husk, chosen: argparse.Namespace) -> None:
    from mcp_tasks_reference.husks import serving

    if chosen.stdio:
        serving.serve_stdio(husk)
    else:
        serving.serve_http(husk, chosen.host, chosen.http)


if __name__ == "__main__":
    main()
