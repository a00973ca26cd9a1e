"""The decoder of server-sent events."""

from __future__ import annotations

import itertools

from hypothesis import given
from hypothesis import strategies as st

from mcp_tasks_conformance.wire.sse import Event, EventDecoder


def events(*chunks: bytes) -> list[Event]:
    decoder = EventDecoder()
    return [event for chunk in chunks for event in decoder.feed(chunk)]


def data(*chunks: bytes) -> list[bytes]:
    return [event.data for event in events(*chunks)]


pieces = st.lists(
    st.sampled_from([b"data: x", b"data:", b"id: 7", b"event: e", b": c", b"\n", b"\r", b"\r\n", b"\xff", b"retry: 5"])
).map(b"".join)


@given(pieces | st.binary(), st.lists(st.integers(0, 40)))
def test_events_are_the_same_however_the_bytes_are_cut(raw: bytes, cuts: list[int]) -> None:
    places = sorted({min(cut, len(raw)) for cut in cuts} | {0, len(raw)})
    chunks = [raw[start:end] for start, end in itertools.pairwise(places)]
    whole, cut = EventDecoder(), EventDecoder()
    assert whole.feed(raw) == [event for chunk in chunks for event in cut.feed(chunk)]
    assert (whole.last_id, whole.retry_ms, whole.unfinished) == (cut.last_id, cut.retry_ms, cut.unfinished)


@given(
    st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\r\n"), min_size=1), min_size=1),
    st.sampled_from(["\n", "\r", "\r\n"]),
)
def test_data_comes_out_as_it_went_in_whatever_the_line_ends(lines: list[str], end: str) -> None:
    raw = "".join(f"data: {line}{end}" for line in lines) + end
    assert data(raw.encode()) == ["\n".join(lines).encode()]


def test_an_event_needs_its_blank_line() -> None:
    assert data(b"data: 1\n") == []
    assert data(b"data: 1\n", b"\n") == [b"1"]


def test_what_the_end_cut_off_is_told() -> None:
    decoder = EventDecoder()
    decoder.feed(b"data: 0\n\ndata: 1\ndata: 2")
    assert decoder.unfinished == b"1\n2"
    assert decoder.pending > 0
    decoder.feed(b"\n\n")
    assert (decoder.unfinished, decoder.pending) == (b"", 0)


def test_an_event_without_data_only_sets_the_id_and_the_retry_time() -> None:
    decoder = EventDecoder()
    assert decoder.feed(b"id: 41\nretry: 250\ndata: \n\n") == []
    assert (decoder.last_id, decoder.retry_ms) == ("41", 250)


def test_an_id_counts_once_its_event_is_complete() -> None:
    decoder = EventDecoder("before")
    decoder.feed(b"id: 2\ndata: x\n")
    assert decoder.last_id == "before"
    decoder.feed(b"\n")
    assert decoder.last_id == "2"


def test_an_empty_id_forgets_the_last_one() -> None:
    decoder = EventDecoder("before")
    decoder.feed(b"id\n\n")
    assert decoder.last_id is None


def test_comments_and_unknown_fields_are_passed_over() -> None:
    assert data(b": ping\n\n", b"foo: bar\ndata: 1\n: more\n\n") == [b"1"]


def test_only_one_space_after_the_colon_is_dropped() -> None:
    assert data(b"data:  x\n\n") == [b" x"]
    assert data(b"data:x\n\n") == [b"x"]


def test_the_name_of_an_event_lasts_for_that_event() -> None:
    assert events(b"event: ping\ndata: 1\n\ndata: 2\n\n") == [Event("ping", b"1"), Event("message", b"2")]


def test_a_byte_order_mark_at_the_beginning_is_no_part_of_the_field() -> None:
    assert data(b"\xef\xbb\xbfdata: 1\n\n") == [b"1"]


def test_bytes_that_are_no_utf8_are_kept() -> None:
    assert data(b"data: \xff\xfe\n\n") == [b"\xff\xfe"]


def test_a_retry_time_that_is_no_number_is_passed_over() -> None:
    decoder = EventDecoder()
    decoder.feed(b"retry: soon\nretry: -5\nretry: 99999999999999999999\n\n")
    assert decoder.retry_ms is None


def test_a_megabyte_in_small_pieces_takes_linear_time() -> None:
    decoder = EventDecoder()
    for _ in range(16_000):
        assert decoder.feed(b"x" * 64) == []
    assert decoder.pending == 16_000 * 64
