"""createdAt and lastUpdatedAt."""

from __future__ import annotations

import pytest

from mcp_tasks_conformance.events import Outcome
from tests.monitors.conversation import Conversation, stamp, task

CREATED_AT = "v1.time.created-at"
UPDATED_AT = "v1.time.last-updated-at"

RFC3339 = [
    "2025-11-25T10:30:00Z",
    "2025-11-25T10:30:00.123456789Z",
    "2025-11-25t10:30:00z",
    "2025-11-25T23:59:60Z",
    "2025-11-25T10:30:00.5+05:30",
]
ONLY_ISO = ["2025-11-25T10:30:00", "20251125T103000Z", "2025-11-25T10:30:00+0100", "2025-11-25T10:30Z"]
NEITHER = ["", "now", "1764066600", "Tue, 25 Nov 2025 10:30:00 GMT", "2025-13-01T00:00:00Z", "2025-11-25"]


@pytest.mark.parametrize("text", RFC3339)
def test_timestamps_of_rfc_3339_pass(text: str) -> None:
    talk = Conversation()
    talk.make("t1", createdAt=text, lastUpdatedAt=text)
    assert talk.outcomes(CREATED_AT)[-1] is Outcome.PASS
    assert talk.broken() == {}
    assert talk.warned() == {}


@pytest.mark.parametrize("text", ONLY_ISO)
def test_timestamps_that_only_iso_8601_allows_are_warned_of(text: str) -> None:
    talk = Conversation()
    talk.make("t1", createdAt=text, lastUpdatedAt=text)
    assert talk.broken() == {}
    assert set(talk.warned()) == {CREATED_AT, UPDATED_AT}


@pytest.mark.parametrize("text", NEITHER)
def test_what_is_no_timestamp_is_found(text: str) -> None:
    talk = Conversation()
    talk.make("t1", createdAt=text, lastUpdatedAt=text)
    assert set(talk.broken()) == {CREATED_AT, UPDATED_AT}


def test_a_created_at_that_changes_is_found() -> None:
    talk = Conversation()
    talk.make("t1")
    talk.get("t1", "working", 1, createdAt=stamp(0.001))
    assert list(talk.broken()) == [CREATED_AT]


def test_a_created_at_that_changes_in_a_notification_is_found() -> None:
    talk = Conversation()
    talk.make("t1")
    talk.notify("notifications/tasks/status", task("t1", "working", 2, createdAt=stamp(1)))
    assert list(talk.broken()) == [CREATED_AT]


@pytest.mark.parametrize(
    "text", ["2025-11-25T10:00:00Z", "2025-11-25T11:00:00.000+01:00", "2025-11-25T10:00:00.000000Z"]
)
def test_one_instant_in_another_form_is_the_same_created_at(text: str) -> None:
    talk = Conversation()
    talk.make("t1")
    talk.get("t1", "working", 1, createdAt=text)
    assert talk.broken() == {}


def test_a_created_at_cut_to_coarser_units_is_the_same() -> None:
    talk = Conversation()
    talk.make("t1", createdAt="2025-11-25T10:00:00.123456Z", updated=1)
    talk.get("t1", "working", 1, createdAt="2025-11-25T10:00:00.123Z")
    talk.get("t1", "working", 1, createdAt="2025-11-25T10:00:00Z")
    assert talk.broken() == {}


def test_an_update_before_the_creation_is_found() -> None:
    talk = Conversation()
    talk.make("t1", createdAt=stamp(0.5), updated=0.499)
    assert list(talk.broken()) == [UPDATED_AT]


def test_an_update_in_whole_seconds_is_not_before_a_finer_creation() -> None:
    talk = Conversation()
    talk.make("t1", createdAt="2025-11-25T10:00:00.900Z", lastUpdatedAt="2025-11-25T10:00:00Z")
    assert talk.broken() == {}


def test_timestamps_with_and_without_offset_are_not_compared() -> None:
    talk = Conversation()
    talk.make("t1", createdAt="2025-11-25T12:00:00", lastUpdatedAt="2025-11-25T10:00:00Z")
    assert talk.broken() == {}


def test_an_update_that_goes_back_is_found() -> None:
    talk = Conversation()
    talk.make("t1", updated=2)
    talk.get("t1", "working", 1)
    assert list(talk.broken()) == [UPDATED_AT]


def test_updates_of_answers_that_overtake_each_other_pass() -> None:
    talk = Conversation()
    talk.make("t1")
    early, late = talk.ask("tasks/get", {"taskId": "t1"}), talk.ask("tasks/get", {"taskId": "t1"})
    talk.answer(late, task("t1", "working", 5))
    talk.answer(early, task("t1", "working", 3))
    talk.status("t1", "working", 1)
    talk.get("t1", "working", 5)
    assert talk.broken() == {}


def test_an_update_that_moves_without_a_change_of_status_passes() -> None:
    talk = Conversation()
    talk.make("t1")
    for moment in range(300):
        talk.get("t1", "working", moment / 10)
    assert talk.broken() == {}


def test_a_change_of_status_that_leaves_the_update_alone_is_found() -> None:
    talk = Conversation()
    talk.make("t1", updated=0.007)
    talk.at = 0.5
    talk.get("t1", "working", 0.007)
    talk.get("t1", "completed", 0.007)
    assert list(talk.broken()) == [UPDATED_AT]


def test_a_change_within_the_resolution_passes() -> None:
    talk = Conversation()
    for moment in (0.0, 0.05, 0.9):
        talk.at = moment
        talk.make(f"t{moment}")
        talk.get(f"t{moment}", "working")
        talk.get(f"t{moment}", "completed")
    assert talk.broken() == {}


def test_a_change_between_answers_that_overtake_each_other_passes() -> None:
    talk = Conversation()
    talk.make("t1", updated=0.007)
    early = talk.ask("tasks/get", {"taskId": "t1"})
    talk.at = 1.0
    talk.get("t1", "working", 0.007)
    talk.answer(early, task("t1", "input_required", 0.007))
    assert talk.broken() == {}


def test_a_change_soon_after_an_update_long_ago_seen_passes() -> None:
    talk = Conversation()
    talk.make("t1", updated=0.007)
    talk.at = 30.0
    talk.get("t1", "completed", 0.007)  # it may have ended within the millisecond in which it began
    assert talk.broken() == {}


def test_whole_seconds_written_with_decimals_are_whole_seconds() -> None:
    talk = Conversation()
    talk.make("t1")
    talk.at = 0.95
    talk.get("t1", "working")
    talk.get("t1", "completed")
    assert talk.broken() == {}
    talk.at = 3.0
    talk.make("t2", updated=3)
    talk.at = 4.5
    talk.get("t2", "working", 3)
    talk.get("t2", "completed", 3)
    assert list(talk.broken()) == [UPDATED_AT]


def test_each_attempt_is_judged_by_itself() -> None:
    talk = Conversation()
    talk.make("t1", updated=2)
    talk.at = 9.0
    talk.next_attempt()
    talk.get("t1", "working", 2)
    talk.get("t1", "completed", 2)
    assert talk.broken() == {}
