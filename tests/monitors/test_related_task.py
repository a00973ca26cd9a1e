"""The related-task metadata, where it belongs and where it does not."""

from __future__ import annotations

import pytest

from mcp_tasks_conformance.events import JsonValue, Outcome
from tests.monitors.conversation import Conversation, related, task

RESULT = "v1.result.related-task"
ON_MESSAGES = "v1.create.related-task-on-messages"
ON_REQUEST = "v1.input.request-related-task"
KEY = "io.modelcontextprotocol/related-task"
FORM: dict[str, JsonValue] = {"message": "?", "requestedSchema": {"type": "object", "properties": {}}}


# -- tasks/result ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("meta", [{}, {"of the tool": 1}])
def test_a_result_that_names_its_task_passes_beside_other_metadata(meta: dict[str, JsonValue]) -> None:
    talk = Conversation()
    sent = talk.ask("tasks/result", {"taskId": "t1"})
    talk.answer(sent, {"content": [], "_meta": {KEY: {"taskId": "t1"}, **meta}})
    assert talk.outcomes(RESULT) == [Outcome.PASS]


@pytest.mark.parametrize(
    ("result", "observed"),
    [
        ({"content": []}, "none"),
        ({"content": [], "_meta": None}, "none"),
        ({"content": [], **related("t2")}, 'the task "t2"'),
        ({"content": [], "_meta": {KEY: "t1"}}, f'{KEY}: "t1"'),
        (
            {"content": [], "_meta": {"modelcontextprotocol.io/related-task": {"taskId": "t1"}}},
            'the key "modelcontextprotocol.io/related-task" instead',
        ),
    ],
)
def test_a_result_that_does_not_name_its_task_is_found(result: JsonValue, observed: str) -> None:
    talk = Conversation()
    talk.answer(talk.ask("tasks/result", {"taskId": "t1"}), result)
    assert talk.broken() == {RESULT: observed}


def test_an_error_has_no_metadata() -> None:
    talk = Conversation()
    talk.refuse(talk.ask("tasks/result", {"taskId": "t1"}), -32603, "the tool's own error")
    assert talk.outcomes(RESULT) == []


def test_the_params_and_not_contradicting_metadata_say_which_task_a_result_is_of() -> None:
    talk = Conversation()
    talk.answer(talk.ask("tasks/result", {"taskId": "t1", **related("t2")}), {"content": [], **related("t1")})
    assert talk.broken() == {}


def test_a_result_of_the_task_that_metadata_named_broke_another_rule() -> None:
    talk = Conversation()
    talk.answer(talk.ask("tasks/result", {"taskId": "t1", **related("t2")}), {"content": [], **related("t2")})
    assert talk.broken() == {}


# -- where it should not be --------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["get", "cancel", "list"])
def test_metadata_beside_a_task_id_is_warned_of(method: str) -> None:
    talk = Conversation()
    shown: JsonValue = {"tasks": [task("t1")], **related("t1")} if method == "list" else task("t1") | related("t1")
    talk.answer(talk.ask(f"tasks/{method}", {"taskId": "t1"}), shown)
    assert list(talk.warned()) == [f"v1.{method}.no-related-task"]
    assert talk.broken() == {}


@pytest.mark.parametrize("method", ["get", "cancel", "list"])
def test_other_metadata_beside_a_task_id_passes(method: str) -> None:
    talk = Conversation()
    meta: dict[str, JsonValue] = {"_meta": {"io.modelcontextprotocol/other": {"taskId": "t1"}}}
    shown: JsonValue = {"tasks": [task("t1")], **meta} if method == "list" else task("t1") | meta
    talk.answer(talk.ask(f"tasks/{method}", {"taskId": "t1"}), shown)
    assert talk.outcomes(f"v1.{method}.no-related-task") == [Outcome.PASS]


def test_an_empty_answer_shows_nothing_of_metadata() -> None:
    talk = Conversation()
    talk.answer(talk.ask("tasks/get", {"taskId": "t1"}), {"_meta": {}})
    assert talk.outcomes("v1.get.no-related-task") == []


def test_metadata_on_a_status_notification_is_warned_of() -> None:
    talk = Conversation()
    talk.notify("notifications/tasks/status", task("t1"))
    assert talk.outcomes("v1.notify.no-related-task") == [Outcome.PASS]
    talk.notify("notifications/tasks/status", task("t1") | related("t1"))
    assert list(talk.warned()) == ["v1.notify.no-related-task"]


# -- the answer that makes the task ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("meta", "outcome"),
    [
        ({}, Outcome.WARN),
        ({"_meta": {"io.modelcontextprotocol/model-immediate-response": "wait"}}, Outcome.WARN),
        ({"_meta": {"example.org/related-task": {"taskId": "t2"}}}, Outcome.WARN),
        (related("t1"), Outcome.PASS),
        (related("t2"), Outcome.FAIL),
        ({"_meta": {KEY: {}}}, Outcome.FAIL),
    ],
)
def test_the_making_of_a_task_may_lack_the_metadata_but_not_name_another(
    meta: dict[str, JsonValue], outcome: Outcome
) -> None:
    talk = Conversation()
    talk.answer(talk.ask("tools/call", {"name": "x", "task": {}}), {"task": task("t1"), **meta})
    assert talk.outcomes(ON_MESSAGES) == [outcome]


# -- requests of a task ------------------------------------------------------------------------------------------


def test_a_request_that_names_a_known_task_passes() -> None:
    talk = Conversation()
    talk.make("t1")
    talk.request(1, "elicitation/create", {**FORM, **related("t1")})
    assert talk.outcomes(ON_REQUEST) == [Outcome.PASS]


def test_a_request_that_overtakes_the_making_of_its_task_is_let_pass() -> None:
    talk = Conversation()
    sent = talk.ask("tools/call", {"name": "x", "task": {}})
    talk.request(1, "elicitation/create", {**FORM, **related("t1")})
    talk.answer(sent, {"task": task("t1")})
    talk.settle()
    assert talk.broken() == {}


@pytest.mark.parametrize(
    "meta", [{"modelcontextprotocol.io/related-task": {"taskId": "t1"}}, {KEY: "t1"}, {KEY: {"id": "t1"}}]
)
def test_a_request_that_means_to_name_its_task_and_does_not_is_found(meta: dict[str, JsonValue]) -> None:
    talk = Conversation()
    talk.make("t1")
    talk.request(1, "sampling/createMessage", {"messages": [], "maxTokens": 1, "_meta": meta})
    assert list(talk.broken()) == [ON_REQUEST]


def test_a_request_without_metadata_that_a_waiting_task_goes_on_after_is_found() -> None:
    talk = Conversation()
    talk.make("t1")
    talk.get("t1", "input_required", 1)
    asked = talk.request(1, "elicitation/create", FORM)
    talk.reply(1, {"action": "accept", "content": {}})
    talk.get("t1", "completed", 2)
    assert talk.broken() == {}
    talk.settle()
    assert list(talk.broken()) == [ON_REQUEST]
    assert asked in next(f for f in talk.findings if f.outcome is Outcome.FAIL).messages


def test_a_request_of_a_plain_call_beside_a_waiting_task_passes() -> None:
    talk = Conversation()
    talk.make("t1")
    talk.get("t1", "input_required", 1)
    plain = talk.ask("tools/call", {"name": "asks"})
    talk.request(1, "elicitation/create", FORM)
    talk.reply(1, {"action": "accept", "content": {}})
    talk.answer(plain, {"content": []})
    talk.get("t1", "completed", 2)
    talk.settle()
    assert talk.broken() == {}


def test_a_request_before_the_task_is_made_passes() -> None:
    talk = Conversation()
    sent = talk.ask("tools/call", {"name": "asks-before-task", "task": {}})
    talk.request(1, "elicitation/create", FORM)
    talk.reply(1, {"action": "accept", "content": {}})
    talk.answer(sent, {"task": task("t1")})
    talk.get("t1", "completed", 2)
    talk.settle()
    assert talk.broken() == {}


def test_a_request_of_nobody_s_beside_a_task_that_asks_by_itself_passes() -> None:
    talk = Conversation()
    talk.make("t1")
    talk.get("t1", "input_required", 1)
    talk.request("other", "sampling/createMessage", {"messages": [], "maxTokens": 1})
    talk.reply("other", {"role": "assistant", "content": {"type": "text", "text": ""}, "model": "m"})
    talk.request(1, "elicitation/create", {**FORM, **related("t1")})
    talk.reply(1, {"action": "accept", "content": {}})
    talk.get("t1", "working", 2)
    talk.settle()
    assert talk.broken() == {}


def test_a_waiting_task_that_is_cancelled_accuses_nobody() -> None:
    talk = Conversation()
    talk.make("t1")
    talk.get("t1", "input_required", 1)
    talk.request(1, "elicitation/create", FORM)
    talk.reply(1, {"action": "decline"})
    talk.answer(talk.ask("tasks/cancel", {"taskId": "t1"}), task("t1", "cancelled", 2))
    talk.settle()
    assert talk.broken() == {}


def test_a_request_that_we_have_not_answered_let_no_task_go_on() -> None:
    talk = Conversation()
    talk.make("t1")
    talk.get("t1", "input_required", 1)
    talk.request(1, "elicitation/create", FORM)
    talk.get("t1", "working", 2)
    talk.settle()
    assert talk.broken() == {}


def test_a_waiting_task_of_another_session_accuses_nobody() -> None:
    talk = Conversation()
    talk.connect("a", identity="first")
    talk.connect("b", identity="first")
    talk.make("t1", connection="a")
    talk.get("t1", "input_required", 1, connection="b")
    talk.request(1, "elicitation/create", FORM, connection="b")
    talk.reply(1, {"action": "accept", "content": {}}, connection="b")
    talk.get("t1", "working", 2, connection="b")
    talk.settle()
    assert talk.broken() == {}


# -- requests that name another task -----------------------------------------------------------------------------


def two_waiting_tasks() -> Conversation:
    talk = Conversation()
    for task_id in ("t1", "t2"):
        talk.make(task_id)
        talk.get(task_id, "input_required", 1)
    return talk


def test_two_questions_under_one_task_that_two_tasks_waited_for_are_found() -> None:
    talk = two_waiting_tasks()
    for request_id in (1, 2):
        talk.request(request_id, "elicitation/create", {**FORM, **related("t1")})
        talk.reply(request_id, {"action": "accept", "content": {}})
    talk.get("t1", "working", 2)
    talk.get("t2", "completed", 2)
    talk.settle()
    assert talk.broken() == {
        ON_REQUEST: '2 requests that 2 tasks waited for, and none names "t2": "t1", "t1"',
    }


def test_a_question_that_comes_twice_does_not_hide_that_the_other_comes_in_its_own_name() -> None:
    talk = two_waiting_tasks()
    for request_id, task_id in ((1, "t1"), (2, "t1"), (3, "t2")):
        talk.request(request_id, "elicitation/create", {**FORM, **related(task_id)})
        talk.reply(request_id, {"action": "accept", "content": {}})
        talk.get(task_id, "working", 2)
    talk.settle()
    assert talk.broken() == {}


def test_a_task_that_tires_of_waiting_while_another_is_answered_passes() -> None:
    talk = two_waiting_tasks()
    talk.request(1, "elicitation/create", {**FORM, **related("t1")})
    talk.reply(1, {"action": "accept", "content": {}})
    talk.get("t1", "working", 2)
    talk.get("t2", "completed", 2)
    talk.settle()
    assert talk.broken() == {}
