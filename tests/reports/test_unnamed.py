"""Scenarios that prove nothing of the catalogue are told all the same when they come to nothing."""

from mcp_tasks_conformance.reports.ending import ending_of
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
    assert "Inconclusive scenarios that prove no requirement (1)" in told
    assert "expected status failed, found completed" in told
    assert OWN.key in told.replace("\n", "")


def test_one_that_proves_a_requirement_is_told_with_the_requirement_only() -> None:
    events = (started(PROVING), finished(PROVING, outcome="inconclusive", reason="no task came of it"))
    told = ending_of(run([must("v1.a")], *events), 80, lambda scenario: scenario).plain()
    assert "no task came of it" in told
    assert "prove no requirement" not in told
