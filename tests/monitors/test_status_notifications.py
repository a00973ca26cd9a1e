"""Status notifications against dates and answers."""

from __future__ import annotations

import pytest

from mcp_tasks_conformance.events import Outcome
from tests.monitors.conversation import Conversation, task

TRUTHFUL = "v1.notify.truthful"


def test_a_notification_that_answers_confirm_passes() -> None:
    talk = Conversation()
    talk.make("t1")
    talk.status("t1", "completed", 1)
    assert talk.outcomes(TRUTHFUL) == []
    talk.get("t1", "completed", 1)
    assert talk.outcomes(TRUTHFUL) == [Outcome.PASS]


@pytest.mark.parametrize("told_first", [True, False])
def test_a_live_state_dated_after_the_end_is_found(told_first: bool) -> None:
    talk = Conversation()
    talk.make("t1")
    if told_first:
        talk.status("t1", "working", 2.001)
        talk.get("t1", "completed", 2)
    else:
        talk.get("t1", "completed", 2)
        talk.status("t1", "working", 2.001)
    assert list(talk.broken()) == [TRUTHFUL]
    observed = talk.broken()[TRUTHFUL]
    assert observed.startswith("working (lastUpdatedAt ")
    assert " in notifications/tasks/status, dated after the end: completed (lastUpdatedAt " in observed
    assert observed.endswith(" in tasks/get")


def test_a_live_state_dated_after_an_end_that_was_told_is_found() -> None:
    talk = Conversation()
    talk.make("t1")
    talk.status("t1", "failed", 2)
    talk.status("t1", "input_required", 3)
    assert list(talk.broken()) == [TRUTHFUL]


def test_a_live_state_dated_between_the_end_and_a_later_update_is_found() -> None:
    talk = Conversation()
    talk.make("t1")
    talk.get("t1", "completed", 2)
    talk.get("t1", "completed", 4)
    talk.status("t1", "working", 3)
    assert list(talk.broken()) == [TRUTHFUL]


def test_an_end_that_was_told_and_not_yet_so_is_found() -> None:
    talk = Conversation()
    talk.make("t1")
    talk.status("t1", "completed", 1)
    talk.get("t1", "working", 0)
    assert list(talk.broken()) == [TRUTHFUL]


def test_an_end_that_answers_deny_is_found() -> None:
    talk = Conversation()
    talk.make("t1")
    talk.status("t1", "completed", 1)
    talk.get("t1", "failed", 1)
    talk.settle()
    assert list(talk.broken()) == [TRUTHFUL]


def test_two_ends_of_one_task_are_found() -> None:
    talk = Conversation()
    talk.make("t1")
    talk.status("t1", "completed", 1)
    talk.status("t1", "cancelled", 1)
    talk.settle()
    assert list(talk.broken()) == [TRUTHFUL]


def test_two_ends_of_two_dates_are_the_lifecycle_s_affair() -> None:
    talk = Conversation()
    talk.make("t1")
    talk.status("t1", "completed", 1)
    talk.status("t1", "cancelled", 2)
    talk.get("t1", "failed", 3)
    talk.settle()
    assert talk.broken() == {}


def test_a_live_state_dated_after_an_end_that_was_told_is_not_held_against_the_notification() -> None:
    talk = Conversation()
    talk.make("t1")
    talk.status("t1", "completed", 1)
    talk.get("t1", "working", 2)
    assert talk.broken() == {}


def test_a_told_end_that_an_answer_confirmed_is_true_whatever_comes_after() -> None:
    talk = Conversation()
    talk.make("t1")
    talk.status("t1", "completed", 1)
    talk.get("t1", "completed", 1)
    talk.get("t1", "working", 1)
    assert TRUTHFUL not in talk.broken()


def test_earlier_states_that_arrive_late_and_twice_pass() -> None:
    talk = Conversation()
    talk.make("t1")
    talk.get("t1", "completed", 3)
    for status, updated in (("completed", 3), ("input_required", 1), ("working", 2), ("working", 2), ("working", 3)):
        talk.status("t1", status, updated)
    talk.settle()
    assert talk.broken() == {}


def test_states_within_one_tick_of_the_clock_pass() -> None:
    talk = Conversation()
    talk.make("t1")
    for status in ("input_required", "working", "completed"):
        talk.status("t1", status, 0)
    talk.get("t1", "completed", 0)
    talk.settle()
    assert talk.broken() == {}


def test_an_answer_asked_for_before_the_end_was_told_may_show_it_live() -> None:
    talk = Conversation()
    talk.make("t1")
    asked = talk.ask("tasks/get", {"taskId": "t1"})
    talk.status("t1", "completed", 1)
    talk.answer(asked, task("t1", "working", 0))
    talk.get("t1", "completed", 1)
    assert talk.broken() == {}


def test_an_end_whose_date_moves_on_later_passes() -> None:
    talk = Conversation()
    talk.make("t1")
    talk.status("t1", "working", 1.5)
    talk.get("t1", "completed", 2)
    talk.get("t1", "completed", 4)
    talk.status("t1", "completed", 3)
    talk.settle()
    assert talk.broken() == {}


def test_whole_seconds_beside_finer_dates_pass() -> None:
    talk = Conversation()
    talk.make("t1")
    talk.notify("notifications/tasks/status", task("t1", "working", lastUpdatedAt="2025-11-25T10:00:02.900Z"))
    talk.answer(talk.ask("tasks/get", {"taskId": "t1"}), task("t1", "completed", lastUpdatedAt="2025-11-25T10:00:02Z"))
    assert talk.broken() == {}


def test_a_cancelled_task_that_is_deleted_at_once_accuses_nobody() -> None:
    talk = Conversation()
    talk.make("t1")
    talk.answer(talk.ask("tasks/cancel", {"taskId": "t1"}), task("t1", "cancelled", 1))
    talk.status("t1", "cancelled", 1)
    talk.refuse(talk.ask("tasks/get", {"taskId": "t1"}))
    talk.settle()
    assert talk.broken() == {}


def test_a_task_that_lives_on_after_its_end_is_no_lie_of_the_notification() -> None:
    talk = Conversation()
    talk.make("t1")
    talk.status("t1", "completed", 1)
    talk.get("t1", "completed", 1)
    talk.get("t1", "working", 2)
    talk.settle()
    assert TRUTHFUL not in talk.broken()


def test_tasks_of_two_sessions_with_one_id_are_told_apart() -> None:
    talk = Conversation()
    talk.connect("other")
    talk.status("t1", "completed", 1)
    talk.get("t1", "working", 0, connection="other")
    assert talk.broken() == {}
