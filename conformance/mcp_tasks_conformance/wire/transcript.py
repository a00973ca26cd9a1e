"""What one attempt at a scenario saw: every message and every event of its connections, in order of arrival."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from mcp_tasks_conformance.events import Direction, JsonValue, Seen, SeenKind


class Transcript:
    """The record of one attempt; its clock starts when it is made, on a running event loop."""

    def __init__(self) -> None:
        self._now = asyncio.get_running_loop().time
        self._start = self._now()
        self._seen: list[Seen] = []

    @property
    def entries(self) -> tuple[Seen, ...]:
        """All entries so far; an entry's ``index`` is its place here."""
        return tuple(self._seen)

    def __len__(self) -> int:
        return len(self._seen)

    def record(
        self,
        *,
        direction: Direction,
        kind: SeenKind,
        connection: str,
        stream: str,
        text: str = "",
        detail: Mapping[str, JsonValue] | None = None,
    ) -> Seen:
        """Add an entry with the present time and the next index, and return it."""
        seen = Seen(
            index=len(self._seen),
            at=self._now() - self._start,
            direction=direction,
            kind=kind,
            connection=connection,
            stream=stream,
            text=text,
            detail={} if detail is None else dict(detail),
        )
        self._seen.append(seen)
        return seen
