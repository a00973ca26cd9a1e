"""Text of a target is shown harmless, cut and fitted."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_tasks_conformance.reports.text import brief, visible, width_of, wrapped


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain text", "plain text"),
        ("\x1b[2J\x1b]0;title\x07", "\\x1b[2J\\x1b]0;title\\x07"),
        ("two\nlines\r\n\ttab", "two\\nlines\\r\\n\\ttab"),
        ("\x9b31m", "\\x9b31m"),
        ("\u202egnirts", "\\u202egnirts"),
        ("a\u200bb\ufeffc", "a\\u200bb\\ufeffc"),
        ("line\u2028separator", "line\\u2028separator"),
        ("\ud800", "\\ud800"),
        ("\U000e0041", "\\U000e0041"),
        ("naïve 日本語", "naïve 日本語"),
        ("a\u00a0b", "a b"),
        ("e\u0301", "e\u0301"),
        ("z" + "\u0301" * 4, "z\u0301\u0301\\u0301\\u0301"),
    ],
)
def test_what_would_not_show_as_itself_is_escaped(text: str, shown: str) -> None:
    assert visible(text) == shown


@given(st.text())
def test_visible_text_is_one_line_that_no_terminal_obeys(text: str) -> None:
    shown = visible(text)
    assert all(unicodedata.category(character) not in ("Cc", "Cf", "Cs", "Zl", "Zp") for character in shown)
    assert visible(shown) == shown


def test_text_that_fits_is_not_cut() -> None:
    assert brief("x" * 100, 100) == "x" * 100


def test_cut_text_says_how_long_it_was() -> None:
    shown = brief("x" * 1_000_000, 100)
    assert shown.endswith("x... (1,000,000 characters)")
    assert len(shown) == 100


@given(st.text(), st.integers(40, 200))
def test_brief_text_is_never_longer_than_asked_even_where_it_is_escaped(text: str, longest: int) -> None:
    assert len(brief(text, longest)) <= longest


def test_lines_break_at_spaces() -> None:
    assert wrapped("one two three four", 9) == ["one two", "three", "four"]


def test_a_long_word_breaks_after_a_comma() -> None:
    assert wrapped('{"a":"bbbb","c":"dddd"}', 14) == ['{"a":"bbbb",', '"c":"dddd"}']


def test_a_word_without_any_place_to_break_breaks_anywhere() -> None:
    assert wrapped("abcdefghij", 4) == ["abcd", "efgh", "ij"]


def test_keys_that_are_too_long_break_between_their_words() -> None:
    assert wrapped("v1/receiver/result/after[way=plain,by=two]", 22) == [
        "v1/receiver/result/",
        "after[way=plain,",
        "by=two]",
    ]
    assert wrapped("result/after[way=plainly]", 14) == ["result/after", "[way=plainly]"]


def test_indented_text_keeps_its_indentation() -> None:
    assert wrapped("    at parse (index.js)", 40) == ["    at parse (index.js)"]


def test_wide_characters_take_two_columns() -> None:
    assert wrapped("日本語日本語", 5) == ["日本", "語日", "本語"]


@given(st.text(), st.integers(4, 40))
def test_no_line_is_wider_than_asked_and_nothing_is_lost(text: str, width: int) -> None:
    shown = visible(text)
    lines = wrapped(shown, width)
    assert all(width_of(line) <= width for line in lines)
    assert "".join(lines).replace(" ", "") == shown.replace(" ", "")
