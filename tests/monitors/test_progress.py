"""Progress: whose token, rising, ending with the task, naming it."""

from __future__ import annotations

import pytest

from mcp_tasks_conformance.events import JsonValue, Outcome
from tests.monitors.conversation import Conversation, related, task

RETAINED = "v1.progress.token-retained"
STOPS = "v1.progress.stops-at-terminal"
INCREASES = "v1.progress.increases"
KNOWN = "v1.progress.known-token"
RELATED = "v1.progress.related-task"


def with_task(transport: str = "http", token: JsonValue = "p") -> Conversation:
    talk = Conversation(transport=transport)
    talk.listen()
    talk.make("t1", token=token)
    return talk


# -- whose token -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("token", ["p", "", 0, 7, "7"])
def test_progress_with_the_token_that_was_given_passes(token: JsonValue) -> None:
    talk = with_task(token=token)
    talk.progress(token, 1)
    assert talk.outcomes(KNOWN) == [Outcome.PASS]
    assert talk.broken() == {}


@pytest.mark.parametrize(("given", "used"), [("p", "q"), (7, "7"), ("7", 7), (None, "p")])
def test_progress_with_a_token_that_nobody_gave_is_found(given: JsonValue, used: JsonValue) -> None:
    talk = with_task(token=given)
    talk.progress(used, 1)
    assert list(talk.broken()) == [KNOWN]


@pytest.mark.parametrize("token", [None, True, ["p"], {"p": 1}])
def test_progress_without_a_proper_token_is_found(token: JsonValue) -> None:
    talk = with_task()
    talk.progress(token, 1)
    assert list(talk.broken()) == [KNOWN]


def test_progress_before_its_request_is_answered_passes() -> None:
    talk = Conversation()
    sent = talk.ask("tools/call", {"name": "x", "_meta": {"progressToken": "p"}})
    talk.progress("p", 1, stream=sent.stream)
    talk.answer(sent, {"content": []})
    assert talk.broken() == {}


def test_progress_long_after_its_plain_request_was_answered_is_found() -> None:
    talk = Conversation()
    talk.listen()
    sent = talk.ask("tools/call", {"name": "x", "_meta": {"progressToken": "p"}})
    talk.answer(sent, {"content": []})
    talk.at = 1.0
    talk.progress("p", 1)
    assert list(talk.broken()) == [KNOWN]


def test_progress_that_another_stream_brings_a_little_late_passes() -> None:
    talk = Conversation()
    talk.listen()
    sent = talk.ask("tools/call", {"name": "x", "_meta": {"progressToken": "p"}})
    talk.answer(sent, {"content": []})
    talk.at = 0.2
    talk.progress("p", 1)
    assert talk.broken() == {}


def test_progress_of_a_request_that_we_gave_up_passes() -> None:
    talk = Conversation(transport="stdio")
    sent = talk.ask("tools/call", {"name": "x", "_meta": {"progressToken": "p"}})
    talk.tell("notifications/cancelled", {"requestId": sent.id})
    talk.answer(sent, {"content": []})
    talk.at = 1.0
    talk.progress("p", 1)
    assert talk.broken() == {}


def test_a_token_of_another_session_is_no_unknown_token() -> None:
    talk = with_task()
    talk.connect("other")
    talk.progress("p", 1, connection="other")
    assert talk.broken() == {}


def test_another_session_s_task_with_another_token_is_not_judged_here() -> None:
    talk = with_task()
    talk.connect("other")
    talk.progress("q", 1, connection="other", more=related("t1"))
    assert list(talk.broken()) == ["quality.session-isolation"]


def test_a_token_may_have_been_given_before_the_server_was_started_again() -> None:
    talk = Conversation()
    talk.connect("again", identity="first")
    talk.get("durable", "working", connection="again")
    talk.progress("p", 1, connection="again")
    assert talk.broken() == {}


def test_a_token_in_something_malformed_of_ours_may_be_used() -> None:
    talk = Conversation(transport="stdio")
    talk.send('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"_meta":{"progressToken":"z"}}')
    talk.progress("z", 1)
    assert talk.broken() == {}


def test_a_token_in_a_batch_of_ours_may_be_used() -> None:
    talk = Conversation(transport="stdio")
    talk.send('[{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"_meta":{"progressToken":"z"}}}]')
    talk.next_attempt()
    talk.progress("z", 1)
    assert talk.broken() == {}


def test_a_token_given_in_an_earlier_attempt_on_the_same_connection_is_known() -> None:
    talk = with_task(transport="stdio")
    talk.next_attempt()
    talk.at = 5.0
    talk.progress("p", 1)
    assert talk.broken() == {}


@pytest.mark.parametrize("used", ["other", "t1"])
def test_another_token_for_a_task_that_has_one_is_found(used: str) -> None:
    talk = with_task()
    talk.progress(used, 1, related("t1") if used == "other" else {})
    assert talk.broken() == {RETAINED: f'token "{used}" for a task whose token is "p"'}


def test_a_token_for_a_task_that_was_given_none_is_an_unknown_token() -> None:
    talk = with_task(token=None)
    talk.progress("q", 1, more=related("t1"))
    assert list(talk.broken()) == [KNOWN]


def test_the_token_after_the_task_was_made_is_proof_on_the_same_stream_only() -> None:
    talk = with_task()
    talk.progress("p", 1)
    assert talk.outcomes(RETAINED) == []
    talk.at = 0.5
    talk.progress("p", 2)
    assert talk.outcomes(RETAINED) == [Outcome.PASS]
    talk = with_task(transport="stdio")
    talk.progress("p", 1)
    assert talk.outcomes(RETAINED) == [Outcome.PASS]


# -- rising ------------------------------------------------------------------------------------------------------


def test_rising_progress_passes_whatever_its_steps() -> None:
    talk = with_task()
    for value in (-1, 0, 0.1, 0.1000001, 1, 10**20):
        talk.progress("p", value)
    assert talk.broken() == {}
    assert talk.outcomes(INCREASES) == [Outcome.PASS] * 5


@pytest.mark.parametrize(("one", "other"), [(1, 1), (2, 1), (0.5, 0.5), (1, 1.0)])
def test_progress_that_does_not_rise_is_found(one: JsonValue, other: JsonValue) -> None:
    talk = with_task()
    talk.progress("p", one)
    talk.progress("p", other)
    assert list(talk.broken()) == [INCREASES]


@pytest.mark.parametrize("value", ["50%", None, True])
def test_progress_that_is_no_number_is_found(value: JsonValue) -> None:
    talk = with_task()
    talk.progress("p", value)
    assert list(talk.broken()) == [INCREASES]


def test_progress_on_two_streams_may_come_in_any_order() -> None:
    talk = Conversation()
    talk.listen()
    sent = talk.ask("tools/call", {"name": "x", "_meta": {"progressToken": "p"}})
    talk.progress("p", 3)
    talk.progress("p", 1, stream=sent.stream)
    talk.progress("p", 2, stream=sent.stream)
    talk.progress("p", 4)
    assert talk.broken() == {}


def test_progress_on_a_stream_asked_for_later_must_be_higher() -> None:
    talk = with_task()
    talk.progress("p", 3)
    result = talk.ask("tasks/result", {"taskId": "t1"})
    talk.progress("p", 2, stream=result.stream)
    assert list(talk.broken()) == [INCREASES]


def test_two_tokens_rise_by_themselves() -> None:
    talk = with_task()
    talk.make("t2", token="q")
    talk.progress("p", 5)
    talk.progress("q", 1)
    assert talk.broken() == {}


def test_a_token_given_twice_while_in_use_is_not_judged() -> None:
    talk = with_task(transport="stdio")
    talk.progress("p", 5)
    talk.next_attempt()
    talk.make("t2", token="p")
    talk.progress("p", 1)
    talk.progress("p", 6)
    talk.progress("p", 2)
    assert talk.broken() == {}


def test_a_token_that_a_task_of_an_earlier_attempt_may_still_use_is_not_judged() -> None:
    talk = with_task(transport="stdio")
    talk.make("t2", token="p")
    talk.get("t2", "completed", 1)
    talk.make("t3", token="p")
    talk.progress("p", 5)
    talk.progress("p", 1)
    assert talk.broken() == {}


def test_a_token_given_again_after_its_task_had_ended_begins_anew() -> None:
    talk = with_task(transport="stdio")
    talk.progress("p", 5)
    talk.get("t1", "completed", 1)
    talk.make("t2", token="p")
    talk.progress("p", 1)
    talk.progress("p", 2)
    assert talk.broken() == {}


# -- the end -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("transport", "late"), [("http", 0.3), ("stdio", 0.15)])
def test_progress_after_the_end_is_found(transport: str, late: float) -> None:
    talk = with_task(transport)
    talk.progress("p", 1)
    talk.get("t1", "cancelled", 1)
    talk.at = late
    talk.progress("p", 2)
    talk.settle()
    assert list(talk.broken()) == [STOPS]
    assert talk.outcomes(STOPS) == [Outcome.FAIL]


def test_lateness_is_not_told_across_attempts() -> None:
    talk = with_task("stdio")
    talk.get("t1", "completed", 1)
    talk.next_attempt()
    talk.at = 0.2
    talk.progress("p", 1)
    assert talk.broken() == {}


@pytest.mark.parametrize(("transport", "late"), [("http", 0.2), ("stdio", 0.05)])
def test_progress_that_was_on_its_way_at_the_end_passes(transport: str, late: float) -> None:
    talk = with_task(transport)
    talk.get("t1", "completed", 1)
    talk.at = late
    talk.progress("p", 2)
    talk.settle()
    assert talk.broken() == {}


def test_an_end_told_by_notification_counts_too() -> None:
    talk = with_task()
    talk.status("t1", "completed", 1)
    talk.at = 0.2
    talk.progress("p", 2)
    assert list(talk.broken()) == [STOPS]


def test_an_early_answer_of_tasks_result_is_no_end() -> None:
    talk = with_task()
    talk.refuse(talk.ask("tasks/result", {"taskId": "t1"}), -32603, "not yet")
    talk.at = 2.0
    talk.progress("p", 2)
    assert talk.broken() == {}


def test_silence_after_the_end_is_proof_only_where_there_was_progress_and_time() -> None:
    for told, listened, proofs in ((True, 1.0, [Outcome.PASS]), (False, 1.0, []), (True, 0.1, [])):
        talk = with_task()
        if told:
            talk.progress("p", 1)
        talk.get("t1", "completed", 1)
        talk.at = listened
        talk.ping()
        talk.settle()
        assert talk.outcomes(STOPS) == proofs


# -- the task's name ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("more", "outcome"),
    [({}, Outcome.WARN), (related("t1"), Outcome.PASS), (related("t2"), Outcome.FAIL), ({"_meta": {}}, Outcome.WARN)],
)
def test_progress_may_lack_its_task_but_not_name_another(more: dict[str, JsonValue], outcome: Outcome) -> None:
    talk = with_task()
    talk.progress("p", 1, more)
    assert talk.outcomes(RELATED) == [outcome]


def test_progress_before_the_task_is_made_may_be_of_no_task() -> None:
    talk = Conversation()
    sent = talk.ask("tools/call", {"name": "x", "task": {}, "_meta": {"progressToken": "p"}})
    talk.progress("p", 1, stream=sent.stream)
    talk.progress("p", 2, stream=sent.stream, more=related("t1"))
    talk.answer(sent, {"task": task("t1")})
    assert talk.outcomes(RELATED) == []


def test_progress_before_the_task_is_made_that_names_another_is_found() -> None:
    talk = Conversation()
    sent = talk.ask("tools/call", {"name": "x", "task": {}, "_meta": {"progressToken": "p"}})
    talk.progress("p", 1, stream=sent.stream, more=related("t2"))
    talk.answer(sent, {"task": task("t1")})
    assert talk.broken() == {RELATED: 'the task "t2"'}


def test_progress_of_a_plain_request_names_no_task() -> None:
    talk = Conversation()
    sent = talk.ask("tools/call", {"name": "x", "_meta": {"progressToken": "p"}})
    talk.progress("p", 1, stream=sent.stream)
    talk.answer(sent, {"content": []})
    assert talk.outcomes(RELATED) == []
