"""Nothing of one requestor's tasks is seen by another."""

from __future__ import annotations

from mcp_tasks_conformance.events import JsonValue, Outcome
from tests.monitors.conversation import Conversation, related, task

LIST = "v1.isolation.list"
OWNER = "v1.notify.only-owner"
SESSIONS = "quality.session-isolation"


def two_identities() -> Conversation:
    talk = Conversation()
    talk.connect("a", identity="first")
    talk.connect("b", identity="second")
    talk.make("t1", connection="a")
    return talk


def lists(talk: Conversation, connection: str, *task_ids: str, **more: JsonValue) -> None:
    shown: JsonValue = {"tasks": [task(task_id) for task_id in task_ids], **more}
    talk.answer(talk.ask("tasks/list", connection=connection), shown)


def test_a_list_that_shows_another_credential_s_task_is_found() -> None:
    talk = two_identities()
    lists(talk, "b", "t1")
    assert talk.broken() == {LIST: "tasks/list to second shows a task of first"}


def test_a_list_that_shows_the_task_before_its_making_is_answered_is_found() -> None:
    talk = two_identities()
    sent = talk.ask("tools/call", {"name": "x", "task": {}}, connection="a")
    lists(talk, "b", "t2")
    assert talk.broken() == {}
    talk.answer(sent, {"task": task("t2")})
    assert list(talk.broken()) == [LIST]


def test_a_whole_list_beside_a_task_of_another_passes() -> None:
    talk = two_identities()
    talk.make("t2", connection="b")
    lists(talk, "b", "t2")
    assert talk.outcomes(LIST) == [Outcome.PASS]


def test_a_list_that_is_empty_although_its_owner_has_a_task_is_no_proof() -> None:
    talk = two_identities()
    talk.make("t2", connection="b")
    lists(talk, "b")
    assert talk.outcomes(LIST) == []


def test_a_list_proves_nothing_where_there_is_nothing_to_hide() -> None:
    talk = two_identities()
    lists(talk, "a", "t1")
    lists(talk, "b", nextCursor="more")
    assert talk.outcomes(LIST) == []


def test_a_list_asked_for_before_there_was_a_task_of_another_is_no_proof() -> None:
    talk = Conversation()
    talk.connect("a", identity="first")
    talk.connect("b", identity="second")
    asked = talk.ask("tasks/list", connection="b")
    talk.make("t1", connection="a")
    talk.answer(asked, {"tasks": []})
    assert talk.outcomes(LIST) == []


def test_all_sessions_of_a_credential_may_see_its_tasks() -> None:
    talk = two_identities()
    talk.connect("a2", identity="first")
    lists(talk, "a2", "t1", "of an earlier run")
    assert talk.broken() == {}


def test_a_task_of_another_session_without_credentials_is_a_matter_of_quality() -> None:
    talk = Conversation()
    talk.connect("other")
    talk.make("t1")
    lists(talk, "other", "t1")
    assert list(talk.broken()) == [SESSIONS]


def test_a_task_of_a_session_of_another_scenario_is_left_to_scenarios_of_its_own() -> None:
    talk = Conversation()
    talk.make("t1")
    talk.next_attempt()
    talk.connect("other")
    lists(talk, "other", "t1")
    assert talk.broken() == {}


def test_a_list_of_one_s_own_session_passes_on_every_connection_of_it() -> None:
    talk = Conversation()
    talk.connect("joined", session="main")
    talk.make("t1")
    lists(talk, "joined", "t1")
    assert talk.broken() == {}


def test_a_task_without_credentials_shown_to_a_credential_is_not_judged() -> None:
    talk = two_identities()
    talk.make("t2")
    lists(talk, "b", "t2")
    assert talk.broken() == {}


def test_a_status_notification_to_another_credential_is_found() -> None:
    talk = two_identities()
    talk.status("t1", "completed", 1, connection="b")
    assert talk.broken() == {OWNER: "notifications/tasks/status to second shows a task of first"}


def test_progress_to_another_credential_is_found() -> None:
    talk = two_identities()
    talk.progress("p", 1, related("t1"), connection="b")
    assert OWNER in talk.broken()


def test_a_request_to_another_credential_is_found() -> None:
    talk = two_identities()
    talk.request(1, "elicitation/create", {"message": "?", **related("t1")}, connection="b")
    assert OWNER in talk.broken()


def test_a_message_that_comes_before_its_task_is_known_is_found() -> None:
    talk = two_identities()
    sent = talk.ask("tools/call", {"name": "x", "task": {}}, connection="a")
    talk.status("t2", "working", connection="b")
    talk.answer(sent, {"task": task("t2")})
    assert list(talk.broken()) == [OWNER]


def test_messages_to_another_session_of_the_owner_pass() -> None:
    talk = two_identities()
    talk.connect("a2", identity="first")
    talk.status("t1", "completed", 1, connection="a2")
    talk.settle()
    assert talk.broken() == {}


def test_a_message_to_another_session_without_credentials_is_a_matter_of_quality() -> None:
    talk = Conversation()
    talk.connect("other")
    talk.make("t1")
    talk.status("t1", "completed", 1, connection="other")
    talk.settle()
    assert talk.broken() == {SESSIONS: "notifications/tasks/status about a task that another session had made"}


def test_a_message_to_another_session_before_its_task_is_known_is_found() -> None:
    talk = Conversation()
    talk.connect("other")
    sent = talk.ask("tools/call", {"name": "x", "task": {}})
    talk.status("t1", "working", connection="other")
    talk.answer(sent, {"task": task("t1")})
    assert list(talk.broken()) == [SESSIONS]


def test_a_message_to_somebody_without_credentials_about_a_task_of_one_who_has_some_is_found() -> None:
    talk = two_identities()
    talk.status("t1", "completed", 1)
    assert list(talk.broken()) == [SESSIONS]


def test_a_message_on_another_connection_of_the_session_passes() -> None:
    talk = Conversation()
    talk.connect("joined", session="main")
    talk.make("t1")
    talk.status("t1", "completed", 1, connection="joined")
    assert talk.broken() == {}


def test_a_message_about_a_task_of_another_scenario_is_left_to_that() -> None:
    talk = Conversation()
    talk.make("t1")
    talk.next_attempt()
    talk.connect("other")
    talk.status("t1", "completed", 1, connection="other")
    assert talk.broken() == {}


def test_a_target_that_keeps_no_sessions_cannot_tell_them_apart() -> None:
    talk = Conversation(keeps_sessions=False)
    talk.connect("other")
    talk.make("t1")
    lists(talk, "other", "t1")
    talk.status("t1", "completed", 1, connection="other")
    assert talk.broken() == {}


def test_the_owner_s_message_is_proof_where_another_was_there_to_miss_it() -> None:
    talk = two_identities()
    talk.status("t1", "completed", 1, connection="a")
    talk.settle()
    assert talk.outcomes(OWNER) == []
    talk = two_identities()
    talk.status("t1", "completed", 1, connection="a")
    talk.ping("b")
    talk.settle()
    assert talk.outcomes(OWNER) == [Outcome.PASS]


def test_an_id_given_to_two_credentials_is_held_against_neither() -> None:
    talk = two_identities()
    talk.make("t1", connection="b")
    lists(talk, "b", "t1")
    lists(talk, "a", "t1")
    assert list(talk.broken()) == ["v1.id.unique"]
