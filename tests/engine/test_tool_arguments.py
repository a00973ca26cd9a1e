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
    ("name", "schema", "value"),
    [
        ("seconds", {"type": "number", "minimum": 0}, 0.6),
        ("seconds", {"type": "integer", "minimum": 0}, 1),
        ("delaySeconds", {"type": "number"}, 0.6),
        ("delay_s", {"type": "number", "minimum": 0}, 0.6),
        ("delay_ms", {"type": "integer"}, 600),
        ("durationMs", {"type": "number", "minimum": 10, "maximum": 500}, 500),
        ("duration", {"type": "number", "minimum": 0, "description": "How long to work, in seconds"}, 0.6),
        ("duration", {"type": "number", "description": "Work time (ms)"}, 600),
        ("duration", {"type": "number", "minimum": 0, "description": "How long"}, 0),
        ("duration", {"type": "number", "minimum": 0, "description": "Milliseconds; 1000 are a second"}, 0),
        ("duration_ms", {"type": "integer", "description": "As seconds times a thousand"}, 600),
        ("seconds", {"type": "number", "minimum": 5}, 5),
        ("seconds", {"type": "number", "default": 3}, 3),
        ("seconds", {"type": "string"}, "conformance"),
        ("steps", {"type": "integer", "minimum": 1}, 2),
        ("max_steps", {"type": "integer", "minimum": 1, "maximum": 1}, 1),
        ("steps_ahead", {"type": "integer", "minimum": 0}, 0),
        ("amount", {"type": "number", "minimum": 0, "description": "in seconds"}, 0),
        ("s", {"type": "number", "minimum": 0}, 0),
        ("", {"type": "number", "minimum": 0}, 0),
    ],
)
def test_a_number_that_says_how_long_to_work_lets_the_work_be_seen(name: str, schema: Any, value: Any) -> None:
    assert arguments_for({"properties": {name: schema}, "required": [name]}) == {name: value}


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
