"""Lists of tools that are long, paged or wrong: what can be used is used, and what is odd is told."""

from __future__ import annotations

from typing import Any

import pytest

from mcp_tasks_conformance.catalog.model import Behaviour, Profile
from mcp_tasks_conformance.engine.verifying import Claimed
from mcp_tasks_conformance.events import ScenarioOutcome
from mcp_tasks_conformance.targets.in_process import InProcessTarget
from tests.engine.theatre import Performance, perform, scenario

PROFILE = Profile("small", {"completes": Behaviour("completes", "completes", {}, 20)})
WORKS = scenario(
    """
    - start_task: {behaviour: completes, as: job}
    - await_status: {task: $job, is: completed}
    """
)


def listed(kind: str) -> tuple[Performance, dict[str, Any]]:
    target = InProcessTarget("tests.engine.data.tool_lists:create", (kind,))
    made = perform(WORKS, target=target, profile=PROFILE)
    return made, dict(made.result.target)


def test_all_pages_are_read() -> None:
    _, target = listed("thousand")
    assert target["tools"] == 1000
    assert "problem" not in target


@pytest.mark.parametrize(
    ("kind", "problem"),
    [
        ("circles", "tools/list goes round in circles"),
        ("endless", "tools/list has more than 100 pages"),
        ("no-list", "tools/list was not answered with a list of tools"),
    ],
)
def test_a_list_that_cannot_be_read_to_its_end_is_told_and_the_rest_judged(kind: str, problem: str) -> None:
    made, target = listed(kind)
    assert target["problem"].startswith(problem)
    assert kind != "circles" or target["notes"][0] == target["problem"]
    assert made.one.outcome is ScenarioOutcome.PASSED


def test_odd_entries_are_told_and_left_out() -> None:
    made, target = listed("odd-entries")
    assert target["tools"] == 1
    assert target["notes"] == [
        "tools/list has an entry that is no tool but integer",
        "tools/list has an entry that is no tool but null",
        'tools/list has a tool without a name: {"inputSchema": {}}',
        'tools/list has a tool without a name: {"name": 7}',
        'tools/list has a tool without a name: {"name": ""}',
        'tools/list has the tool "completes" twice; the first counts',
    ]
    assert made.one.outcome is ScenarioOutcome.PASSED


def test_a_claimed_profile_is_used_where_the_list_cannot_be_read() -> None:
    target = InProcessTarget("tests.engine.data.tool_lists:create", ("no-list",))
    made = perform(WORKS, target=target, profile=Claimed(PROFILE))
    assert made.one.outcome is ScenarioOutcome.PASSED
