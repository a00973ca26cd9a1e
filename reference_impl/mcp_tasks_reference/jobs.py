"""Work in the background that outlives the call that started it."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine
from typing import Any

_log = logging.getLogger(__name__)


class Jobs:
    """Holds the asyncio tasks of one server, which ends them when it closes.

    A task of the protocol outlives its request and its connection, so no scope of theirs could hold it.
    """

    def __init__(self) -> None:
        self._running: set[asyncio.Task[None]] = set()

    def start(self, work: Coroutine[Any, Any, None], name: str) -> asyncio.Task[None]:
        """Start work; a failure of it is logged."""
        job = asyncio.get_running_loop().create_task(work, name=name)
        self._running.add(job)
        job.add_done_callback(self._over)
        return job

    async def close(self) -> None:
        """End all work and wait until it has ended."""
        while self._running:
            for job in self._running:
                job.cancel()
            await asyncio.wait(self._running)

    def _over(self, job: asyncio.Task[None]) -> None:
        self._running.discard(job)
        if not job.cancelled() and (problem := job.exception()) is not None:
            _log.error("%s failed", job.get_name(), exc_info=problem)
