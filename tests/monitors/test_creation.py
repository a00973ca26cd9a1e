"""What comes of calls that ask for a task."""

from __future__ import annotations

import pytest

from mcp_tasks_conformance.events import JsonValue, Outcome
from tests.monitors.conversation import Conversation

RETURNS_TASK = "v1.create.returns-task"
DONE: JsonValue = {"content": [{"type": "text", "text": "done"}]}


def call(talk: Conversation, result: JsonValue, name: str = "work", task: JsonValue = None) -> None:
    params: dict[str, JsonValue] = {"name": name, "arguments": {}}
    if task is not None:
        params["task"] = task
    talk.answer(talk.ask("tools/call", params), result)


def test_a_task_passes() -> None:
    talk = Conversation()
    talk.make("t1")
    assert talk.outcomes(RETURNS_TASK) == [Outcome.PASS]


def test_the_result_of_a_tool_that_was_taken_as_a_task_before_is_found() -> None:
    talk = Conversation()
    talk.initialize()
    talk.make("t1")
    talk.next_attempt()
    call(talk, DONE, task={"ttl": 1000})
    assert talk.broken() == {RETURNS_TASK: "the result of the tool"}


def test_a_session_in_which_no_tasks_are_declared_may_have_the_result() -> None:
    talk = Conversation()
    talk.initialize()
    talk.make("t1")
    talk.connect("other", session="other")
    talk.initialize(connection="other", tasks=None)
    talk.answer(talk.ask("tools/call", {"name": "work", "arguments": {}, "task": {}}, connection="other"), DONE)
    assert RETURNS_TASK not in talk.broken()


@pytest.mark.parametrize("task", [None, {"ttl": 0}, {"ttl": "long"}, {"ttl": True}, [], "yes"])
def test_a_call_that_does_not_plainly_ask_for_a_task_may_have_the_result(task: JsonValue) -> None:
    talk = Conversation()
    talk.initialize()
    talk.make("t1")
    call(talk, DONE, task=task)
    assert RETURNS_TASK not in talk.broken()


def test_a_tool_that_has_never_made_a_task_may_have_none_to_make() -> None:
    talk = Conversation()
    talk.initialize()
    talk.make("t1")
    call(talk, DONE, name="plain", task={})
    assert RETURNS_TASK not in talk.broken()


@pytest.mark.parametrize("result", [{"content": [], "isError": True}, {"_meta": {}}])
def test_a_refusal_and_an_empty_answer_are_left_to_the_scenarios(result: JsonValue) -> None:
    talk = Conversation()
    talk.initialize()
    talk.make("t1")
    call(talk, result, task={})
    assert RETURNS_TASK not in talk.broken()


def test_an_error_is_a_refusal() -> None:
    talk = Conversation()
    talk.make("t1")
    talk.refuse(talk.ask("tools/call", {"name": "work", "arguments": {}, "task": {}}))
    assert talk.outcomes(RETURNS_TASK) == [Outcome.PASS]
