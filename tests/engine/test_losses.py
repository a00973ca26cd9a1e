"""Targets that die or fall silent: who is blamed for it, what is run again, and when a run gives up."""

from __future__ import annotations

import uuid

import pytest

from mcp_tasks_conformance.catalog.model import Scenario
from mcp_tasks_conformance.engine.options import RunOptions
from mcp_tasks_conformance.events import Outcome, ScenarioOutcome, ScenarioStarted
from mcp_tasks_conformance.targets.in_process import InProcessTarget
from mcp_tasks_conformance.verdicts.model import RunVerdict, Verdict
from tests.engine.data.misbehaving import DEATHS
from tests.engine.theatre import PROVES, Performance, perform, scenario

START = f"- start_task: {{behaviour: completes, expect: {{result: {{task: {{status: working}}}}}}, proves: {PROVES}}}"
LIST = "- send: tasks/list\n  expect: {result: {tasks: {$type: array}}}\n  proves: v1.list.complete"
SLOW = """
- start_task: {behaviour: slow, as: job}
- await_status: {task: $job, is: completed, proves: v1.list.complete}
"""


def several(number: int, steps: str = START) -> tuple[Scenario, ...]:
    return tuple(one for n in range(number) for one in scenario(steps, f"n{n}"))


def answers(performance: Performance) -> Verdict:
    return next(r.verdict for r in performance.result.requirements if r.id == "base.answers")


def word() -> str:
    return uuid.uuid4().hex


def test_a_sound_server_is_blamed_for_nothing() -> None:
    made = perform((*several(3), *scenario(SLOW, "slow"), *scenario(LIST, "list")))
    assert set(made.outcomes.values()) == {ScenarioOutcome.PASSED}
    assert (made.result.verdict, made.end.reason) == (RunVerdict.CONFORMANT, None)
    assert not any(c.outcome is not Outcome.PASS for event in made.finished.values() for c in event.checks)


def test_a_server_that_is_silent_after_initialize_could_not_be_tested_and_soon() -> None:
    made = perform(several(6), "silent")
    assert made.failure is not None
    assert made.failure.problem.endswith("did not answer tools/list or ping")
    assert made.failure.hint == "it had answered initialize"
    assert made.result.exit_code == 3
    assert made.seconds < 16


def test_a_server_that_dies_over_its_introduction_is_told_as_such() -> None:
    made = perform(several(2), "mortal", "tools/list")
    assert made.failure is not None
    assert made.failure.problem.endswith("did not answer tools/list")


def test_a_server_that_hangs_is_given_up_after_three_that_hang_alone() -> None:
    made = perform(several(8), "wedged", "tools/call")
    outcomes = list(made.outcomes.values())
    assert outcomes.count(ScenarioOutcome.HUNG) == 3
    assert outcomes.count(ScenarioOutcome.NOT_RUN) == 5
    assert made.end.reason == "the target was lost in 3 scenarios in a row before any had come to its end"
    assert answers(made) is Verdict.VIOLATED
    assert made.result.exit_code == 1
    assert made.seconds < 70
    assert not made.result.counts.must.proven


def test_what_hung_says_that_ping_was_not_answered_either() -> None:
    made = perform(several(1), "wedged", "tools/call")
    assert made.one.outcome is ScenarioOutcome.HUNG
    assert made.one.attempts == 2
    assert "no answer within 10.0 s, and ping after it" in (made.one.reason or "")


def test_a_server_that_dies_over_a_request_crashed() -> None:
    made = perform(several(1), "mortal", "tools/call")
    assert (made.one.outcome, made.one.attempts, made.one.flaky) == (ScenarioOutcome.CRASHED, 2, False)
    assert "the server died" in (made.one.reason or "")
    assert answers(made) is Verdict.VIOLATED
    assert made.result.exit_code == 1
    assert made.one.inconclusive == (PROVES,)


def test_a_server_that_dies_only_once_is_flaky() -> None:
    made = perform((*several(1), *scenario(LIST, "list")), "mortal", "tools/call", word(), "1")
    assert made.outcomes == {"n0": ScenarioOutcome.PASSED, "list": ScenarioOutcome.PASSED}
    assert made.finished["n0"].flaky
    assert made.finished["n0"].attempts == 2
    assert (made.finished["n0"].reason or "").startswith("crashed at first: ")
    assert answers(made) is not Verdict.VIOLATED


def test_those_that_ran_beside_the_one_that_kills_pass_alone_and_are_not_flaky() -> None:
    killer = scenario("- send: tasks/list\n  expect: {result: {}}\n  proves: v1.list.complete", "killer")
    beside = several(6, SLOW)
    made = perform((*beside[:3], *killer, *beside[3:]), "mortal", "tasks/list")
    assert made.outcomes.pop("killer") is ScenarioOutcome.CRASHED
    others = [event for key, event in made.finished.items() if key != "killer"]
    assert {event.outcome for event in others} == {ScenarioOutcome.PASSED}
    assert {event.attempts for event in others} == {2}
    assert not any(event.flaky for event in others)
    assert made.end.reason is None


def test_a_death_that_nobody_repeats_marks_all_that_saw_it() -> None:
    made = perform(several(5, SLOW), "mortal", "tasks/get", word(), "1")
    assert set(made.outcomes.values()) == {ScenarioOutcome.PASSED}
    assert all(event.flaky for event in made.finished.values())


def test_a_killer_among_many_does_not_end_the_run() -> None:
    killers = several(3, "- send: tasks/list\n  expect: {result: {}}\n  proves: v1.list.complete")
    rest = tuple(one for n in range(30) for one in scenario(START, f"rest{n}"))
    made = perform((*killers, *rest), "mortal", "tasks/list")
    outcomes = [*made.outcomes.values()]
    assert outcomes.count(ScenarioOutcome.CRASHED) == 3
    assert outcomes.count(ScenarioOutcome.PASSED) == 30


def test_an_unanswered_request_of_a_proving_step_fails_where_the_target_lives() -> None:
    made = perform(several(1), "deaf", "tools/call")
    assert made.one.outcome is ScenarioOutcome.FAILED
    failed = {check.requirement for check in made.one.checks if check.outcome is Outcome.FAIL}
    assert failed == {PROVES, "base.answers"}
    assert "ping was answered" in made.checks()[0].observed


def test_an_unanswered_precondition_is_inconclusive() -> None:
    made = perform(
        scenario("""
            - start_task: {behaviour: completes, as: job}
            - await_status: {task: $job, is: completed, proves: v1.list.complete}
        """),
        "deaf",
        "tools/call",
    )
    assert made.one.outcome is ScenarioOutcome.INCONCLUSIVE
    assert answers(made) is not Verdict.VIOLATED


@pytest.mark.parametrize("sharing", ["exclusive", "own_process"])
def test_a_death_is_run_again_whatever_the_sharing(sharing: str) -> None:
    made = perform(scenario(START, sharing=sharing), "mortal", "tools/call", word(), "1")
    assert (made.one.outcome, made.one.attempts, made.one.flaky) == (ScenarioOutcome.PASSED, 2, True)


def test_a_target_that_does_not_come_back_leaves_the_rest_not_run_and_the_run_inconclusive() -> None:
    scenarios = (*several(3), *scenario(LIST, "list"))
    made = perform(scenarios, "once-only", "tools/call", word(), options=RunOptions(jobs=1))
    assert set(made.outcomes.values()) == {ScenarioOutcome.NOT_RUN}
    assert "the disk is full" in (made.finished["list"].reason or "")
    assert (made.end.reason or "").startswith("the target could not be started again")
    assert made.result.exit_code == 3


def test_every_attempt_is_told_before_it_begins() -> None:
    key = word()
    made = perform(several(1), "mortal", "tools/call", key, "1")
    started = [(event.key, event.attempt) for event in made.events if isinstance(event, ScenarioStarted)]
    assert started == [(made.one.key, 1), (made.one.key, 2)]
    assert DEATHS[key] == 1


def test_with_fresh_instances_nobody_sees_the_death_of_another() -> None:
    made = perform((*several(2), *scenario(LIST, "list")), "mortal", "tasks/list", options=RunOptions(fresh=True))
    assert made.outcomes == {
        "n0": ScenarioOutcome.PASSED,
        "n1": ScenarioOutcome.PASSED,
        "list": ScenarioOutcome.CRASHED,
    }
    assert made.finished["n0"].attempts == 1


def test_instances_that_fall_silent_now_and_then_are_told_once_and_counted() -> None:
    target = InProcessTarget("tests.engine.data.difficult:create", ["silent-after=100"])
    made = perform(several(60), target=target, options=RunOptions(jobs=3))
    assert set(made.outcomes.values()) == {ScenarioOutcome.PASSED}
    assert any(event.flaky for event in made.finished.values())
    (note,) = made.end.notes
    assert note.startswith(
        "2 instances of the target fell silent and had to be replaced; the first in v1/receiver/try/n"
    )
    assert made.result.target["notes"] == [note]
    assert made.result.verdict is RunVerdict.CONFORMANT
    (answers,) = [row for row in made.result.requirements if row.id == "base.answers"]
    assert answers.verdict is Verdict.INCONCLUSIVE


def test_an_instance_that_died_for_no_reason_that_shows_again_is_told() -> None:
    made = perform((*several(1), *scenario(LIST, "list")), "mortal", "tools/call", word(), "1")
    (note,) = made.end.notes
    assert note.startswith("1 instance of the target ended, or lost a session, and had to be replaced; the first in ")


def test_a_loss_that_is_told_of_its_scenario_needs_no_note() -> None:
    assert perform(several(1), "mortal", "tools/call").end.notes == ()
    assert perform(several(3)).end.notes == ()
