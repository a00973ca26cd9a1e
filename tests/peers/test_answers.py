"""Answers made from the schema that they are asked with."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from mcp_tasks_conformance.events import JsonValue
from mcp_tasks_conformance.peers.answers import RELATED_TASK, answer_to, related_task_of, sample

bounded = st.integers(-1000, 1000)
fields = st.one_of(
    st.just({"type": "boolean"}),
    st.builds(lambda a, b: {"type": "integer", "minimum": min(a, b), "maximum": max(a, b)}, bounded, bounded),
    st.builds(lambda a: {"type": "number", "maximum": a}, bounded),
    st.builds(lambda a: {"type": "number", "minimum": a}, bounded),
    st.builds(
        lambda a, b: {"type": "string", "minLength": min(a, b), "maxLength": max(a, b)},
        st.integers(0, 40),
        st.integers(0, 40),
    ),
    st.builds(lambda names: {"type": "string", "enum": names}, st.lists(st.text(), min_size=1, max_size=4)),
    st.builds(
        lambda names: {"type": "string", "oneOf": [{"const": n, "title": n} for n in names]},
        st.lists(st.text(), min_size=1, max_size=4, unique=True),
    ),
    st.builds(
        lambda names: {"type": "array", "minItems": 1, "items": {"type": "string", "enum": names}},
        st.lists(st.text(), min_size=1, max_size=4),
    ),
)


@given(st.dictionaries(st.text(), fields, max_size=5))
def test_an_accepted_elicitation_fits_the_schema_that_it_was_asked_with(properties: Any) -> None:
    schema = {"type": "object", "properties": properties, "required": list(properties)}
    answer = answer_to("elicitation/create", {"message": "?", "requestedSchema": schema})
    assert answer["action"] == "accept"
    Draft202012Validator(schema).validate(answer["content"])


@given(st.dictionaries(st.text(), fields, max_size=5))
def test_arguments_made_from_an_input_schema_fit_it(properties: Any) -> None:
    schema = {"type": "object", "properties": properties, "required": list(properties)}
    Draft202012Validator(schema).validate(sample(schema))


MILLIONS: dict[str, JsonValue] = {"type": "string", "minLength": 10**9}
NESTED: dict[str, JsonValue] = {
    "type": "array",
    "minItems": 10**12,
    "items": {"type": "array", "minItems": 10**9, "items": MILLIONS},
}
MANY: dict[str, JsonValue] = {f"n{number}": MILLIONS for number in range(5000)}


@pytest.mark.parametrize(
    "schema",
    [NESTED, {"type": "object", "properties": {**MANY, "list": NESTED}, "required": list(MANY)}],
    ids=["lists in lists", "a wide object"],
)
def test_no_schema_makes_a_value_without_end(schema: dict[str, JsonValue]) -> None:
    assert len(json.dumps(sample(schema))) < 2_000_000
    asked = answer_to("elicitation/create", {"requestedSchema": {"properties": {"field": schema}}})
    assert len(json.dumps(asked)) < 2_000_000


def test_an_answer_carries_the_related_task_of_its_request() -> None:
    params: dict[str, JsonValue] = {"message": "?", "requestedSchema": {}, "_meta": {RELATED_TASK: {"taskId": "t-1"}}}
    assert related_task_of(answer_to("elicitation/create", params)) == "t-1"
    assert "_meta" not in answer_to("sampling/createMessage", {"messages": []})


def test_a_declined_elicitation_carries_no_content() -> None:
    assert answer_to("elicitation/create", {"requestedSchema": {}}, action="decline") == {"action": "decline"}
