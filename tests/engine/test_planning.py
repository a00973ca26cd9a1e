"""What applies to a target, and the reason for each thing that does not."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from mcp_tasks_conformance.catalog import library, runs
from mcp_tasks_conformance.catalog.model import Profile
from mcp_tasks_conformance.engine.discovery import Facts
from mcp_tasks_conformance.engine.planning import Circumstances, longest_first, plan
from tests.engine.theatre import PROFILE, scenario, suite

FACTS = Facts("2025-11-25", {"name": "sample"}, {"tools": {}, "tasks": {"cancel": {}, "list": None}}, (), 0.0)
HTTP = Circumstances("http", restartable=True, identities=2)
LISTS = "- send: tasks/list\n  expect: {result: {tasks: []}}\n  proves: v1.list.complete"


def reasons(
    steps: str = LISTS, circumstances: Circumstances = HTTP, profile: Profile = PROFILE, **members: str
) -> list[str | None]:
    return [planned.skip for planned in plan(scenario(steps, **members), FACTS, profile, circumstances)]


def circumstances(**members: Any) -> Circumstances:
    return Circumstances(**{"transport": "http", "restartable": True, "identities": 2, **members})


def test_a_target_without_sessions_is_not_held_to_what_is_about_them() -> None:
    (planned,) = plan(scenario(LISTS, needs="{sessions: true}"), replace(FACTS, sessions=False), PROFILE, HTTP)
    assert planned.skip == "the target keeps no sessions"


@pytest.mark.parametrize(
    ("needs", "met", "reason"),
    [
        ("{capabilities: tasks.cancel}", HTTP, None),
        ("{capabilities: tasks.list}", HTTP, "the target does not declare tasks.list"),
        ("{capabilities: tasks.requests.tools.call}", HTTP, "the target does not declare tasks.requests.tools.call"),
        ("{lacks: tasks.list}", HTTP, None),
        ("{lacks: tasks.cancel}", HTTP, "the target declares tasks.cancel"),
        ("{behaviour: slow}", HTTP, None),
        ("{behaviour: floods}", HTTP, "no tool is known for floods"),
        ("{transports: [stdio, memory]}", HTTP, "it is about stdio or memory"),
        ("{identities: 2}", HTTP, None),
        ("{identities: 2}", circumstances(identities=1), "it needs 2 identities (--identity NAME=HEADER)"),
        ("{connections: 2}", HTTP, None),
        ("{connections: 2}", circumstances(transport="stdio"), "stdio has one connection"),
        ("{sessions: true}", HTTP, None),
        ("{anonymous: true}", circumstances(anonymous=False), "every connection carries credentials"),
        ("{own_process: true}", circumstances(restartable=False), "it needs a process of its own (--command)"),
        ("{durable: true}", HTTP, "the profile does not say that the store is durable"),
        ("{durable: true}", circumstances(durable=True), None),
        ("{intensity: full}", circumstances(intensity="full"), None),
    ],
)
def test_a_need_that_is_not_met_is_a_reason(needs: str, met: Circumstances, reason: str | None) -> None:
    assert reasons(circumstances=met, needs=needs) == [reason]


def test_every_need_that_is_not_met_is_told() -> None:
    told = reasons(needs="{capabilities: tasks.list, transports: [stdio], durable: true}")
    assert told == [
        "it is about stdio; the target does not declare tasks.list; the profile does not say that the store is durable"
    ]


def test_what_the_profile_says_of_a_missing_behaviour_is_told() -> None:
    profile = Profile("sample", {}, missing={"slow": "the target has no tool slow"})
    assert reasons(needs="{behaviour: slow}", profile=profile) == [
        "no tool is known for slow: the target has no tool slow"
    ]


def test_behaviours_without_a_tool_are_told_together() -> None:
    profile = Profile("sample", {})
    assert reasons(needs="{behaviour: [slow, completes]}", profile=profile) == ["no tool is known for slow, completes"]


def test_there_is_one_run_for_each_combination_of_parameters_and_its_key_names_them() -> None:
    scenarios = suite("""
        - id: one
          title: One
          each: {ending: [completes, floods], bad: [7, null, {name: text, value: x}]}
          needs: {behaviour: $ending}
          steps:
            - send: tasks/get
              params: {taskId: $bad}
              expect: {error: {message: $ending}}
              proves: v1.get.unknown-id
    """)
    runs = plan(scenarios, FACTS, PROFILE, HTTP)
    assert [run.key.removeprefix("v1/receiver/try/") for run in runs] == [
        "one[ending=completes,bad=7]",
        "one[ending=completes,bad=null]",
        "one[ending=completes,bad=text]",
        "one[ending=floods,bad=7]",
        "one[ending=floods,bad=null]",
        "one[ending=floods,bad=text]",
    ]
    assert [run.skip for run in runs] == [None] * 3 + ["no tool is known for floods"] * 3
    assert runs[2].parameters == {"ending": "completes", "bad": {"name": "text", "value": "x"}}


def test_what_the_plan_tells_names_the_place_of_the_scenario() -> None:
    (run,) = plan(scenario(LISTS), FACTS, PROFILE, HTTP)
    told = run.told("")
    assert (told.place, told.title, told.proves) == ("try.yaml:6", "A try", ("v1.list.complete",))


def test_a_file_outside_the_library_is_named_by_its_whole_path() -> None:
    (run,) = plan(scenario(LISTS), FACTS, PROFILE, HTTP)
    place = replace(run.scenario.place, path=Path("/somewhere/else/try.yaml"))
    outside = replace(run, scenario=replace(run.scenario, place=place))
    assert outside.told("/library").place == "/somewhere/else/try.yaml:6"
    assert outside.told("/somewhere").place == "else/try.yaml:6"


def test_our_side_declares_what_the_scenario_says_and_else_what_a_task_may_ask_for() -> None:
    (stated,) = plan(scenario(LISTS, client="{roots: {}}"), FACTS, PROFILE, HTTP)
    (usual,) = plan(scenario(LISTS), FACTS, PROFILE, HTTP)
    assert stated.capabilities == {"roots": {}}
    assert usual.capabilities == {"elicitation": {"form": {}}, "sampling": {}}


def test_the_plan_has_the_keys_by_which_the_library_can_be_asked_for_runs() -> None:
    scenarios = tuple(library.load().scenarios.values())
    keys = [key for scenario in scenarios for key in runs.keys_of(scenario)]
    assert [planned.key for planned in plan(scenarios, FACTS, PROFILE, HTTP)] == keys
    assert len(set(keys)) == len(keys)


def test_what_waits_for_a_ttl_begins_first() -> None:
    ages = "- start_task: {behaviour: completes, ttl: 1000, as: job}\n- age: {task: $job, percent: 50}"
    made = [scenario(LISTS, name)[0] for name in ("one", "two")] + [scenario(ages, "old")[0]]
    assert [one.scenario.id.rpartition("/")[2] for one in longest_first(plan(made, FACTS, PROFILE, HTTP))] == [
        "old",
        "one",
        "two",
    ]
