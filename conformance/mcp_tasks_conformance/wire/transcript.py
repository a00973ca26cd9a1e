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
MOST_TOLD: Final = 1_000
"""So many notifications about tasks and requests are."""


class Transcript:
    """The record of one attempt; its clock starts when it is made, on a running event loop."""

    def __init__(self) -> None:
        self._now = asyncio.get_running_loop().time
        self._start = self._now()
        self._seen: list[Seen] = []
        self.chatter = 0
        """How much has come that is like much else."""
        self._told_of_something = 0
        self._rows: dict[tuple[str, str, str], Seen] = {}
        """Chatter after which nothing else has come, by connection, stream and what it is like."""
        self._alike: Counter[int] = Counter()
        """For how many more an entry stands, by its index."""

    @property
    def entries(self) -> tuple[Seen, ...]:
        """All entries so far; an entry's ``index`` is its place here."""
        return tuple(self._shown(seen) for seen in self._seen) if self._alike else tuple(self._seen)

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
        return self._in_row(self.chatter > MOST_CHATTER, like, kind, connection, stream, text, detail)

    def record_told(self, *, like: str, connection: str, stream: str, text: str) -> Seen:
        """Add a notification about a task or a request; of very many, only count it to those that it is like.

        Returns:
            The notification as it came, with the index of the entry that stands for it.
        """
        self._told_of_something += 1
        many = self._told_of_something > MOST_TOLD
        seen, is_own = self._in_row(many, like, SeenKind.MESSAGE, connection, stream, text, None)
        return seen if is_own else replace(seen, at=self._now() - self._start, text=text)

    def _in_row(
        self,
        many: bool,
        like: str,
        kind: SeenKind,
        connection: str,
        stream: str,
        text: str,
        detail: Mapping[str, JsonValue] | None,
    ) -> tuple[Seen, bool]:
        """An entry, or that of the row which it continues where there are many; and whether it is one of its own."""
        place = connection, stream, like
        seen = self._rows.get(place)
        if seen is not None:
            self._alike[seen.index] += 1
            return seen, False
        seen = self._add(Direction.RECEIVED, kind, connection, stream, text, detail)
        if many:
            self._rows[place] = seen
        return seen, True

    def _shown(self, seen: Seen) -> Seen:
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
