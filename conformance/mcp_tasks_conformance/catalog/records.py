"""Reading mappings of known keys: each thing taken out of one is of its kind, or a problem with a place."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import TypeVar

from mcp_tasks_conformance.catalog.model import Place
from mcp_tasks_conformance.catalog.problems import Problems, suggestion
from mcp_tasks_conformance.catalog.source import Member, Value, kind_of

_Choice = TypeVar("_Choice", bound=str)


class Record:
    """A mapping with known keys. What is missing or wrong is noted; something harmless is given instead."""

    def __init__(
        self, value: Value, what: str, problems: Problems, keys: Collection[str], required: Collection[str] = ()
    ) -> None:
        """Take the mapping and note unknown and missing keys.

        Args:
            value: what should be the mapping.
            what: how messages call it (``a scenario``).
            problems: where problems go.
            keys: all keys that it may have.
            required: those that it must have.
        """
        self.place = value.place
        self.what = what
        self.problems = problems
        self._members: dict[str, Member] = {}
        if not isinstance(value.data, dict):
            problems.add(value.place, f"{what} is a mapping, not {kind_of(value)}", "its keys: " + ", ".join(keys))
            return
        for name, member in value.data.items():
            if name in keys:
                self._members[name] = member
            else:
                problems.add(member.place, f"unknown key `{name}` in {what}", suggestion(name, keys))
        for name in required:
            if name not in value.data:
                problems.add(value.place, f"{what} has no `{name}`")

    def __contains__(self, name: str) -> bool:
        return name in self._members

    def holds(self, name: str, data: object) -> bool:
        """Whether exactly this stands at a key."""
        value = self.value(name)
        return value is not None and value.data == data

    def value(self, name: str) -> Value | None:
        """What stands at a key."""
        member = self._members.get(name)
        return member.value if member else None

    def place_of(self, name: str) -> Place:
        """Where the value of a key begins; the record's own place where the key is not there."""
        member = self._members.get(name)
        return member.value.place if member else self.place

    def text(self, name: str) -> str:
        """Text that is not empty; ``""`` where the key is not there."""
        return self.optional_text(name) or ""

    def optional_text(self, name: str) -> str | None:
        """Text that is not empty; none where the key is not there."""
        value = self.value(name)
        return None if value is None else text(value, f"`{name}`", self.problems)

    def choice(self, name: str, options: Collection[_Choice], default: _Choice) -> _Choice:
        """One of several texts."""
        value = self.value(name)
        if value is None:
            return default
        return choice(value, f"`{name}`", options, self.problems) or default

    def flag(self, name: str, *, default: bool = False) -> bool:
        """True or false."""
        value = self.value(name)
        if value is None:
            return default
        if not isinstance(value.data, bool):
            hint = "without quotes" if value.data in ("true", "false") else None
            self.problems.add(value.place, f"`{name}` is true or false, not {kind_of(value)}", hint)
            return default
        return value.data

    def count(self, name: str, *, default: int, least: int = 0) -> int:
        """A whole number."""
        value = self.value(name)
        if value is None:
            return default
        if not isinstance(value.data, int) or isinstance(value.data, bool) or value.data < least:
            self.problems.add(value.place, f"`{name}` is a whole number from {least} on, not {kind_of(value)}")
            return default
        return value.data

    def items(self, name: str) -> tuple[Value, ...]:
        """The items of a list that is not empty."""
        value = self.value(name)
        if value is None:
            return ()
        if not isinstance(value.data, tuple):
            self.problems.add(value.place, f"`{name}` is a list, not {kind_of(value)}")
            return ()
        if not value.data:
            self.problems.add(value.place, f"`{name}` is an empty list")
        return value.data

    def one_or_more(self, name: str) -> tuple[Value, ...]:
        """The items of a list that is not empty, or the one thing that stands in its place."""
        value = self.value(name)
        if value is None or isinstance(value.data, tuple):
            return self.items(name)
        return (value,)

    def texts(self, name: str) -> tuple[str, ...]:
        """One text or several."""
        read = (text(item, f"`{name}`", self.problems) for item in self.one_or_more(name))
        return tuple(item for item in read if item is not None)

    def choices(self, name: str, options: Collection[_Choice]) -> tuple[_Choice, ...]:
        """One or several of the options."""
        read = (choice(item, f"`{name}`", options, self.problems) for item in self.one_or_more(name))
        return tuple(item for item in read if item is not None)

    def members(self, name: str) -> Iterator[tuple[str, Member]]:
        """The keys and values of a mapping whose keys are names of one's own."""
        value = self.value(name)
        if value is None:
            return
        if not isinstance(value.data, dict):
            self.problems.add(value.place, f"`{name}` is a mapping, not {kind_of(value)}")
            return
        yield from value.data.items()


def text(value: Value, what: str, problems: Problems) -> str | None:
    """The value as text that is not empty."""
    if isinstance(value.data, str):
        if value.data.strip():
            return value.data
        problems.add(value.place, f"{what} is empty")
        return None
    hint = "put it in quotes" if isinstance(value.data, bool | int | float) else None
    problems.add(value.place, f"{what} is text, not {kind_of(value)}", hint)
    return None


def choice(value: Value, what: str, options: Collection[_Choice], problems: Problems) -> _Choice | None:
    """The value as one of several texts."""
    for option in options:
        if value.data == option:
            return option
    problems.add(value.place, f"{what} cannot be {kind_of(value)}", suggestion(value.data, options))
    return None
