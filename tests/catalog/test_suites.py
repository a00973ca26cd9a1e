"""Suites are read exactly as the scenario language says, and linked to the requirements that they prove."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from mcp_tasks_conformance.catalog.model import Expectation, Matcher, Needs, Ref, Scenario, Step, Suite
from mcp_tasks_conformance.catalog.verbs import VERBS
from tests.catalog.broken import Broken, cases
from tests.catalog.samples import (
    SMALL,
    only_scenario,
    problems_of,
    read,
    with_scenarios,
    with_steps,
)


def plain(value: Any) -> Any:
    """A template with its references as they are written and its matchers as they stand in a file."""
    if isinstance(value, Ref):
        return str(value)
    if isinstance(value, Matcher):
        return {value.name: plain(value.argument)}
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, tuple):
        return [plain(item) for item in value]
    return value


def only_step(steps: str) -> Step:
    """The last step of a scenario."""
    return only_scenario(with_steps(steps)).steps[-1]


def all_steps(steps: tuple[Any, ...]) -> list[Step]:
    found: list[Step] = []
    for step in steps:
        if isinstance(step, tuple):
            found += all_steps(step)
        elif isinstance(step, Step):
            found += [step, *all_steps((step.subject, *step.keys.values()))]
    return found


@cases("steps")
def test_a_wrong_step_is_told_with_its_place(broken: Broken) -> None:
    assert problems_of(with_steps(broken.file)) == broken.says


@cases("scenarios")
def test_a_wrong_scenario_is_told_with_its_place(broken: Broken) -> None:
    assert problems_of(with_scenarios(broken.file)) == broken.says


@cases("suites")
def test_a_wrong_suite_is_told_with_its_place(broken: Broken) -> None:
    assert problems_of(broken.file) == broken.says


def test_all_problems_of_a_file_are_told_at_once_in_order() -> None:
    wrong = with_steps("- sned: ping\n- send: ping\n  parms: {}\n- settle: {task: $job}")
    assert [line.split(":")[0] for line in problems_of(wrong)] == ["10", "12", "13"]


class TestSteps:
    def test_the_samples_use_every_verb(self) -> None:
        steps = all_steps(tuple(step for scenario in SMALL.scenarios.values() for step in scenario.steps))
        assert {step.verb for step in steps} == set(VERBS)

    def test_the_story_of_the_documentation_reads_as_it_is_told(self) -> None:
        scenario = SMALL.scenarios["v1/receiver/cancel/terminal-task-refuses"]
        assert scenario.title == "A task that has ended refuses cancellation and stays as it was"
        assert scenario.each == {"ending": ("completes", "fails-rpc-error")}
        assert [step.verb for step in scenario.steps] == ["start_task", "await_status", "send", "send"]
        start, ended, cancel, get = scenario.steps
        assert start.gives == "job"
        assert plain(start.keys) == {"behaviour": "$ending"}
        assert plain(ended.keys) == {"task": "$job", "is": "terminal"}
        assert cancel.subject == "tasks/cancel"
        assert plain(cancel.keys) == {"params": {"taskId": "$job.taskId"}}
        assert cancel.proves == ("v1.cancel.terminal-rejected",)
        assert plain(cancel.expect[0].that) == {"error": {"code": -32602}}
        assert get.proves == ("v1.cancel.terminal-rejected", "v1.status.terminal-final")
        assert scenario.proves == get.proves

    def test_a_step_knows_its_place(self) -> None:
        assert str(only_step("- send: ping\n- notify: notifications/initialized").place) == "suite.yaml:11:9"

    def test_common_keys_may_stand_inside_a_record_or_beside_it(self) -> None:
        inside = only_step(
            "- start_task: {behaviour: slow, as: job, expect: {result: {}}, proves: v1.create.returns-task}"
        )
        beside = only_step(
            "- start_task: {behaviour: slow}\n  as: job\n  expect: {result: {}}\n  proves: v1.create.returns-task"
        )
        assert (inside.gives, inside.proves) == (beside.gives, beside.proves) == ("job", ("v1.create.returns-task",))
        assert plain(inside.expect[0].that) == plain(beside.expect[0].that) == {"result": {}}
        assert inside.keys == beside.keys == {"behaviour": "slow"}

    def test_keys_that_are_not_said_are_not_there(self) -> None:
        step = only_step("- send: ping")
        assert (step.keys, step.expect, step.proves, step.via) == ({}, (), (), "main")
        assert (step.gives, step.control, step.because) == (None, None, None)

    def test_references_follow_members_and_indices(self) -> None:
        step = only_step("- start_task: {behaviour: slow, as: job}\n- judge: $job.list.0.-1.x-y\n  expect: 1")
        assert isinstance(step.subject, Ref)
        assert step.subject.name == "job"
        assert step.subject.path == ("list", 0, -1, "x-y")
        assert str(step.subject.place) == "suite.yaml:11:16"

    def test_doubled_dollar_signs_begin_plain_text(self) -> None:
        step = only_step('- send: ping\n  params: {$$ref: "$$job", cost: "5$", list: ["$$$x"]}')
        assert step.keys["params"] == {"$ref": "$job", "cost": "5$", "list": ("$$x",)}

    def test_matchers_keep_their_arguments(self) -> None:
        step = only_step("- send: ping\n  expect: {result: {x: {$any_of: [{$absent: true}, {$size: {$at_least: 1}}]}}}")
        that = step.expect[0].that
        assert plain(that) == {"result": {"x": {"$any_of": [{"$absent": True}, {"$size": {"$at_least": 1}}]}}}
        assert isinstance(that, dict)
        assert isinstance(that["result"], dict)
        assert isinstance(that["result"]["x"], Matcher)
        assert str(that["result"]["x"].place) == "suite.yaml:11:31"

    def test_branches_and_rounds_hold_steps(self) -> None:
        together, repeat = only_scenario(
            with_steps(
                """
                - together: [[{send: ping}], [{send: ping}, {send: ping}]]
                - repeat: {times: 2, steps: [{send: ping}]}
                """
            )
        ).steps
        assert isinstance(together.subject, tuple)
        assert [len(branch) for branch in together.subject if isinstance(branch, tuple)] == [1, 2]
        assert repeat.subject is None
        assert repeat.keys["times"] == 2
        assert [step.verb for step in all_steps((repeat.keys["steps"],))] == ["send"]

    def test_names_of_branches_that_ran_together_are_known_afterwards(self) -> None:
        assert not problems_of(
            with_steps(
                """
                - together:
                    - - send: ping
                        as: one
                    - - connect: other
                      - send: ping
                        via: other
                        as: two
                - compare: {values: [$one, $two], are: same}
                - send: ping
                  via: other
                """
            )
        )

    def test_branches_of_which_one_runs_may_bind_the_same_name(self) -> None:
        assert not problems_of(
            with_steps(
                """
                - await_any:
                    - - await_request: ping
                        as: came
                      - reply: $came
                    - - await_request: elicitation/create
                        as: came
                      - reply: $came
                """
            )
        )

    def test_a_connection_of_a_round_is_not_known_after_it(self) -> None:
        steps = "- repeat: {times: 2, steps: [{connect: other}, {send: ping, via: other}]}\n- send: ping\n  via: other"
        assert problems_of(with_steps(steps)) == ["12:14: there is no connection `other` here (known: main)"]

    def test_collected_values_may_be_exchanges(self) -> None:
        assert not problems_of(
            with_steps(
                """
                - repeat: {times: 2, steps: [{begin: ping, as: call}], collect: {calls: $call}}
                - repeat: {over: $calls, item: one, steps: [{finish: $one}]}
                """
            )
        )


class TestJudging:
    def test_one_expectation_proves_what_the_step_proves(self) -> None:
        step = only_step(
            "- send: ping\n  expect: {result: {}}\n  proves: [base.answers]\n  because: it is alive\n  control: ping"
        )
        (expectation,) = step.expect
        assert (step.proves, expectation.proves) == (("base.answers",), ("base.answers",))
        assert (step.because, expectation.because, step.control) == ("it is alive", "it is alive", "ping")

    def test_a_list_of_judgements_proves_item_by_item(self) -> None:
        step = only_step(
            """
            - send: ping
              expect:
                - {that: {result: {}}, proves: base.answers, because: alive, else_warn: null}
                - {that: {id: 1}, else_not_applicable: {error: {}}}
            """
        )
        first, second = step.expect
        assert step.proves == ("base.answers",)
        assert (first.proves, first.because, first.has_else_warn, first.else_warn) == (
            ("base.answers",),
            "alive",
            True,
            None,
        )
        assert (second.proves, second.has_else_warn, second.has_else_not_applicable) == ((), False, True)
        assert plain(second.else_not_applicable) == {"error": {}}

    def test_a_list_that_must_match_item_by_item_is_written_in_a_judgement(self) -> None:
        step = only_step(
            "- walk: tasks/list\n  items: tasks\n  as: all\n- judge: $all.items\n  expect: [{that: [1, 2]}]"
        )
        assert [expectation.that for expectation in step.expect] == [(1, 2)]

    def test_a_verb_judged_by_itself_needs_no_expectation(self) -> None:
        step = only_step("- quiet: {kind: request}\n  proves: base.answers")
        assert (step.expect, step.proves) == ((), ("base.answers",))

    def test_nested_proofs_are_proofs_of_the_scenario(self) -> None:
        scenario = only_scenario(
            with_steps(
                """
                - together:
                    - - quiet: {kind: request, proves: base.answers}
                    - - repeat: {times: 1, steps: [{send: ping, expect: {result: {}}, proves: v1.id.unique}]}
                """
            )
        )
        assert scenario.proves == ("base.answers", "v1.id.unique")

    @pytest.mark.parametrize(
        ("head", "requirement", "fits"),
        [
            ("generation: v1\nparty: receiver\nhosts: server", "base.http-accepted", True),
            ("generation: v1\nparty: receiver\nhosts: client", "base.http-accepted", False),
            ("generation: v1\nparty: receiver", "base.http-accepted", True),
            ("generation: v1\nparty: receiver\nhosts: client", "base.client-headers", True),
            ("generation: v1\nparty: requestor", "v1.poll.interval", True),
            ("generation: v1\nparty: requestor", "v1.result.related-task", True),
            ("generation: v1\nparty: requestor", "v1.id.unique", False),
            ("generation: v1\nparty: receiver", "quality.session-isolation", True),
            ("generation: v2\nparty: server", "quality.get-prompt", True),
            ("generation: v2\nparty: server", "quality.session-isolation", False),
            ("generation: v2\nparty: client", "quality.get-prompt", False),
            ("generation: v2\nparty: server", "v2.create.flat", True),
            ("generation: v2\nparty: server", "base.http-accepted", False),
            ("generation: v2\nparty: server", "base.answers", True),
        ],
    )
    def test_a_suite_proves_what_its_party_owes(self, head: str, requirement: str, fits: bool) -> None:
        step = f"{{send: ping, expect: {{}}, proves: {requirement}}}"
        text = f"suite: a\n{head}\ntitle: A\nscenarios: [{{id: a, title: A, steps: [{step}]}}]"
        assert (problems_of(text) == []) is fits


class TestScenarios:
    def test_what_a_suite_says_holds_for_its_scenarios(self) -> None:
        suite = SMALL.suites["v1/receiver/everything"]
        assert suite.title == "All that the language has for servers"
        assert suite.path == Path("scenarios/v1/receiver/everything.yaml")
        messages, tasks, many, connections, _ = suite.scenarios
        assert [scenario.sharing for scenario in suite.scenarios] == [
            "exclusive",
            "exclusive",
            "own_process",
            "exclusive",
            "own_process",
        ]
        assert tasks.client == {"elicitation": {}, "experimental": {"$odd": "$1"}}
        assert (messages.main, connections.main) == (True, False)
        assert {scenario.suite for scenario in suite.scenarios} == {"v1/receiver/everything"}
        assert many.hosts == ("server",)

    @pytest.mark.parametrize(
        ("head", "hosts"),
        [
            ("generation: v1\nparty: receiver", ("server", "client")),
            ("generation: v1\nparty: requestor\nhosts: [client]", ("client",)),
            ("generation: v2\nparty: server", ("server",)),
            ("generation: v2\nparty: client", ("client",)),
        ],
    )
    def test_the_hosts_are_the_party_where_it_is_one(self, head: str, hosts: tuple[str, ...]) -> None:
        text = f"suite: a\n{head}\ntitle: A\nscenarios: [{{id: a, title: A, steps: [{{send: ping}}]}}]"
        assert only_scenario(text).hosts == hosts

    def test_a_scenario_knows_its_place(self) -> None:
        assert str(only_scenario(with_steps("- send: ping")).place) == "suite.yaml:7:5"

    def test_a_scenario_has_its_own_word_on_sharing_and_client(self) -> None:
        suite: Suite = read(
            "suite: a\ngeneration: v1\nparty: receiver\ntitle: A\nsharing: exclusive\nclient: {sampling: {}}\n"
            "scenarios:\n"
            "  - {id: a, title: A, steps: [{send: ping}]}\n"
            "  - {id: b, title: B, sharing: parallel, client: {roots: {}}, steps: [{send: ping}]}\n"
        )
        first, second = suite.scenarios
        assert (first.sharing, first.client) == ("exclusive", {"sampling": {}})
        assert (second.sharing, second.client) == ("parallel", {"roots": {}})

    def test_parameters_can_be_referred_to_wherever_a_value_stands(self) -> None:
        scenario = only_scenario(
            with_scenarios(
                """
                - id: one
                  title: One
                  each:
                    method: [tasks/get, tasks/cancel]
                    behaviour: [completes, slow]
                    wait: [100, 200]
                    flag: [true, false]
                    word: ["$$a", b]
                    case: [{name: x, type: string, code: -1, capability: {}, kinds: [one, two]}]
                    who: [first, second]
                  needs: {behaviour: $behaviour}
                  client: {sampling: $case.capability}
                  steps:
                    - start_task: {behaviour: $behaviour, as: job}
                    - connect: other
                      identity: $who
                      listen: $flag
                    - send: $method
                      params: {word: $word}
                      within_ms: $wait
                      expect: {error: {code: $case.code, data: {$type: $case.type}, message: {$matches: $word}}}
                    - repeat: {over: $case.kinds, item: kind, steps: [{send: ping, params: {kind: $kind}}]}
                """
            )
        )
        assert scenario.each["word"] == ("$a", "b")
        assert plain(scenario.client) == {"sampling": "$case.capability"}
        assert scenario.needs.identities == 2

    def test_the_capabilities_of_our_side_may_be_a_parameter(self) -> None:
        scenario = only_scenario(
            with_scenarios(
                """
                - id: one
                  title: One
                  each: {lack: [{name: forms, declared: {elicitation: {}}}, {name: all, declared: {}}]}
                  client: $lack.declared
                  steps: [{send: ping}]
                """
            )
        )
        assert plain(scenario.client) == "$lack.declared"


class TestNeeds:
    @staticmethod
    def of(steps: str) -> Needs:
        return only_scenario(with_steps(steps)).needs

    def test_nothing_is_needed_where_nothing_is_said(self) -> None:
        assert self.of("- send: ping") == Needs()

    def test_a_started_task_needs_its_behaviour_and_the_capability(self) -> None:
        needs = self.of("- start_task: {behaviour: slow}")
        assert needs == Needs(capabilities=("tasks.requests.tools.call",), behaviours=("slow",))

    def test_a_called_tool_needs_its_behaviour(self) -> None:
        assert self.of("- call_tool: {behaviour: counts}") == Needs(behaviours=("counts",))

    def test_a_started_task_of_v2_needs_no_capability_of_v1(self) -> None:
        assert SMALL.scenarios["v2/server/created/flat"].needs == Needs(behaviours=("asks-many",))

    @pytest.mark.parametrize(
        "steps",
        [
            "- send: tools/call\n  params: {name: $behaviours.logs.tool}",
            "- send: ping\n  expect: {result: {x: {$not: $behaviours.logs.tool}}}",
            "- send: ping\n  expect: [{that: {result: {}}, else_not_applicable: {result: $behaviours.logs.arguments}}]",
            "- send: ping\n  within_ms: $behaviours.logs.duration_ms",
            "- repeat: {times: 2, steps: [{together: [[{send: ping}], [{send: $behaviours.logs.tool}]]}]}",
        ],
    )
    def test_a_reference_to_a_behaviour_needs_it(self, steps: str) -> None:
        assert self.of(steps).behaviours == ("logs",)

    def test_rounds_over_behaviours_need_each_of_them(self) -> None:
        needs = self.of("- repeat: {over: [slow, logs], item: kind, steps: [{call_tool: {behaviour: $kind}}]}")
        assert needs.behaviours == ("slow", "logs")

    def test_a_parameter_is_needed_once_however_often_it_is_named(self) -> None:
        scenario = SMALL.scenarios["v1/receiver/cancel/terminal-task-refuses"]
        assert [str(behaviour) for behaviour in scenario.needs.behaviours] == ["$ending"]
        assert scenario.needs.capabilities == ("tasks.cancel", "tasks.requests.tools.call")

    @pytest.mark.parametrize(
        "steps",
        [
            "- http: {method: GET}",
            "- drop: listening",
            "- connect: other\n  session_of: main",
            "- disconnect: main\n  how: end_session",
        ],
    )
    def test_what_only_http_has_needs_http(self, steps: str) -> None:
        assert self.of(steps).transports == ("http",)

    @pytest.mark.parametrize(
        ("steps", "connections", "identities"),
        [
            ("- connect: other", 2, 0),
            ("- connect: other\n  identity: first", 2, 1),
            ("- connect: other\n  identity: second", 2, 2),
            ("- together: [[{connect: a}], [{connect: b}]]", 3, 0),
            ("- repeat: {times: 5, steps: [{connect: a}]}", 6, 0),
            ("- repeat: {over: [1, 2], steps: [{connect: a}]}", 3, 0),
        ],
    )
    def test_connections_are_counted(self, steps: str, connections: int, identities: int) -> None:
        needs = self.of(steps)
        assert (needs.connections, needs.identities) == (connections, identities)

    def test_the_first_connection_of_a_scenario_without_a_main_one_is_not_a_second(self) -> None:
        text = with_scenarios("- {id: one, title: One, main: false, steps: [{connect: main}]}")
        assert only_scenario(text).needs.connections == 1

    def test_suite_and_scenario_add_up(self) -> None:
        scenario: Scenario = only_scenario(
            """
            suite: a
            generation: v1
            party: receiver
            title: A
            needs:
              capabilities: [tasks.list]
              lacks: a
              behaviour: slow
              transports: [stdio, http]
              identities: 1
              durable: true
            scenarios:
              - id: a
                title: A
                needs:
                  capabilities: tasks.cancel
                  lacks: [a, b]
                  behaviour: [slow, logs]
                  transports: [http, memory]
                  identities: 2
                  connections: 3
                  own_process: true
                  intensity: full
                steps: [{send: ping}]
            """
        )
        assert scenario.needs == Needs(
            capabilities=("tasks.list", "tasks.cancel"),
            lacks=("a", "b"),
            behaviours=("slow", "logs"),
            transports=("http",),
            identities=2,
            connections=3,
            own_process=True,
            durable=True,
            intensity="full",
        )


def test_an_expectation_of_nothing_is_told_from_no_expectation() -> None:
    step = only_step("- start_task: {behaviour: slow, as: job}\n- judge: $job.ttl\n  expect: null")
    assert [type(expectation) for expectation in step.expect] == [Expectation]
    assert step.expect[0].that is None
