"""Checks arguments and form contents against the part of JSON Schema that the bundled tools use."""

from __future__ import annotations

from collections.abc import Mapping

from mcp_tasks_reference.jsonrpc import JsonObject, JsonValue

_TYPES: Mapping[str, tuple[type, ...]] = {
    "string": (str,),
    "boolean": (bool,),
    "integer": (int,),
    "number": (int, float),
    "object": (dict,),
    "array": (list,),
}


def flaw_in(value: JsonValue, schema: JsonObject, place: str = "arguments") -> str | None:
    """What is wrong with a value, in words, or none."""
    wanted = schema.get("type")
    if isinstance(wanted, str) and not _is_of(value, wanted):
        return f"{place} must be of type {wanted}"
    if not isinstance(value, Mapping):
        return None
    properties = schema.get("properties")
    known: Mapping[str, JsonValue] = properties if isinstance(properties, Mapping) else {}
    required = schema.get("required")
    for name in required if isinstance(required, list) else []:
        if name not in value:
            return f"{place}.{name} is missing"
    for name, member in value.items():
        below = known.get(name)
        if isinstance(below, Mapping):
            flaw = flaw_in(member, below, f"{place}.{name[:40]}")
            if flaw is not None:
                return flaw
        elif schema.get("additionalProperties") is False:
            return f"{place}.{name[:40]} is not known"
    return None


def _is_of(value: JsonValue, wanted: str) -> bool:
    if isinstance(value, bool):
        return wanted == "boolean"
    return isinstance(value, _TYPES[wanted])
