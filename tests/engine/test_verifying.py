"""A tool that does not behave as the profile says leaves its scenarios inconclusive, with what it did instead."""

from __future__ import annotations

from dataclasses import replace

import pytest

from mcp_tasks_conformance.catalog.model import Behaviour, Profile
from mcp_tasks_conformance.catalog.profiles import built_in_profiles, load_profile
from mcp_tasks_conformance.engine.verifying import Claimed
from mcp_tasks_conformance.events import Outcome, ScenarioOutcome
from mcp_tasks_conformance.targets.bundled import bundled
from mcp_tasks_conformance.targets.in_process import InProcessTarget
from tests.engine.theatre import Performance, perform, scenario


def performed(behaviour: str, tool: str, *flaws: str) -> Performance:
    """One scenario of the behaviour on the bundled server, where the profile maps it to a tool."""
    reference = load_profile(built_in_profiles()["reference"], ())
    mapped = replace(reference.behaviours[behaviour], tool=tool)
    profile = replace(reference, behaviours={**reference.behaviours, behaviour: mapped})
    stories = scenario(
        f"""
        - start_task: {{behaviour: {behaviour}, as: job}}
        - await_status: {{task: $job, is: terminal}}
          proves: v1.get.unknown-id
        """
    )
    return perform(stories, target=bundled("memory", flaws), profile=Claimed(profile))


@pytest.mark.parametrize(
    ("behaviour", "tool", "instead"),
    [
        ("completes", "asks-elicitation", "asked for elicitation/create once"),
        ("completes", "fails-tool-error", "ended with isError true"),
        ("completes", "fails-rpc-error", "had tools/call answered with -32050"),
        ("slow", "asks-many", "asked for elicitation/create 3 times"),
        ("structured", "completes", "gave no structuredContent"),
        ("fails-tool-error", "completes", "succeeded"),
        ("fails-tool-error", "fails-rpc-error", "had tools/call answered with -32050"),
        ("fails-rpc-error", "fails-tool-error", "ended with isError true"),
        ("asks-elicitation", "completes", "asked for nothing and succeeded"),
        ("asks-elicitation", "asks-sampling", "asked for sampling/createMessage once"),
        ("asks-many", "asks-twice", "asked for elicitation/create 2 times"),
        ("task-only", "either", "is listed with taskSupport optional"),
        ("either", "plain-only", "is listed with taskSupport forbidden"),
    ],
)
def test_it_is_told_what_a_tool_did_instead_and_nothing_is_judged(behaviour: str, tool: str, instead: str) -> None:
    made = performed(behaviour, tool)
    assert made.one.outcome is ScenarioOutcome.INCONCLUSIVE
    assert made.one.reason is not None
    assert made.one.reason.startswith(f"for {behaviour}, the tool {tool} {instead}")
    assert not made.one.checks
    assert any(instead in str(note) for note in made.result.target["notes"])  # type: ignore[union-attr]


def test_a_right_profile_stands_without_a_word() -> None:
    reference = load_profile(built_in_profiles()["reference"], ())
    steps = "- start_task: {behaviour: completes, as: job}\n- await_status: {task: $job, is: completed}"
    made = perform(scenario(steps), target=bundled("memory"), profile=Claimed(reference))
    assert made.one.outcome is ScenarioOutcome.PASSED
    assert made.result.target["notes"] == []


@pytest.mark.parametrize("fault", ["tool-error-completes", "success-fails", "rpc-error-completes"])
@pytest.mark.parametrize("behaviour", ["completes", "fails-tool-error", "fails-rpc-error"])
def test_a_target_that_spoils_what_its_tools_do_in_tasks_is_not_spared(fault: str, behaviour: str) -> None:
    made = performed(behaviour, behaviour, "--fault", fault)
    assert made.one.outcome is ScenarioOutcome.PASSED
    assert [check.outcome for check in made.checks()] == [Outcome.PASS]


def test_a_tool_that_nobody_lists_is_no_ones_contradiction() -> None:
    mapped = Behaviour("completes", "completes", {}, 20)
    steps = "- start_task: {behaviour: completes, as: job}\n- await_status: {task: $job, is: completed}"
    made = perform(scenario(steps), target=bundled("memory"), profile=Claimed(Profile("one", {"completes": mapped})))
    assert made.one.outcome is ScenarioOutcome.PASSED


def test_a_tool_whose_tasks_end_as_cancelled_of_themselves_is_told_of_once_and_nothing_is_judged_by_it() -> None:
    target = InProcessTarget("tests.engine.data.difficult:create", ["gives-up"])
    reference = load_profile(built_in_profiles()["reference"], ())
    names = ("completes", "slow", "asks-elicitation", "fails-rpc-error")
    tools = {"slow": "completes"}
    behaviours = {name: replace(reference.behaviours[name], tool=tools.get(name, name), place=None) for name in names}
    stories = scenario(
        """
        - start_task: {behaviour: $what, as: job}
        - await_status: {task: $job, is: terminal}
          proves: v1.get.unknown-id
        """,
        each="{what: [completes, slow, asks-elicitation, fails-rpc-error]}",
    )
    made = perform(stories, target=target, profile=Claimed(Profile("mine", behaviours)))
    said = "ended as cancelled, though nobody had cancelled it"
    reasons = {key: ended.reason for key, ended in made.finished.items()}
    assert reasons == {
        "one[what=completes]": f"for completes, the tool completes {said}",
        "one[what=slow]": f"for slow, the tool completes {said}",
        "one[what=asks-elicitation]": f"for asks-elicitation, the tool asks-elicitation {said}",
        "one[what=fails-rpc-error]": None,
    }
    assert made.result.target["notes"] == [
        f"the tool completes {said}, which is not completes or slow",
        f"the tool asks-elicitation {said}, which is not asks-elicitation",
    ]
