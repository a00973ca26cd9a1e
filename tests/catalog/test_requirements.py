"""The catalogues of requirements."""

from __future__ import annotations

from pathlib import Path

import pytest

from mcp_tasks_conformance.catalog import source
from mcp_tasks_conformance.catalog.model import Level, Place, Requirement
from mcp_tasks_conformance.catalog.problems import CatalogError, Problems
from mcp_tasks_conformance.catalog.requirements import read_requirements
from tests.catalog.broken import Broken, cases
from tests.catalog.samples import SMALL


def read(text: str) -> dict[str, Requirement]:
    problems = Problems()
    document = source.parse(text.encode(), Path("file.yaml"), problems)
    known: dict[str, Requirement] = {}
    if document is not None:
        read_requirements(document, problems, known)
    problems.settle()
    return known


@cases("requirements")
def test_a_wrong_catalogue_is_told_with_its_place(broken: Broken) -> None:
    with pytest.raises(CatalogError) as caught:
        read(broken.file)
    assert str(caught.value).splitlines() == [f"file.yaml:{line}" for line in broken.says]


def test_a_row_is_read_whole() -> None:
    row = SMALL.requirements["v1.audit.log"]
    assert row == Requirement(
        id="v1.audit.log",
        generation="v1",
        level=Level.SHOULD,
        party="receiver",
        rule="Receivers keep a log.",
        observe="internal",
        place=Place(Path("scenarios/v1/requirements.yaml"), 16, 5),
        specification="v1",
        link="https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/tasks#audit",
        ambiguity="none",
        why="a log is seen by nobody outside",
    )
    assert not row.testable


def test_a_section_may_be_a_page_alone() -> None:
    assert SMALL.requirements["base.answers"].link == "https://www.jsonrpc.org/specification"


def test_a_quality_rule_has_a_source_and_no_link() -> None:
    row = SMALL.requirements["quality.get-prompt"]
    assert (row.level, row.party, row.observe, row.specification) == (Level.QUALITY, "receiver", "timing", "quality")
    assert (row.generation, row.link, row.source) == ("both", None, "what polling means")
    assert row.testable


def test_only_must_and_must_not_bind() -> None:
    assert [level for level in Level if level.binding] == [Level.MUST, Level.MUST_NOT]
