"""The last lines of an output of any length, fit for a terminal."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_tasks_conformance.targets.output import OutputTail


def tail_of(*data: bytes, limit: int = 20) -> str:
    tail = OutputTail(limit)
    for piece in data:
        tail.add(piece)
    return tail.text()


def test_a_short_output_is_kept_whole() -> None:
    assert tail_of(b"one\n", b"two\n") == "one\ntwo"


def test_of_a_long_output_the_last_whole_lines_are_kept() -> None:
    assert tail_of(*(f"line {number}\n".encode() for number in range(100))) == "line 98\nline 99"


def test_of_one_long_line_the_end_is_kept() -> None:
    assert tail_of(b"x" * 100 + b"end") == "x" * 17 + "end"


@pytest.mark.parametrize(
    ("printed", "shown"),
    [
        (b"\x1b[1;31mred\x1b[0m", "red"),
        (b"\x1b]0;title\x07text", "text"),
        (b"a\r\nb\x00\x08c\td", "a\nbc\td"),
        (b"caf\xe9", "caf\ufffd"),
    ],
)
def test_a_terminal_can_show_it_as_it_is(printed: bytes, shown: str) -> None:
    assert tail_of(printed) == shown


@given(st.lists(st.binary(max_size=30)))
def test_it_never_grows_past_its_limit(pieces: list[bytes]) -> None:
    tail = OutputTail(20)
    for piece in pieces:
        tail.add(piece)
        assert len(tail._kept) <= 40
    assert len(tail.text()) <= 20
