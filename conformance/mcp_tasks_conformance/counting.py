"""Numbers with what they count, in words for people."""

from __future__ import annotations


def counted(number: int, one: str, several: str | None = None) -> str:
    """``1 suite``, ``2 suites``; ``several`` where the plural is not made by an s: ``2 entries``."""
    return f"{number} {plural(number, one, several)}"


def plural(number: int, one: str, several: str | None = None) -> str:
    """The word for what there is so many of."""
    return one if number == 1 else several or f"{one}s"
