"""Inconclusive scenarios that no inconclusive requirement tells of are told all the same."""

from mcp_tasks_conformance.catalog.model import Level
from mcp_tasks_conformance.reports.ending import ending_of
from mcp_tasks_conformance.reports.markdown import markdown_of
from tests.verdicts.builders import check, finished, must, planned, run, started

OWN = planned("of-ones-own")
PROVING = planned("proving", "v1.a")


def test_an_inconclusive_scenario_that_proves_no_requirement_is_named_with_its_reason() -> None:
    events = (
        started(OWN, PROVING),
        finished(PROVING, check("v1.a")),
        finished(OWN, outcome="inconclusive", reason="expected status failed, found completed"),
    )
    told = ending_of(run([must("v1.a")], *events), 80, lambda scenario: scenario).plain()
    assert "Inconclusive scenarios that leave no requirement open (1)" in told
    assert "expected status failed, found completed" in told
    assert OWN.key in told.replace("\n", "")


def test_one_that_proves_a_requirement_is_told_with_the_requirement_only() -> None:
    events = (started(PROVING), finished(PROVING, outcome="inconclusive", reason="no task came of it"))
    told = ending_of(run([must("v1.a")], *events), 80, lambda scenario: scenario).plain()
    assert "no task came of it" in told
    assert "leave no requirement open" not in told


def test_one_that_leaves_only_a_quality_rule_open_is_named() -> None:
    quality = must("quality.a", Level.QUALITY, party="both", generation="both")
    about = planned("hostile", "quality.a")
    events = (
        started(about, PROVING),
        finished(PROVING, check("v1.a")),
        finished(about, outcome="inconclusive", reason="no task came of it"),
    )
    result = run([must("v1.a"), quality], *events)
    told = ending_of(result, 80, lambda scenario: scenario).plain()
    assert "Inconclusive scenarios that leave no requirement open (1)\n\n  no task came of it\n" in told
    assert "Inconclusive scenarios that leave no requirement open (1)" in markdown_of(result)
    assert f"| no task came of it |  | <code>{about.key}</code>" in markdown_of(result)
