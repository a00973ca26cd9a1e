"""Templates: plain JSON means itself, dollar signs make references, and every part keeps its place."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from mcp_tasks_conformance.catalog.model import Place, Ref, Template
from mcp_tasks_conformance.catalog.names import Scope
from mcp_tasks_conformance.catalog.problems import Problems
from mcp_tasks_conformance.catalog.source import Data, Member, Value
from mcp_tasks_conformance.catalog.templates import Templates, escape, parse_reference
from mcp_tasks_conformance.events import JsonValue

PLACE = Place(Path("file.yaml"), 1, 1)

dollars = st.text(st.sampled_from("$a._1 "), max_size=6)
texts = st.text(max_size=10) | dollars
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | texts,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
    max_leaves=20,
)
names = st.from_regex(r"[a-z][a-z0-9]{0,5}", fullmatch=True)
steps = st.integers(-9, 9) | st.from_regex(r"[A-Za-z_/][A-Za-z0-9_/-]{0,8}", fullmatch=True)
steps |= st.from_regex(r'[^"]{1,8}', fullmatch=True)


def as_value(value: Any) -> Value:
    """JSON as a file would hold it."""
    data: Data = value
    if isinstance(value, dict):
        data = {key: Member(PLACE, as_value(item)) for key, item in value.items()}
    elif isinstance(value, list):
        data = tuple(as_value(item) for item in value)
    return Value(data, PLACE)


def as_json(template: Template) -> Any:
    """A template without references and matchers, as JSON."""
    return json.loads(json.dumps(template))


@given(json_values)
def test_escaped_json_is_sent_as_it_was(value: JsonValue) -> None:
    problems = Problems()
    template = Templates(problems, ()).stimulus(as_value(escape(value)), Scope(problems))
    problems.settle()
    assert as_json(template) == value


@given(json_values)
def test_escaped_json_is_expected_as_it_was(value: JsonValue) -> None:
    problems = Problems()
    template = Templates(problems, ()).pattern(as_value(escape(value)), Scope(problems))
    problems.settle()
    assert as_json(template) == value


@given(json_values)
def test_what_has_no_dollar_sign_in_front_needs_no_escape(value: JsonValue) -> None:
    if "$" not in json.dumps(value):
        assert escape(value) == value


@given(texts)
def test_a_text_is_plain_or_a_reference_or_a_problem(text: str) -> None:
    problems = Problems()
    read = Templates(problems, ()).text(text, PLACE, Scope(problems))
    if not text.startswith("$"):
        assert (read, len(problems)) == (text, 0)
    elif text.startswith("$$"):
        assert (read, len(problems)) == (text[1:], 0)
    else:
        assert len(problems) == 1


@given(names, st.lists(steps, max_size=4))
def test_a_reference_reads_as_it_is_written(name: str, path: list[str | int]) -> None:
    ref = Ref(name, tuple(path), PLACE)
    assert parse_reference(str(ref), PLACE) == ref


def test_a_member_whose_name_has_dots_stands_in_quotes() -> None:
    read = parse_reference('$plain.result._meta."example.com/source".0."0"', PLACE)
    assert read is not None
    assert read.path == ("result", "_meta", "example.com/source", 0, "0")
    for odd in ('$plain."a', '$plain.""', '$plain."a"b', '$plain.a."b"c"', '$"plain"', '$plain."a".'):
        assert parse_reference(odd, PLACE) is None


@given(json_values)
def test_no_json_breaks_the_reading_of_a_pattern(value: JsonValue) -> None:
    problems = Problems()
    Templates(problems, ()).pattern(as_value(value), Scope(problems))
