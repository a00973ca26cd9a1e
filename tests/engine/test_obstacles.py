"""The reasons of a plan are those that verdicts weigh against each other."""

from __future__ import annotations

import pytest

from mcp_tasks_conformance.engine.discovery import Facts
from mcp_tasks_conformance.engine.planning import Circumstances, plan
from mcp_tasks_conformance.verdicts import obstacles
from tests.engine.theatre import PROFILE, scenario

NOTHING = Facts("2025-11-25", {"name": "sample"}, {"tools": {}}, (), 0.0, sessions=False)
STDIO = Circumstances("stdio", restartable=False, identities=0, anonymous=False, intensity="normal")
STEPS = "- send: tasks/list\n  expect: {result: {tasks: []}}\n  proves: v1.list.complete"
NEEDS = (
    "{transports: http}",
    "{capabilities: tasks.list}",
    "{lacks: tools}",
    "{identities: 2}",
    "{sessions: true}",
    "{anonymous: true}",
    "{connections: 2}",
    "{own_process: true}",
    "{durable: true}",
    "{intensity: full}",
    "{behaviour: floods}",
)


@pytest.mark.parametrize("needs", NEEDS)
def test_each_reason_of_a_plan_has_its_rank(needs: str) -> None:
    (planned,) = plan(scenario(STEPS, needs=needs), NOTHING, PROFILE, STDIO)
    assert planned.skip is not None
    assert all(obstacles._rank(part) != obstacles._TOLD for part in obstacles._parts(planned.skip))
