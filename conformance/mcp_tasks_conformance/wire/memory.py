"""A connection to an application that runs in this very process: no socket, no process, any clock."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Protocol

from mcp_tasks_conformance.wire.transport import Sink

STREAM = "memory"
_GRACE_S = 2.0


class Application(Protocol):
    """What can be served in memory."""

    async def serve(
        self,
        receive: Callable[[], Awaitable[str | None]],
        send: Callable[[str], Awaitable[None]],
        headers: Mapping[str, str],
    ) -> None:
        """Serve one connection until ``receive`` gives None: the other side has closed."""


class MemoryTransport:
    """One connection to an application, whose serving runs in a task of the transport."""

    kind = "memory"

    def __init__(self, app: Application, sink: Sink, headers: Mapping[str, str]) -> None:
        self._sink = sink
        self._inbox: asyncio.Queue[str | None] = asyncio.Queue()
        self._closing = False
        self._gone: str | None = None
        self._task = asyncio.create_task(self._serve(app, headers), name="in-memory application")

    async def send(self, text: str, *, headers: Mapping[str, str | None] | None = None) -> str:  # noqa: ARG002
        """See Transport.send."""
        if self._closing or self._gone is not None:
            raise ConnectionError(self._gone or "the connection is closed")
        self._inbox.put_nowait(text)
        return STREAM

    async def listen(self) -> str | None:
        """See Transport.listen: there is only the one stream."""
        return None

    async def drop(self, stream: str) -> None:
        """See Transport.drop: the one stream stays."""

    async def close(self) -> None:
        """See Transport.close; an application that does not come to an end by itself is cancelled."""
        self._closing = True
        self._inbox.put_nowait(None)
        done, _ = await asyncio.wait((self._task,), timeout=_GRACE_S)
        if not done:
            self._task.cancel()
            await asyncio.wait((self._task,))

    async def _serve(self, app: Application, headers: Mapping[str, str]) -> None:
        try:
            await app.serve(self._receive, self._deliver, headers)
        except asyncio.CancelledError:
            if self._closing:
                raise
            reason = "the application cancelled itself"
        except SystemExit as ending:
            reason = f"the application exited with {ending.code!r}"
        except Exception as error:
            # What a target throws is an observation, never a failure of ours.
            reason = f"the application failed: {type(error).__name__}: {error}"
        else:
            reason = "the application ended the connection"
        self._gone = reason
        if not self._closing:
            self._sink.closed(reason)

    async def _receive(self) -> str | None:
        text = await self._inbox.get()
        if text is None:
            self._inbox.put_nowait(None)
        return text

    async def _deliver(self, text: str) -> None:
        if not self._closing:
            self._sink.received(STREAM, text)
