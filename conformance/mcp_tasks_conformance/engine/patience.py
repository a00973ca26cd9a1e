"""What has been waited for in vain so often that waiting for it once more would only cost time.

A wait of a step that proves something is never cut short: what it finds is judged. Preconditions are, once the same has
not come in several scenarios and come in none since; their scenarios are inconclusive as they would have been anyway.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import Literal

FEW_TOOLS = 2
FEW_WAITS = 3
"""So many waits for so many tools speak for all tools, where none has ever done it."""
_OF_ALL = {
    "end": "no task at all came to its end",
    "result": "no tasks/result at all was answered",
    "call": "no call of a tool at all was answered",
}
"""What is said of all tools, by the kind of what is awaited of each."""


@dataclass(frozen=True, slots=True)
class Awaited:
    """Something that a target owes."""

    kind: Literal["end", "result", "call", "answer", "message"]
    words: str
    """``the end of a task of slow``, ``an answer to tasks/list``."""


@dataclass(frozen=True, slots=True)
class Vain:
    """A wait of an attempt for what did not come."""

    awaited: Awaited
    source: str
    """The step that waited, as checks name it."""


class Patience:
    """How long the scenarios of a run go on waiting for what does not come."""

    def __init__(self, enough: int = 2) -> None:
        """``enough`` attempts that wait in vain for the same are enough."""
        self._enough = enough
        self._waited: dict[Awaited, set[int]] = defaultdict(set)
        """The attempts that waited in vain, since it came last."""
        self._came: set[str] = set()
        """The kinds of which something came."""
        self._vain: dict[int, list[Vain]] = defaultdict(list)

    def came(self, awaited: Awaited) -> None:
        """It came: waiting for it is worth while again."""
        self._waited.pop(awaited, None)
        self._came.add(awaited.kind)

    def in_vain(self, awaited: Awaited, attempt: int, source: str, *, in_full: bool) -> None:
        """It did not come; only who waited for it in full has learned something."""
        self._vain[attempt].append(Vain(awaited, source))
        if in_full:
            self._waited[awaited].add(attempt)

    def lost(self, awaited: Awaited) -> str | None:
        """Why it is not worth while to wait for this again; none where it is."""
        number = len(self._waited.get(awaited, ()))
        if number >= self._enough:
            return f"{awaited.words} did not come in {_scenarios(number)} before"
        # Where no task ends no tasks/result is answered either.
        return self._lost_of_all(awaited.kind) or (self._lost_of_all("end") if awaited.kind == "result" else None)

    def _lost_of_all(self, kind: str) -> str | None:
        if kind not in _OF_ALL or kind in self._came:
            return None
        alike = {other: attempts for other, attempts in self._waited.items() if other.kind == kind}
        number = len(set().union(*alike.values()))
        enough = number >= FEW_WAITS and len(alike) >= FEW_TOOLS
        return f"{_OF_ALL[kind]} in {_scenarios(number)} before" if enough else None

    def vain(self, attempt: int) -> tuple[Vain, ...]:
        """What this attempt waited for in vain."""
        return tuple(self._vain.pop(attempt, ()))


def _scenarios(number: int) -> str:
    return "1 scenario" if number == 1 else f"{number} scenarios"
