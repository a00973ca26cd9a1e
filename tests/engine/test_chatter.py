"""A server that talks all the time is judged like any other, in little time and memory."""

from __future__ import annotations

from mcp_tasks_conformance.events import Outcome, ScenarioOutcome
from mcp_tasks_conformance.targets.in_process import InProcessTarget
from tests.engine.theatre import PROVES, perform, scenario

WORKS = f"- start_task: {{behaviour: slow, as: job}}\n- await_status: {{task: $job, is: completed, proves: {PROVES}}}"
LOUD = f"{WORKS}\n- settle: {{for_ms: 20000}}"
HEARD = f"- await_notification: notifications/message\n  proves: {PROVES}"
QUIET = (
    f"{WORKS}\n- settle: {{for_ms: 5000}}\n  as: then\n- quiet: {{kind: notification, since: $then, proves: {PROVES}}}"
)


def chatty() -> InProcessTarget:
    return InProcessTarget("tests.engine.data.difficult:create", ["chatty=1"])


def test_it_is_judged_and_what_it_says_takes_little_room() -> None:
    made = perform(scenario(LOUD), target=chatty())
    assert made.one.outcome is ScenarioOutcome.PASSED
    assert sum(int(str(seen.detail.get("alike", 0))) for seen in made.one.transcript) > 10_000
    assert len(made.one.transcript) < 400
    assert [seen.index for seen in made.one.transcript] == list(range(len(made.one.transcript)))
    assert not any(check.outcome is Outcome.FAIL for check in made.one.checks)


def test_what_it_says_is_heard_and_no_silence() -> None:
    made = perform((*scenario(HEARD, "heard"), *scenario(QUIET, "quiet")), target=chatty())
    assert made.outcomes == {"heard": ScenarioOutcome.PASSED, "quiet": ScenarioOutcome.FAILED}
