"""The sessions that connections have left open at a server, to be ended once nobody needs them."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Final

from mcp_tasks_conformance.wire.carrier import HttpRequest
from mcp_tasks_conformance.wire.client_pool import ClientPool

_AT_ONCE: Final = 8
_PATIENCE_S: Final = 5.0
"""So long all of them may take together."""


class OpenSessions:
    """By session, the request that ends it."""

    def __init__(self) -> None:
        self._requests: dict[str, HttpRequest] = {}

    def add(self, session_id: str, ending: HttpRequest) -> None:
        """Keep the request that ends a session."""
        self._requests[session_id] = ending

    async def end(self, pool: ClientPool) -> None:
        """End all of them, as far as the server lets that be done; what it answers is nobody's concern any more."""
        requests, self._requests = iter(self._requests.values()), {}

        async def end_some() -> None:
            for request in requests:
                with suppress(ConnectionError):
                    exchange, _ = await pool.answer(request, await pool.start(request))
                    await exchange.release()

        with suppress(TimeoutError):
            async with asyncio.timeout(_PATIENCE_S), asyncio.TaskGroup() as ending:
                for _ in range(_AT_ONCE):
                    ending.create_task(end_some())
