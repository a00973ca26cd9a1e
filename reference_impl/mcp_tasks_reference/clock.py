"""Time, injected: everything that dates or expires a task asks a clock."""

from __future__ import annotations

import asyncio
import time
from datetime import UTC, datetime

TICKS = 1_000_000
"""How many steps a timestamp shows to the second."""


class LoopClock:
    """Wall time that goes with the event loop: under a loop of virtual time, tasks age virtually."""

    def __init__(self) -> None:
        self._anchor: float | None = None

    def now(self) -> float:
        """Seconds since the epoch."""
        elapsed = asyncio.get_running_loop().time()
        if self._anchor is None:
            self._anchor = time.time() - elapsed
        return round((self._anchor + elapsed) * TICKS) / TICKS

    def after(self, moment: float) -> float:
        """Now, but visibly later than the moment: two updates of one task never bear the same time."""
        return max(self.now(), round(moment * TICKS + 1) / TICKS)

    def stamp(self, moment: float) -> str:
        """A moment as a timestamp of RFC 3339."""
        return datetime.fromtimestamp(moment, UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")
