"""Verbs that open, use and close connections: in memory, against small servers that do odd things."""

from __future__ import annotations

import json

import pytest

from mcp_tasks_conformance.events import Outcome, ScenarioOutcome
from tests.engine.theatre import PROVES, perform, scenario

LISTS = "{result: {tasks: {$type: array}}}"


def test_another_connection_sees_the_tasks_of_the_first_and_its_reply_can_be_judged() -> None:
    made = perform(
        scenario(f"""
            - start_task: {{behaviour: completes, as: job}}
            - connect: other
              as: hello
              expect: {{result: {{serverInfo: {{name: small}}}}}}
            - send: tasks/get
              via: other
              params: {{taskId: $job.taskId}}
              expect: {{result: {{taskId: $job.taskId}}}}
              proves: {PROVES}
            - judge: $hello
              expect: {{result: {{protocolVersion: "2025-11-25"}}}}
        """)
    )
    assert made.one.outcome is ScenarioOutcome.PASSED
    assert {entry.connection for entry in made.one.transcript} == {"main", "other"}


def test_a_connection_says_what_it_was_told_to_say() -> None:
    made = perform(
        scenario(
            """
            - connect: main
              capabilities: {}
              version: "2024-11-05"
              initialized: false
              proves: v1.list.complete
              expect: {result: {protocolVersion: $absent_version}}
        """.replace("$absent_version", '"2025-11-25"'),
            main="false",
        )
    )
    sent = [json.loads(entry.text) for entry in made.one.transcript if entry.direction == "sent"]
    assert [message["method"] for message in sent] == ["initialize"]
    assert sent[0]["params"]["capabilities"] == {}
    assert sent[0]["params"]["protocolVersion"] == "2024-11-05"
    assert made.one.outcome is ScenarioOutcome.PASSED


def test_a_handshake_that_is_refused_can_be_what_is_expected() -> None:
    made = perform(
        scenario(f"""
            - connect: other
              expect: {{error: {{code: -32000}}}}
              proves: {PROVES}
        """),
        "refusing",
        "1",
    )
    assert [c.outcome for c in made.checks()] == [Outcome.PASS]


def test_a_handshake_that_is_refused_is_else_a_precondition() -> None:
    made = perform(scenario("- connect: other\n- send: tasks/list\n  via: other"), "refusing", "1")
    assert made.one.outcome is ScenarioOutcome.INCONCLUSIVE
    assert "connect, line 9: initialize was refused: -32000 too many sessions" in (made.one.reason or "")


def test_a_second_connection_that_is_never_answered_is_no_hang_where_the_first_lives() -> None:
    steps = f"- connect: other\n  expect: {{result: {{}}}}\n  proves: {PROVES}"
    made = perform(scenario(steps), "lonely")
    assert made.one.outcome is ScenarioOutcome.FAILED
    assert "ping on another connection was answered" in made.checks()[0].observed


def test_nothing_can_be_sent_on_a_connection_that_was_closed() -> None:
    made = perform(
        scenario("""
            - connect: other
            - disconnect: other
            - send: tasks/list
              via: other
        """)
    )
    assert made.one.outcome is ScenarioOutcome.INCONCLUSIVE
    assert made.one.reason == "connection other is not open"


def test_an_exchange_that_was_begun_is_finished_on_its_own_connection() -> None:
    made = perform(
        scenario(f"""
            - connect: other
            - start_task: {{behaviour: slow, as: job}}
            - begin: tasks/result
              via: other
              params: {{taskId: $job.taskId}}
              as: waiting
            - still_waiting: $waiting
              task: $job
              proves: {PROVES}
            - finish: $waiting
              expect: {{result: {{content: {{$size: 1}}}}}}
              proves: v1.list.complete
        """)
    )
    assert made.one.outcome is ScenarioOutcome.PASSED
    assert [c.control for c in made.checks()] == ["tasks/result"]


def test_a_notification_is_sent_and_nothing_is_waited_for() -> None:
    made = perform(scenario(f"- notify: notifications/unknown\n- send: tasks/list\n  expect: {LISTS}\n"
                            f"  proves: {PROVES}"))  # fmt: skip
    assert made.one.outcome is ScenarioOutcome.PASSED


# -- raw -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("raw", "expect"),
    [
        ('"{nonsense"', "{error: {code: -32700}, id: null}"),
        ("[]", "{error: {code: -32600}}"),
        ('{jsonrpc: "2.0", id: 77, method: no/such}', "{error: {code: -32601}, id: 77}"),
        ('{jsonrpc: "2.0", method: notifications/whatever}', "{nothing: true}"),
    ],
)
def test_raw_text_gets_whatever_comes_back(raw: str, expect: str) -> None:
    made = perform(scenario(f"- raw: {raw}\n  expect: {expect}\n  proves: {PROVES}"))
    assert [c.outcome for c in made.checks()] == [Outcome.PASS]


def test_raw_text_that_kills_is_a_crash() -> None:
    made = perform(
        scenario(f'- raw: {{jsonrpc: "2.0", id: 5, method: kill}}\n  expect: {{nothing: true}}\n  proves: {PROVES}'),
        "mortal",
        "kill",
    )
    assert made.one.outcome is ScenarioOutcome.CRASHED


def test_a_target_that_dies_at_the_very_end_is_seen_to() -> None:
    made = perform(scenario(f"- send: tasks/list\n  expect: {LISTS}\n  proves: {PROVES}"), "late-death", "tasks/list")
    assert made.one.outcome is ScenarioOutcome.CRASHED


def test_raw_text_that_wedges_is_a_hang() -> None:
    made = perform(
        scenario(f'- raw: {{jsonrpc: "2.0", id: 5, method: stop}}\n  expect: {{nothing: true}}\n  proves: {PROVES}'),
        "wedged",
        "stop",
    )
    assert made.one.outcome is ScenarioOutcome.HUNG
    assert made.one.reason == "silence after what was sent, and no answer to ping"


def test_raw_text_may_be_nested_deeply() -> None:
    made = perform(scenario(f'- raw: "@"\n  nest: 40\n  expect: {{error: {{code: -32600}}}}\n  proves: {PROVES}'))
    assert made.one.outcome is ScenarioOutcome.PASSED
    assert any(entry.text == "[" * 40 + "]" * 40 for entry in made.one.transcript)


# -- what only HTTP has --------------------------------------------------------------------------------------


def test_sessions_cannot_be_ended_in_memory_and_the_plan_says_so() -> None:
    made = perform(scenario(f"- disconnect: main\n  how: end_session\n  expect: {{status: 200}}\n  proves: {PROVES}"))
    assert (made.one.outcome, made.one.reason) == (ScenarioOutcome.NOT_APPLICABLE, "it is about http")
