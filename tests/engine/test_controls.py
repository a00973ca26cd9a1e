"""Scenarios that are run besides, because a check of a refusal counts only where its method has been seen to work."""

from __future__ import annotations

import pytest

from mcp_tasks_conformance.engine.options import RunOptions
from mcp_tasks_conformance.events import ScenarioFinished, ScenarioOutcome
from tests.engine.theatre import perform, suite

SCENARIOS = suite("""
    - id: refused
      title: An unknown task is refused
      steps:
        - send: tasks/get
          params: {taskId: $unknown_id}
          expect: {error: {code: -32602}}
          proves: v1.get.unknown-id
    - id: refused-too
      title: It is refused every time
      steps:
        - send: tasks/get
          params: {taskId: $unknown_id}
          expect: {error: {code: -32602}}
          proves: v1.get.unknown-id
    - id: long
      title: A task is looked at several times
      steps:
        - start_task: {behaviour: completes, as: job}
        - send: tasks/get
          params: {taskId: $job.taskId}
        - send: tasks/get
          params: {taskId: $job.taskId}
        - await_status: {task: $job, is: terminal}
    - id: short
      title: A task is looked at
      steps:
        - start_task: {behaviour: completes, as: job}
        - send: tasks/get
          params: {taskId: $job.taskId}
""")
REFUSED = SCENARIOS[:1]


def test_a_refusal_alone_counts_where_the_reserve_shows_that_its_method_works() -> None:
    made = perform(REFUSED, reserve=SCENARIOS)
    (scenario,) = made.result.scenarios
    assert scenario.outcome is ScenarioOutcome.PASSED
    assert made.result.dropped == ()


def test_nothing_is_told_of_what_was_run_besides() -> None:
    made = perform(REFUSED, reserve=SCENARIOS)
    assert [event.key for event in made.events if isinstance(event, ScenarioFinished)] == ["v1/receiver/try/refused"]
    alone = {row.source for row in perform(REFUSED).result.checks}
    assert {row.source for row in made.result.checks} >= alone


def test_scenarios_that_are_refused_themselves_show_nothing() -> None:
    made = perform(REFUSED, reserve=SCENARIOS[:2])
    assert made.result.scenarios[0].outcome is ScenarioOutcome.INCONCLUSIVE


def test_nothing_is_run_besides_where_the_method_has_been_seen_to_work() -> None:
    without = perform(SCENARIOS, options=RunOptions(jobs=1))
    reserved = perform(SCENARIOS, options=RunOptions(jobs=1), reserve=SCENARIOS)
    assert reserved.seconds == without.seconds


@pytest.mark.parametrize("answer", ["-32602", "{}"])
def test_a_server_that_answers_everything_alike_earns_nothing_by_the_reserve(answer: str) -> None:
    made = perform(REFUSED, "courteous", answer, reserve=SCENARIOS)
    assert made.result.scenarios[0].outcome is not ScenarioOutcome.PASSED
