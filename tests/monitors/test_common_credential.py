"""Sessions that all carry one credential share its tasks; those without any do not."""

from __future__ import annotations

import asyncio

from mcp_tasks_conformance.engine.options import RunOptions
from mcp_tasks_conformance.engine.run import Run
from mcp_tasks_conformance.engine.stage import Doors
from mcp_tasks_conformance.events import Check, Event, Outcome, ScenarioFinished
from mcp_tasks_conformance.targets.bundled import bundled
from tests.engine.theatre import PROFILE, scenario

SESSIONS = "quality.session-isolation"
LISTED = """
- start_task: {behaviour: completes, as: job}
- connect: other
- send: tasks/list
  via: other
  expect: {result: {tasks: {$includes: {taskId: $job.taskId}}}}
"""


def checks(*flags: str, headers: dict[str, str]) -> list[Check]:
    """What is found while a second session lists the task of the first."""
    events: list[Event] = []

    def tell(event: Event) -> None:
        events.append(event)

    options = RunOptions(doors=Doors(headers=headers))
    made = Run(scenario(LISTED), bundled("memory", flags), lambda _: PROFILE, options, tell)
    asyncio.run(made.run())
    (finished,) = (event for event in events if isinstance(event, ScenarioFinished))
    return [check for check in finished.checks if check.requirement == SESSIONS]


def test_a_task_of_the_same_credential_may_be_listed_in_every_session() -> None:
    assert checks(headers={"Authorization": "Bearer everyone"}) == []


def test_a_task_of_a_session_without_credentials_is_found_where_another_lists_it() -> None:
    (found,) = checks("--fault", "sessions-share-tasks", headers={})
    assert found.outcome is Outcome.FAIL
