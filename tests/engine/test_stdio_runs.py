"""Runs over stdio: a process has one connection, initialized once. Real processes of the reference server."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from mcp_tasks_conformance.catalog.model import Scenario
from mcp_tasks_conformance.engine.options import RunOptions
from mcp_tasks_conformance.engine.pace import Pace
from mcp_tasks_conformance.engine.run import Run
from mcp_tasks_conformance.events import Event, ScenarioFinished, ScenarioOutcome, ScenarioStarted
from mcp_tasks_conformance.targets.bundled import bundled
from mcp_tasks_conformance.targets.command import CommandTarget, StdioInstance
from mcp_tasks_conformance.verdicts.fold import Fold
from tests.engine.data import difficult
from tests.engine.theatre import PROFILE, PROVES, Performance, requirements, scenario

WORKS = (
    f"- start_task: {{behaviour: completes, as: job}}\n- await_status: {{task: $job, is: completed, proves: {PROVES}}}"
)
SLOW = f"- start_task: {{behaviour: slow, as: job}}\n- await_status: {{task: $job, is: completed, proves: {PROVES}}}"


class Counted:
    """A target that remembers the processes it started."""

    transport = "stdio"
    restartable = True

    def __init__(self) -> None:
        target = bundled("stdio")
        assert isinstance(target, CommandTarget)
        self._target = target
        self.facts = target.facts
        self.started: list[StdioInstance] = []

    async def start(self) -> StdioInstance:
        self.started.append(await self._target.start())
        return self.started[-1]


def perform(
    scenarios: Sequence[Scenario], *, jobs: int = 1, kill_upon: str | None = None
) -> tuple[Performance, Counted]:
    """Run scenarios; kill the latest process half a second after the start of the scenario of that name."""
    target, fold, events = Counted(), Fold(requirements().values()), list[Event]()

    def tell(event: Event) -> None:
        events.append(event)
        fold(event)
        if isinstance(event, ScenarioStarted) and event.attempt == 1 and event.key.endswith(f"/{kill_upon}"):
            pid = target.started[-1].process.pid
            asyncio.get_running_loop().call_later(0.2, lambda: os.kill(pid, signal.SIGKILL))

    asyncio.run(Run(scenarios, target, lambda _: PROFILE, RunOptions(jobs=jobs), tell).run())
    for instance in target.started:
        assert instance.gone.is_set()
    return Performance(tuple(events), fold.result(), 0.0), target


def initializations(event: ScenarioFinished) -> int:
    return sum(json.loads(e.text).get("method") == "initialize" for e in event.transcript if e.direction == "sent")


def test_one_process_serves_scenarios_of_equal_capabilities_one_after_another() -> None:
    made, target = perform([one for n in range(3) for one in scenario(WORKS, f"n{n}")])
    assert set(made.outcomes.values()) == {ScenarioOutcome.PASSED}
    assert len(target.started) == 1
    assert [initializations(event) for event in made.finished.values()] == [0, 0, 0]  # discovery did it


def test_other_capabilities_need_another_process() -> None:
    other = scenario(WORKS, "other", client="{sampling: {}}")
    made, target = perform([*scenario(WORKS, "usual"), *other, *scenario(WORKS, "usual-again")])
    assert set(made.outcomes.values()) == {ScenarioOutcome.PASSED}
    assert len(target.started) == 2
    assert initializations(made.finished["other"]) == 1


def test_a_scenario_that_initializes_by_itself_gets_a_process_that_nobody_has_used() -> None:
    itself = scenario(
        f"- connect: main\n  capabilities: {{}}\n  expect: {{result: {{serverInfo: {{}}}}}}\n  proves: {PROVES}",
        "itself",
        main="false",
    )
    made, target = perform([*scenario(WORKS, "usual"), *itself])
    assert set(made.outcomes.values()) == {ScenarioOutcome.PASSED}, [e.reason for e in made.finished.values()]
    assert initializations(made.finished["itself"]) == 1
    assert len(target.started) == 2


def test_a_second_connection_is_not_applicable() -> None:
    made, _ = perform(scenario("- connect: other\n- send: tasks/list\n  via: other"))
    assert (made.one.outcome, made.one.reason) == (ScenarioOutcome.NOT_APPLICABLE, "stdio has one connection")


@pytest.mark.parametrize("left", ["- begin: tasks/result\n  params: {taskId: $job.taskId}\n  as: waiting\n", ""])
def test_a_process_that_is_left_with_something_under_way_serves_no_other(left: str) -> None:
    first = scenario(f"- start_task: {{behaviour: slow, as: job}}\n{left}- settle: {{for_ms: 10}}", "first")
    made, target = perform([*first, *scenario(WORKS, "second")])
    assert set(made.outcomes.values()) == {ScenarioOutcome.PASSED}
    assert len(target.started) == (2 if left else 1)


def test_a_process_that_is_killed_is_lost_with_its_exit_code_and_the_scenario_runs_again() -> None:
    made, target = perform([*scenario(SLOW, "killed"), *scenario(WORKS, "after")], kill_upon="killed")
    assert made.outcomes == {"killed": ScenarioOutcome.PASSED, "after": ScenarioOutcome.PASSED}
    assert made.finished["killed"].flaky
    assert made.finished["killed"].attempts == 2
    assert target.started[0].exit_code == -signal.SIGKILL


def test_each_process_is_given_the_time_to_start_that_the_first_was_given() -> None:
    late = CommandTarget(("sh", "-c", 'sleep 1.5; exec "$0" -m mcp_tasks_reference --stdio', sys.executable))
    options = RunOptions(fresh=True, pace=Pace(request_s=1.0, start_s=30.0))
    events: list[Event] = []

    def tell(event: Event) -> None:
        events.append(event)

    asyncio.run(Run(scenario(WORKS), late, lambda _: PROFILE, options, tell).run())
    (finished,) = [event for event in events if isinstance(event, ScenarioFinished)]
    assert finished.outcome is ScenarioOutcome.PASSED, finished.reason


def test_the_last_words_told_are_those_of_the_process_that_died() -> None:
    command = [sys.executable, str(Path(difficult.__file__)), "dies-over=tasks/list", "--stdio"]
    fatal = scenario(f"- send: tasks/list\n  expect: {{result: {{}}}}\n  proves: {PROVES}", "fatal")
    wrong = scenario(f"- send: ping\n  expect: {{error: {{}}}}\n  proves: {PROVES}", "wrong")
    fold, events = Fold(requirements().values()), list[Event]()

    def tell(event: Event) -> None:
        events.append(event)
        fold(event)

    options = RunOptions(jobs=1)
    asyncio.run(Run((*fatal, *wrong), CommandTarget(command), lambda _: PROFILE, options, tell).run())
    made = Performance(tuple(events), fold.result(), 0.0)
    assert made.outcomes == {"fatal": ScenarioOutcome.CRASHED, "wrong": ScenarioOutcome.FAILED}
    assert (made.result.stderr_tail or "").endswith("asked for tasks/list")
