"""Which of a target's tools show which behaviours, where no profile says so: careful with what it does not know."""

from __future__ import annotations

from typing import Any

import pytest

from mcp_tasks_conformance.catalog.model import Behaviour, Profile
from mcp_tasks_conformance.engine.behaviours import guess, present
from mcp_tasks_conformance.engine.discovery import Facts


def facts(*tools: Any) -> Facts:
    return Facts("2025-11-25", {}, {}, tools, 0.0)


def tool(name: str, support: str | None = None, **members: Any) -> dict[str, Any]:
    execution = {} if support is None else {"execution": {"taskSupport": support}}
    return {"name": name, "inputSchema": {"type": "object"}, **execution, **members}


def guessed(*tools: Any, loopback: bool = True) -> dict[str, str]:
    return {name: shown.tool for name, shown in guess(facts(*tools), loopback=loopback).behaviours.items()}


def test_task_support_tells_what_a_tool_can_show() -> None:
    assert guessed(tool("a", "required"), tool("b", "optional"), tool("c", "forbidden")) == {
        "task-only": "a",
        "completes": "a",
        "either": "b",
        "plain-only": "c",
    }


@pytest.mark.parametrize("support", [None, "forbidden", "sometimes", 7])
def test_a_tool_without_task_support_is_an_ordinary_one(support: Any) -> None:
    assert guessed(tool("a", support)) == {"plain-only": "a"}


def test_the_first_tool_that_shows_a_behaviour_is_taken() -> None:
    assert guessed(tool("a", "optional"), tool("b", "optional")) == {"either": "a", "completes": "a"}


def test_a_destructive_tool_is_never_called() -> None:
    assert guessed(tool("drop", "optional", annotations={"destructiveHint": True})) == {}


@pytest.mark.parametrize(
    ("annotations", "called"),
    [
        (None, False),
        ({}, False),
        ({"readOnlyHint": False}, False),
        ({"readOnlyHint": True}, True),
        ({"destructiveHint": False}, True),
        ({"destructiveHint": True, "readOnlyHint": True}, True),
        ("odd", False),
    ],
)
def test_on_another_machine_only_what_is_said_to_be_harmless_is_called(annotations: Any, called: bool) -> None:
    assert bool(guessed(tool("a", "optional", annotations=annotations), loopback=False)) is called


def test_arguments_are_made_from_the_input_schema() -> None:
    schema = {"type": "object", "properties": {"n": {"type": "integer", "minimum": 3}}, "required": ["n"]}
    found = guess(facts(tool("a", "optional", inputSchema=schema)), loopback=True)
    assert found.behaviours["completes"].arguments == {"n": 3}


@pytest.mark.parametrize("odd", [{"name": 7}, {}, {"name": "a", "inputSchema": 7}, {"name": "a", "execution": []}])
def test_odd_entries_of_the_list_do_no_harm(odd: Any) -> None:
    assert set(guessed(odd)) <= {"plain-only"}


def test_a_profile_loses_what_the_target_does_not_have_and_says_so() -> None:
    behaviours = {name: Behaviour(name, name, {}, 20) for name in ("completes", "slow")}
    found = present(Profile("sample", behaviours, missing={"floods": "it would hurt"}), facts(tool("slow")))
    assert set(found.behaviours) == {"slow"}
    assert found.missing == {"floods": "it would hurt", "completes": "the target has no tool completes"}
