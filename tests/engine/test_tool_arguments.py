"""Arguments for a tool that nobody told us how to call."""

from __future__ import annotations

from typing import Any

import jsonschema
import pytest

from mcp_tasks_conformance.engine.tool_arguments import arguments_for

SCHEMAS: dict[str, dict[str, Any]] = {
    "nothing required": {"type": "object", "properties": {"a": {"type": "string"}}},
    "a number from a bound": {"properties": {"n": {"type": "integer", "minimum": 3}}, "required": ["n"]},
    "one of several": {"properties": {"c": {"enum": ["red", "blue"]}}, "required": ["c"]},
    "a reference": {
        "$defs": {"Point": {"type": "object", "properties": {"x": {"type": "number"}}, "required": ["x"]}},
        "properties": {"at": {"$ref": "#/$defs/Point"}, "all": {"type": "array", "items": {"$ref": "#/$defs/Point"}}},
        "required": ["at", "all"],
    },
    "an optional type": {
        "properties": {"n": {"anyOf": [{"type": "integer"}, {"type": "null"}]}},
        "required": ["n"],
    },
    "a reference with words beside it": {
        "$defs": {"Kind": {"type": "string", "enum": ["fast"]}},
        "properties": {"kind": {"$ref": "#/$defs/Kind", "description": "how"}},
        "required": ["kind"],
    },
    "no type at the top": {"required": ["a"], "properties": {"a": {"type": "boolean"}}},
}


@pytest.mark.parametrize("name", SCHEMAS)
def test_arguments_are_such_as_the_schema_accepts(name: str) -> None:
    made = arguments_for(SCHEMAS[name])
    jsonschema.validate(made, SCHEMAS[name])
    assert set(made) == set(SCHEMAS[name].get("required", ()))


@pytest.mark.parametrize(
    "odd", [None, 7, [], "object", {"type": "string"}, {"required": 7}, {"required": ["a"]}, {"properties": []}]
)
def test_an_odd_schema_gives_some_arguments_all_the_same(odd: Any) -> None:
    assert isinstance(arguments_for(odd), dict)


def test_a_schema_that_refers_to_itself_comes_to_an_end() -> None:
    loop: dict[str, Any] = {
        "$defs": {"N": {"properties": {n: {"$ref": "#/$defs/N"} for n in "abcdef"}, "required": list("abcdef")}},
        "properties": {"n": {"$ref": "#/$defs/N"}},
        "required": ["n"],
    }
    assert "n" in arguments_for(loop)
