"""Taking many messages at once, and answering what is asked while something else is waited for."""

from __future__ import annotations

import pytest

from mcp_tasks_conformance.events import Outcome, ScenarioOutcome
from tests.engine.theatre import PROVES, perform, scenario

ASKS = """
- begin: tools/call
  params: {name: asks-elicitation, arguments: {}}
  as: call
"""


def test_what_has_come_and_what_comes_is_gathered_until_none_comes() -> None:
    steps = f"""
    - start_task: {{behaviour: completes}}
    - gather: {{kind: notification, method: notifications/message}}
      proves: {PROVES}
      expect: {{messages: {{$size: {{$at_least: 1}}}}}}
    - gather: {{kind: notification, method: notifications/message, window_ms: 10}}
      proves: {PROVES}
      expect: {{messages: {{$size: 0}}}}
    """
    made = perform(scenario(steps), "chatty")
    assert [check.outcome for check in made.checks()] == [Outcome.PASS, Outcome.PASS], made.one.reason


def test_what_comes_before_the_answer_to_a_ping_is_gathered_too_for_a_slow_target() -> None:
    steps = f"""
    - start_task: {{behaviour: completes}}
    - start_task: {{behaviour: completes}}
    - gather: {{kind: notification, method: notifications/message, window_ms: 10}}
      proves: {PROVES}
      expect: {{messages: {{$size: 2}}}}
    """
    made = perform(scenario(steps), "tardy")
    assert [check.outcome for check in made.checks()] == [Outcome.PASS], made.one.reason


def test_only_what_came_after_a_moment_is_gathered() -> None:
    steps = f"""
    - start_task: {{behaviour: completes}}
    - settle: {{for_ms: 100, as: calm}}
    - gather: {{kind: message, since: $calm, window_ms: 10}}
      proves: {PROVES}
      expect: {{messages: {{$size: 0}}}}
    - gather: {{kind: message, window_ms: 10}}
      proves: {PROVES}
      expect: {{messages: {{$size: {{$at_least: 1}}}}}}
    """
    made = perform(scenario(steps), "chatty")
    assert [check.outcome for check in made.checks()] == [Outcome.PASS, Outcome.PASS], made.one.reason


@pytest.mark.parametrize(("action", "said"), [("accept", "conformance"), ("decline", "decline"), ("cancel", "cancel")])
def test_questions_are_answered_while_a_response_is_waited_for(action: str, said: str) -> None:
    steps = f"""{ASKS}
- finish: $call
  answering: {action}
  proves: {PROVES}
  expect: {{result: {{content: [{{text: {{$matches: {said}}}}}]}}}}
"""
    made = perform(scenario(steps))
    assert [check.outcome for check in made.checks()] == [Outcome.PASS], made.one.reason


def test_without_answering_a_question_waits_for_its_own_step() -> None:
    made = perform(scenario(f"{ASKS}- finish: $call\n  within_ms: 500\n  expect: {{result: {{}}}}"))
    assert made.one.outcome is ScenarioOutcome.INCONCLUSIVE


def test_an_answer_is_a_moment_to_count_from() -> None:
    steps = f"""{ASKS}
- await_request: elicitation/create
  as: asked
- reply: $asked
  as: answered
- quiet: {{kind: request, since: $answered, window_ms: 20}}
  proves: {PROVES}
"""
    assert [check.outcome for check in perform(scenario(steps)).checks()] == [Outcome.PASS]
