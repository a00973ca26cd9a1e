"""Runs of which only a part is wanted, all at once or in portions that become known one after another."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Collection, Sequence

from mcp_tasks_conformance.engine.options import RunOptions
from mcp_tasks_conformance.engine.run import Run
from mcp_tasks_conformance.events import (
    Event,
    RunFinished,
    RunStarted,
    ScenarioFinished,
    ScenarioOutcome,
    ScenarioStarted,
)
from mcp_tasks_conformance.selftest.virtual_time import VirtualTimeLoop
from mcp_tasks_conformance.targets.in_process import InProcessTarget
from tests.engine.theatre import PROFILE, PROVES, perform, suite

ROUNDS = suite(f"""
    - id: work
      title: Work begins
      each: {{round: [one, two, three]}}
      steps:
        - start_task: {{behaviour: completes, meta: {{round: $round}}}}
          expect: {{result: {{task: {{status: working}}}}}}
          proves: {PROVES}
""")
KEYS = tuple(f"v1/receiver/try/work[round={number}]" for number in ("one", "two", "three"))


def _told(portions: Sequence[Collection[str]]) -> list[Event]:
    events: list[Event] = []

    async def in_turn() -> AsyncGenerator[Collection[str], None]:
        for portion in portions:
            yield portion

    target = InProcessTarget("tests.engine.data.server:create")
    run = Run(ROUNDS, target, lambda _: PROFILE, RunOptions(), lambda event: events.append(event), in_turn())

    async def whole() -> None:
        await run.run()
        assert asyncio.all_tasks() == {asyncio.current_task()}

    with asyncio.Runner(loop_factory=VirtualTimeLoop) as runner:
        runner.run(whole())
    return events


def _outcomes(events: Sequence[Event]) -> dict[str, ScenarioOutcome]:
    return {event.key: event.outcome for event in events if isinstance(event, ScenarioFinished)}


def test_only_the_runs_that_are_wanted_are_planned_and_done() -> None:
    made = perform(ROUNDS, options=RunOptions(only={KEYS[1]}))
    assert made.outcomes == {"work[round=two]": ScenarioOutcome.PASSED}
    assert [row.key for row in made.result.scenarios] == [KEYS[1]]


def test_each_portion_is_done_before_the_next_begins_and_all_on_one_instance() -> None:
    events = _told([KEYS[:1], KEYS[1:]])
    assert _outcomes(events) == dict.fromkeys(KEYS, ScenarioOutcome.PASSED)
    began_or_ended = [(type(e), e.key) for e in events if isinstance(e, ScenarioStarted | ScenarioFinished)]
    assert began_or_ended[:2] == [(ScenarioStarted, KEYS[0]), (ScenarioFinished, KEYS[0])]
    assert len([event for event in events if isinstance(event, RunStarted)]) == 1
    last = events[-1]
    assert isinstance(last, RunFinished)
    assert last.reason is None


def test_what_no_portion_asked_for_is_planned_and_told_as_not_run() -> None:
    events = _told([KEYS[:1]])
    assert _outcomes(events) == {
        KEYS[0]: ScenarioOutcome.PASSED,
        KEYS[1]: ScenarioOutcome.NOT_RUN,
        KEYS[2]: ScenarioOutcome.NOT_RUN,
    }
