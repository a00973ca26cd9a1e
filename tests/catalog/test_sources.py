"""Files are read as values with places, and only what all YAML readers understand alike."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from mcp_tasks_conformance.catalog import source
from mcp_tasks_conformance.catalog.problems import CatalogError, Problems
from mcp_tasks_conformance.catalog.source import Value
from mcp_tasks_conformance.events import JsonValue
from tests.catalog.broken import Broken, cases

FILE = Path("file.yaml")

ascii_text = st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=30)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | ascii_text,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(ascii_text, inner, max_size=4),
    max_leaves=20,
)


def parsed(raw: bytes) -> Value:
    problems = Problems()
    value = source.parse(raw, FILE, problems)
    problems.settle()
    assert value is not None
    return value


def complaints(raw: bytes) -> list[str]:
    with pytest.raises(CatalogError) as caught:
        parsed(raw)
    return str(caught.value).splitlines()


@cases("sources")
def test_what_is_no_yaml_of_ours_is_told_with_its_place(broken: Broken) -> None:
    assert complaints(broken.file.encode()) == [f"file.yaml:{line}" for line in broken.says]


def test_a_file_that_is_not_utf_8_is_told_with_the_place_of_the_byte() -> None:
    assert complaints("a: ü\nb: ".encode() + b"\xff") == [
        "file.yaml:2:4: the file is not UTF-8: byte 0xff (save it as UTF-8)"
    ]


def test_a_file_that_is_nested_without_end_is_refused() -> None:
    (line,) = complaints(b"[" * 20_000)
    assert line.startswith("file.yaml:1:")


def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    problems = Problems()
    assert source.read(tmp_path / "none.yaml", problems, FILE) is None
    with pytest.raises(CatalogError, match=r"^file\.yaml:1:1: the file cannot be read: No such file or directory$"):
        problems.settle()


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("~", None),
        ("null", None),
        ("true", True),
        ("False", False),
        ("0", 0),
        ("-12", -12),
        ("1.5", 1.5),
        ("-0.25", -0.25),
        ("1.0e+3", 1000.0),
        ("2026.8.31", "2026.8.31"),
        ("10ms", "10ms"),
        ("-32601 or so", "-32601 or so"),
        ("'no'", "no"),
        ('"010"', "010"),
        ("northern", "northern"),
        ("tasks/get", "tasks/get"),
        ("$job.taskId", "$job.taskId"),
    ],
)
def test_a_plain_word_means_what_it_means_to_every_reader(text: str, value: object) -> None:
    read = source.plain(parsed(f"a: {text}".encode()))
    assert read == {"a": value}
    assert type(read["a"]) is type(value)


def test_keys_and_values_know_their_places() -> None:
    root = parsed("# a comment\na:\n  - ü: [1, {b: c}]\n".encode())
    assert isinstance(root.data, dict)
    listed = root.data["a"].value
    assert isinstance(listed.data, tuple)
    item = listed.data[0]
    assert isinstance(item.data, dict)
    member = item.data["ü"]
    assert isinstance(member.value.data, tuple)
    inner = member.value.data[1]
    assert isinstance(inner.data, dict)
    places = [root.place, root.data["a"].place, listed.place, item.place, member.place, member.value.place, inner.place]
    assert [(place.line, place.column) for place in places] == [
        (2, 1),
        (2, 1),
        (3, 3),
        (3, 5),
        (3, 5),
        (3, 8),
        (3, 12),
    ]
    assert str(inner.data["b"].value.place) == "file.yaml:3:16"


def test_an_alias_stands_for_the_value_of_its_anchor() -> None:
    assert source.plain(parsed(b"a: &x {b: [1]}\nc: *x\nd: &y word\ne: *y")) == {
        "a": {"b": [1]},
        "c": {"b": [1]},
        "d": "word",
        "e": "word",
    }


@pytest.mark.parametrize("text", ["---\na: 1\n", "%YAML 1.2\n---\na: 1\n", "\ufeffa: 1\n", "a: 1\n...\n", "a: 1\r\n"])
def test_a_file_may_begin_and_end_as_yaml_allows(text: str) -> None:
    assert source.plain(parsed(text.encode())) == {"a": 1}


@given(json_values)
def test_json_reads_as_itself(value: JsonValue) -> None:
    assert source.plain(parsed(json.dumps(value).encode())) == value


@given(st.text())
def test_text_in_double_quotes_reads_as_itself(text: str) -> None:
    assert source.plain(parsed(yaml.safe_dump([text], default_style='"').encode())) == [text]


@given(st.binary(max_size=200))
def test_no_bytes_break_the_reading(raw: bytes) -> None:
    problems = Problems()
    value = source.parse(raw, FILE, problems)
    assert value is not None or len(problems) == 1
