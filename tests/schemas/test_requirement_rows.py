"""The shipped catalogues of requirements are read without a problem and say what their readers need."""

from __future__ import annotations

import re
from functools import cache

import pytest

from mcp_tasks_conformance.catalog import library, source
from mcp_tasks_conformance.catalog.model import Level, Requirement
from mcp_tasks_conformance.catalog.problems import Problems
from mcp_tasks_conformance.catalog.requirements import read_requirements

_MENTION = re.compile(r"\b(?:base|v[12]|quality)\.[a-z0-9][a-z0-9.-]*[a-z0-9]")


@cache
def _catalogues() -> dict[str, Requirement]:
    problems = Problems()
    rows: dict[str, Requirement] = {}
    for file in sorted((library.root() / "scenarios").glob("*/requirements.yaml")):
        document = source.read(file, problems)
        assert document is not None
        read_requirements(document, problems, rows)
    problems.settle()
    return rows


def _texts(row: Requirement) -> list[str]:
    return [text for text in (row.rule, row.ambiguity, row.why, row.source) if text is not None]


def test_the_shipped_catalogues_have_no_problem_and_rows_of_each_specification() -> None:
    assert {"base", "v1", "quality"} <= {row.specification for row in _catalogues().values()}


@pytest.mark.parametrize("row", _catalogues().values(), ids=lambda row: row.id)
def test_each_text_of_a_row_is_one_paragraph_of_whole_sentences(row: Requirement) -> None:
    for text in _texts(row):
        assert text.endswith((".", ".)"))
        assert "\n" not in text


@pytest.mark.parametrize("row", _catalogues().values(), ids=lambda row: row.id)
def test_each_row_that_another_row_mentions_exists(row: Requirement) -> None:
    for text in _texts(row):
        assert set(_MENTION.findall(text)) <= set(_catalogues())


@pytest.mark.parametrize("row", _catalogues().values(), ids=lambda row: row.id)
def test_each_rule_leads_to_its_sentence_and_each_quality_to_its_source(row: Requirement) -> None:
    if row.level is Level.QUALITY:
        assert row.source is not None
    else:
        assert row.link is not None
        assert re.fullmatch(r"https://[^#\s]+#[a-z0-9_%/-]+", row.link)


@pytest.mark.parametrize("row", _catalogues().values(), ids=lambda row: row.id)
def test_whether_a_row_gives_a_reason_tells_whether_it_can_be_tested(row: Requirement) -> None:
    assert (row.why is None) == row.testable
