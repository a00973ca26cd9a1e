"""What proves each requirement, and the page that says so."""

from pathlib import Path

import pytest

from mcp_tasks_conformance.catalog.library import load
from mcp_tasks_conformance.cli.covering import as_markdown
from mcp_tasks_conformance.selftest.coverage import Proven, covered

LIBRARY = load()
PROVEN = covered(LIBRARY, generation="v1")
PAGE = Path(__file__).parent.parent.parent / "docs" / "requirements.md"


@pytest.mark.parametrize("one", PROVEN, ids=lambda one: one.requirement.id)
def test_every_testable_requirement_has_a_proof_and_a_fault(one: Proven) -> None:
    assert one.gap is None


def test_the_page_of_requirements_is_in_step() -> None:
    assert PAGE.read_text(encoding="utf-8") == as_markdown(PROVEN), (
        "run `mcp-tasks-conformance coverage --markdown docs/requirements.md`"
    )


def test_a_requirement_without_proof_or_fault_is_a_gap() -> None:
    requirement = next(one.requirement for one in PROVEN if one.requirement.testable)
    assert Proven(requirement, (), (), ()).gap == "no proof; no fault"
    assert Proven(requirement, ("a",), (), ("f",), ("a",)).gap == "never evaluated in a"
    untestable = next(one.requirement for one in PROVEN if not one.requirement.testable)
    assert Proven(untestable, (), (), ()).gap is None
