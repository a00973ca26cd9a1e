"""How tasks begin, and that nothing comes after their end."""

from __future__ import annotations

import pytest

from mcp_tasks_conformance.events import Outcome
from tests.monitors.conversation import Conversation, stamp, task

STARTS = "v1.create.starts-working"
TRANSITIONS = "v1.status.transitions"
FINAL = "v1.status.terminal-final"


def test_a_task_that_starts_working_passes() -> None:
    talk = Conversation()
    talk.make("t1")
    assert talk.outcomes(STARTS) == [Outcome.PASS]


@pytest.mark.parametrize("status", ["input_required", "completed", "failed", "cancelled"])
def test_a_task_that_moved_on_before_its_answer_was_written_passes(status: str) -> None:
    talk = Conversation()
    talk.make("t1", status)
    talk.get("t1", status)
    talk.settle()
    assert talk.broken() == {}
    assert talk.outcomes(STARTS) == []


def test_a_task_that_starts_ended_and_works_later_started_wrongly() -> None:
    talk = Conversation()
    talk.make("t1", "completed")
    talk.get("t1", "working")
    assert talk.broken() == {STARTS: "completed, and later working"}


def test_every_permitted_move_passes() -> None:
    talk = Conversation()
    talk.make("t1")
    for moment, status in enumerate(("input_required", "working", "input_required", "failed", "failed"), start=1):
        talk.get("t1", status, moment)
    assert talk.broken() == {}
    assert talk.outcomes(TRANSITIONS) == [Outcome.PASS] * 4
    assert talk.outcomes(FINAL) == [Outcome.PASS]


@pytest.mark.parametrize("later", ["working", "input_required", "failed", "cancelled"])
def test_a_status_after_the_end_is_found(later: str) -> None:
    talk = Conversation()
    talk.make("t1")
    talk.get("t1", "completed", 1)
    talk.get("t1", later, 2)
    assert set(talk.broken()) == {FINAL, TRANSITIONS}
    assert talk.broken()[TRANSITIONS] == f"from completed to {later}"


def test_a_cancelled_task_that_completes_is_found() -> None:
    talk = Conversation()
    talk.make("t1")
    talk.answer(talk.ask("tasks/cancel", {"taskId": "t1"}), task("t1", "cancelled", 1))
    talk.get("t1", "completed", 2)
    assert set(talk.broken()) == {FINAL, TRANSITIONS}


def test_a_list_that_shows_an_ended_task_as_working_is_found() -> None:
    talk = Conversation()
    talk.make("t1")
    talk.get("t1", "completed", 1)
    talk.answer(talk.ask("tasks/list"), {"tasks": [task("t1", "working", 0)]})
    assert FINAL in talk.broken()


def test_a_page_that_goes_on_from_before_the_end_passes() -> None:
    talk = Conversation()
    talk.make("t1")
    talk.answer(talk.ask("tasks/list"), {"tasks": [], "nextCursor": "2"})
    talk.get("t1", "completed", 1)
    talk.answer(talk.ask("tasks/list", {"cursor": "2"}), {"tasks": [task("t1", "working", 0)]})
    assert talk.broken() == {}


def test_a_later_page_of_a_list_that_was_begun_after_the_end_is_judged_like_the_first() -> None:
    talk = Conversation()
    talk.make("t1")
    talk.get("t1", "completed", 1)
    talk.answer(talk.ask("tasks/list"), {"tasks": [], "nextCursor": "2"})
    talk.answer(talk.ask("tasks/list", {"cursor": "2"}), {"tasks": [task("t1", "working", 0)]})
    assert FINAL in talk.broken()


def test_a_cursor_that_two_walks_were_given_may_go_on_with_the_earlier() -> None:
    talk = Conversation()
    talk.make("t1")
    talk.answer(talk.ask("tasks/list"), {"tasks": [], "nextCursor": "2"})
    talk.get("t1", "completed", 1)
    talk.answer(talk.ask("tasks/list"), {"tasks": [], "nextCursor": "2"})
    talk.answer(talk.ask("tasks/list", {"cursor": "2"}), {"tasks": [task("t1", "working", 0)]})
    assert talk.broken() == {}


def test_a_page_of_a_list_that_nobody_began_passes() -> None:
    talk = Conversation()
    talk.make("t1")
    talk.get("t1", "completed", 1)
    talk.answer(talk.ask("tasks/list", {"cursor": "made up"}), {"tasks": [task("t1", "working", 0)]})
    assert talk.broken() == {}


@pytest.mark.parametrize("transport", ["http", "stdio"])
def test_answers_that_overtake_each_other_pass(transport: str) -> None:
    talk = Conversation(transport=transport)
    talk.make("t1")
    early, late = talk.ask("tasks/get", {"taskId": "t1"}), talk.ask("tasks/get", {"taskId": "t1"})
    talk.answer(late, task("t1", "completed", 1))
    talk.answer(early, task("t1", "working", 0))
    assert talk.broken() == {}


def test_an_answer_that_may_be_to_the_earlier_of_two_requests_with_one_id_passes() -> None:
    talk = Conversation()
    talk.make("t1")
    early = talk.ask("tasks/get", {"taskId": "t1"}, id=99)
    talk.get("t1", "completed", 1)
    talk.ask("tasks/get", {"taskId": "t1"}, id=99)
    talk.answer(early, task("t1", "working", 0))
    assert talk.broken() == {}


def test_a_get_that_crosses_the_cancellation_passes() -> None:
    talk = Conversation()
    talk.make("t1")
    get = talk.ask("tasks/get", {"taskId": "t1"})
    talk.answer(talk.ask("tasks/cancel", {"taskId": "t1"}), task("t1", "cancelled", 1))
    talk.answer(get, task("t1", "working", 0))
    talk.get("t1", "cancelled", 1)
    assert talk.broken() == {}


def test_two_connections_of_one_identity_see_one_task() -> None:
    talk = Conversation()
    talk.connect("a", identity="first")
    talk.connect("b", identity="first")
    talk.make("t1", connection="a")
    talk.get("t1", "completed", 1, connection="a")
    talk.get("t1", "working", 2, connection="b")
    assert FINAL in talk.broken()


def test_tasks_of_two_sessions_with_one_id_are_two_tasks() -> None:
    talk = Conversation()
    talk.connect("a")
    talk.connect("b")
    talk.get("t1", "completed", 1, connection="a")
    talk.get("t1", "working", 0, connection="b")
    assert talk.broken() == {}


def test_an_id_given_twice_is_not_held_against_the_lifecycle() -> None:
    talk = Conversation()
    talk.make("t1")
    talk.make("t1")
    talk.get("t1", "completed", 1)
    talk.get("t1", "working", 1)
    assert list(talk.broken()) == ["v1.id.unique"]


def test_an_answer_about_another_task_says_nothing_of_either() -> None:
    talk = Conversation()
    talk.make("t1")
    talk.get("t1", "completed", 1)
    talk.answer(talk.ask("tasks/get", {"taskId": "t2"}), task("t1", "working", 0))
    assert list(talk.broken()) == ["v1.get.schema"]


def test_what_an_id_shows_after_its_ttl_may_be_another_task() -> None:
    talk = Conversation()
    talk.make("t1", ttl=2000)
    talk.get("t1", "completed", 1, ttl=2000)
    talk.at = 2.5
    talk.get("t1", "working", 0, createdAt=stamp(30))
    assert FINAL not in talk.broken()
    assert "v1.time.created-at" not in talk.broken()


def test_until_its_ttl_an_id_is_one_task() -> None:
    talk = Conversation()
    talk.make("t1", ttl=2000)
    talk.get("t1", "completed", 1, ttl=5000)
    talk.at = 1.9
    talk.get("t1", "working", 1)
    assert FINAL in talk.broken()


def test_a_late_notification_of_an_earlier_state_passes() -> None:
    talk = Conversation()
    talk.make("t1")
    talk.get("t1", "completed", 1)
    talk.status("t1", "working", 0)
    assert talk.broken() == {}
