"""Partial templates against what came."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_tasks_conformance.catalog.model import Matcher, Place, Ref, Template
from mcp_tasks_conformance.engine.matching import match, same, type_name
from mcp_tasks_conformance.engine.scope import ABSENT, NothingThere, Scope

HERE = Place(Path("suite.yaml"), 1, 1)
CASE = {"type": "string", "regex": "^a", "form": "rfc3339", "shape": "v1/TaskMetadata"}
SCOPE = Scope({"job": {"taskId": "t-1", "status": "working"}, "limit": 3, "case": CASE})


def m(name: str, argument: Template = True) -> Matcher:
    return Matcher(name, argument, HERE)


def ref(name: str, *path: str | int) -> Ref:
    return Ref(name, path, HERE)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


def frozen(value: object) -> Template:
    if isinstance(value, dict):
        return {key: frozen(item) for key, item in value.items()}
    if isinstance(value, list):
        return tuple(frozen(item) for item in value)
    return value  # type: ignore[return-value]


@given(json_values)
def test_every_value_matches_itself(value: Any) -> None:
    assert match(frozen(value), value, SCOPE) == []


@given(json_values, json_values)
def test_a_scalar_or_list_template_matches_exactly_what_equals_it(left: Any, right: Any) -> None:
    if isinstance(left, dict) or (isinstance(left, list) and "{" in repr(left)):
        return
    assert (match(frozen(left), right, SCOPE) == []) == same(left, right)


@given(st.dictionaries(st.text(), json_values, min_size=1, max_size=5))
def test_members_that_the_template_does_not_name_are_free(value: Any) -> None:
    key = next(iter(value))
    assert match({key: frozen(value[key])}, value, SCOPE) == []
    assert match(frozen(value), {k: v for k, v in value.items() if k != key}, SCOPE)


@given(json_values)
def test_not_is_the_opposite_of_its_pattern(value: Any) -> None:
    pattern = m("$type", ("string", "integer"))
    assert (match(pattern, value, SCOPE) == []) != (match(m("$not", pattern), value, SCOPE) == [])


@pytest.mark.parametrize(
    ("pattern", "good", "bad"),
    [
        (m("$absent"), ABSENT, None),
        (m("$type", "integer"), 1.0, 1.5),
        (m("$type", "number"), 1, "1"),
        (m("$type", "integer"), 0, True),
        (m("$type", ("string", "null")), None, 0),
        (m("$in", (-32601, -32600)), -32600, -32602),
        (m("$matches", "^[a-z]+$"), "abc", "Abc"),
        (m("$at_least", 3), 3, 2.9),
        (m("$at_least", 3), 4, "4"),
        (m("$at_most", 3), 3, 4),
        (m("$at_least", 0), 0, False),
        (m("$timestamp", "rfc3339"), "2025-11-25T10:00:00Z", "20251125T100000Z"),
        (m("$timestamp", "iso8601"), "20251125T100000Z", "25 Nov 2025"),
        (m("$type", ref("case", "type")), "x", 1),
        (m("$type", (ref("case", "type"), "null")), None, 1),
        (m("$matches", ref("case", "regex")), "abc", "xyz"),
        (m("$timestamp", ref("case", "form")), "2025-11-25T10:00:00Z", "20251125T100000Z"),
        (m("$schema", ref("case", "shape")), {"ttl": 1}, {"ttl": "soon"}),
        (m("$same_as", {"a": 1}), {"a": 1}, {"a": 1, "b": 2}),
        (m("$any_of", (1, "one")), "one", 2),
        (m("$all_of", (m("$type", "integer"), m("$at_least", 2))), 2, 1),
        (m("$only_keys", ("a", "b")), {"a": 1}, {"a": 1, "c": 2}),
        (m("$each", m("$type", "string")), ["a"], ["a", 1]),
        (m("$includes", {"taskId": ref("job", "taskId")}), [{"taskId": "t-1", "x": 1}], [{"taskId": "t-2"}]),
        (m("$size", 2), ["a", "b"], ["a"]),
        (m("$size", m("$at_least", 1)), "x", ""),
        (ref("job", "taskId"), "t-1", "t-2"),
        (m("$schema", "v1/RelatedTaskMetadata"), {"taskId": "x"}, {"taskId": 7}),
        (
            m("$related_task", ref("job")),
            {"io.modelcontextprotocol/related-task": {"taskId": "t-1"}, "other": 1},
            {"io.modelcontextprotocol/related-task": {"taskId": "t-2"}},
        ),
        (m("$related_task", ref("job")), {"io.modelcontextprotocol/related-task": {"taskId": "t-1"}}, ABSENT),
    ],
)
def test_a_matcher_tells_good_from_bad(pattern: Any, good: Any, bad: Any) -> None:
    assert match(pattern, good, SCOPE) == []
    assert match(pattern, bad, SCOPE)


def test_a_mismatch_names_the_member_and_both_sides() -> None:
    found = match({"error": {"code": -32602}}, {"error": {"code": -32000}}, SCOPE)
    assert [(f.path, f.expected, f.observed) for f in found] == [("error.code", "-32602", "-32000")]


def test_a_reference_that_leads_nowhere_is_told_and_not_matched() -> None:
    with pytest.raises(NothingThere, match=r"\$job\.ttl"):
        match({"ttl": ref("job", "ttl")}, {"ttl": 1}, SCOPE)


@pytest.mark.parametrize(
    ("value", "name"), [(True, "boolean"), (1.0, "integer"), (1.5, "number"), ([], "array"), (ABSENT, "nothing")]
)
def test_types_are_those_of_json(value: Any, name: Any) -> None:
    assert type_name(value) == name


def test_true_is_not_one_and_one_is_one_point_zero() -> None:
    assert not same(True, 1)
    assert same({"a": [1]}, {"a": [1.0]})
    assert not same("1", 1)
    assert not same([1], [1, 2])


@pytest.mark.parametrize(
    ("pattern", "value", "expected", "observed"),
    [
        ({"a": 1}, 7, "{a: 1}", "7"),
        ({}, [], "an object", "[]"),
        ((1, 2), "12", "a list of 2", '"12"'),
        ((1, 2), [1], "a list of 2", "a list of 1: [1]"),
        (m("$in", (1, 2)), ABSENT, "one of [1, 2]", "nothing"),
        (m("$type", ("string", "null")), 1, "string or null", "1"),
        (m("$matches", "^a"), 1, "a string matching ^a", "1"),
        (m("$at_least", 3), "4", "at least 3", '"4"'),
        (m("$at_most", 1.5), True, "at most 1.5", "true"),
        (m("$timestamp", "rfc3339"), 0, "an rfc3339 timestamp", "0"),
        (m("$same_as", {"a": 1}), ABSENT, 'exactly {"a": 1}', "nothing"),
        (m("$schema", "v1/RelatedTaskMetadata"), ABSENT, "a v1/RelatedTaskMetadata", "nothing"),
        (m("$any_of", (1, "one")), ABSENT, '1 or "one"', "nothing"),
        (m("$any_of", ({"a": {"b": 1}}, {"c": m("$absent")})), {"c": 2}, "a: {b: 1} or c: nothing there", '{"c": 2}'),
        (m("$not", m("$absent")), ABSENT, "anything but nothing there", "nothing"),
        (m("$only_keys", ("a",)), [], "an object", "[]"),
        (m("$only_keys", ("a",)), {"a": 1, "b": 2}, "no members but a", "also b"),
        (m("$each", 1), "111", "a list", '"111"'),
        (m("$includes", 1), {"1": 1}, "a list", '{"1": 1}'),
        (m("$includes", 1), [2, 3], "an item like 1", "2 items without it: [2, 3]"),
        (m("$size", 2), 7, "something that has a size", "7"),
        (m("$related_task", "t-1"), {}, '{taskId: "t-1"}', "nothing"),
    ],
)
def test_every_matcher_says_what_it_wanted_and_what_it_found(
    pattern: Any, value: Any, expected: str, observed: str
) -> None:
    (found, *_) = match(pattern, value, SCOPE)
    assert (found.expected, found.observed) == (expected, observed)


def test_a_flaw_is_told_with_the_place_that_the_schema_names() -> None:
    (found,) = match({"_meta": m("$schema", "v1/RelatedTaskMetadata")}, {"_meta": {"taskId": 7}}, SCOPE)
    assert (found.path, found.observed) == ("_meta.taskId", "is the number 7, not a string")


@pytest.mark.parametrize(
    ("pattern", "told"),
    [
        (m("$at_least", ref("job", "status")), r"no number at \$job\.status"),
        (m("$at_most", ref("job")), r"no number at \$job"),
        (m("$in", ref("job", "taskId")), r"no list at \$job\.taskId"),
        (m("$only_keys", ref("limit")), r"no list at \$limit"),
        (m("$same_as", ref("job", "nothing")), r"nothing at \$job\.nothing"),
    ],
)
def test_a_bound_that_the_target_did_not_give_is_no_mismatch(pattern: Any, told: str) -> None:
    with pytest.raises(NothingThere, match=told):
        match(pattern, {"a": 1}, SCOPE)


def test_long_and_unprintable_values_are_cut_and_escaped() -> None:
    (found,) = match(1, "\ud800" + "x" * 500, SCOPE)
    assert found.observed.startswith('"\\ud800xxx')
    assert len(found.observed) == 200
    found.observed.encode()
