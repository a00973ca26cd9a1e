"""Verbs that judge what earlier steps gave: relations between values, times between messages."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_tasks_conformance.engine.verbs import comparing
from mcp_tasks_conformance.events import JsonValue, Outcome, ScenarioOutcome
from tests.engine.theatre import PROVES, perform, scenario

TASK = "- start_task: {behaviour: completes, as: one}\n- start_task: {behaviour: completes, as: two}\n"


def compared(values: str, are: str, more: str = "") -> tuple[Outcome, str, str]:
    """How a comparison of values that are written out comes out."""
    made = perform(scenario(f"- compare: {{values: {values}, are: {are}{more}, proves: {PROVES}}}"))
    (check,) = made.checks()
    return check.outcome, check.expected, check.observed


@pytest.mark.parametrize(
    ("values", "are"),
    [
        ("[1, 1.0]", "same"),
        ("[{a: 1, b: [2]}, {b: [2], a: 1}]", "same"),
        ("[1, true, '1']", "distinct"),
        ("[1, 2, 2.5]", "increasing"),
        ("['2025-11-25T10:00:00Z', '2025-11-25T12:00:01+02:00']", "increasing"),
        ("['2025-11-25T10:00:00Z', '2025-11-25T10:00:00.000Z']", "in_order"),
        ("[a, b, b]", "in_order"),
        ("[[1, 2], [3, 2, 1]]", "subset"),
        ("[[1], [2]]", "disjoint"),
    ],
)
def test_a_relation_that_holds_passes(values: str, are: str) -> None:
    assert compared(values, are)[0] is Outcome.PASS


@pytest.mark.parametrize(
    ("values", "are", "observed"),
    [
        ("[1, 2]", "same", "1 and 2"),
        ("[1, true]", "same", "1 and true"),
        ("[a, b, a]", "distinct", '"a" twice'),
        ("[1, 1]", "increasing", "1 and then 1"),
        ("['2025-11-25T12:00:01+02:00', '2025-11-25T10:00:01Z']", "increasing", "and then"),
        ("[2, 1]", "in_order", "2 and then 1"),
        ("[[1, 4], [1, 2]]", "subset", "1 of 2 missing: [4]"),
        ("[1, 2]", "subset", "not two lists: [1, 2]"),
        ("[[1, 2], [2, 3]]", "disjoint", "2"),
        ("[1, 2, 3, 4]", "unpredictable", "each is the one before and 1"),
    ],
)
def test_a_relation_that_does_not_hold_fails_and_says_where(values: str, are: str, observed: str) -> None:
    outcome, _, found = compared(values, are)
    assert outcome is Outcome.FAIL
    assert observed in found


@pytest.mark.parametrize(("values", "are"), [("[[], []]", "disjoint"), ("[[], [1]]", "subset"), ("[[], []]", "subset")])
def test_lists_that_hold_nothing_show_nothing(values: str, are: str) -> None:
    made = perform(scenario(f"- compare: {{values: {values}, are: {are}, proves: {PROVES}}}"))
    assert (made.checks(), made.one.outcome) == ([], ScenarioOutcome.INCONCLUSIVE)
    assert "there is nothing to compare" in (made.one.reason or "")


@pytest.mark.parametrize(
    ("values", "more", "outcome"),
    [
        ("[{a: 1, t: 1}, {a: 1, t: 2}]", ", ignoring: [t]", Outcome.PASS),
        ("[{a: {t: 1}}, {a: {t: 2}}]", ", ignoring: [a.t]", Outcome.PASS),
        ("[[{t: 1}, {t: 2}], [{t: 3}, {t: 4}]]", ", ignoring: ['*.t']", Outcome.PASS),
        ("[{a: {t: 1}}, {a: {t: 2}}]", ", ignoring: [t]", Outcome.FAIL),
        ("['task 1 is gone', 'task 2 is gone']", ", masking: ['1', '2']", Outcome.PASS),
        ("[{m: [x1]}, {m: [x2]}]", ", masking: [x1, x2]", Outcome.PASS),
        ("[{id: a, t: 1}, {id: a, t: 2}]", ", by: id", Outcome.PASS),
        ("[[{id: a}], [{id: b}]]", ", by: id", Outcome.FAIL),
    ],
)
def test_what_does_not_count_is_left_out(values: str, more: str, outcome: Outcome) -> None:
    assert compared(values, "same", more)[0] is outcome


def test_a_comparison_without_proves_is_a_precondition() -> None:
    made = perform(scenario("- compare: {values: [1, 2], are: same}"))
    assert made.one.outcome is ScenarioOutcome.INCONCLUSIVE
    assert made.one.reason == "compare, line 9: expected 2 values, all equal, found 1 and 2"


def test_the_messages_that_values_came_with_are_named() -> None:
    values = "[$one.taskId, $two.taskId]"
    made = perform(scenario(f"{TASK}- compare: {{values: {values}, are: distinct, proves: {PROVES}}}"))
    (check,) = made.checks()
    assert ["result" in made.one.transcript[index].text for index in check.messages] == [True, True]


def test_only_a_list_can_be_compared() -> None:
    made = perform(scenario(f"{TASK}- compare: {{values: $target.protocolVersion, are: distinct, proves: {PROVES}}}"))
    assert made.one.outcome is ScenarioOutcome.HARNESS_ERROR
    assert "`values` takes a list" in (made.one.reason or "")


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=2), inner, max_size=3),
    max_leaves=6,
)


@given(st.lists(json_values, min_size=2, max_size=4))
def test_values_are_not_all_equal_and_all_different(values: list[Any]) -> None:
    relations: dict[str, Any] = dict(comparing._RELATIONS)
    same, distinct = relations["same"](values) is None, relations["distinct"](values) is None
    assert not (same and distinct)


@given(st.lists(st.integers() | st.floats(allow_nan=False), min_size=1, max_size=5))
def test_sorted_numbers_are_in_order_and_increase_where_none_is_twice(values: list[float]) -> None:
    ordered: list[JsonValue] = sorted(values)  # type: ignore[assignment]
    assert comparing._in_order(ordered) is None
    assert (comparing._increasing(ordered) is None) == (len({float(v) for v in values}) == len(values))


# -- gaps ----------------------------------------------------------------------------------------------------

SLOWLY = """
- start_task: {behaviour: completes, as: one}
- settle: {for_ms: 200}
- start_task: {behaviour: completes, as: two}
"""


@pytest.mark.parametrize(
    ("bounds", "outcome", "expected"),
    [
        ("at_least_ms: 150", Outcome.PASS, "at least 150 ms"),
        ("at_least_ms: 250", Outcome.FAIL, "at least 250 ms"),
        ("at_most_ms: 250", Outcome.PASS, "at most 250 ms"),
        ("at_most_ms: 150", Outcome.FAIL, "at most 150 ms"),
        ("at_least_ms: 100, at_most_ms: 300", Outcome.PASS, "at least 100 ms and at most 300 ms"),
    ],
)
def test_the_time_between_what_was_observed_is_judged(bounds: str, outcome: Outcome, expected: str) -> None:
    made = perform(scenario(f"{SLOWLY}- gaps: {{between: [$one, $two], {bounds}, proves: {PROVES}}}"))
    assert [(c.outcome, c.expected, c.observed) for c in made.checks()] == [(outcome, expected, "200 ms")]


def test_gaps_are_between_what_steps_gave() -> None:
    made = perform(scenario(f"- gaps: {{between: [$target, $target], at_least_ms: 1, proves: {PROVES}}}"))
    assert made.one.outcome is ScenarioOutcome.HARNESS_ERROR
    assert "`between` takes what earlier steps gave" in (made.one.reason or "")


# -- judge ---------------------------------------------------------------------------------------------------


def test_a_value_is_judged_as_if_it_had_just_come() -> None:
    made = perform(scenario(f"{TASK}- judge: $one.status\n  expect: {{$in: [working]}}\n  proves: {PROVES}"))
    assert [c.outcome for c in made.checks()] == [Outcome.PASS]


def test_a_member_that_is_not_there_can_be_what_is_expected() -> None:
    made = perform(scenario(f"{TASK}- judge: $one\n  expect: {{error: {{$absent: true}}}}\n  proves: {PROVES}"))
    assert [c.outcome for c in made.checks()] == [Outcome.PASS]


def test_numbers_beyond_all_measure_are_ordered_too() -> None:
    assert comparing._increasing([1.5, 10**400]) is None
    assert comparing._in_order([10**400, 1.5]) is not None
