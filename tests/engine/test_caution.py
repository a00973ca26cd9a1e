"""Which tools of an unknown target are tried: careful with what nobody said to be harmless, and bounded."""

from __future__ import annotations

from typing import Any

import pytest

from mcp_tasks_conformance.engine.caution import MOST_PLAIN_TOOLS, MOST_TASK_TOOLS, TrialPlan, trial_plan
from mcp_tasks_conformance.engine.discovery import Facts

TASKS: dict[str, Any] = {"tasks": {"requests": {"tools": {"call": {}}}}, "tools": {}}


def facts(*tools: Any, capabilities: Any = TASKS) -> Facts:
    return Facts("2025-11-25", {}, capabilities, tools, 0.0)


def tool(name: str, support: Any = None, **members: Any) -> dict[str, Any]:
    execution = {} if support is None else {"execution": {"taskSupport": support}}
    return {"name": name, "inputSchema": {"type": "object"}, **execution, **members}


def names(plan: TrialPlan) -> tuple[list[str], list[str], list[str]]:
    tried = [c.tool for c in plan.as_tasks], [c.tool for c in plan.plainly]
    return *tried, [one.candidate.tool for one in plan.spared]


def test_tools_that_must_be_tasks_come_first_and_ordinary_ones_apart() -> None:
    plan = trial_plan(facts(tool("a"), tool("b", "optional"), tool("c", "required")), on_this_machine=True)
    assert names(plan) == (["c", "b"], ["a"], [])


@pytest.mark.parametrize("support", [None, "forbidden", "sometimes", 7])
def test_a_tool_without_task_support_is_an_ordinary_one(support: Any) -> None:
    assert names(trial_plan(facts(tool("a", support)), on_this_machine=True)) == ([], ["a"], [])


@pytest.mark.parametrize("annotations", [{"destructiveHint": True}, {"destructiveHint": True, "readOnlyHint": False}])
@pytest.mark.parametrize("on_this_machine", [True, False])
def test_a_destructive_tool_is_called_by_the_users_word_alone_and_last(annotations: Any, on_this_machine: bool) -> None:
    listed = facts(tool("drop", "required", annotations=annotations), tool("a", "optional"))
    unasked = trial_plan(listed, on_this_machine=on_this_machine)
    assert "drop" in [one.candidate.tool for one in unasked.spared]
    assert unasked.spared[0].why == "annotated destructive (--try-tools or a profile has it tried)"
    assert names(trial_plan(listed, on_this_machine=on_this_machine, try_tools=True)) == (["a", "drop"], [], [])


@pytest.mark.parametrize("on_this_machine", [True, False])
def test_beside_read_only_destructive_means_nothing(on_this_machine: bool) -> None:
    listed = facts(tool("look", "optional", annotations={"destructiveHint": True, "readOnlyHint": True}))
    assert names(trial_plan(listed, on_this_machine=on_this_machine)) == (["look"], [], [])


@pytest.mark.parametrize(
    ("annotations", "called"),
    [
        (None, False),
        ({}, False),
        ({"readOnlyHint": False}, False),
        ({"readOnlyHint": True}, True),
        ({"destructiveHint": False}, True),
        ("odd", False),
    ],
)
def test_on_another_machine_only_what_is_said_to_be_harmless_is_called(annotations: Any, called: bool) -> None:
    listed = facts(tool("a", "optional", annotations=annotations))
    assert bool(trial_plan(listed, on_this_machine=False).as_tasks) is called
    assert trial_plan(listed, on_this_machine=False, try_tools=True).as_tasks
    assert trial_plan(listed, on_this_machine=True).as_tasks


def test_of_a_thousand_tools_a_few_are_tried_and_the_others_told() -> None:
    many = [tool(f"t{n}", "optional") for n in range(500)] + [tool(f"p{n}") for n in range(500)]
    plan = trial_plan(facts(*many, tool("last", "required")), on_this_machine=True)
    assert len(plan.as_tasks) == MOST_TASK_TOOLS
    assert len(plan.plainly) == MOST_PLAIN_TOOLS
    assert plan.as_tasks[0].tool == "last"
    assert len(plan.spared) == 1001 - MOST_TASK_TOOLS - MOST_PLAIN_TOOLS


def test_where_tool_calls_are_not_served_as_tasks_none_is_asked_for() -> None:
    plan = trial_plan(facts(tool("a", "optional"), capabilities={"tools": {}, "tasks": {}}), on_this_machine=True)
    assert [candidate.as_task for candidate in plan.as_tasks] == [False]
