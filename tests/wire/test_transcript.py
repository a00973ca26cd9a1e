"""The transcript numbers and times what it is told."""

from __future__ import annotations

import asyncio

import pytest

from mcp_tasks_conformance.events import Direction, JsonValue, Seen, SeenKind
from mcp_tasks_conformance.wire.transcript import MOST_CHATTER, MOST_TOLD, Transcript


def record(transcript: Transcript, text: str = "", detail: dict[str, JsonValue] | None = None) -> Seen:
    return transcript.record(
        direction=Direction.RECEIVED, kind=SeenKind.MESSAGE, connection="main", stream="stdio", text=text, detail=detail
    )


async def test_entries_are_numbered_in_the_order_they_came() -> None:
    transcript = Transcript()
    first, second = record(transcript, text="a"), record(transcript, text="b")
    assert transcript.entries == (first, second)
    assert [seen.index for seen in transcript.entries] == [0, 1]
    assert len(transcript) == 2


async def test_times_count_from_the_transcripts_beginning_on_the_loops_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 100.0
    monkeypatch.setattr(asyncio.get_running_loop(), "time", lambda: now)
    transcript = Transcript()
    now = 100.5
    assert record(transcript).at == 0.5


async def test_an_entry_keeps_its_detail_as_it_was_then() -> None:
    transcript = Transcript()
    detail: dict[str, JsonValue] = {"status": 202}
    seen = record(transcript, detail=detail)
    detail["status"] = 500
    assert seen.detail == {"status": 202}
    assert record(transcript).detail == {}


def record_chatter(transcript: Transcript, like: str = "notifications/message", stream: str = "stdio") -> Seen:
    return transcript.record_chatter(like=like, kind=SeenKind.MESSAGE, connection="main", stream=stream, text=like)[0]


async def test_chatter_is_kept_entry_by_entry_until_there_is_much_of_it() -> None:
    transcript = Transcript()
    for _ in range(MOST_CHATTER + 1000):
        record_chatter(transcript)
    assert len(transcript) == MOST_CHATTER + 1
    assert [seen.index for seen in transcript.entries] == list(range(len(transcript)))
    assert transcript.entries[-1].detail == {"alike": 999}
    assert not any(seen.detail for seen in transcript.entries[:-1])


async def test_what_stands_for_chatter_lies_where_it_came_among_the_rest() -> None:
    transcript = Transcript()
    for _ in range(MOST_CHATTER):
        record_chatter(transcript)
    before, again, other = record_chatter(transcript), record_chatter(transcript), record_chatter(transcript, "other")
    between = record(transcript)
    after = record_chatter(transcript)
    assert [seen.index - MOST_CHATTER for seen in (before, again, other, between, after)] == [0, 0, 1, 2, 3]
    assert transcript.entries[before.index].detail == {"alike": 1}


async def test_of_very_many_notifications_about_tasks_those_in_a_row_are_one_entry_and_each_is_given_as_it_came() -> (
    None
):
    transcript = Transcript()

    def told(text: str) -> Seen:
        return transcript.record_told(like="notifications/progress", connection="main", stream="stdio", text=text)

    texts = [f"progress {number}" for number in range(MOST_TOLD + 100)]
    assert [told(text).text for text in texts] == texts
    assert [seen.text for seen in transcript.entries] == texts[: MOST_TOLD + 1]
    assert transcript.entries[-1].detail == {"alike": 99}
    record(transcript)
    assert told("after it").index == MOST_TOLD + 2


async def test_entries_once_given_stay_as_they_were() -> None:
    transcript = Transcript()
    for _ in range(MOST_CHATTER + 10):
        record_chatter(transcript)
    given = transcript.entries
    record_chatter(transcript)
    assert (given[-1].detail, transcript.entries[-1].detail) == ({"alike": 9}, {"alike": 10})
