"""Verbs that wait for what the target sends of its own accord, and answer it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from mcp_tasks_conformance.events import Outcome, ScenarioOutcome
from tests.engine.theatre import PROVES, Performance, perform, scenario

ASKS = """
- begin: tools/call
  params: {name: asks-elicitation, arguments: {}}
  as: call
- await_request: elicitation/create
  as: question
"""
TELLS = "- start_task: {behaviour: completes, as: job}\n"


def answered(made: Performance) -> Any:
    """What the server says it was answered."""
    replies = [json.loads(e.text) for e in made.one.transcript if e.direction == "received" and '"content"' in e.text]
    return json.loads(replies[-1]["result"]["content"][0]["text"])


@pytest.mark.parametrize(
    ("keys", "answer"),
    [
        ("", {"action": "accept", "content": {"name": "conformance"}}),
        ("\n  content: auto", {"action": "accept", "content": {"name": "conformance"}}),
        ("\n  content: {name: Ada}", {"action": "accept", "content": {"name": "Ada"}}),
        ("\n  action: decline", {"action": "decline"}),
        ("\n  result: {any: thing}", {"any": "thing"}),
        ("\n  error: {code: -1, message: never}", {"code": -1, "message": "never"}),
    ],
)
def test_a_request_of_the_target_is_answered_as_the_step_says(keys: str, answer: Any) -> None:
    made = perform(scenario(f"{ASKS}- reply: $question{keys}\n- finish: $call\n  proves: {PROVES}\n"
                            f"  expect: {{result: {{content: {{$size: 1}}}}}}"))  # fmt: skip
    assert made.one.outcome is ScenarioOutcome.PASSED, made.one.reason
    assert answered(made) == answer


def test_a_question_is_answered_on_the_connection_that_it_came_on() -> None:
    steps = """
    - connect: other
    - begin: tools/call
      via: other
      params: {name: asks-elicitation, arguments: {}}
      as: call
    - await_request: elicitation/create
      via: other
      where: {params: {message: "Who?"}}
      as: question
    - reply: $question
    - finish: $call
    """
    made = perform(scenario(steps))
    assert made.one.outcome is ScenarioOutcome.PASSED, made.one.reason


def test_what_is_asked_and_never_answered_is_let_go_at_the_end() -> None:
    made = perform(scenario(f'{ASKS}- judge: $question\n  expect: {{params: {{message: "Who?"}}}}'))
    assert made.one.outcome is ScenarioOutcome.PASSED, made.one.reason
    last = [json.loads(e.text) for e in made.one.transcript if e.direction == "sent"][-1]
    assert last["result"] == {"action": "cancel"}


def test_a_notification_that_came_before_the_wait_is_found() -> None:
    made = perform(
        scenario(
            TELLS
            + "- settle: {for_ms: 100}\n- await_notification: notifications/message\n  as: log\n"
            + f"- judge: $log\n  expect: {{params: {{data: completes}}}}\n  proves: {PROVES}"
        ),
        "chatty",
    )
    assert made.one.outcome is ScenarioOutcome.PASSED, made.one.reason


def test_the_message_itself_is_what_is_expected() -> None:
    steps = f"- await_notification: notifications/message\n  expect: {{params: {{data: other}}}}\n  proves: {PROVES}"
    made = perform(scenario(TELLS + steps), "chatty")
    assert [(c.outcome, c.observed) for c in made.checks()] == [(Outcome.FAIL, 'params.data: "completes"')]


@pytest.mark.parametrize("expect", ["", "\n  expect: {params: {data: completes}}"])
def test_a_message_that_does_not_come_fails_only_where_its_coming_is_what_is_proven(expect: str) -> None:
    steps = f"- await_notification: notifications/message\n  within_ms: 300\n  proves: {PROVES}{expect}"
    made = perform(scenario(TELLS + steps))
    if expect:
        assert made.one.outcome is ScenarioOutcome.INCONCLUSIVE
        assert "expected notifications/message, found none within 0.3 s" in (made.one.reason or "")
    else:
        assert [(c.outcome, c.observed) for c in made.checks()] == [(Outcome.FAIL, "none within 0.3 s")]


def test_a_message_that_may_stay_away_leaves_nothing_to_judge() -> None:
    steps = "- await_notification: notifications/message\n  within_ms: 300\n  optional: true"
    made = perform(scenario(TELLS + steps))
    assert (made.one.outcome, made.one.reason) == (
        ScenarioOutcome.NOT_APPLICABLE,
        "no notifications/message came, which is permitted",
    )


def test_waiting_for_a_message_ends_with_the_target() -> None:
    steps = "- begin: tasks/list\n  as: list\n- await_notification: notifications/message\n  within_ms: 60000"
    made = perform(scenario(steps), "mortal", "tasks/list")
    assert made.one.outcome is ScenarioOutcome.CRASHED
    assert made.seconds < 5


def test_waiting_for_a_message_of_a_silent_target_is_a_hang() -> None:
    steps = "- begin: tasks/list\n  as: list\n- await_notification: notifications/message\n  within_ms: 300"
    made = perform(scenario(steps), "wedged", "tasks/list")
    assert made.one.outcome is ScenarioOutcome.HUNG


def test_a_pattern_with_a_reference_that_leads_nowhere_is_told_to_who_waits() -> None:
    steps = "- await_notification: notifications/message\n  where: {params: {data: $job.noSuchMember}}"
    made = perform(scenario(TELLS + "- settle: {for_ms: 10}\n" + steps), "chatty")
    assert (made.one.outcome, made.one.reason) == (
        ScenarioOutcome.INCONCLUSIVE,
        "there is nothing at $job.noSuchMember",
    )
    late = """
    - start_task: {behaviour: completes, as: job}
    - together:
      - - await_notification: notifications/message
          where: {params: {data: $job.noSuchMember}}
      - - settle: {for_ms: 50}
        - start_task: {behaviour: completes}
    """
    made = perform(scenario(late), "chatty")
    assert made.one.reason == "there is nothing at $job.noSuchMember"


def test_a_request_against_our_capabilities_is_refused_at_once_and_there_to_be_seen() -> None:
    steps = f"""
    - send: tasks/list
    - await_request: roots/list
      proves: {PROVES}
    - await_notification: notifications/message
      expect: {{params: {{data: {{error: {{code: -32601}}}}}}}}
    """
    made = perform(scenario(steps), "curious")
    assert [c.outcome for c in made.checks()] == [Outcome.PASS]
    assert made.one.reason is None or "await_notification" not in made.one.reason


# -- quiet ---------------------------------------------------------------------------------------------------


def test_quiet_passes_after_its_window_and_a_ping() -> None:
    made = perform(scenario(f"{TELLS}- quiet: {{kind: message, proves: {PROVES}}}"))
    assert [(c.outcome, c.expected, c.observed, c.control) for c in made.checks()] == [
        (Outcome.PASS, "no message for 150 ms", "none came", "tools/call")
    ]


@pytest.mark.parametrize("kind", ["message", "notification"])
def test_what_has_come_before_breaks_the_quiet(kind: str) -> None:
    made = perform(scenario(f"{TELLS}- settle: {{for_ms: 50}}\n- quiet: {{kind: {kind}, proves: {PROVES}}}"), "chatty")
    assert [c.outcome for c in made.checks()] == [Outcome.FAIL]


@pytest.mark.parametrize(
    "keys",
    [
        "kind: request",
        "kind: message, method: notifications/progress",
        "kind: message, where: {params: {data: other}}",
        "kind: message, for: $job",
        "kind: message, since: $again",
    ],
)
def test_what_the_step_does_not_mean_does_not_break_it(keys: str) -> None:
    steps = f"{TELLS}- settle: {{for_ms: 60}}\n- send: tasks/list\n  as: again\n- quiet: {{{keys}, proves: {PROVES}}}"
    made = perform(scenario(steps), "chatty")
    assert [c.outcome for c in made.checks()] == [Outcome.PASS]


def test_the_silence_of_the_dead_is_no_quiet() -> None:
    made = perform(scenario(f"- begin: tasks/list\n  as: list\n- quiet: {{kind: message, proves: {PROVES}}}"),
                   "wedged", "tasks/list")  # fmt: skip
    assert made.one.outcome is ScenarioOutcome.HUNG
    assert made.checks() == []
