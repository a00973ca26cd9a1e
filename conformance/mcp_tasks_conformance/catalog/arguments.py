"""The arguments of verbs: each place of a step takes its kind of thing, written out or as a reference."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from mcp_tasks_conformance.catalog.grammar import Key, Kind
from mcp_tasks_conformance.catalog.model import Argument, Ref, Template
from mcp_tasks_conformance.catalog.names import Scope
from mcp_tasks_conformance.catalog.offers import no_task
from mcp_tasks_conformance.catalog.problems import Problems, suggestion
from mcp_tasks_conformance.catalog.source import Value, kind_of
from mcp_tasks_conformance.catalog.templates import Templates

_Fits: TypeAlias = Callable[[Template], bool]


def _is_text(value: Template) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _is_whole(value: Template) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value > 0


def _is_flag(value: Template) -> bool:
    return isinstance(value, bool)


_PLAIN: dict[Kind, tuple[_Fits, str]] = {
    Kind.METHOD: (_is_text, "the name of a method"),
    Kind.TEXT: (_is_text, "text"),
    Kind.FLAG: (_is_flag, "true or false"),
    Kind.MS: (_is_whole, "a whole number of milliseconds from 1 on"),
    Kind.COUNT: (_is_whole, "a whole number from 1 on"),
}
"""Kinds of which each is one value, or a reference to one."""


class Arguments:
    """Reads whatever needs no scope of its own: all kinds but names, connections, bindings and nested steps."""

    def __init__(self, templates: Templates, problems: Problems) -> None:
        self._templates = templates
        self._problems = problems

    def read(self, key: Key, what: str, value: Value, scope: Scope) -> Argument:
        """Read what stands in one place of a step.

        Args:
            key: what may stand there.
            what: how messages call the place (`` `within_ms` of `send` ``).
            value: what stands there.
            scope: the names that it may use.
        """
        if key.kind is Kind.REF:
            return self._reference(key, what, value, scope)
        if key.kind is Kind.PATTERN:
            return self._templates.pattern(value, scope)
        if key.kind is Kind.VALUES:
            return self._values(what, value, scope)
        if key.kind is Kind.PATHS:
            return self._paths(what, value)
        template = self._templates.stimulus(value, scope)
        self._check(key, what, value, template, scope)
        return template

    def _check(self, key: Key, what: str, value: Value, template: Template, scope: Scope) -> None:
        values: tuple[Template, ...] | None = (template,)
        if isinstance(template, Ref):
            self._check_origin(key, what, template, scope)
            self._check_offer(key, what, template, scope)
            values = scope.values_of(template)
            if values is None and key.known and template.name in scope:
                hint = "write it out, or take it from a parameter"
                self._problems.add(value.place, f"{what} is not known before the run", hint)
        for one in values or ():
            fits, meant = _PLAIN.get(key.kind, (None, ""))
            if fits is not None and not fits(one):
                shown = kind_of(value) if one is template else f"the value {one!r} of {template}"
                self._problems.add(value.place, f"{what} is {meant}, not {shown}")
                return
            if key.choices:
                self._check_choice(key, what, value, one)

    def _check_choice(self, key: Key, what: str, value: Value, one: Template) -> None:
        listed = isinstance(one, tuple) and key.many
        for item in one if listed and isinstance(one, tuple) else (one,):
            if item not in key.choices and not (listed and isinstance(item, Ref)):
                shown = f"`{item}`" if isinstance(item, str | int | float) else kind_of(value)
                self._problems.add(value.place, f"{what} cannot be {shown}", suggestion(item, key.choices))

    def _reference(self, key: Key, what: str, value: Value, scope: Scope) -> Argument:
        ref = self._templates.reference(value, scope)
        if ref is None:
            hint = "as in `$job`" if key.of is None else f"what an earlier `{key.of}` gave, as in `$call`"
            self._problems.add(value.place, f"{what} is a reference, not {kind_of(value)}", hint)
            return None
        self._check_origin(key, what, ref, scope)
        self._check_offer(key, what, ref, scope)
        return ref

    def _check_origin(self, key: Key, what: str, ref: Ref, scope: Scope) -> None:
        """A name that is known to hold something else than the place takes."""
        bound = scope.bound(ref)
        if key.of is None or (bound is None and ref.name not in scope):
            return
        origin = bound.origin if bound else "built in"
        if origin in (key.of, "item", "collect"):
            return
        given = {"each": "is a parameter", "built in": "is built in"}.get(origin, f"is what `{origin}` gave")
        self._problems.add(ref.place, f"{what} takes what `{key.of}` gives, and `${ref.name}` {given}")

    def _check_offer(self, key: Key, what: str, ref: Ref, scope: Scope) -> None:
        """A reference to something that the place cannot take."""
        found = no_task(scope.offer_of(ref), ref) if key.task else None
        if found is not None:
            self._problems.add(ref.place, f"{what} is about a task, and {found.problem}", found.hint)
        parts = (scope.offer_of(Ref(ref.name, ref.path[:depth], ref.place)) for depth in range(len(ref.path)))
        if (key.whole or key.of is not None) and any(part.given for part in parts):
            whole = f"did you mean `${ref.name}`?"
            self._problems.add(ref.place, f"{what} takes all that a step gave, and `{ref}` is a part of it", whole)

    def _values(self, what: str, value: Value, scope: Scope) -> Argument:
        if isinstance(value.data, tuple):
            if not value.data:
                self._problems.add(value.place, f"{what} is an empty list")
            return self._templates.stimulus(value, scope)
        ref = self._templates.reference(value, scope)
        if ref is None:
            problem = f"{what} is a list, or a reference to one, not {kind_of(value)}"
            self._problems.add(value.place, problem)
            return None
        offer = scope.offer_of(ref)
        if any(not isinstance(one, tuple) for one in scope.values_of(ref) or ()) or (
            not offer.open and not offer.items
        ):
            self._problems.add(value.place, f"{what} is a list, and {ref} is none")
        return ref

    def _paths(self, what: str, value: Value) -> Argument:
        if not isinstance(value.data, tuple) or not value.data:
            self._problems.add(value.place, f"{what} is a list of dotted paths", "as in [result.task.ttl]")
            return ()
        paths: list[Template] = []
        for item in value.data:
            if isinstance(item.data, str) and all(item.data.split(".")) and not item.data.startswith("$"):
                paths.append(item.data)
            else:
                self._problems.add(item.place, f"{kind_of(item)} is no dotted path", "as in `result.task.ttl`")
        return tuple(paths)
