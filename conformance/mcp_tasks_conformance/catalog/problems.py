"""What is wrong in the library's files: every problem with its place, all of them at once."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from mcp_tasks_conformance.catalog.model import Place

_LISTED_AT_MOST = 18


@dataclass(frozen=True, slots=True)
class Problem:
    """One mistake in a file, and how to mend it."""

    place: Place
    message: str
    hint: str | None = None

    def __str__(self) -> str:
        return f"{self.place}: {self.message}" + (f" ({self.hint})" if self.hint else "")


class CatalogError(Exception):
    """Files of the library, or files of that form, cannot be used."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(sorted(set(problems), key=_order))
        super().__init__("\n".join(map(str, self.problems)))


def _order(problem: Problem) -> tuple[str, int, int, str]:
    place = problem.place
    return str(place.path), place.line, place.column, problem.message


class Problems:
    """Collects problems, so that one reading finds all of them."""

    def __init__(self) -> None:
        self._found: list[Problem] = []

    def __len__(self) -> int:
        return len(self._found)

    def add(self, place: Place, message: str, hint: str | None = None) -> None:
        """Note one."""
        self._found.append(Problem(place, message, hint))

    def settle(self) -> None:
        """Nothing more is read.

        Raises:
            CatalogError: there were problems.
        """
        if self._found:
            raise CatalogError(self._found)


def suggestion(word: object, known: Iterable[str], listed: Collection[str] | None = None) -> str | None:
    """A hint for a word that is not among the known ones.

    Args:
        word: what stands there.
        known: what could.
        listed: what to list, where it is short and no known word is like this one; all the known ones where absent.
    """
    from difflib import get_close_matches  # only bad input needs it

    options = list(known)
    close = get_close_matches(str(word), options, n=1, cutoff=0.6)
    if close:
        return f"did you mean `{close[0]}`?"
    shown = options if listed is None else listed
    if 0 < len(shown) <= _LISTED_AT_MOST:
        return "known: " + ", ".join(shown)
    return None
