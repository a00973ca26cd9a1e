"""A sink that remembers everything, for tests to wait on."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping
from typing import Any

from mcp_tasks_conformance.events import JsonValue, SeenKind

PATIENCE_S = 10.0


class RecordingSink:
    """Everything delivered, in order."""

    def __init__(self) -> None:
        self.log: list[tuple[str, str]] = []
        """Stream and what came: ``message``, ``http``, ``stream``, ``noise``, ``closed``."""
        self.messages: list[tuple[str, str]] = []
        self.notes: list[tuple[str, SeenKind, Mapping[str, JsonValue], str]] = []
        self.closings: list[str] = []
        self._changed = asyncio.Event()

    def received(self, stream: str, text: str) -> None:
        self.log.append((stream, "message"))
        self.messages.append((stream, text))
        self._changed.set()

    def noted(self, stream: str, kind: SeenKind, detail: Mapping[str, JsonValue], text: str = "") -> None:
        json.dumps(detail)
        self.log.append((stream, kind.value))
        self.notes.append((stream, kind, detail, text))
        self._changed.set()

    def closed(self, reason: str) -> None:
        self.log.append(("", "closed"))
        self.closings.append(reason)
        self._changed.set()

    async def until(self, condition: Callable[[], object]) -> None:
        """Wait until something that came has made the condition true."""
        async with asyncio.timeout(PATIENCE_S):
            while not condition():
                self._changed.clear()
                await self._changed.wait()

    async def end_of(self, stream: str) -> str:
        """Wait for a stream's end and give the reason."""
        await self.until(lambda: self._ends(stream))
        (reason,) = self._ends(stream)
        return reason

    async def message(self, count: int = 1) -> Any:
        """Wait for so many messages in all and give the last one's value."""
        await self.until(lambda: len(self.messages) >= count)
        return json.loads(self.messages[count - 1][1])

    def texts(self, stream: str | None = None) -> list[str]:
        return [text for name, text in self.messages if stream in (None, name)]

    def of(self, kind: SeenKind, stream: str | None = None) -> list[tuple[Mapping[str, JsonValue], str]]:
        return [(detail, text) for name, noted, detail, text in self.notes if noted is kind and stream in (None, name)]

    def head(self, stream: str) -> Mapping[str, JsonValue]:
        """The one head noted of a stream."""
        ((detail, _),) = self.of(SeenKind.HTTP, stream)
        return detail

    def _ends(self, stream: str) -> list[str]:
        return [str(detail["reason"]) for detail, _ in self.of(SeenKind.STREAM, stream) if detail.get("ended")]
