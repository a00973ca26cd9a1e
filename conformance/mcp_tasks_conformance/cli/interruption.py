"""Interrupts: they end a run, and never what has to be written about it."""

from __future__ import annotations

import contextlib
import signal
from collections.abc import Iterator
from types import FrameType
from typing import Final

SIGNALS: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""What asks the program to end."""


@contextlib.contextmanager
def held_back() -> Iterator[list[int]]:
    """Within, the first signal of each kind waits; gives those that came. A second one does what it always does."""
    came: list[int] = []

    def hold(number: int, _: FrameType | None) -> None:
        came.append(number)
        signal.signal(number, before[signal.Signals(number)])

    before = {number: signal.signal(number, hold) for number in SIGNALS}
    try:
        yield came
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
