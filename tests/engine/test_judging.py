"""From an expectation and what came to checks."""

from pathlib import Path
from typing import Any

import pytest

from mcp_tasks_conformance.catalog.model import Expectation, Matcher, Place, Step, Template
from mcp_tasks_conformance.engine.judging import NothingToJudge, PreconditionFailed, is_negative, judge
from mcp_tasks_conformance.engine.scope import Scope
from mcp_tasks_conformance.events import Check, Outcome

HERE = Place(Path("suite.yaml"), 7, 1)
SCOPE = Scope()


def step(*expect: Expectation, control: str | None = None) -> Step:
    proves = tuple(r for e in expect for r in e.proves)
    return Step("send", "tasks/get", {}, expect, proves, HERE, control=control)


def expectation(that: Template, *proves: str, **more: Any) -> Expectation:
    return Expectation(that, proves, HERE, **more)


def outcomes(found: list[Check]) -> list[tuple[str, Outcome, str | None]]:
    return [(check.requirement, check.outcome, check.control) for check in found]


def judged(one: Step, value: Any) -> list[Check]:
    return list(judge(one, value, SCOPE, source="send, line 7", messages=(1,), method="tasks/get"))


def test_what_matches_passes_for_each_requirement() -> None:
    found = judged(step(expectation({"result": {"status": "working"}}, "a", "b")), {"result": {"status": "working"}})
    assert outcomes(found) == [("a", Outcome.PASS, None), ("b", Outcome.PASS, None)]


def test_what_does_not_match_fails_and_says_what_was_found() -> None:
    (found,) = judged(step(expectation({"error": {"code": -32602}}, "a")), {"error": {"code": -32000}})
    assert (found.outcome, found.expected, found.observed) == (Outcome.FAIL, "error.code: -32602", "error.code: -32000")


def test_how_an_answer_travelled_is_told_where_that_is_the_point() -> None:
    came = {"result": {"tasks": []}, "id": 3, "http": {"status": 200, "type": "application/json"}}
    (found,) = judged(step(expectation({"error": {"code": -32602}}, "a")), came)
    assert found.observed == '{"result": {"tasks": []}, "id": 3}'
    (found,) = judged(step(expectation({"error": {"code": -32602}, "http": {"status": 400}}, "a")), came)
    assert '"http": {"status": 200' in found.observed


def test_an_expected_error_counts_only_if_its_method_succeeds_elsewhere() -> None:
    (found,) = judged(step(expectation({"error": {"code": -32602}}, "a")), {"error": {"code": -32602}})
    assert found.control == "tasks/get"


def test_a_scenario_may_name_another_control() -> None:
    (found,) = judged(
        step(expectation({"error": {"code": -32601}}, "a"), control="tools/call"), {"error": {"code": -32601}}
    )
    assert found.control == "tools/call"


def test_a_precondition_that_does_not_hold_is_no_failure() -> None:
    with pytest.raises(PreconditionFailed, match=r"expected result\.status"):
        judged(step(expectation({"result": {"status": "working"}})), {"result": {"status": "failed"}})


def test_what_was_judged_before_a_precondition_broke_counts() -> None:
    one = step(expectation({"result": {}}, "a"), expectation({"result": {"task": {}}}))
    checks = judge(one, {"error": {}}, SCOPE, source="send, line 7", messages=(), method="tasks/get")
    assert next(checks).outcome is Outcome.FAIL
    with pytest.raises(PreconditionFailed):
        next(checks)


def test_that_no_result_came_needs_no_proof_that_one_can() -> None:
    (found,) = judged(step(expectation({"result": {}}, "a")), {"error": {"code": -32601}})
    assert (found.outcome, found.control) == (Outcome.FAIL, None)


def test_a_lesser_reading_warns() -> None:
    one = expectation({"error": {"code": -32601}}, "a", else_warn={"error": {"code": -32600}}, has_else_warn=True)
    assert outcomes(judged(step(one), {"error": {"code": -32600}})) == [("a", Outcome.WARN, "tasks/get")]
    assert outcomes(judged(step(one), {"error": {"code": -32603}})) == [("a", Outcome.FAIL, "tasks/get")]


def test_a_choice_of_the_target_may_leave_nothing_to_judge() -> None:
    one = expectation(
        {"result": {}}, "a", else_not_applicable={"error": {}}, has_else_not_applicable=True, because="it may refuse"
    )
    with pytest.raises(NothingToJudge, match="it may refuse"):
        judged(step(one), {"error": {"code": 1}})


@pytest.mark.parametrize(
    ("pattern", "negative"),
    [
        ({"error": {"code": -32602}}, True),
        ({"http": {"status": 404}}, True),
        ({"result": {}}, True),
        ({"result": {"_meta": Matcher("$absent", True, HERE)}}, True),
        ({"result": {"tasks": Matcher("$each", {"taskId": "x"}, HERE)}}, True),
        ({"result": {"status": "working"}}, False),
        ({"result": {"tasks": Matcher("$type", "array", HERE)}}, False),
        (Matcher("$any_of", ({"error": {}}, {"result": {"content": Matcher("$type", "array", HERE)}}), HERE), True),
    ],
)
def test_what_a_target_that_does_nothing_could_meet_is_negative(pattern: Any, negative: Any) -> None:
    assert is_negative(pattern) is negative
