"""The baseline that a run would need."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_tasks_conformance.catalog.model import Baseline, Level, Waiver
from mcp_tasks_conformance.events import ScenarioFinished
from mcp_tasks_conformance.verdicts.model import RunResult
from mcp_tasks_conformance.verdicts.options import VerdictOptions
from mcp_tasks_conformance.verdicts.renewal import UNEXPLAINED, renewed
from tests.verdicts.builders import check, finished, must, planned, run, started, waiver

TODAY = date(2026, 6, 15)
PLANS = [planned(f"s{number:02}", "v1.a") for number in range(12)]
RULES = [must("v1.a"), must("v1.proven"), must("v1.should", Level.SHOULD)]
GOOD = planned("good", "v1.proven", "v1.should")


def judged(how: dict[int, str], waivers: tuple[Waiver, ...] | None = None, **options: Any) -> RunResult:
    """A run in which the scenarios of these numbers end so; all others pass."""
    baseline = None if waivers is None else Baseline(Path("baseline.yaml"), waivers)
    good = finished(GOOD, check("v1.proven"), check("v1.should", "fail"))
    ends: list[ScenarioFinished] = [good]
    for number, plan in enumerate(PLANS):
        if how.get(number) == "open":
            ends.append(finished(plan, outcome="inconclusive", reason="too soon", inconclusive=("v1.a",)))
        else:
            ends.append(finished(plan, check("v1.a", how.get(number, "pass"))))
    return run(RULES, started(GOOD, *PLANS), *ends, options=VerdictOptions(baseline=baseline, today=TODAY, **options))


def renewal(how: dict[int, str], *waivers: Waiver, **options: Any) -> list[tuple[str, tuple[str, ...], str]]:
    """Requirement, scenarios and reason of the entries that a run would need."""
    result = judged(how, waivers, **options)
    baseline = Baseline(Path("baseline.yaml"), waivers)
    return [(one.requirement, one.scenarios, one.reason) for one in renewed(result, baseline)]


def keys(*numbers: int) -> tuple[str, ...]:
    return tuple(PLANS[number].key for number in numbers)


def test_what_failed_is_listed_and_waits_for_its_reason() -> None:
    result = judged({3: "fail", 1: "fail", 5: "warn"})
    assert [(one.requirement, one.scenarios, one.reason) for one in renewed(result, None)] == [
        ("v1.a", keys(1, 3), UNEXPLAINED)
    ]


def test_a_run_without_failures_needs_no_entries() -> None:
    assert renewed(judged({}), None) == ()


def test_a_strict_run_lists_what_it_fails_for() -> None:
    needed = renewed(judged({5: "warn"}, strict=True), None)
    assert [(one.requirement, one.scenarios) for one in needed] == [("v1.should", (GOOD.key,))]


def test_entries_that_are_in_use_keep_their_reasons_and_new_failures_get_an_entry_of_their_own() -> None:
    assert renewal({1: "fail", 2: "fail"}, waiver("v1.a", *keys(1), reason="#7")) == [
        ("v1.a", keys(1), "#7"),
        ("v1.a", keys(2), UNEXPLAINED),
    ]


def test_a_stale_entry_is_gone() -> None:
    assert renewal({2: "fail"}, waiver("v1.a", *keys(1))) == [("v1.a", keys(2), UNEXPLAINED)]


def test_an_entry_that_was_not_judged_stays() -> None:
    assert renewal({1: "open"}, waiver("v1.a", *keys(1), reason="#7")) == [("v1.a", keys(1), "#7")]


def test_an_expired_entry_stays_without_its_date_where_its_failures_occur() -> None:
    expired = waiver("v1.a", *keys(1), reason="#7", expires=date(2026, 6, 14))
    assert renewal({}, expired) == []
    assert renewal({1: "fail"}, expired) == [("v1.a", keys(1), "#7")]
    (one,) = renewed(judged({1: "fail"}, (expired,)), Baseline(Path("b.yaml"), (expired,)))
    assert one.expires is None


def test_an_entry_of_another_transport_stays_as_it_is() -> None:
    other = waiver("v1.a", *keys(1), reason="#7", transports=("http",), expires=date(2026, 6, 14))
    needed = renewed(judged({}, (other,)), Baseline(Path("b.yaml"), (other,)))
    assert needed == (other,)


def test_what_fails_on_this_transport_gets_an_entry_although_one_of_another_transport_knows_it() -> None:
    other = waiver("v1.a", *keys(1), reason="#7", transports=("http",))
    assert renewal({1: "fail"}, other) == [("v1.a", keys(1), "#7"), ("v1.a", keys(1), UNEXPLAINED)]


def test_what_fails_in_many_scenarios_and_passes_in_none_is_waived_without_a_list() -> None:
    everywhere = dict.fromkeys(range(12), "fail")
    assert renewal(everywhere) == [("v1.a", (), UNEXPLAINED)]
    assert renewal({**everywhere, 4: "pass"}) == [("v1.a", keys(*(n for n in range(12) if n != 4)), UNEXPLAINED)]


@pytest.mark.parametrize(
    ("sources", "listed"), [({1: "send, line 31", 2: "engine"}, True), ({1: "monitor times"}, False)]
)
@pytest.mark.parametrize("more", [{}, {4: "send, line 31"}])
def test_what_a_monitor_alone_saw_somewhere_is_waived_without_a_list(
    sources: dict[int, str], listed: bool, more: dict[int, str]
) -> None:
    by = {**sources, **more}
    ends = [finished(PLANS[number], check("v1.a", "fail", source)) for number, source in by.items()]
    result = run(RULES, started(*(PLANS[number] for number in by)), *ends)
    expected = keys(*by) if listed else ()
    assert [(one.requirement, one.scenarios) for one in renewed(result, None)] == [("v1.a", expected)]


entries = st.builds(
    lambda numbers, expires: waiver("v1.a", *keys(*sorted(numbers)), expires=expires),
    st.sets(st.integers(0, 11), min_size=1, max_size=3),
    st.none() | st.sampled_from([date(2026, 6, 14), date(2026, 6, 16)]),
)
ends = st.dictionaries(st.integers(0, 11), st.sampled_from(["pass", "fail", "warn", "open"]), max_size=12)


@given(ends, st.lists(entries, max_size=3).map(tuple), st.booleans())
def test_a_run_passes_with_the_baseline_that_it_needs_and_needs_no_other(
    how: dict[int, str], waivers: tuple[Waiver, ...], strict: bool
) -> None:
    result = judged(how, waivers, strict=strict)
    needed = renewed(result, Baseline(Path("b.yaml"), waivers))
    again = judged(how, needed, strict=strict)
    assert again.exit_code == 0
    assert renewed(again, Baseline(Path("b.yaml"), needed)) == needed
