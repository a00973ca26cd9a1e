"""The one line of a terminal that shows how far the run is."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from mcp_tasks_conformance.events import ScenarioOutcome
from mcp_tasks_conformance.reports.text import width_of

if TYPE_CHECKING:
    from rich.console import Console

_EVERY_S: Final = 0.08
"""The line is drawn no more often, so that a fast run does not spend its time on it."""
_TOLD: Final = (
    ScenarioOutcome.FAILED,
    ScenarioOutcome.CRASHED,
    ScenarioOutcome.HUNG,
    ScenarioOutcome.WARNED,
    ScenarioOutcome.INCONCLUSIVE,
)


class Progress:
    """Counts scenarios and draws the line; the cursor stays visible, so that nothing is left to restore."""

    def __init__(self, console: Console, total: int, clock: Callable[[], float] = time.monotonic) -> None:
        """``clock`` is that of the person who watches, not that of the run."""
        self._console = console
        self._total = total
        self._clock = clock
        self._running: dict[str, None] = {}
        self._ended: Counter[ScenarioOutcome] = Counter()
        self._drawn_at: float | None = None

    def began(self, key: str) -> None:
        """An attempt began."""
        self._running[key] = None
        self._draw()

    def ended(self, key: str, outcome: ScenarioOutcome) -> None:
        """A scenario has its outcome."""
        self._running.pop(key, None)
        self._ended[outcome] += 1
        self._draw()

    def clear(self) -> None:
        """Take the line away; the next event draws it again."""
        if self._drawn_at is not None:
            from rich.control import Control
            from rich.segment import ControlType

            self._console.control(Control((ControlType.CARRIAGE_RETURN,), (ControlType.ERASE_IN_LINE, 2)))
            self._drawn_at = None

    def _draw(self) -> None:
        now = self._clock()
        if self._drawn_at is not None and now - self._drawn_at < _EVERY_S:
            return
        self.clear()
        self._console.print(self._line(), style="dim", end="", markup=False, highlight=False, soft_wrap=True)
        self._console.file.flush()
        self._drawn_at = now

    def _line(self) -> str:
        done = sum(self._ended.values())
        counts = [f"{self._ended[outcome]} {outcome}" for outcome in _TOLD if self._ended[outcome]]
        line = ", ".join([f"{done} of {self._total}", *counts])
        running = next(iter(self._running), "")
        free = self._console.width - 1 - len(line) - 2
        if running and free > 20:
            line += f"  {_in_columns(running, free)}"
        return line[: self._console.width - 1]


def _in_columns(key: str, free: int) -> str:
    """The key without as many of its first words as it has too many."""
    while width_of(key) > free and "/" in key.removeprefix(".../"):
        key = f".../{key.removeprefix('.../').partition('/')[2]}"
    return key
