"""Answers that any target must be able to take: made from the schema that it asks with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mcp_tasks_conformance.events import JsonValue

RELATED_TASK = "io.modelcontextprotocol/related-task"
LONGEST = 10_000
"""How long a text or list is made at most, with all that is in it, whatever a schema asks for."""
_LARGEST = 100 * LONGEST
"""How much is put into an object; a schema asks for what it likes."""


def related_task_of(params: JsonValue) -> str | None:
    """The taskId in related-task metadata of a message's params or result, if there is one."""
    if not isinstance(params, Mapping):
        return None
    meta = params.get("_meta")
    related = meta.get(RELATED_TASK) if isinstance(meta, Mapping) else None
    task_id = related.get("taskId") if isinstance(related, Mapping) else None
    return task_id if isinstance(task_id, str) else None


def answer_to(
    method: str, params: Mapping[str, JsonValue], *, action: str = "accept", content: JsonValue = None
) -> dict[str, JsonValue]:
    """The result that answers a request of the target, with related-task metadata where the request has it.

    ``content`` overrides what would be made from the schema; ``action`` is accept, decline or cancel.
    """
    result: dict[str, JsonValue]
    if method == "elicitation/create":
        result = {"action": action}
        if action == "accept" and params.get("mode") != "url":
            result["content"] = content if content is not None else _filled(params.get("requestedSchema"))
    elif method == "sampling/createMessage":
        text = {"type": "text", "text": "A short answer from the conformance suite."}
        result = {
            "role": "assistant",
            "content": content if content is not None else text,
            "model": "mcp-tasks-conformance",
            "stopReason": "endTurn",
        }
    else:
        result = {}
    task_id = related_task_of(params)
    if task_id is not None:
        result["_meta"] = {RELATED_TASK: {"taskId": task_id}}
    return result


def refusal_of(method: str, params: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """A response (without id) that lets a request go which nobody means to answer."""
    if method == "elicitation/create":
        return {"result": answer_to(method, params, action="cancel")}
    return {"error": {"code": -1, "message": "The requestor declined"}}


def _filled(schema: JsonValue) -> dict[str, JsonValue]:
    if not isinstance(schema, Mapping):
        return {}
    properties = schema.get("properties")
    if not isinstance(properties, Mapping):
        return {}
    return _object(tuple(properties), properties)


_FORMATS = {
    "email": "suite@example.com",
    "uri": "https://example.com/",
    "date": "2025-11-25",
    "date-time": "2025-11-25T12:00:00Z",
}


def sample(schema: JsonValue) -> JsonValue:
    """A value that a JSON Schema of the kinds used in elicitation and tool inputs accepts."""
    if not isinstance(schema, Mapping):
        return "text"
    for key in ("default", "const"):
        if key in schema:
            return schema[key]
    options = schema.get("enum") or [o.get("const") for o in _mappings(schema.get("oneOf") or schema.get("anyOf"))]
    if isinstance(options, Sequence) and options and options[0] is not None:
        return options[0]
    kind = schema.get("type")
    kind = kind[0] if isinstance(kind, Sequence) and not isinstance(kind, str) and kind else kind
    if kind == "boolean":
        return True
    if kind in ("integer", "number"):
        return _number(schema, whole=kind == "integer")
    if kind == "array":
        least = schema.get("minItems")
        item = sample(schema.get("items"))
        most = max(1, LONGEST // _size(item))
        return [item] * (min(least, most) if isinstance(least, int) and least > 0 else 1)
    if kind == "object":
        required = schema.get("required")
        properties = schema.get("properties")
        names = required if isinstance(required, Sequence) else ()
        return _object(names, properties) if isinstance(properties, Mapping) else {}
    return _text(schema)


def _object(names: Sequence[JsonValue], fields: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    made: dict[str, JsonValue] = {}
    size = 0
    for name in names:
        if size > _LARGEST:
            break
        made[str(name)] = sample(fields.get(str(name)))
        size += _size(made[str(name)])
    return made


def _size(value: JsonValue) -> int:
    """How much there is of a value: its characters, and one for everything in it."""
    if isinstance(value, str):
        return 1 + len(value)
    if isinstance(value, Mapping):
        return 1 + sum(len(name) + _size(item) for name, item in value.items())
    if isinstance(value, Sequence):
        return 1 + sum(_size(item) for item in value)
    return 1


def _mappings(value: JsonValue) -> list[Mapping[str, JsonValue]]:
    return [item for item in value if isinstance(item, Mapping)] if isinstance(value, Sequence) else []


def _number(schema: Mapping[str, JsonValue], *, whole: bool) -> int | float:
    low, high = schema.get("minimum"), schema.get("maximum")
    above, below = schema.get("exclusiveMinimum"), schema.get("exclusiveMaximum")
    floor = low if isinstance(low, int | float) else above + 1 if isinstance(above, int | float) else 1
    ceiling = high if isinstance(high, int | float) else below - 1 if isinstance(below, int | float) else floor
    if not isinstance(low, int | float) and not isinstance(above, int | float):
        floor = min(floor, ceiling)
    return int(floor) if whole else floor


def _text(schema: Mapping[str, JsonValue]) -> str:
    made = _FORMATS.get(str(schema.get("format")), "conformance")
    least, most = schema.get("minLength"), schema.get("maxLength")
    if isinstance(least, int):
        made = made.ljust(min(least, LONGEST), "x")
    return made[:most] if isinstance(most, int) else made
