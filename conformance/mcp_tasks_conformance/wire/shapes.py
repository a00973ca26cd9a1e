"""The shapes of messages: what a value lacks of the JSON Schemas under schemas/wire, worded for people.

A shape is named after its file: ``v1/Task`` is schemas/wire/v1/Task.json. Formats (such as date-time) are annotations
and never flaws.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Final, cast

from mcp_tasks_conformance.catalog import library
from mcp_tasks_conformance.events import JsonValue

if TYPE_CHECKING:
    from jsonschema import ValidationError
    from jsonschema.protocols import Validator

MOST_FLAWS: Final = 20
"""How many flaws of one value are told; a long list of broken items would say nothing more."""


@dataclass(frozen=True, slots=True)
class Flaw:
    """One thing that is wrong with a value."""

    pointer: str
    """JSON pointer to the place, empty for the value itself; a member that is missing is named as if it were there."""
    problem: str
    """What is wrong there, to be read after the pointer: ``is missing``, ``is a string, not a number``."""
    keyword: str
    """The keyword of the schema that does not hold; ``not`` where nothing may be."""


_REQUESTS: Final[Mapping[str, Mapping[str, tuple[str, str]]]] = {
    "v1": {
        "initialize": ("InitializeParams", "InitializeResult"),
        "ping": ("PingParams", "EmptyResult"),
        "logging/setLevel": ("SetLevelParams", "EmptyResult"),
        "tools/list": ("ListToolsParams", "ListToolsResult"),
        "tools/call": ("CallToolParams", "CallToolResult"),
        "sampling/createMessage": ("CreateMessageParams", "CreateMessageResult"),
        "elicitation/create": ("ElicitParams", "ElicitResult"),
        "tasks/get": ("GetTaskParams", "GetTaskResult"),
        "tasks/result": ("GetTaskPayloadParams", "GetTaskPayloadResult"),
        "tasks/list": ("ListTasksParams", "ListTasksResult"),
        "tasks/cancel": ("CancelTaskParams", "CancelTaskResult"),
    },
}

_NOTIFICATIONS: Final[Mapping[str, Mapping[str, str]]] = {
    "v1": {
        "notifications/initialized": "NotificationParams",
        "notifications/cancelled": "CancelledNotificationParams",
        "notifications/progress": "ProgressNotificationParams",
        "notifications/message": "LoggingMessageNotificationParams",
        "notifications/tasks/status": "TaskStatusNotificationParams",
        "notifications/elicitation/complete": "ElicitationCompleteNotificationParams",
        "notifications/tools/list_changed": "NotificationParams",
    },
}


def check(name: str, value: JsonValue) -> tuple[Flaw, ...]:
    """Find what is wrong with a value.

    Args:
        name: The shape: ``v1/Task``.
        value: The value, as JSON has it.

    Returns:
        The flaws, at most ``MOST_FLAWS``, none twice; nothing for a value of that shape.

    Raises:
        KeyError: No shape has that name.
    """
    flaws: dict[Flaw, None] = {}
    for error in _validator(name).iter_errors(value):
        flaws.update(dict.fromkeys(_flaws(error)))
        if len(flaws) >= MOST_FLAWS:
            break
    return tuple(flaws)[:MOST_FLAWS]


@cache
def names() -> tuple[str, ...]:
    """The names of all shapes, in order."""
    return tuple(sorted(library.schema_names()))


def result_schema(generation: str, method: str) -> str | None:
    """The shape of the result of a request that makes no task; none for a method that has none here."""
    shapes = _REQUESTS.get(generation, {}).get(method)
    return f"{generation}/{shapes[1]}" if shapes else None


def params_schema(generation: str, method: str) -> str | None:
    """The shape of a request's params; none for a method that has none here."""
    shapes = _REQUESTS.get(generation, {}).get(method)
    return f"{generation}/{shapes[0]}" if shapes else None


def notification_schema(generation: str, method: str) -> str | None:
    """The shape of a notification's params; none for a method that has none here."""
    shape = _NOTIFICATIONS.get(generation, {}).get(method)
    return f"{generation}/{shape}" if shape else None


@cache
def _validator(name: str) -> Validator:
    from jsonschema import Draft202012Validator

    if name not in names():
        raise KeyError(name)
    generation, _, shape = name.partition("/")
    return Draft202012Validator(_contents(generation, f"{shape}.json"))


_SAYS_NOTHING: Final = frozenset({"$schema", "$id", "$comment", "title", "description"})
"""Members of a file that are no rules."""


@cache
def _contents(generation: str, file: str) -> dict[str, Any]:
    """A schema with what it refers to in place of every reference, for each look-up would cost as much as a check.

    References name files of the same folder, and no file refers to itself by way of others.
    """
    text = (library.root() / "schemas/wire" / generation / file).read_text(encoding="utf-8")
    contents = {name: member for name, member in json.loads(text).items() if name not in _SAYS_NOTHING}
    return cast("dict[str, Any]", _inlined(contents, generation))


def _inlined(schema: JsonValue, generation: str) -> JsonValue:
    if isinstance(schema, list):
        return [_inlined(item, generation) for item in schema]
    if not isinstance(schema, dict):
        return schema
    members = {name: _inlined(member, generation) for name, member in schema.items()}
    file = members.pop("$ref", None)
    if not isinstance(file, str):
        return members
    rest = members.pop("allOf", [])
    assert isinstance(rest, list)
    return {"allOf": [_contents(generation, file), *rest], **members}


def _flaws(error: ValidationError) -> Iterator[Flaw]:
    pointer = "".join(f"/{_escaped(step)}" for step in error.absolute_path)
    keyword = str(error.validator)
    if keyword == "required":
        # The library tells of each missing member in its message only, so all of them are told here.
        members = cast("list[str]", error.validator_value)
        there = cast("Mapping[str, JsonValue]", error.instance)
        yield from (Flaw(f"{pointer}/{_escaped(it)}", "is missing", keyword) for it in members if it not in there)
    else:
        yield Flaw(pointer, _problem(error, keyword), keyword)


def _problem(error: ValidationError, keyword: str) -> str:
    wanted = cast("Any", error.validator_value)
    value = cast("JsonValue", error.instance)
    match keyword:
        case "type":
            return f"is {_kind(value)}, not {_either([_ARTICLES[name] for name in _listed(wanted)])}"
        case "enum":
            return f"is {_shown(value)}, not {_either([str(choice) for choice in wanted])}"
        case "const":
            return f"is {_shown(value)}, not {_shown(wanted)}"
        case "minimum" | "maximum":
            return f"is {_shown(value)}, {'less' if keyword == 'minimum' else 'more'} than {wanted}"
        case "not":
            return "must not be there"
        case _:
            return error.message[:200]


_ARTICLES: Final = {
    "object": "an object",
    "array": "an array",
    "string": "a string",
    "number": "a number",
    "integer": "an integer",
    "boolean": "a boolean",
    "null": "null",
}


def _kind(value: JsonValue) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "a boolean"
    if isinstance(value, (int, float)):
        return f"the number {_shown(value)}"
    if isinstance(value, str):
        return "a string"
    return "an object" if isinstance(value, Mapping) else "an array"


def _shown(value: JsonValue) -> str:
    if isinstance(value, Mapping) or (isinstance(value, Sequence) and not isinstance(value, str)):
        return _kind(value)
    # Lone surrogates, which no terminal can print, are escaped.
    text = json.dumps(value, ensure_ascii=False).encode("utf-8", "backslashreplace").decode()
    return text if len(text) <= 60 else f"{text[:57]}..."


def _listed(value: str | Sequence[str]) -> Sequence[str]:
    return [value] if isinstance(value, str) else value


def _either(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"


def _escaped(step: str | int) -> str:
    return str(step).replace("~", "~0").replace("/", "~1")
