"""The matchers of the scenario language: what each means and what may stand in it."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import TypeAlias

from mcp_tasks_conformance.catalog.model import Matcher, Ref, Template
from mcp_tasks_conformance.catalog.problems import suggestion

MATCHERS: Mapping[str, str] = {
    "$absent": "`true`: the member is not there.",
    "$type": "A JSON type name or a list of them: object, array, string, number, integer, boolean, null.",
    "$in": "A list: the value equals one of its items.",
    "$matches": "A regular expression that is found in the string.",
    "$at_least": "A number that the value reaches.",
    "$at_most": "A number that the value does not pass.",
    "$timestamp": "`iso8601` or `rfc3339`: a timestamp of that form.",
    "$same_as": "A value that it equals wholly (objects are otherwise matched in part).",
    "$schema": "The name of a wire schema: v1/Task.",
    "$any_of": "A list of patterns of which one matches.",
    "$all_of": "A list of patterns that all match.",
    "$not": "A pattern that does not match.",
    "$only_keys": "A list: the object has no other members.",
    "$each": "A pattern that every item matches.",
    "$includes": "A pattern that some item matches.",
    "$size": "How many items, members or characters: a number or a pattern for it.",
    "$related_task": "A task: _meta's related-task names it. Stands in the place of `_meta`.",
}

TAKES_PATTERNS = frozenset({"$any_of", "$all_of", "$not", "$each", "$includes", "$size"})
"""Matchers whose argument may hold matchers itself."""

SAME_VALUE = frozenset({"$any_of", "$all_of", "$not"})
"""Matchers whose patterns stand where the matcher itself stands."""

WRITTEN_OUT = frozenset({"$absent", "$type", "$matches", "$timestamp", "$schema"})
"""Matchers whose argument is known before the run: written out, or a parameter."""

TYPES = ("object", "array", "string", "number", "integer", "boolean", "null")
TIMESTAMPS = ("iso8601", "rfc3339")

Complaint: TypeAlias = tuple[str, str | None]
"""What is wrong, and a hint."""


def complaint(name: str, argument: Template, schemas: Collection[str]) -> Complaint | None:
    """What is wrong with the argument of a matcher, where it is no reference."""
    check = _CHECKS.get(name)
    return check(name, argument, schemas) if check else None


def _absent(_: str, argument: Template, __: Collection[str]) -> Complaint | None:
    return None if argument is True else ("`$absent` is `true`", "leave the member out of the pattern to allow it")


def _type(_: str, argument: Template, __: Collection[str]) -> Complaint | None:
    named = argument if isinstance(argument, tuple) else (argument,)
    if not named:
        return "`$type` names no type", None
    for name in named:
        if name not in TYPES:
            return f"`{name}` is no JSON type", suggestion(name, TYPES)
    return None


def _matches(_: str, argument: Template, __: Collection[str]) -> Complaint | None:
    if not isinstance(argument, str):
        return "`$matches` is a regular expression", None
    try:
        re.compile(argument)
    except re.error as error:
        return f"not a regular expression: {error}", None
    return None


def _timestamp(_: str, argument: Template, __: Collection[str]) -> Complaint | None:
    if argument in TIMESTAMPS:
        return None
    return f"`{argument}` is no form of timestamp", suggestion(argument, TIMESTAMPS)


def _schema(_: str, argument: Template, schemas: Collection[str]) -> Complaint | None:
    if argument in schemas:
        return None
    return f"there is no wire schema `{argument}`", suggestion(argument, schemas)


def _number(name: str, argument: Template, _: Collection[str]) -> Complaint | None:
    if isinstance(argument, int | float) and not isinstance(argument, bool):
        return None
    return f"`{name}` is a number", None


def _list(name: str, argument: Template, _: Collection[str]) -> Complaint | None:
    if isinstance(argument, tuple) and argument:
        return None
    return f"`{name}` is a list that is not empty", None


def _keys(_: str, argument: Template, __: Collection[str]) -> Complaint | None:
    if isinstance(argument, tuple) and all(isinstance(key, str | Ref) for key in argument):
        return None
    return "`$only_keys` is a list of member names", None


def _size(_: str, argument: Template, __: Collection[str]) -> Complaint | None:
    if isinstance(argument, Matcher) or (
        isinstance(argument, int) and not isinstance(argument, bool) and argument >= 0
    ):
        return None
    return "`$size` is a number from 0 on, or a pattern for it", "as in {$size: {$at_least: 1}}"


def _task(_: str, argument: Template, __: Collection[str]) -> Complaint | None:
    if isinstance(argument, str):
        return None
    return "`$related_task` names a task", "as in {$related_task: $job}"


_CHECKS = {
    "$absent": _absent,
    "$type": _type,
    "$matches": _matches,
    "$timestamp": _timestamp,
    "$schema": _schema,
    "$at_least": _number,
    "$at_most": _number,
    "$in": _list,
    "$any_of": _list,
    "$all_of": _list,
    "$only_keys": _keys,
    "$size": _size,
    "$related_task": _task,
}
