"""How scenarios stand in the result, once levels and controls are applied."""

from __future__ import annotations

import pytest

from mcp_tasks_conformance.catalog.model import Level
from mcp_tasks_conformance.events import MethodSucceeded, RunFinished
from mcp_tasks_conformance.verdicts.fold import Fold
from tests.verdicts.builders import check, finished, must, planned, run, scenario, simple, started


@pytest.mark.parametrize(
    ("level", "outcome"),
    [
        (Level.MUST, "failed"),
        (Level.MUST_NOT, "failed"),
        (Level.SHOULD, "warned"),
        (Level.MAY, "warned"),
        (Level.QUALITY, "warned"),
    ],
)
def test_only_a_breach_of_what_binds_fails_a_scenario(level: Level, outcome: str) -> None:
    result = simple(must("v1.a", level), check("v1.a", "fail"), outcome="failed")
    assert scenario(result, "only").outcome == outcome


def test_a_breach_that_a_monitor_saw_fails_the_scenario_it_was_seen_in() -> None:
    result = simple(must("v1.a"), check("v1.a"), check("v1.a", "fail", source="monitor machine"))
    assert scenario(result, "only").outcome == "failed"


def test_a_breach_outweighs_that_the_scenario_came_to_nothing() -> None:
    result = simple(must("v1.a"), check("v1.a", "fail", source="monitor machine"), outcome="inconclusive")
    assert scenario(result, "only").outcome == "failed"


def test_a_scenario_whose_check_is_dropped_is_inconclusive() -> None:
    result = simple(must("v1.a"), check("v1.a", "fail", control="tasks/cancel"), outcome="failed")
    assert scenario(result, "only").outcome == "inconclusive"
    assert scenario(result, "only").reason == "tasks/cancel never succeeded, without which this proves nothing"


def test_dropped_praise_of_a_monitor_changes_no_scenario() -> None:
    praise = check("v1.a", source="monitor machine", control="tools/call")
    assert scenario(simple(must("v1.a"), check("v1.a"), praise), "only").outcome == "passed"


def test_a_scenario_that_judged_nothing_has_not_passed() -> None:
    result = simple(must("v1.a"), outcome="passed")
    assert scenario(result, "only").outcome == "not applicable"
    assert scenario(result, "only").reason == "what the target chose to do left nothing to judge"


def test_a_scenario_that_only_makes_traffic_passes_by_its_monitors() -> None:
    plan = planned("only")
    result = run([must("v1.a")], started(plan), finished(plan, check("v1.a", source="monitor machine")))
    assert scenario(result, "only").outcome == "passed"


@pytest.mark.parametrize("outcome", ["crashed", "hung", "not run", "harness error"])
def test_what_ended_a_scenario_stands_whatever_its_checks_say(outcome: str) -> None:
    result = simple(must("v1.a"), check("v1.a", "fail"), outcome=outcome, reason="why")
    assert (scenario(result, "only").outcome, scenario(result, "only").reason) == (outcome, "why")


def test_a_scenario_that_does_not_apply_keeps_the_plans_reason() -> None:
    result = run([must("v1.a")], started(planned("only", "v1.a", skip="stdio has one connection")))
    assert scenario(result, "only").outcome == "not applicable"
    assert scenario(result, "only").reason == "stdio has one connection"


def test_a_second_attempt_and_flakiness_are_kept() -> None:
    result = simple(must("v1.a"), check("v1.a"), attempts=2, flaky=True)
    assert (scenario(result, "only").attempts, scenario(result, "only").flaky) == (2, True)
    assert scenario(result, "only").duration_ms == 250


def test_a_scenario_that_has_just_ended_is_told_with_levels_applied_and_controls_trusted() -> None:
    one, two = planned("one", "v1.a"), planned("two", "v1.should")
    fold = Fold([must("v1.a"), must("v1.should", Level.SHOULD)])
    fold(started(one, two))
    ends = [
        finished(one, check("v1.a", control="tasks/cancel")),
        finished(two, check("v1.should", "fail"), outcome="failed"),
    ]
    for end in ends:
        fold(end)
    assert [fold.outcome(end) for end in ends] == ["passed", "warned"]
    assert scenario(fold.result(), "one").outcome == "inconclusive"
    fold(MethodSucceeded("tasks/cancel"))
    assert scenario(fold.result(), "one").outcome == "passed"


def test_a_scenario_is_settled_once_its_controls_have_held_or_the_run_is_over() -> None:
    plan = planned("only", "v1.a")
    fold = Fold([must("v1.a")])
    fold(started(plan))
    assert not fold.settled(plan.key)
    fold(finished(plan, check("v1.a", control="tasks/cancel")))
    assert not fold.settled(plan.key)
    assert fold.ending(plan.key).scenario.outcome == "inconclusive"
    fold(MethodSucceeded("tasks/cancel"))
    assert fold.settled(plan.key)
    ending = fold.ending(plan.key)
    assert ending.scenario.outcome == "passed"
    assert [row.requirement for row in ending.checks] == ["v1.a"]


def test_a_scenario_whose_control_never_held_is_settled_by_the_end_of_the_run() -> None:
    plan = planned("only", "v1.a")
    fold = Fold([must("v1.a")])
    for event in (started(plan), finished(plan, check("v1.a", control="tasks/cancel")), RunFinished(None)):
        fold(event)
    assert fold.settled(plan.key)
    assert fold.ending(plan.key).scenario == fold.result().scenarios[0]
