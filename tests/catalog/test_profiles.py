"""Profiles say which tool shows which behaviour."""

from __future__ import annotations

from pathlib import Path

import pytest

from mcp_tasks_conformance.catalog.behaviours import BEHAVIOURS
from mcp_tasks_conformance.catalog.model import Behaviour, Profile
from mcp_tasks_conformance.catalog.problems import CatalogError
from mcp_tasks_conformance.catalog.profiles import built_in_profiles, load_profile
from tests.catalog.broken import Broken, cases
from tests.catalog.samples import SMALL

REPOSITORY = Path(__file__).parents[2]


@cases("profiles")
def test_a_wrong_profile_is_told_with_its_place(broken: Broken, tmp_path: Path) -> None:
    file = tmp_path / "profile.yaml"
    file.write_text(broken.file)
    with pytest.raises(CatalogError) as caught:
        load_profile(file, SMALL.requirements)
    assert str(caught.value).splitlines() == [f"{file}:{line}" for line in broken.says]


def test_a_profile_is_read_whole(tmp_path: Path) -> None:
    file = tmp_path / "profile.yaml"
    file.write_text(
        """
        profile: mine
        behaviours:
          slow: {tool: research, arguments: {topic: $5, depth: [1, null]}, duration_ms: 4000}
          counts: {tool: tick, duration_ms: 100, read: {}}
        claims: quality.get-prompt
        missing: {floods: no tool of it asks anything}
        """
    )
    assert load_profile(file, SMALL.requirements) == Profile(
        name="mine",
        behaviours={
            "slow": Behaviour("slow", "research", {"topic": "$5", "depth": [1, None]}, 4000),  # type: ignore[dict-item]
            "counts": Behaviour("counts", "tick", {}, 100, {}),
        },
        claims=("quality.get-prompt",),
        missing={"floods": "no tool of it asks anything"},
    )


def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(CatalogError, match="the file cannot be read"):
        load_profile(tmp_path / "none.yaml", SMALL.requirements)


def test_the_bundled_server_shows_every_behaviour_by_a_tool_of_its_name() -> None:
    profile = load_profile(built_in_profiles()["reference"], SMALL.requirements)
    assert profile.name == "reference"
    assert {name: behaviour.tool for name, behaviour in profile.behaviours.items()} == {
        name: name for name in BEHAVIOURS
    }


def test_the_behaviours_are_those_that_the_contract_describes() -> None:
    rows = (REPOSITORY / "docs/behaviours.md").read_text(encoding="utf-8").splitlines()
    assert tuple(row.split("`")[1] for row in rows if row.startswith("| `")) == BEHAVIOURS
