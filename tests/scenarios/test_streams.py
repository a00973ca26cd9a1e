"""What goes to which stream, over HTTP."""

from __future__ import annotations

from mcp_tasks_conformance.events import Outcome, ScenarioOutcome
from tests.scenarios.library import outcomes, ran

ONE_STREAM = "http/one-request-one-stream"


def test_a_question_may_come_on_whichever_stream_of_the_session_is_open() -> None:
    """This variant asks on the newest listening stream, which is not that of the connection that made the task."""
    result = ran(ONE_STREAM, kind="variant", name="questions-once", transport="http")
    assert outcomes(result) == {ONE_STREAM: ScenarioOutcome.PASSED}


def test_a_question_on_two_streams_is_found_out() -> None:
    result = ran(ONE_STREAM, kind="fault", name="http-broadcast", transport="http")
    assert outcomes(result) == {ONE_STREAM: ScenarioOutcome.FAILED}


def test_the_answer_to_anothers_request_is_found_out() -> None:
    result = ran("http/answers-to-one-session", kind="fault", name="http-tools-to-all", transport="http")
    assert outcomes(result) == {"http/answers-to-one-session": ScenarioOutcome.FAILED}
    assert {check.requirement for check in result.checks if check.outcome is Outcome.FAIL} == {"base.http-one-stream"}
