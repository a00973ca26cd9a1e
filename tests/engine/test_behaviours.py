"""A profile as far as the target has its tools; what it has not is told to whoever wrote the profile."""

from __future__ import annotations

from pathlib import Path

import pytest

from mcp_tasks_conformance.catalog.model import Behaviour, Place, Profile
from mcp_tasks_conformance.engine.behaviours import not_shown, present
from mcp_tasks_conformance.engine.discovery import Facts
from mcp_tasks_conformance.targets.errors import UnreachableTarget

PLACE = Place(Path("mine.yaml"), 3, 3)


def facts(*tools: str, problem: str | None = None) -> Facts:
    return Facts("2025-11-25", {}, {}, tuple({"name": name} for name in tools), 0.0, problem)


def profile(**tools: str) -> Profile:
    named = {name.replace("_", "-"): tool for name, tool in tools.items()}
    return Profile("mine", {name: Behaviour(name, tool, {}, 20, place=PLACE) for name, tool in named.items()})


def test_a_profile_loses_what_the_target_does_not_have_and_gives_the_reason() -> None:
    found = present(profile(completes="build", slow="buidl"), facts("build", "other"))
    assert set(found.behaviours) == {"completes"}
    assert found.missing == {"slow": "the target has no tool buidl"}


def test_a_tool_that_is_not_there_is_told_with_its_line_a_suggestion_and_all_that_it_takes_away() -> None:
    found = present(profile(completes="build", slow="buidl", task_only="buidl"), facts("build"))
    assert found.notes == (
        "mine.yaml:3: the target has no tool buidl (did you mean `build`?); not exercised for that: slow, task-only",
    )


def test_a_profile_none_of_whose_tools_is_there_cannot_be_used() -> None:
    with pytest.raises(UnreachableTarget, match="none of the tools of the profile mine is there") as caught:
        present(profile(completes="build"), facts("brew"))
    assert "mine.yaml:3" in str(caught.value.hint)


def test_where_the_tools_could_not_be_listed_a_profile_is_believed() -> None:
    found = present(profile(completes="build"), facts(problem="tools/list was not answered"))
    assert set(found.behaviours) == {"completes"}
    assert "tools/list was not answered" in found.notes[0]


def test_each_behaviour_without_a_tool_has_the_line_that_would_name_one() -> None:
    mine = Profile("mine", {"slow": Behaviour("slow", "a", {}, 400)}, missing={"logs": "it is silent"})
    rows = {str(row["behaviour"]): row for row in not_shown(mine) if isinstance(row, dict)}
    assert len(rows) == 16
    assert rows["logs"] == {
        "behaviour": "logs",
        "reason": "it is silent",
        "line": "logs: {tool: TOOL, duration_ms: 1000}",
    }
