"""A server that talks all the time is judged like any other, in little time and memory."""

from __future__ import annotations

import re
from typing import cast

from mcp_tasks_conformance.engine.options import RunOptions
from mcp_tasks_conformance.events import Outcome, RunStarted, ScenarioOutcome
from mcp_tasks_conformance.targets.in_process import InProcessTarget
from mcp_tasks_conformance.verdicts.model import RunVerdict
from tests.engine.theatre import PROVES, perform, scenario

WORKS = f"- start_task: {{behaviour: slow, as: job}}\n- await_status: {{task: $job, is: completed, proves: {PROVES}}}"
LOUD = f"{WORKS}\n- settle: {{for_ms: 20000}}"
HEARD = f"- await_notification: notifications/message\n  proves: {PROVES}"
QUIET = (
    f"{WORKS}\n- settle: {{for_ms: 5000}}\n  as: then\n- quiet: {{kind: notification, since: $then, proves: {PROVES}}}"
)


def chatty(*further: str) -> InProcessTarget:
    return InProcessTarget("tests.engine.data.difficult:create", ["chatty=1", *further])


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


def test_fewer_run_at_once_than_usual_where_much_is_said_and_a_note_says_so() -> None:
    made = perform(scenario(WORKS), target=chatty("far=0.01"))
    started = made.events[0]
    assert isinstance(started, RunStarted)
    (note,) = cast("list[str]", started.target["notes"])
    assert re.fullmatch(
        r"it sends some (9..|1...) messages a second that nobody asked for, to each connection, so no more than"
        r" (9|10|11) scenarios run at once",
        note,
    )
    assert made.result.verdict is RunVerdict.CONFORMANT


def test_whoever_says_how_many_has_so_many() -> None:
    started = perform(scenario(WORKS), target=chatty("far=0.01"), options=RunOptions(jobs=12)).events[0]
    assert isinstance(started, RunStarted)
    assert started.target["notes"] == []


def test_nothing_is_said_of_a_silence_where_not_all_that_came_could_be_held() -> None:
    long_ago = "- start_task: {behaviour: slow, as: job}\n- settle: {for_ms: 20000, as: then}\n"
    absent = f"- quiet: {{kind: notification, method: notifications/tasks/status, since: $then, proves: {PROVES}}}"
    made = perform(scenario(long_ago + absent), target=chatty())
    assert made.one.outcome is ScenarioOutcome.INCONCLUSIVE
    assert "not all could be held" in (made.one.reason or "")
    assert made.checks() == []
