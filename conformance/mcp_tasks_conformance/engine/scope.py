"""The names of a running scenario and the values that references take from them."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from mcp_tasks_conformance.catalog.model import Matcher, Ref, Template
from mcp_tasks_conformance.events import JsonValue


class Absent:
    """What stands where nothing is."""

    def __repr__(self) -> str:
        return "nothing"


ABSENT: Final = Absent()


class Held(dict[str, JsonValue]):
    """A value that a step gave, with what later steps may need beside it."""

    def __init__(
        self, value: Mapping[str, JsonValue], *, handle: object = None, at: float = 0.0, index: int = -1
    ) -> None:
        super().__init__(value)
        self.handle = handle
        """The exchange or incoming request behind the value."""
        self.at = at
        """Loop time at which it was observed."""
        self.index = index
        """Transcript index of the message that it came with."""


class NothingThere(Exception):
    """A reference leads to a member that the value does not have, or to none that could be used in its place."""

    def __init__(self, ref: Ref | str, lacking: str = "nothing") -> None:
        super().__init__(f"there is {lacking} at {ref}")


class Scope:
    """Bound names, with those of the enclosing scope behind them."""

    def __init__(
        self,
        values: Mapping[str, JsonValue] | None = None,
        *,
        computed: Mapping[str, Callable[[], JsonValue]] | None = None,
        outer: Scope | None = None,
    ) -> None:
        self._values: dict[str, JsonValue] = dict(values or {})
        self._computed = dict(computed or {})
        self._outer = outer

    def inner(self, values: Mapping[str, JsonValue] | None = None) -> Scope:
        """A scope whose new names stay inside."""
        return Scope(values, outer=self)

    def bind(self, name: str, value: JsonValue) -> None:
        """Give a name its value; a later binding of the same name wins."""
        self._values[name] = value

    def lookup(self, name: str) -> JsonValue | Absent:
        """The value of a name."""
        if name in self._values:
            return self._values[name]
        if name in self._computed:
            return self._computed[name]()
        return self._outer.lookup(name) if self._outer is not None else ABSENT

    def find(self, ref: Ref) -> JsonValue | Absent:
        """What a reference leads to, or ABSENT."""
        value: JsonValue | Absent = self.lookup(ref.name)
        for key in ref.path:
            if isinstance(value, Mapping):
                value = value.get(str(key), ABSENT)
            elif isinstance(value, Sequence) and not isinstance(value, str) and str(key).lstrip("-").isdigit():
                position = int(key)
                value = value[position] if -len(value) <= position < len(value) else ABSENT
            else:
                return ABSENT
        return value

    def get(self, ref: Ref) -> JsonValue:
        """What a reference leads to.

        Raises:
            NothingThere: the value has no such member.
        """
        value = self.find(ref)
        if isinstance(value, Absent):
            raise NothingThere(ref)
        return value

    def fill(self, template: Template) -> JsonValue:
        """A stimulus with its references replaced by their values.

        Raises:
            NothingThere: a reference leads nowhere.
        """
        if isinstance(template, Ref):
            return self.get(template)
        if isinstance(template, Matcher):
            raise TypeError(f"{template.place}: a matcher in what we send")
        if isinstance(template, Mapping):
            return {key: self.fill(value) for key, value in template.items()}
        if isinstance(template, tuple):
            return [self.fill(item) for item in template]
        return template


def long_text() -> str:
    """A text longer than any id or cursor needs to be, and than a careless reader takes in one line."""
    return "long " * 200_000


def unknown_id() -> str:
    """A task id of the usual form that no task has."""
    return str(uuid.uuid4())
