"""In what company scenarios run on a target."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Company(StrEnum):
    """Whether scenarios run at the same time, and on what."""

    TOGETHER = "together"
    """Many at a time; over HTTP on one instance."""
    APART = "apart"
    """Each on an instance of its own."""
    IN_TURN = "in turn"
    """One at a time, on whatever there is."""


_FOLLOWS = {
    Company.APART: "so each scenario runs on an instance of its own",
    Company.IN_TURN: "so scenarios run one at a time",
}


@dataclass(frozen=True, slots=True)
class Sharing:
    """What was decided, and why."""

    company: Company = Company.TOGETHER
    seen: str | None = None
    """What forbids to share the target, in words."""
    ends_sessions: bool = False
    """Whether who leaves ends its session, since there is no room for many."""
    one_session: bool = False
    """Whether the target holds one session at a time, and no more."""

    @property
    def note(self) -> str | None:
        """A line for people; none where nothing was seen."""
        return None if self.seen is None else f"{self.seen}, {_FOLLOWS[self.company]}"
