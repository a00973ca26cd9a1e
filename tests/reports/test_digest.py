"""What reports tell of a result, grouped."""

from __future__ import annotations

from mcp_tasks_conformance.events import ScenarioOutcome
from mcp_tasks_conformance.reports.digest import (
    by_reason,
    ended,
    quality_findings,
    violations,
    warnings,
    with_verdict,
)
from mcp_tasks_conformance.verdicts.model import Verdict
from mcp_tasks_conformance.verdicts.options import VerdictOptions
from tests.reports.recordings import EVENTS, result_of

RESULT = result_of(EVENTS)


def test_a_violation_has_every_case_of_it() -> None:
    found = {breach.requirement.id: len(breach.cases) for breach in violations(RESULT)}
    assert found == {"v1.cancel.terminal-rejected": 1, "v1.related-task.on-result": 4, "base.answers": 1}


def test_warnings_are_broken_recommendations_and_lesser_readings() -> None:
    assert [breach.requirement.id for breach in warnings(RESULT)] == [
        "v1.tool.required-rejects-plain",
        "v1.get.prompt",
    ]


def test_quality_is_apart_unless_it_counts() -> None:
    counting = result_of(EVENTS, VerdictOptions(fail_on=("quality.*",)))
    assert [breach.requirement.id for breach in quality_findings(RESULT)] == ["quality.session-isolation"]
    assert quality_findings(counting) == ()
    assert "quality.session-isolation" in [breach.requirement.id for breach in violations(counting)]


def test_rows_that_are_apart_are_in_no_list_of_verdicts() -> None:
    assert all(row.level != "QUALITY" for row in with_verdict(RESULT, Verdict.SATISFIED))


def test_scenarios_are_found_by_how_they_ended() -> None:
    assert [scenario.key for scenario in ended(RESULT, ScenarioOutcome.CRASHED)] == ["v1/receiver/hostile/deep-nesting"]


def test_groups_come_with_the_most_frequent_reason_first() -> None:
    groups = by_reason(["a1", "b1", "b2", "c", "a2", "b3"], lambda name: None if name == "c" else name[0])
    assert groups == (("b", ("b1", "b2", "b3")), ("a", ("a1", "a2")), ("no reason told", ("c",)))
