"""Tools that run only as tasks, of which the only one asks its requestor something."""

from __future__ import annotations

import pytest

from mcp_tasks_conformance.catalog.model import Behaviour, Profile
from mcp_tasks_conformance.events import Outcome, ScenarioOutcome
from mcp_tasks_conformance.targets.in_process import InProcessTarget
from tests.engine.theatre import Performance, perform
from tests.scenarios.library import LIBRARY

PROFILE = Profile("curious", {"task-only": Behaviour("task-only", "ask", {}, 50)})
REFUSED = "v1.tool.required-rejects-plain"


def performed(name: str, kind: str) -> Performance:
    target = InProcessTarget("tests.engine.data.tool_lists:create", (kind,))
    return perform([LIBRARY.scenarios[f"v1/receiver/tools/{name}"]], target=target, profile=PROFILE)


@pytest.mark.parametrize("name", ["required-plainly-refused", "required-as-task-accepted"])
def test_any_such_tool_will_do(name: str) -> None:
    assert performed(name, "curious").one.outcome is ScenarioOutcome.PASSED


def test_one_that_runs_plainly_and_asks_is_answered_and_found_out() -> None:
    made = performed("required-plainly-refused", "lax")
    assert {check.requirement: check.outcome for check in made.one.checks if check.outcome is not Outcome.PASS} == {
        REFUSED: Outcome.FAIL
    }
