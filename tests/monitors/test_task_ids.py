"""No two tasks share an id."""

from __future__ import annotations

from mcp_tasks_conformance.events import Outcome
from tests.monitors.conversation import Conversation, stamp, task

UNIQUE = "v1.id.unique"


def test_an_id_given_to_two_tasks_is_found() -> None:
    talk = Conversation()
    talk.make("t1")
    talk.make("t1")
    assert talk.broken() == {UNIQUE: '"t1" given to two tasks'}


def test_an_id_given_to_tasks_of_two_sessions_is_found() -> None:
    talk = Conversation()
    talk.connect("other", identity="second")
    talk.make("t1")
    talk.next_attempt()
    talk.make("t1", connection="other")
    assert list(talk.broken()) == [UNIQUE]


def test_different_ids_pass_once_there_are_two() -> None:
    talk = Conversation()
    talk.make("t1")
    assert talk.outcomes(UNIQUE) == []
    talk.make("T1")
    assert talk.outcomes(UNIQUE) == [Outcome.PASS]


def test_the_same_answer_twice_makes_one_task() -> None:
    talk = Conversation(transport="stdio")
    sent = talk.make("t1")
    talk.answer(sent, {"task": {"taskId": "t1"}})
    assert UNIQUE not in talk.broken()


def test_an_id_given_again_after_ttl_passes() -> None:
    talk = Conversation()
    talk.make("t1")
    talk.make("t1", createdAt=stamp(60), updated=60)
    assert UNIQUE not in talk.broken()


def test_an_id_given_again_after_a_shortened_ttl_passes() -> None:
    talk = Conversation()
    talk.make("t1")
    talk.get("t1", "completed", 1, ttl=2000)
    talk.make("t1", createdAt=stamp(2), updated=2)
    assert UNIQUE not in talk.broken()


def test_an_id_given_again_after_cancellation_passes() -> None:
    talk = Conversation()
    talk.make("t1")
    talk.ask("tasks/cancel", {"taskId": "t1"})
    talk.make("t1")
    assert UNIQUE not in talk.broken()


def test_ids_after_a_request_of_ours_that_was_sent_twice_are_not_judged() -> None:
    talk = Conversation()
    first = talk.ask("tools/call", {"name": "x", "task": {}}, id=4)
    second = talk.ask("tools/call", {"name": "x", "task": {}}, id=4)
    for sent in (first, second):
        talk.answer(sent, {"task": task("t1")})
    assert UNIQUE not in talk.broken()
