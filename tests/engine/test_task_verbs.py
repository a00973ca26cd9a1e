"""Verbs about tasks: what they send, how long they wait, what they make of what does not come."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

import pytest

from mcp_tasks_conformance.catalog.model import Profile
from mcp_tasks_conformance.events import Outcome, ScenarioFinished, ScenarioOutcome
from tests.engine.theatre import PROFILE, PROVES, perform, scenario

JOB = "- start_task: {behaviour: completes, as: job}\n"


def sent(event: ScenarioFinished, method: str) -> list[dict[str, Any]]:
    messages = [json.loads(entry.text) for entry in event.transcript if entry.direction == "sent"]
    return [message["params"] for message in messages if message.get("method") == method]


# -- starting ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("keys", "members"),
    [
        ("", {"task": {"ttl": 97_000}}),
        (", ttl: 5000", {"task": {"ttl": 5000}}),
        (", keep_ms: 500", {"task": {"ttl": 520}}),
        (", task: {}", {"task": {}}),
        (", progress_token: p-1", {"_meta": {"progressToken": "p-1"}}),
        (", meta: {a: 1}, progress_token: 7", {"_meta": {"a": 1, "progressToken": 7}}),
    ],
)
def test_a_task_is_started_as_the_step_says(keys: str, members: dict[str, Any]) -> None:
    made = perform(scenario(f"- start_task: {{behaviour: completes{keys}}}"))
    (params,) = sent(made.one, "tools/call")
    assert {**params, **members} == params
    assert (params["name"], params["arguments"]) == ("completes", {})


def test_a_plain_call_carries_no_task() -> None:
    made = perform(scenario(f"- call_tool: {{behaviour: plain-only, expect: {{result: {{content: {{$size: 1}}}}}}, "
                            f"proves: {PROVES}}}"))  # fmt: skip
    assert made.one.outcome is ScenarioOutcome.PASSED
    assert "task" not in sent(made.one, "tools/call")[0]


def test_an_answer_without_a_task_is_a_precondition_where_the_task_is_needed() -> None:
    made = perform(scenario(JOB), "courteous", "{}")
    assert made.one.outcome is ScenarioOutcome.INCONCLUSIVE
    assert "no task came of it, but" in (made.one.reason or "")


def test_an_answer_without_a_task_can_be_what_is_expected() -> None:
    made = perform(
        scenario(f"- start_task: {{behaviour: completes, expect: {{error: {{code: -32601}}}}, proves: {PROVES}}}"),
        "courteous",
        "-32601",
    )
    assert [c.outcome for c in made.checks()] == [Outcome.PASS]


def test_a_behaviour_that_the_profile_lacks_makes_the_scenario_not_applicable() -> None:
    made = perform(scenario(JOB), profile=Profile("empty", {}, missing={"completes": "it has no such tool"}))
    assert made.one.outcome is ScenarioOutcome.NOT_APPLICABLE
    assert made.one.reason == "no tool is known for completes: it has no such tool"


# -- waiting for a status ------------------------------------------------------------------------------------


def test_the_target_is_asked_at_its_own_poll_interval() -> None:
    made = perform(scenario("- start_task: {behaviour: slow, as: job}\n- await_status: {task: $job, is: terminal}"))
    times = [e.at for e in made.one.transcript if '"tasks/get"' in e.text]
    assert [round(later - earlier, 3) for earlier, later in pairwise(times)][:5] == [0.02] * 5


def test_a_status_among_several_is_enough() -> None:
    made = perform(scenario(JOB + "- await_status: {task: $job, is: [working, completed], as: seen}\n- judge: $seen\n"
                                  f"  expect: {{status: working}}\n  proves: {PROVES}"))  # fmt: skip
    assert made.one.outcome is ScenarioOutcome.PASSED


def test_another_end_stops_the_wait_at_once_and_fails_a_step_that_proves() -> None:
    made = perform(scenario(JOB + f"- await_status: {{task: $job, is: failed, within_ms: 60000, proves: {PROVES}}}"))
    assert [(c.outcome, c.observed) for c in made.checks()] == [
        (Outcome.FAIL, "status working then completed and is over")
    ]
    assert made.one.duration < 1


def test_a_status_that_never_comes_is_told_with_the_time_waited() -> None:
    made = perform(scenario("- start_task: {behaviour: slow, as: job}\n"
                            "- await_status: {task: $job, is: input_required, within_ms: 200}"))  # fmt: skip
    assert made.one.outcome is ScenarioOutcome.INCONCLUSIVE
    assert "expected status input_required, found status working for 0.2 s" in (made.one.reason or "")


def test_a_task_that_cannot_be_asked_for_says_nothing_of_its_status() -> None:
    made = perform(scenario(f"- await_status: {{task: $unknown_id, is: completed, proves: {PROVES}}}"))
    assert made.one.outcome is ScenarioOutcome.INCONCLUSIVE
    assert made.checks() == []
    assert "tasks/get gave" in (made.one.reason or "")


@pytest.mark.parametrize("proves", [f", proves: {PROVES}", ""])
def test_a_poll_that_is_not_answered_fails_base_answers_where_the_step_proves(proves: str) -> None:
    made = perform(scenario(f"{JOB}- await_status: {{task: $job, is: completed{proves}}}"), "deaf", "tasks/get")
    assert made.one.outcome is (ScenarioOutcome.FAILED if proves else ScenarioOutcome.INCONCLUSIVE)
    assert "tasks/get: no answer within 10.0 s; ping was answered" in (made.one.reason or "")
    assert [c.outcome for c in made.checks("base.answers")] == ([Outcome.FAIL] if proves else [])
    assert made.checks() == []


# -- still waiting -------------------------------------------------------------------------------------------

WAITING = """
- start_task: {behaviour: %s, as: job}
- begin: tasks/result
  params: {taskId: $job.taskId}
  as: waiting
- settle: {for_ms: %d}
- still_waiting: $waiting
  %s
  proves: v1.get.unknown-id
"""
WAITING_AT_ONCE = WAITING.replace("- settle: {for_ms: %d}\n", "").replace("%s", "slow", 1)


def test_an_exchange_that_waits_while_its_task_goes_on_passes() -> None:
    made = perform(scenario(WAITING % ("slow", 50, "task: $job")))
    assert [(c.outcome, c.observed, c.control) for c in made.checks()] == [
        (Outcome.PASS, "none within 150 ms", "tasks/result")
    ]


def test_an_exchange_whose_task_is_over_leaves_nothing_to_say() -> None:
    made = perform(scenario(WAITING % ("completes", 50, "task: $job")))
    assert made.one.outcome is ScenarioOutcome.INCONCLUSIVE
    assert "the task was completed before the window was over" in (made.one.reason or "")


FINISHED = """\
- start_task: {behaviour: slow, as: job}
- begin: tasks/result
  params: {taskId: $job.taskId}
  as: waiting
- finish: $waiting
  task: $job
  expect: {$any_of: [{result: {}}, {error: {}}]}
  proves: v1.get.unknown-id
"""


def test_an_answer_that_came_with_the_end_of_its_task_is_judged() -> None:
    assert [c.outcome for c in perform(scenario(FINISHED)).checks()] == [Outcome.PASS]


def test_an_answer_that_came_while_its_task_goes_on_judges_nothing() -> None:
    made = perform(scenario(FINISHED), "hasty")
    assert made.checks() == []
    assert made.one.outcome is ScenarioOutcome.INCONCLUSIVE
    assert "tasks/result was answered while its task still goes on" in (made.one.reason or "")


def test_an_answer_while_the_task_goes_on_fails() -> None:
    made = perform(scenario(WAITING % ("slow", 50, "task: $job")), "hasty")
    assert [(c.outcome, c.observed) for c in made.checks()] == [
        (Outcome.FAIL, "a response, and then tasks/get still shows working")
    ]


@pytest.mark.parametrize("keys", ["for_ms: 10", "for_ms: 10\n  task: $job"])
def test_a_target_that_is_slow_just_now_has_time_for_the_answer_that_it_gives_at_once(keys: str) -> None:
    made = perform(scenario(WAITING_AT_ONCE % keys), "busy")
    assert [c.outcome for c in made.checks()] == [Outcome.FAIL]


def test_a_target_that_answers_nothing_else_while_it_waits_is_not_waited_for_long() -> None:
    made = perform(scenario(WAITING_AT_ONCE % "for_ms: 10" + "- await_status: {task: $job, is: completed}"), "serial")
    assert [c.outcome for c in made.checks()] == [Outcome.PASS]
    assert made.one.outcome is ScenarioOutcome.PASSED


def test_without_a_task_any_answer_fails() -> None:
    made = perform(scenario(WAITING % ("completes", 50, "for_ms: 10")))
    assert [(c.outcome, c.observed) for c in made.checks()] == [(Outcome.FAIL, "a response")]


# -- letting time pass ---------------------------------------------------------------------------------------


def test_settling_takes_as_long_as_the_work_would_have() -> None:
    made = perform(scenario("- start_task: {behaviour: slow, as: job}\n- settle: {task: $job}"))
    assert made.one.outcome is ScenarioOutcome.PASSED
    assert made.one.duration == pytest.approx(0.75)


def test_a_share_of_the_work_can_be_waited_for_and_gives_the_moment_it_is_due() -> None:
    steps = "- start_task: {behaviour: slow, as: job}\n- settle: {task: $job, percent: 50, as: half}\n"
    assert perform(scenario(steps)).one.duration == pytest.approx(0.3)
    late = ("- settle: {for_ms: 100}\n- settle: {task: $job, percent: 50, as: half_before}\n"
            f"- gaps: {{between: [$half, $half_before], at_most_ms: 1, proves: {PROVES}}}\n")  # fmt: skip
    made = perform(scenario(steps + late))
    assert [check.observed for check in made.checks()] == ["0 ms"]


def test_only_a_task_that_was_started_can_be_settled() -> None:
    made = perform(scenario("- settle: {task: $unknown_id}"))
    assert made.one.outcome is ScenarioOutcome.INCONCLUSIVE  # the target may show another id than it gave
    assert "this is no task that start_task gave" in (made.one.reason or "")


def test_a_target_that_falls_silent_while_time_passes_hung() -> None:
    steps = "- begin: tasks/list\n  as: waiting\n- settle: {for_ms: 100}"
    made = perform(scenario(steps), "wedged", "tasks/list")
    assert made.one.outcome is ScenarioOutcome.HUNG


def test_a_death_ends_the_passing_of_time() -> None:
    made = perform(scenario("- begin: tasks/list\n  as: waiting\n- settle: {for_ms: 200000}"), "mortal", "tasks/list")
    assert made.one.outcome is ScenarioOutcome.CRASHED
    assert made.seconds < 2


@pytest.mark.parametrize(("percent", "seconds"), [(50, 0.5), (110, 1.1)])
def test_a_task_ages_by_a_share_of_its_ttl(percent: int, seconds: float) -> None:
    made = perform(scenario(f"- start_task: {{behaviour: completes, ttl: 1000, as: job}}\n"
                            f"- age: {{task: $job, percent: {percent}}}"))  # fmt: skip
    assert made.one.duration == pytest.approx(seconds)


def test_the_time_since_a_task_was_so_old_counts_from_then_even_where_that_had_passed() -> None:
    made = perform(scenario("- start_task: {behaviour: completes, ttl: 1000, as: job}\n"
                            "- settle: {for_ms: 800}\n"
                            "- age: {task: $job, percent: 50, as: aged}\n"
                            "- send: tasks/get\n  params: {taskId: $job.taskId}\n  as: got\n"
                            f"- gaps: {{between: [$aged, $got], at_most_ms: 200, proves: {PROVES}}}"))  # fmt: skip
    assert [check.observed for check in made.checks()] == ["300 ms"]


@pytest.mark.parametrize(
    ("server", "reason"),
    [
        ((), "the task's ttl is 97000 ms, too long to wait for"),
        (("timeless",), "the task's ttl is null, so there is no end of it to wait for"),
    ],
)
def test_a_ttl_that_cannot_be_waited_for_leaves_nothing_to_judge(server: tuple[str, ...], reason: str) -> None:
    made = perform(scenario(JOB + "- age: {task: $job, percent: 110}"), *server)
    assert (made.one.outcome, made.one.reason) == (ScenarioOutcome.NOT_APPLICABLE, reason)


def test_the_profile_of_these_tests_is_that_of_the_server() -> None:
    made = perform(scenario(JOB))
    tools = next(e for e in made.events if type(e).__name__ == "RunStarted").target["tools"]  # type: ignore[union-attr]
    assert tools == len(PROFILE.behaviours)
