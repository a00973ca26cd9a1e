"""Scenarios about a short ttl, on tools that take longer than it."""

from __future__ import annotations

import pytest

from mcp_tasks_conformance.catalog.model import Behaviour, Profile
from mcp_tasks_conformance.events import ScenarioOutcome
from mcp_tasks_conformance.targets.bundled import bundled
from tests.engine.theatre import perform
from tests.scenarios.library import LIBRARY

LEISURELY = Profile(
    "leisurely", {"completes": Behaviour("completes", "slow", {}, 900), "slow": Behaviour("slow", "slow", {}, 600)}
)
"""Whatever is asked of it takes 0.6 s, and is said to take half as long again, as a profile of `auto` says."""


@pytest.mark.parametrize(
    "name",
    [
        "ttl/kept-for-its-ttl",
        "ttl/gone-or-kept-after-its-end",
        "ttl/cancelled-after-its-end",
        "ttl/expires-while-awaited",
        "ttl/long-ttl-kept",
    ],
)
@pytest.mark.parametrize("options", [(), ("--poll-interval", "1000")], ids=["quick-polls", "slow-polls"])
def test_a_task_that_outlasts_a_short_ttl_is_judged_all_the_same(name: str, options: tuple[str, ...]) -> None:
    scenario = LIBRARY.scenarios[f"v1/receiver/{name}"]
    made = perform([scenario], target=bundled("memory", options), profile=LEISURELY)
    assert made.one.outcome is ScenarioOutcome.PASSED, made.one.reason
