"""The profile `official`, on a server with the tools of the official MCP conformance suite."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import pytest

from mcp_tasks_conformance.catalog.behaviours import BEHAVIOURS
from mcp_tasks_conformance.catalog.model import Profile
from mcp_tasks_conformance.catalog.profiles import built_in_profiles, load_profile
from mcp_tasks_conformance.engine.options import RunOptions
from mcp_tasks_conformance.engine.verifying import Claimed
from mcp_tasks_conformance.events import ScenarioOutcome
from mcp_tasks_conformance.targets.in_process import InProcessTarget
from tests.engine.theatre import Performance, perform
from tests.scenarios.library import LIBRARY

REPOSITORY = Path(__file__).parents[2]


@cache
def official() -> Profile:
    return load_profile(built_in_profiles()["official"], LIBRARY.requirements)


@cache
def performed() -> Performance:
    """Everything in the library."""
    target = InProcessTarget("tests.engine.data.official:create", ())
    return perform(tuple(LIBRARY.scenarios.values()), target=target, profile=Claimed(official()), options=RunOptions())


def test_it_says_of_every_behaviour_which_tool_shows_it_or_why_none_does() -> None:
    assert {*official().behaviours, *official().missing} == set(BEHAVIOURS)


def test_every_tool_does_what_it_is_said_to_do() -> None:
    assert performed().result.target["notes"] == []


def test_a_sound_server_with_these_tools_is_conformant() -> None:
    amiss = {key: event.reason for key, event in performed().finished.items() if event.outcome not in FINE}
    assert amiss == {}
    assert performed().result.exit_code == 0


FINE = (ScenarioOutcome.PASSED, ScenarioOutcome.WARNED, ScenarioOutcome.NOT_APPLICABLE)


@pytest.mark.parametrize("behaviour", sorted(official().behaviours))
def test_each_behaviour_is_used_by_a_scenario_that_passes(behaviour: str) -> None:
    passed = {event.key.partition("[")[0] for event in performed().result.scenarios if event.outcome == "passed"}
    users = [key for key, scenario in LIBRARY.scenarios.items() if behaviour in scenario.needs.behaviours]
    assert passed.intersection(key.partition("[")[0] for key in users)


def test_a_run_names_it_by_its_name(tmp_path: Path) -> None:
    results = tmp_path / "results.json"
    server = f"{sys.executable} -m tests.engine.data.official"
    run = ["run", "--command", server, "--profile", "official", "--results", str(results)]
    which = ["--scenario", "v1/receiver/tools/required-*", "--scenario", "v1/receiver/lifecycle/begins-working"]
    done = subprocess.run(
        [sys.executable, "-m", "mcp_tasks_conformance", *run, *which],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    told: Mapping[str, object] = json.loads(results.read_text())
    assert isinstance(told["scenarios"], list)
    assert {row["outcome"] for row in told["scenarios"]} == {"passed"}
