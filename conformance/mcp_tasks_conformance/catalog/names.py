"""The names of a scenario while it is read: what is bound where, and what is known of it before the run."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from mcp_tasks_conformance.catalog.behaviours import BEHAVIOURS
from mcp_tasks_conformance.catalog.model import Place, Ref, Template
from mcp_tasks_conformance.catalog.offers import ANY, DeadEnd, Offer, follow
from mcp_tasks_conformance.catalog.problems import Problems, suggestion
from mcp_tasks_conformance.catalog.source import Value, kind_of

BUILT_IN_NAMES: Mapping[str, str] = {
    "behaviours": "Each behaviour's tool, arguments, duration_ms and read: $behaviours.slow.tool.",
    "target": "What the target said of itself: capabilities, tools, protocolVersion, serverInfo.",
    "unknown_id": "A task id of the usual form that no task has; another one at every use.",
    "long_text": "A text of a million characters.",
}
"""Names that every scenario has without binding them."""

_TEXTS = ("unknown_id", "long_text")
BEHAVIOUR_MEMBERS = ("tool", "arguments", "duration_ms", "read")
TARGET_MEMBERS = ("capabilities", "tools", "protocolVersion", "serverInfo")

NAME = re.compile(r"[a-z][a-z0-9]*(?:_[a-z0-9]+)*")


@dataclass(frozen=True, slots=True)
class Bound:
    """What a name stands for."""

    place: Place
    origin: str
    """The verb that gave it, or ``each``, ``item``, ``collect``."""
    values: tuple[Template, ...] | None = None
    """All that it can be, where that is known before the run."""
    offer: Offer = ANY
    """What references find in it, as far as the verb that gave it says."""


class Scope:
    """Names and connections that a step can use."""

    def __init__(self, problems: Problems) -> None:
        self._problems = problems
        self._names: dict[str, Bound] = {}
        self._connections: dict[str, Place] = {}
        self._out_of_reach: dict[str, str] = {}
        self._used: set[str] = set()

    def inner(self) -> Scope:
        """A scope for steps whose names may stay among themselves."""
        scope = Scope(self._problems)
        scope._names = dict(self._names)
        scope._connections = dict(self._connections)
        scope._out_of_reach = dict(self._out_of_reach)
        scope._used = self._used
        return scope

    def absorb(self, branch: Scope) -> None:
        """Know what was bound in a branch that has ended; two branches may not bind the same."""
        for name, bound in branch._names.items():
            self._take(name, bound, self._names.get(name))
        for name, place in branch._connections.items():
            there = self._connections.setdefault(name, place)
            if there is not place:
                self._problems.add(place, f"the connection `{name}` is there already", f"opened in line {there.line}")

    def hide(self, branch: Scope, where: str) -> None:
        """Remember for messages what was bound in a branch that keeps its names to itself."""
        for name in branch._names:
            if name not in self._names:
                self._out_of_reach[name] = where

    def name(self, value: Value) -> str | None:
        """A name that is to be bound."""
        if not isinstance(value.data, str) or not NAME.fullmatch(value.data):
            hint = "lower-case words joined by underscores"
            self._problems.add(value.place, f"{kind_of(value)} cannot be a name", hint)
            return None
        if value.data in BUILT_IN_NAMES:
            self._problems.add(value.place, f"`{value.data}` is a built-in name", "choose another")
            return None
        return value.data

    def bind(
        self,
        name: str,
        place: Place,
        origin: str,
        values: tuple[Template, ...] | None = None,
        offer: Offer = ANY,
    ) -> None:
        """Give a name its meaning from here on."""
        self._take(name, Bound(place, origin, values, offer), self._names.get(name))

    def _take(self, name: str, bound: Bound, there: Bound | None) -> None:
        if there is bound:
            return
        if there is not None:
            hint = f"first in line {there.place.line}; choose another"
            self._problems.add(bound.place, f"the name `{name}` is bound already", hint)
            return
        self._names[name] = bound

    def open(self, name: str, place: Place) -> None:
        """A connection is there from here on."""
        there = self._connections.get(name)
        if there is not None:
            hint = "it is open from the beginning" if name == "main" else f"opened in line {there.line}"
            self._problems.add(place, f"the connection `{name}` is there already", hint)
        self._connections[name] = place

    def reach(self, name: str, place: Place) -> None:
        """A step uses a connection."""
        if name in self._connections:
            return
        if name.startswith("$"):
            hint: str | None = "a connection is named without a dollar sign"
        elif name == "main":
            hint = "`main: false` leaves it closed; begin with connect"
        elif self._connections:
            hint = suggestion(name, self._connections)
        else:
            hint = None
        self._problems.add(place, f"there is no connection `{name}` here", hint)

    def __contains__(self, name: object) -> bool:
        return name in self._names or name in BUILT_IN_NAMES

    def bound(self, ref: Ref) -> Bound | None:
        """What a reference's name stands for, where it is bound."""
        return self._names.get(ref.name)

    def unused(self) -> dict[str, Place]:
        """Parameters that no reference names."""
        return {
            name: bound.place
            for name, bound in self._names.items()
            if bound.origin == "each" and name not in self._used
        }

    def resolve(self, ref: Ref) -> None:
        """Check that a reference leads somewhere, as far as that can be told before the run."""
        self._used.add(ref.name)
        if ref.name in BUILT_IN_NAMES:
            self._resolve_built_in(ref)
        elif ref.name in self._names:
            found = follow(self._names[ref.name].offer, ref)
            if isinstance(found, DeadEnd):
                self._problems.add(ref.place, found.problem, found.hint)
            else:
                self.values_of(ref)
        elif ref.name in self._out_of_reach:
            self._problems.add(ref.place, f"`${ref.name}` is out of reach here", self._out_of_reach[ref.name])
        else:
            hint = suggestion(ref.name, [*self._names, *BUILT_IN_NAMES], listed=self._names)
            self._problems.add(ref.place, f"nothing binds `${ref.name}` before this", hint)

    def offer_of(self, ref: Ref) -> Offer:
        """What a reference leads to, as far as that is known."""
        bound = self._names.get(ref.name)
        found = follow(bound.offer, ref) if bound is not None else ANY
        return ANY if isinstance(found, DeadEnd) else found

    def values_of(self, ref: Ref) -> tuple[Template, ...] | None:
        """All that a reference can be, where that is known before the run; empty where a value has no such member."""
        bound = self._names.get(ref.name)
        if bound is None or bound.values is None:
            return None
        values = bound.values
        for depth, step in enumerate(ref.path):
            reached: list[Template] = []
            for value in values:
                if isinstance(value, Ref):
                    return None
                member = _member(value, step)
                if member is _NOWHERE:
                    walked = Ref(ref.name, ref.path[:depth], ref.place)
                    known = suggestion(step, value) if isinstance(value, Mapping) else None
                    self._problems.add(ref.place, f"not every value of `{walked}` has `{step}`", known)
                    return ()
                reached.append(member)
            values = tuple(reached)
        return None if any(isinstance(value, Ref) for value in values) else values

    def _resolve_built_in(self, ref: Ref) -> None:
        path = [str(step) for step in ref.path]
        if ref.name in _TEXTS:
            if path:
                self._problems.add(ref.place, f"`${ref.name}` is text and has no members")
        elif ref.name == "behaviours":
            if not path:
                self._problems.add(ref.place, "`$behaviours` names no behaviour", "as in `$behaviours.slow.tool`")
            elif path[0] not in BEHAVIOURS:
                self._problems.add(ref.place, f"unknown behaviour `{path[0]}`", suggestion(path[0], BEHAVIOURS))
            elif path[1:] and path[1] not in BEHAVIOUR_MEMBERS:
                self._problems.add(ref.place, f"a behaviour has no `{path[1]}`", suggestion(path[1], BEHAVIOUR_MEMBERS))
        elif path and path[0] not in TARGET_MEMBERS:
            self._problems.add(ref.place, f"`$target` has no `{path[0]}`", suggestion(path[0], TARGET_MEMBERS))


_NOWHERE: Template = "\0nowhere"


def _member(value: Template, step: str | int) -> Template:
    if isinstance(value, Mapping):
        return value.get(str(step), _NOWHERE)
    if isinstance(value, tuple) and isinstance(step, int) and -len(value) <= step < len(value):
        return value[step]
    return _NOWHERE
