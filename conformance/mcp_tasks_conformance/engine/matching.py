"""Partial templates against what came: which members do not match, and what stands there instead."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from mcp_tasks_conformance.catalog.model import Matcher, Ref, Template
from mcp_tasks_conformance.counting import counted
from mcp_tasks_conformance.engine.scope import ABSENT, Absent, NothingThere, Scope
from mcp_tasks_conformance.events import JsonValue
from mcp_tasks_conformance.peers.answers import RELATED_TASK
from mcp_tasks_conformance.wire import shapes
from mcp_tasks_conformance.wire.timestamps import is_iso8601, is_rfc3339

Value: TypeAlias = "JsonValue | Absent"


@dataclass(frozen=True, slots=True)
class Mismatch:
    """One member that is not as expected."""

    path: str
    expected: str
    observed: str

    def __str__(self) -> str:
        return f"{self.path or 'the value'}: expected {self.expected}, found {self.observed}"


def same(left: JsonValue, right: JsonValue) -> bool:
    """Equality of JSON values: 1 is 1.0, but true is not 1."""
    if isinstance(left, str) or isinstance(right, str):
        return isinstance(left, str) and isinstance(right, str) and left == right
    if isinstance(left, bool) or isinstance(right, bool):
        return isinstance(left, bool) and isinstance(right, bool) and left == right
    if isinstance(left, Mapping) and isinstance(right, Mapping):
        return left.keys() == right.keys() and all(same(left[key], right[key]) for key in left)
    if isinstance(left, Sequence) and isinstance(right, Sequence):
        return len(left) == len(right) and all(same(a, b) for a, b in zip(left, right, strict=True))
    return left == right


def show(value: Value, limit: int = 200) -> str:
    """A value in one line for people."""
    if isinstance(value, Absent):
        return "nothing"
    # Lone surrogates, which no terminal and no file can hold, are escaped.
    text = json.dumps(value, ensure_ascii=False, default=str).encode("utf-8", "backslashreplace").decode()
    return text if len(text) <= limit else f"{text[: limit - 1]}…"


def type_name(value: Value) -> str:
    """The JSON type of a value: an integer is a number without a fraction."""
    if isinstance(value, Absent):
        return "nothing"
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int) or (isinstance(value, float) and value.is_integer()):
        return "integer"
    if isinstance(value, float):
        return "number"
    if isinstance(value, str):
        return "string"
    return "object" if isinstance(value, Mapping) else "array"


def match(pattern: Template, value: Value, scope: Scope, path: str = "") -> list[Mismatch]:
    """Every place at which the value does not match the pattern; empty where it does.

    Raises:
        NothingThere: a reference in the pattern leads nowhere.
    """
    if isinstance(pattern, Ref):
        return match(_frozen(scope.get(pattern)), value, scope, path)
    if isinstance(pattern, Matcher):
        return _MATCHERS[pattern.name](pattern.argument, value, scope, path)
    if isinstance(pattern, Mapping):
        return _match_members(pattern, value, scope, path)
    if isinstance(pattern, tuple):
        return _match_items(pattern, value, scope, path)
    if isinstance(value, Absent) or not same(pattern, value):
        return [Mismatch(path, show(pattern), show(value))]
    return []


def _frozen(value: JsonValue) -> Template:
    """A plain value as a template."""
    if isinstance(value, Mapping):
        return {key: _frozen(item) for key, item in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return tuple(_frozen(item) for item in value)
    return value


def _join(path: str, key: object) -> str:
    return f"{path}.{key}" if path else str(key)


def _match_members(pattern: Mapping[str, Template], value: Value, scope: Scope, path: str) -> list[Mismatch]:
    if not isinstance(value, Mapping):
        return [Mismatch(path, describe(pattern, scope) if pattern else "an object", show(value))]
    found: list[Mismatch] = []
    for key, wanted in pattern.items():
        found += match(wanted, value.get(key, ABSENT), scope, _join(path, key))
    return found


def _match_items(pattern: tuple[Template, ...], value: Value, scope: Scope, path: str) -> list[Mismatch]:
    if not isinstance(value, Sequence) or isinstance(value, str):
        return [Mismatch(path, f"a list of {len(pattern)}", show(value))]
    if len(value) != len(pattern):
        return [Mismatch(path, f"a list of {len(pattern)}", f"a list of {len(value)}: {show(value)}")]
    found: list[Mismatch] = []
    for position, (wanted, item) in enumerate(zip(pattern, value, strict=True)):
        found += match(wanted, item, scope, _join(path, position))
    return found


def _absent(_: Template, value: Value, __: Scope, path: str) -> list[Mismatch]:
    return [] if isinstance(value, Absent) else [Mismatch(path, "nothing there", show(value))]


def _type(argument: Template, value: Value, scope: Scope, path: str) -> list[Mismatch]:
    filled = scope.fill(argument)
    wanted = (filled,) if isinstance(filled, str) or not isinstance(filled, Sequence) else filled
    name = type_name(value)
    fits = name in wanted or (name == "integer" and "number" in wanted)
    return [] if fits else [Mismatch(path, " or ".join(map(str, wanted)), show(value))]


def _list(argument: Template, scope: Scope) -> Sequence[JsonValue]:
    """An argument that is a list; a reference may lead to what the target sent instead of one."""
    filled = scope.fill(argument)
    if not isinstance(filled, Sequence) or isinstance(filled, str):
        raise NothingThere(_shown(argument), "no list")
    return filled


def _number(argument: Template, scope: Scope) -> int | float:
    """An argument that is a number, likewise."""
    filled = scope.fill(argument)
    if isinstance(filled, bool) or not isinstance(filled, int | float):
        raise NothingThere(_shown(argument), "no number")
    return filled


def _shown(argument: Template) -> str:
    return str(argument) if isinstance(argument, Ref) else "the argument of a matcher"


def _in(argument: Template, value: Value, scope: Scope, path: str) -> list[Mismatch]:
    options = _list(argument, scope)
    if not isinstance(value, Absent) and any(same(option, value) for option in options):
        return []
    return [Mismatch(path, f"one of {show(options)}", show(value))]


def _matches(argument: Template, value: Value, scope: Scope, path: str) -> list[Mismatch]:
    pattern = str(scope.fill(argument))
    fits = isinstance(value, str) and re.search(pattern, value) is not None
    return [] if fits else [Mismatch(path, f"a string matching {pattern}", show(value))]


def _at_least(argument: Template, value: Value, scope: Scope, path: str) -> list[Mismatch]:
    bound = _number(argument, scope)
    fits = isinstance(value, int | float) and not isinstance(value, bool) and value >= bound
    return [] if fits else [Mismatch(path, f"at least {show(bound)}", show(value))]


def _at_most(argument: Template, value: Value, scope: Scope, path: str) -> list[Mismatch]:
    bound = _number(argument, scope)
    fits = isinstance(value, int | float) and not isinstance(value, bool) and value <= bound
    return [] if fits else [Mismatch(path, f"at most {show(bound)}", show(value))]


def _timestamp(argument: Template, value: Value, scope: Scope, path: str) -> list[Mismatch]:
    form = scope.fill(argument)
    judge = is_rfc3339 if form == "rfc3339" else is_iso8601
    fits = isinstance(value, str) and judge(value)
    return [] if fits else [Mismatch(path, f"an {form} timestamp", show(value))]


def _same_as(argument: Template, value: Value, scope: Scope, path: str) -> list[Mismatch]:
    wanted = scope.fill(argument)
    fits = not isinstance(value, Absent) and same(wanted, value)
    return [] if fits else [Mismatch(path, f"exactly {show(wanted)}", show(value))]


def _schema(argument: Template, value: Value, scope: Scope, path: str) -> list[Mismatch]:
    name = str(scope.fill(argument))
    if isinstance(value, Absent):
        return [Mismatch(path, f"a {name}", "nothing")]
    flaws = shapes.check(name, value)
    return [
        Mismatch(_join(path, flaw.pointer.strip("/").replace("/", ".")).rstrip("."), f"a {name}", flaw.problem)
        for flaw in flaws
    ]


def _any_of(argument: Template, value: Value, scope: Scope, path: str) -> list[Mismatch]:
    assert isinstance(argument, tuple)
    tries = [match(option, value, scope, path) for option in argument]
    if any(not found for found in tries):
        return []
    wanted = " or ".join(dict.fromkeys(_below(path, found[0]) for found in tries))
    return [Mismatch(path, wanted, show(value))]


def _below(path: str, mismatch: Mismatch) -> str:
    """What was expected, with the place of it where that lies below the path."""
    place = mismatch.path.removeprefix(path).lstrip(".")
    return f"{place}: {mismatch.expected}" if place else mismatch.expected


def _all_of(argument: Template, value: Value, scope: Scope, path: str) -> list[Mismatch]:
    assert isinstance(argument, tuple)
    return [mismatch for part in argument for mismatch in match(part, value, scope, path)]


def _not(argument: Template, value: Value, scope: Scope, path: str) -> list[Mismatch]:
    if match(argument, value, scope, path):
        return []
    return [Mismatch(path, f"anything but {describe(argument, scope)}", show(value))]


def _only_keys(argument: Template, value: Value, scope: Scope, path: str) -> list[Mismatch]:
    allowed = _list(argument, scope)
    if not isinstance(value, Mapping):
        return [Mismatch(path, "an object", show(value))]
    extra = [key for key in value if key not in allowed]
    return (
        [Mismatch(path, f"no members but {', '.join(map(str, allowed))}", f"also {', '.join(extra)}")] if extra else []
    )


def _each(argument: Template, value: Value, scope: Scope, path: str) -> list[Mismatch]:
    if not isinstance(value, Sequence) or isinstance(value, str):
        return [Mismatch(path, "a list", show(value))]
    return [m for position, item in enumerate(value) for m in match(argument, item, scope, _join(path, position))]


def _includes(argument: Template, value: Value, scope: Scope, path: str) -> list[Mismatch]:
    if not isinstance(value, Sequence) or isinstance(value, str):
        return [Mismatch(path, "a list", show(value))]
    if any(not match(argument, item, scope, path) for item in value):
        return []
    return [
        Mismatch(
            path,
            f"an item like {describe(argument, scope)}",
            f"{counted(len(value), 'item')} without it: {show(value)}",
        )
    ]


def _size(argument: Template, value: Value, scope: Scope, path: str) -> list[Mismatch]:
    if not isinstance(value, str | Mapping | Sequence):
        return [Mismatch(path, "something that has a size", show(value))]
    return match(argument, len(value), scope, _join(path, "size"))


def _related_task(argument: Template, value: Value, scope: Scope, path: str) -> list[Mismatch]:
    task = scope.fill(argument)
    task_id = task.get("taskId") if isinstance(task, Mapping) else task
    wanted: Template = {RELATED_TASK: {"taskId": _frozen(task_id)}}
    return match(wanted, value, scope, path)


def describe(pattern: Template, scope: Scope) -> str:
    """A pattern in words, as far as its references can be filled."""
    if isinstance(pattern, Ref):
        return show(scope.find(pattern))
    if isinstance(pattern, Matcher):
        argument = describe(pattern.argument, scope)
        return (
            "nothing there"
            if pattern.name == "$absent"
            else f"{pattern.name.removeprefix('$').replace('_', ' ')} {argument}"
        )
    if isinstance(pattern, Mapping):
        return "{" + ", ".join(f"{key}: {describe(value, scope)}" for key, value in pattern.items()) + "}"
    if isinstance(pattern, tuple):
        return "[" + ", ".join(describe(item, scope) for item in pattern) + "]"
    return show(pattern)


_Judge = Callable[[Template, Value, Scope, str], list[Mismatch]]
_MATCHERS: Mapping[str, _Judge] = {
    "$absent": _absent,
    "$type": _type,
    "$in": _in,
    "$matches": _matches,
    "$at_least": _at_least,
    "$at_most": _at_most,
    "$timestamp": _timestamp,
    "$same_as": _same_as,
    "$schema": _schema,
    "$any_of": _any_of,
    "$all_of": _all_of,
    "$not": _not,
    "$only_keys": _only_keys,
    "$each": _each,
    "$includes": _includes,
    "$size": _size,
    "$related_task": _related_task,
}
