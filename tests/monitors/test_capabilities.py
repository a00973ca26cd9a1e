"""Declarations, and answers by what was declared."""

from __future__ import annotations

import pytest

from mcp_tasks_conformance.events import JsonValue, Outcome
from tests.monitors.conversation import TASKS, Conversation, task

DECLARED = "v1.capability.declared"
SHAPE = "v1.capability.shape"
SUPPORT = "v1.tool.support-values"
ONLY_IF_ASKED = "v1.create.only-if-asked"


@pytest.mark.parametrize("tasks", [TASKS, {}, {"requests": {}}, {"unknown": True, "requests": {"prompts": True}}])
def test_objects_pass_and_the_set_of_keys_is_open(tasks: JsonValue) -> None:
    talk = Conversation()
    talk.initialize(tasks=tasks)
    assert talk.outcomes(SHAPE) == [Outcome.PASS]


@pytest.mark.parametrize(
    ("tasks", "observed"),
    [
        (True, "tasks is true"),
        ({"list": True}, "tasks.list is true"),
        ({"cancel": False}, "tasks.cancel is false"),
        ({"requests": []}, "tasks.requests is []"),
        ({"requests": {"tools": True}}, "tasks.requests.tools is true"),
        ({"requests": {"tools": {"call": True}}}, "tasks.requests.tools.call is true"),
    ],
)
def test_what_is_no_object_is_found(tasks: JsonValue, observed: str) -> None:
    talk = Conversation()
    talk.initialize(tasks=tasks)
    assert talk.broken() == {SHAPE: observed}


def test_no_tasks_capability_is_nothing_to_judge() -> None:
    talk = Conversation()
    talk.initialize(tasks=None)
    assert talk.outcomes(SHAPE) == []


def test_a_flawed_declaration_is_told_in_each_attempt_that_stands_on_it() -> None:
    talk = Conversation(transport="stdio")
    talk.initialize(tasks={"list": True})
    talk.next_attempt()
    talk.findings.clear()
    talk.ping()
    talk.ping()
    assert talk.outcomes(SHAPE) == [Outcome.FAIL]


def test_a_task_under_a_declared_capability_passes() -> None:
    talk = Conversation()
    talk.initialize()
    talk.make("t1")
    assert talk.outcomes(DECLARED) == [Outcome.PASS]


@pytest.mark.parametrize("tasks", [None, {}, {"requests": {"tools": {}}}, {"list": {}, "cancel": {}}])
def test_a_task_without_the_capability_is_found(tasks: JsonValue) -> None:
    talk = Conversation()
    talk.initialize(tasks=tasks)
    talk.make("t1")
    assert list(talk.broken()) == [DECLARED]


def test_a_boolean_leaf_declares_and_is_judged_for_its_shape_alone() -> None:
    talk = Conversation()
    talk.initialize(tasks={"requests": {"tools": {"call": True}}})
    talk.make("t1")
    assert list(talk.broken()) == [SHAPE]


def test_a_plain_answer_without_the_capability_passes() -> None:
    talk = Conversation()
    talk.initialize(tasks=None)
    talk.answer(talk.ask("tools/call", {"name": "x", "task": {}}), {"content": []})
    assert talk.broken() == {}


def test_a_joined_connection_stands_on_its_session_s_handshake() -> None:
    talk = Conversation()
    talk.initialize(tasks=None)
    talk.connect("joined", session="main")
    talk.make("t1", connection="joined")
    assert list(talk.broken()) == [DECLARED]


def test_a_connection_whose_handshake_is_unknown_is_not_judged() -> None:
    talk = Conversation()
    talk.make("t1")
    assert talk.broken() == {}


def test_a_client_declares_by_request_type() -> None:
    talk = Conversation(hosts="client", transport="stdio")
    sampling: JsonValue = {"tasks": {"requests": {"sampling": {"createMessage": {}}}}}
    talk.request(1, "initialize", {"protocolVersion": "2025-11-25", "capabilities": sampling})
    talk.reply(1, {"protocolVersion": "2025-11-25", "capabilities": {}})
    talk.answer(talk.ask("sampling/createMessage", {"messages": [], "task": {}}), {"task": task("t1")})
    assert talk.outcomes(DECLARED) == [Outcome.PASS]
    talk.answer(talk.ask("elicitation/create", {"message": "?", "task": {}}), {"task": task("t2")})
    assert list(talk.broken()) == [DECLARED]


@pytest.mark.parametrize("support", ["required", "optional", "forbidden"])
def test_the_three_values_of_task_support_pass(support: str) -> None:
    talk = Conversation()
    tools: JsonValue = [
        {"name": "a"},
        {"name": "b", "execution": {"taskSupport": support}},
        {"name": "c", "execution": {}},
    ]
    talk.answer(talk.ask("tools/list"), {"tools": tools})
    assert talk.outcomes(SUPPORT) == [Outcome.PASS]


@pytest.mark.parametrize("support", ["always", True, None, {"required": True}])
def test_another_value_of_task_support_is_found(support: JsonValue) -> None:
    talk = Conversation()
    talk.answer(talk.ask("tools/list"), {"tools": [{"name": "a", "execution": {"taskSupport": support}}]})
    assert list(talk.broken()) == [SUPPORT]


def test_tools_without_task_support_are_nothing_to_judge() -> None:
    talk = Conversation()
    talk.answer(talk.ask("tools/list"), {"tools": [{"name": "a"}, {"name": "b", "execution": None}]})
    assert talk.outcomes(SUPPORT) == []


def test_a_task_for_a_plain_request_is_found() -> None:
    talk = Conversation()
    talk.initialize()
    talk.answer(talk.ask("tools/call", {"name": "x"}), {"task": task("t1")})
    assert talk.broken() == {ONLY_IF_ASKED: 'the task "t1"'}


@pytest.mark.parametrize("result", [{"content": []}, {"content": [], "task": {"taskId": "of the tool"}}])
def test_a_plain_result_for_a_plain_request_passes(result: JsonValue) -> None:
    talk = Conversation()
    talk.initialize()
    talk.answer(talk.ask("tools/call", {"name": "x"}), result)
    assert talk.outcomes(ONLY_IF_ASKED) == [Outcome.PASS]


def test_an_empty_answer_to_a_plain_request_shows_nothing() -> None:
    talk = Conversation()
    talk.initialize()
    talk.answer(talk.ask("tools/call", {"name": "x"}), {})
    assert talk.outcomes(ONLY_IF_ASKED) == []


def test_an_invalid_task_member_is_neither_asked_nor_unasked() -> None:
    talk = Conversation()
    talk.initialize()
    talk.answer(talk.ask("tools/call", {"name": "x", "task": "yes"}), {"task": task("t1")})
    assert talk.outcomes(ONLY_IF_ASKED) == []
