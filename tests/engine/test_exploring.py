"""Trying the tools of whole servers in memory: the bundled one, its unusual variants, and some that mean harm."""

from __future__ import annotations

import asyncio

import pytest

from mcp_tasks_conformance.catalog.behaviours import BEHAVIOURS
from mcp_tasks_conformance.engine.caution import MOST_TASK_TOOLS, trial_plan
from mcp_tasks_conformance.engine.exploring import UNTOLD, Exploration, explore
from mcp_tasks_conformance.engine.options import RunOptions
from mcp_tasks_conformance.engine.reaching import reach
from mcp_tasks_conformance.engine.stages import Stages
from mcp_tasks_conformance.engine.trials import BUDGET_S
from mcp_tasks_conformance.monitors.registry import monitors_for
from mcp_tasks_conformance.selftest.virtual_time import VirtualTimeLoop
from mcp_tasks_conformance.targets.bundled import bundled
from mcp_tasks_conformance.targets.in_process import InProcessTarget
from mcp_tasks_conformance.targets.pool import InstancePool
from mcp_tasks_conformance.targets.target import Target


def explored(target: Target) -> tuple[Exploration, float]:
    """What trying its tools came to, and how long it took by the loop's clock."""

    async def exploring() -> tuple[Exploration, float]:
        options = RunOptions()
        async with InstancePool(target) as pool:
            stages = Stages(target, pool, lambda: monitors_for("v1", "server"), options.doors, options.pace)
            facts = await reach(stages)
            began = asyncio.get_running_loop().time()
            found = await explore(stages, trial_plan(facts, on_this_machine=True))
            lasted = asyncio.get_running_loop().time() - began
        left = asyncio.all_tasks() - {asyncio.current_task()}
        assert not left, f"tasks are left: {left}"
        return found, lasted

    with asyncio.Runner(loop_factory=VirtualTimeLoop) as runner:
        return runner.run(exploring())


def tools(found: Exploration) -> dict[str, str]:
    return {name: behaviour.tool for name, behaviour in found.profile.behaviours.items()}


def test_everything_that_watching_can_tell_is_found_of_the_bundled_server() -> None:
    found, lasted = explored(bundled("memory"))
    assert tools(found) == {name: name for name in BEHAVIOURS if name not in UNTOLD}
    assert found.amiss == {}
    assert lasted < 5


def test_what_is_not_found_is_told_with_the_reason() -> None:
    found, _ = explored(bundled("memory"))
    assert {name: found.profile.unseen[name] for name in UNTOLD} == dict.fromkeys(UNTOLD, "one call cannot tell")


@pytest.mark.parametrize("variant", ["poll-interval-5s", "polls-limited", "questions-on-result", "ends-at-once"])
def test_unusual_servers_show_their_tools_too(variant: str) -> None:
    found, _ = explored(bundled("memory", ["--variant", variant]))
    assert {"completes", "slow", "fails-tool-error", "fails-rpc-error", "asks-many"} <= set(tools(found))


def test_a_breach_that_a_trial_shows_is_not_lost() -> None:
    found, _ = explored(bundled("memory", ["--fault", "created-at-moves"]))
    assert any("in the trial of" in said for said in found.amiss.values())


@pytest.mark.parametrize("husk", ["courteous-empty", "courteous-32602", "courteous-32601"])
def test_a_husk_shows_nothing_and_is_judged_all_the_same(husk: str) -> None:
    found, _ = explored(bundled("memory", ["--husk", husk]))
    assert set(tools(found)) <= {"completes", "task-only", "either"}
    assert "is used all the same" in found.profile.notes[0]


def test_no_trial_outlasts_the_budget_of_all() -> None:
    found, lasted = explored(InProcessTarget("tests.engine.data.misbehaving:create", ("wedged", "tools/call")))
    assert lasted < 3 * BUDGET_S
    assert not set(tools(found)) - {"completes", "either"}


def odd(kind: str) -> Target:
    return InProcessTarget("tests.engine.data.tool_lists:create", (kind,))


def test_a_thousand_tools_are_listed_a_few_are_tried_and_the_others_told() -> None:
    found, lasted = explored(odd("thousand"))
    assert len(found.sightings) == MOST_TASK_TOOLS
    assert f"and {1000 - MOST_TASK_TOOLS - 5} more: no more than {MOST_TASK_TOOLS}" in found.profile.notes[0]
    assert found.profile.offers["logs"].startswith("logs: {tool: ")
    assert lasted < 5


def test_a_tool_that_runs_only_as_a_task_is_one_whatever_it_asks() -> None:
    found, _ = explored(odd("curious"))
    assert tools(found)["task-only"] == "ask"


def test_a_tool_that_is_told_how_long_to_work_is_found_to_be_slow() -> None:
    found, lasted = explored(odd("obliging"))
    assert tools(found)["slow"] == "work"
    assert lasted < 3


def test_a_tool_that_asks_without_end_is_left_alone() -> None:
    found, lasted = explored(odd("insatiable"))
    assert {seen.said for seen in found.sightings if seen.candidate.as_task} == {"asked more than 6 times"}
    assert lasted < 20


def test_a_tool_that_ends_the_target_takes_no_other_with_it() -> None:
    found, _ = explored(odd("lethal"))
    lost = [seen.candidate.tool for seen in found.sightings if seen.lost]
    assert lost == ["slow"]
    assert {"completes", "asks-elicitation", "plain-only"} <= set(tools(found))


def test_a_tool_that_ends_the_target_is_told() -> None:
    found, _ = explored(odd("lethal"))
    lost = "lost us the target (the application failed: RuntimeError: the server died)"
    assert found.profile.notes == (f"the tool slow, called as a task in its trial, {lost}",)


def test_a_tool_that_silences_the_target_is_told_and_takes_no_other_with_it() -> None:
    found, lasted = explored(odd("numbing"))
    silenced = [note for note in found.profile.notes if note.endswith("answered nothing any more, ping neither")]
    assert silenced
    assert all(note.startswith("the tool slow, called ") for note in silenced)
    assert {"completes", "asks-elicitation", "plain-only"} <= set(tools(found))
    assert lasted < 4 * BUDGET_S
