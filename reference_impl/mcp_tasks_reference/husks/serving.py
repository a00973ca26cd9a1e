"""Husks over each transport."""

from __future__ import annotations

import os
import sys
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING

from mcp_tasks_reference.husks.husk import Collapse, Husk

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

EXIT_CODE = 7


class HuskApp:
    """A husk in memory."""

    def __init__(self, husk: Husk) -> None:
        self._husk = husk

    async def serve(
        self,
        receive: Callable[[], Awaitable[str | None]],
        send: Callable[[str], Awaitable[None]],
        headers: Mapping[str, str],  # noqa: ARG002
    ) -> None:
        """Be connected to, for as long as the husk lasts."""
        if self._husk.dead:
            return
        number = 0
        try:
            while (text := await receive()) is not None:
                number += 1
                for answer in self._husk.react(text, number):
                    await send(answer)
        except Collapse:
            return

    async def close(self) -> None:
        """Nothing to end."""


def serve_stdio(husk: Husk) -> None:
    """Be started as a child process."""
    if husk.dead:
        sys.exit(EXIT_CODE)
    for number, line in enumerate(sys.stdin, 1):
        try:
            for answer in husk.react(line.rstrip("\n"), number):
                print(answer, flush=True)  # noqa: T201
        except Collapse:
            os._exit(EXIT_CODE)


def serve_http(husk: Husk, host: str, port: int) -> None:
    """Listen on a port, POST and GET alike."""
    if husk.dead:
        sys.exit(EXIT_CODE)
    import uvicorn
    from starlette.applications import Starlette
    from starlette.responses import Response
    from starlette.routing import Route

    from mcp_tasks_reference.transports.http.listener import PATH, listen

    heard = 0

    async def post(request: Request) -> Response:
        nonlocal heard
        heard += 1
        try:
            answers = husk.react((await request.body()).decode("utf-8", "replace"), heard)
        except Collapse:
            os._exit(EXIT_CODE)
        if husk.name == "silent":
            await _until_departure(request)
        if not answers:
            return Response(status_code=202)
        return Response(answers[0], 200, media_type="application/json")

    app = Starlette(routes=[Route(PATH, post, methods=["POST"])])
    config = uvicorn.Config(app, log_level="error", lifespan="off", ws="none", timeout_graceful_shutdown=1)
    uvicorn.Server(config).run(sockets=[listen(host, port)])


async def _until_departure(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass
