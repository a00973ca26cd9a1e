"""What one attempt at a scenario saw: every message and every event of its connections, in order of arrival.

Of what a target sends again and again without being asked only the first are kept one by one: from then on what comes
in a row is one entry, whose detail says how many more there were (``alike``).
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from mcp_tasks_conformance.events import Direction, JsonValue, Seen, SeenKind

MOST_CHATTER: Final = 200
"""So much that is about nothing in particular is kept entry by entry."""


class Transcript:
    """The record of one attempt; its clock starts when it is made, on a running event loop."""

    def __init__(self) -> None:
        self._now = asyncio.get_running_loop().time
        self._start = self._now()
        self._seen: list[Seen] = []
        self.chatter = 0
        """How much has come that is like much else."""
        self._rows: dict[tuple[str, str, str], Seen] = {}
        """Chatter after which nothing else has come, by connection, stream and what it is like."""
        self._alike: Counter[int] = Counter()
        """For how many more an entry stands, by its index."""

    @property
    def entries(self) -> tuple[Seen, ...]:
        """All entries so far; an entry's ``index`` is its place here."""
        return tuple(self._told(seen) for seen in self._seen) if self._alike else tuple(self._seen)

    @property
    def elapsed_s(self) -> float:
        """Seconds since it was begun, as the times of its entries."""
        return self._now() - self._start

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
        self._rows.clear()
        return self._add(direction, kind, connection, stream, text, detail)

    def record_chatter(
        self,
        *,
        like: str,
        kind: SeenKind,
        connection: str,
        stream: str,
        text: str,
        detail: Mapping[str, JsonValue] | None = None,
    ) -> tuple[Seen, bool]:
        """Add what was received and is like many others, or count it to them.

        Args:
            like: what is the same in all that it is like.
            kind: what kind of entry it is.
            connection: where it came.
            stream: on which stream.
            text: what it says.
            detail: what else is known of it.

        Returns:
            The entry that stands for it, and whether that is its own.
        """
        self.chatter += 1
        place = connection, stream, like
        seen = self._rows.get(place)
        if seen is not None:
            self._alike[seen.index] += 1
            return seen, False
        seen = self._add(Direction.RECEIVED, kind, connection, stream, text, detail)
        if self.chatter > MOST_CHATTER:
            self._rows[place] = seen
        return seen, True

    def _told(self, seen: Seen) -> Seen:
        more = self._alike.get(seen.index)
        return seen if more is None else replace(seen, detail={**seen.detail, "alike": more})

    def _add(
        self,
        direction: Direction,
        kind: SeenKind,
        connection: str,
        stream: str,
        text: str,
        detail: Mapping[str, JsonValue] | None,
    ) -> Seen:
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
