"""What never comes is waited for in vain a few times, not in every scenario."""

from __future__ import annotations

import pytest

from mcp_tasks_conformance.catalog.model import Scenario
from mcp_tasks_conformance.engine.options import RunOptions
from mcp_tasks_conformance.engine.patience import Awaited, Patience
from mcp_tasks_conformance.events import Outcome, ScenarioOutcome
from mcp_tasks_conformance.targets.in_process import InProcessTarget
from mcp_tasks_conformance.verdicts.model import Verdict
from tests.engine.theatre import PROVES, Performance, perform, scenario

END = Awaited("end", "the end of a task of slow")
OTHER_END = Awaited("end", "the end of a task of completes")
ANSWER = Awaited("answer", "the answer to tasks/list")
PRESUPPOSES = f"""
- start_task: {{behaviour: completes, as: job}}
- await_status: {{task: $job, is: terminal}}
- send: tasks/get
  params: {{taskId: $job.taskId}}
  expect: {{result: {{status: completed}}}}
  proves: {PROVES}
"""
FETCHES = f"""
- start_task: {{behaviour: slow, as: job}}
- send: tasks/result
  params: {{taskId: $job.taskId}}
  expect: {{result: {{}}}}
  proves: {PROVES}
"""
PROVEN = f"""
- start_task: {{behaviour: completes, as: job}}
- await_status: {{task: $job, is: completed}}
  proves: {PROVES}
"""


def several(number: int, steps: str, name: str = "n") -> tuple[Scenario, ...]:
    return tuple(one for n in range(number) for one in scenario(steps, f"{name}{n}"))


def endless(*scenarios: Scenario, jobs: int | None = None) -> Performance:
    target = InProcessTarget("tests.engine.data.difficult:create", ["never-ends"])
    return perform(scenarios, target=target, options=RunOptions(jobs=jobs))


# -- the book ------------------------------------------------------------------------------------------------


def waited(patience: Patience, awaited: Awaited, *attempts: int, in_full: bool = True) -> None:
    for attempt in attempts:
        patience.in_vain(awaited, attempt, "await_status, line 1", in_full=in_full)


def test_two_waits_in_vain_are_enough() -> None:
    patience = Patience()
    waited(patience, ANSWER, 1)
    assert patience.lost(ANSWER) is None
    waited(patience, ANSWER, 2)
    assert patience.lost(ANSWER) == "the answer to tasks/list did not come in 2 scenarios before"


def test_two_waits_of_one_attempt_are_one() -> None:
    patience = Patience()
    waited(patience, ANSWER, 1, 1)
    assert patience.lost(ANSWER) is None


def test_what_comes_after_all_is_waited_for_again() -> None:
    patience = Patience()
    waited(patience, END, 1, 2)
    patience.came(END)
    waited(patience, END, 3)
    assert patience.lost(END) is None


def test_a_wait_that_was_cut_short_has_learned_nothing() -> None:
    patience = Patience()
    waited(patience, END, 1)
    waited(patience, END, 2, 3, in_full=False)
    assert patience.lost(END) is None


def test_a_few_tools_speak_for_all_where_no_task_has_ever_ended() -> None:
    patience = Patience()
    waited(patience, END, 1)
    waited(patience, OTHER_END, 2, 3)
    third = Awaited("end", "the end of a task of either")
    assert patience.lost(third) == "no task at all came to its end in 3 scenarios before"
    assert patience.lost(ANSWER) is None


def test_one_tool_speaks_for_itself_alone() -> None:
    patience = Patience()
    waited(patience, END, 1, 2, 3, 4)
    assert patience.lost(OTHER_END) is None


def test_no_tool_speaks_for_all_once_a_task_has_ended() -> None:
    patience = Patience()
    patience.came(Awaited("end", "the end of a task of counts"))
    waited(patience, END, 1, 2, 3)
    assert patience.lost(OTHER_END) is None


def test_a_few_tools_speak_for_all_where_no_call_has_ever_been_answered() -> None:
    patience = Patience()
    calls = [Awaited("call", f"the answer to tools/call of {tool} as a task") for tool in ("slow", "either", "counts")]
    waited(patience, calls[0], 1, 2)
    waited(patience, calls[1], 3)
    assert patience.lost(calls[2]) == "no call of a tool at all was answered in 3 scenarios before"
    patience.came(calls[0])
    assert patience.lost(calls[2]) is None


# -- runs ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("steps", [PRESUPPOSES, FETCHES])
@pytest.mark.parametrize("jobs", [1, 4])
def test_scenarios_that_need_an_end_that_never_comes_are_inconclusive_soon(steps: str, jobs: int) -> None:
    made = endless(*several(16, steps), jobs=jobs)
    assert set(made.outcomes.values()) == {ScenarioOutcome.INCONCLUSIVE}
    assert "did not come in" in (made.finished["n15"].reason or "")
    assert not any(check.outcome is Outcome.FAIL for event in made.finished.values() for check in event.checks)
    assert made.seconds < 130  # in full: 16 times 20 s or 30 s, twice


def test_who_judges_the_end_waits_for_it_in_full_every_time() -> None:
    made = endless(*several(3, PRESUPPOSES, "before"), *several(5, PROVEN), jobs=3)
    proven = {key: event for key, event in made.finished.items() if not key.startswith("before")}
    assert {event.outcome for event in proven.values()} == {ScenarioOutcome.FAILED}
    assert all(event.duration > 20 for event in proven.values())


def test_what_is_known_to_be_in_vain_alone_too_is_not_run_again() -> None:
    made = endless(*several(8, PROVEN))
    attempts = sorted(event.attempts for event in made.finished.values())
    assert set(attempts) == {1, 2}
    assert attempts.count(2) <= 3
    assert made.seconds < 45


def test_a_breach_beside_a_wait_in_vain_is_confirmed_by_itself() -> None:
    other = f"""
        - send: tasks/get
          params: {{taskId: $unknown_id}}
          expect: {{error: {{code: -1}}}}
          proves: {PROVES}
          control: ping
    """
    made = endless(*several(4, PRESUPPOSES), *several(2, other + PRESUPPOSES.replace("\n", "\n        "), "breach"))
    breaches = [event for key, event in made.finished.items() if key.startswith("breach")]
    assert {(event.outcome, event.attempts) for event in breaches} == {(ScenarioOutcome.FAILED, 2)}


def test_a_method_that_is_never_answered_is_not_waited_for_in_every_scenario() -> None:
    needs = f"- send: tasks/list\n- send: ping\n  expect: {{result: {{}}}}\n  proves: {PROVES}"
    made = perform(several(40, needs), "deaf", "tasks/list", options=RunOptions(jobs=2))
    assert set(made.outcomes.values()) == {ScenarioOutcome.INCONCLUSIVE}
    assert made.seconds < 80  # in full: 40 times 10 s, twice, two at once


def test_a_target_that_falls_silent_is_hung_however_little_it_is_waited_for() -> None:
    made = perform(several(12, PRESUPPOSES), "wedged", "tasks/get", options=RunOptions(jobs=1))
    assert ScenarioOutcome.HUNG in made.outcomes.values()
    verdict = next(row.verdict for row in made.result.requirements if row.id == "base.answers")
    assert verdict is Verdict.VIOLATED


def test_on_a_sound_target_every_scenario_waits_for_what_comes() -> None:
    made = perform((*several(20, PRESUPPOSES), *several(20, FETCHES, "fetches"), *several(20, PROVEN, "proven")))
    assert {(event.outcome, event.attempts) for event in made.finished.values()} == {(ScenarioOutcome.PASSED, 1)}
