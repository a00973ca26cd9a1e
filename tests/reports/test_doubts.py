"""What was left open is told by what was seen instead, with the scenarios in which, so that each is found and run."""

from __future__ import annotations

import json

import pytest

from mcp_tasks_conformance.reports.doubts import open_requirements
from mcp_tasks_conformance.reports.ending import ending_of
from mcp_tasks_conformance.reports.junit import junit_of
from mcp_tasks_conformance.reports.markdown import markdown_of
from mcp_tasks_conformance.verdicts.model import RunResult
from tests.verdicts.builders import finished, message, must, planned, run, started

FIRST, SECOND = planned("first", "v1.a"), planned("second", "v1.b", "v1.a")
REFUSED = '{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"the tool is broken"}}'


def undecided(*reasons: str) -> RunResult:
    """A run in which each scenario came to nothing for one of these reasons."""
    asked = '{"jsonrpc":"2.0","id":1,"method":"tools/call"}'
    transcript = (message(0, "sent", asked), message(1, "received", REFUSED))
    events = [
        finished(plan, outcome="inconclusive", reason=reason, transcript=transcript)
        for plan, reason in zip((FIRST, SECOND), reasons, strict=True)
    ]
    return run([must("v1.a"), must("v1.b")], started(FIRST, SECOND), *events)


def test_each_reason_is_told_with_the_scenario_and_the_line_of_its_file() -> None:
    result = undecided("send, line 12: no task", "await_status, line 40: found working")
    told = ending_of(result, 80, lambda key: f"suite run --scenario {key}").plain()
    for part in (
        "  no task\n    open      v1.a\n    in        v1/receiver/suite/first\n",
        "                scenarios/v1/receiver/suite.yaml:12\n",
        "                scenarios/v1/receiver/suite.yaml:40\n",
        "  to see one by itself\n    suite run --scenario v1/receiver/suite/second\n",
    ):
        assert part in told
    page = markdown_of(result)
    assert "<code>v1/receiver/suite/first</code> (<code>scenarios/v1/receiver/suite.yaml:12</code>)" in page


def test_reasons_that_differ_in_ids_instants_and_measures_are_one() -> None:
    task = {"taskId": "467222f4-915b-457e-b686-9dccdf317024", "createdAt": "2026-11-30T00:51:24.987731Z"}
    other = {"taskId": "04dacb81-6da5-4630-8f69-bc209a02a225", "createdAt": "2026-11-30T00:51:26.017256Z"}
    (doubt,) = open_requirements(
        undecided(f"send, line 1: after 1.5 s {json.dumps(task)}", f"send, line 2: after 30 s {json.dumps(other)}")
    )
    assert [scenario.key for scenario in doubt.scenarios] == [FIRST.key, SECOND.key]
    assert [row.id for row in doubt.requirements] == ["v1.a", "v1.b"]


def test_what_was_seen_broken_once_is_counted_and_told_with_where() -> None:
    seen = finished(FIRST, outcome="inconclusive", reason="the time limit was reached", unconfirmed=("v1.a",))
    result = run([must("v1.a"), must("v1.b")], started(FIRST, SECOND), seen, finished(SECOND, outcome="inconclusive"))
    once = "2 inconclusive (1 of them seen broken once and not confirmed)"
    assert once in result.counts.summary
    told, page = ending_of(result, 80, None).plain(), markdown_of(result)
    assert f"Seen broken once and not confirmed (1)\n\n  v1.a  MUST\n    in {FIRST.key}\n" in told
    assert "### Seen broken once and not confirmed (1)" in page
    assert once in page
    assert result.reason is not None
    assert "1 requirement was seen broken once and not confirmed" in result.reason


@pytest.mark.parametrize(("one", "other"), [("found -32602", "found -32601"), ("HTTP 404", "HTTP 400")])
def test_reasons_that_differ_in_a_code_are_two(one: str, other: str) -> None:
    assert len(open_requirements(undecided(f"send, line 1: {one}", f"send, line 1: {other}"))) == 2


def test_where_something_did_not_come_the_answer_that_explains_it_is_told() -> None:
    result = undecided("judge, line 3: found nothing", "judge, line 3: found nothing")
    assert junit_of(result).count("the tool is broken") == 2
    told = ending_of(result, 80).plain()
    assert "came      the answer" in told
    assert "the tool is broken" in " ".join(told.split())
