"""Verbs about the target's process: restart and memory."""

from __future__ import annotations

import asyncio
from pathlib import Path

from mcp_tasks_conformance.engine.options import RunOptions
from mcp_tasks_conformance.engine.run import Run
from mcp_tasks_conformance.events import Event, Outcome, ScenarioFinished, ScenarioOutcome
from mcp_tasks_conformance.targets.bundled import bundled
from tests.engine.theatre import PROFILE, PROVES, perform, scenario


def run(steps: str, *flags: str, **members: str) -> ScenarioFinished:
    """Run one scenario against the bundled server over stdio."""
    events: list[Event] = []

    def tell(event: Event) -> None:
        events.append(event)

    made = Run(scenario(steps, **members), bundled("stdio", flags), lambda _: PROFILE, RunOptions(), tell)
    asyncio.run(made.run())
    (finished,) = (event for event in events if isinstance(event, ScenarioFinished))
    return finished


FOUND_AGAIN = f"""
- start_task: {{behaviour: completes, as: job}}
- await_status: {{task: $job, is: terminal}}
- restart: {{}}
- send: tasks/get
  params: {{taskId: $job.taskId}}
  expect: {{result: {{taskId: $job.taskId}}}}
  proves: {PROVES}
"""


def test_after_a_restart_the_connections_are_there_again_and_so_is_what_was_stored(tmp_path: Path) -> None:
    found = run(FOUND_AGAIN, "--store", str(tmp_path / "tasks.sqlite"), sharing="own_process")
    assert found.outcome is ScenarioOutcome.PASSED, found.reason


def test_after_a_restart_what_was_in_memory_is_gone() -> None:
    found = run(FOUND_AGAIN, sharing="own_process")
    assert found.outcome is ScenarioOutcome.FAILED


def test_a_restarted_process_is_a_new_receiver_to_the_monitors(tmp_path: Path) -> None:
    found = run(FOUND_AGAIN, "--store", str(tmp_path / "tasks.sqlite"), sharing="own_process")
    watched = [check for check in found.checks if check.source.startswith("monitor")]
    assert watched
    assert {check.outcome for check in watched} == {Outcome.PASS}


MEMORY = f"""
- memory: {{as: before}}
- memory: {{above: $before, at_most_mb: 200}}
  proves: {PROVES}
"""


def test_memory_that_has_not_grown_passes() -> None:
    found = run(f"- start_task: {{behaviour: completes}}\n{MEMORY}")
    assert [check.outcome for check in found.checks if check.requirement == PROVES] == [Outcome.PASS]


def test_the_memory_of_what_is_not_ours_leaves_nothing_to_judge() -> None:
    assert perform(scenario(MEMORY)).one.outcome is ScenarioOutcome.NOT_APPLICABLE
