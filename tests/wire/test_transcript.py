"""The transcript numbers and times what it is told."""

from __future__ import annotations

import asyncio

import pytest

from mcp_tasks_conformance.events import Direction, JsonValue, Seen, SeenKind
from mcp_tasks_conformance.wire.transcript import Transcript


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
