"""Whole runs: discovery, controls, monitors, interrupts, defects of our own."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from typing import Any

import pytest

from mcp_tasks_conformance.engine import verbs
from mcp_tasks_conformance.engine.attempt import Attempt
from mcp_tasks_conformance.engine.options import RunOptions
from mcp_tasks_conformance.engine.run import Run
from mcp_tasks_conformance.events import Event, Outcome, RunFinished, ScenarioFinished, ScenarioOutcome, ScenarioStarted
from mcp_tasks_conformance.monitors.observation import Finding, Observation
from mcp_tasks_conformance.selftest.virtual_time import VirtualTimeLoop
from mcp_tasks_conformance.targets.in_process import InProcessTarget
from mcp_tasks_conformance.verdicts.model import RunVerdict, Verdict
from tests.engine.theatre import PROFILE, PROVES, perform, scenario, suite

WORKS = f"- start_task: {{behaviour: completes, expect: {{result: {{task: {{status: working}}}}}}, proves: {PROVES}}}"
REFUSED = """
- send: tasks/get
  params: {taskId: $unknown_id}
  expect: {error: {code: -32602}}
  proves: v1.get.unknown-id
"""
EVERY_NEGATIVE = suite("""
    - id: refused
      title: Refused
      steps:
        - send: tasks/get
          params: {taskId: $unknown_id}
          expect: {error: {code: -32602}}
          proves: v1.get.unknown-id
    - id: refused-otherwise
      title: Refused in another way
      steps:
        - send: tasks/get
          params: {taskId: $unknown_id}
          expect: [{that: {error: {code: -32000}}, proves: v1.get.unknown-id, else_warn: {error: {code: -32601}}}]
    - id: absent
      title: Absent
      steps:
        - send: tasks/list
          expect: {result: {_meta: {$absent: true}}}
          proves: v1.list.complete
    - id: quiet
      title: Quiet
      steps:
        - quiet: {kind: message, proves: v1.list.complete}
    - id: waiting
      title: Waiting
      steps:
        - begin: tasks/result
          params: {taskId: $unknown_id}
          as: waiting
        - still_waiting: $waiting
          proves: v1.list.complete
    - id: raw
      title: Raw
      steps:
        - raw: "{nonsense"
          expect: {error: {code: -32601}}
          proves: quality.survives-garbage
    - id: anything
      title: Anything
      steps:
        - send: tasks/list
          expect: {result: {}}
          proves: v1.list.complete
    - id: empty
      title: An empty walk
      steps:
        - walk: tasks/list
          items: tasks
          proves: v1.list.complete
""")


# -- what is reached -----------------------------------------------------------------------------------------


def test_a_server_without_tasks_could_not_be_tested() -> None:
    made = perform(scenario(WORKS), "plain")
    assert made.failure is not None
    assert made.failure.problem.startswith("no tasks here")
    assert (made.result.verdict, made.result.exit_code) == (RunVerdict.COULD_NOT_TEST, 3)
    assert made.finished == {}


def test_a_refused_handshake_could_not_be_tested() -> None:
    made = perform(scenario(WORKS), "refusing", "0")
    assert made.failure is not None
    assert made.failure.problem == "initialize was refused: -32000 too many sessions"


def test_a_list_of_tools_that_changes_for_ever_is_read_only_so_often() -> None:
    made = perform(scenario(WORKS), "chatty")
    assert made.one.outcome is ScenarioOutcome.PASSED


def test_a_server_that_refuses_further_sessions_leaves_scenarios_inconclusive() -> None:
    made = perform(scenario(WORKS), "refusing", "1", options=RunOptions(jobs=1))
    assert made.one.outcome is ScenarioOutcome.PASSED  # alone, in a fresh instance, it is let in
    assert made.one.attempts == 2
    assert not made.one.flaky  # nothing of the target had been seen before


# -- controls ------------------------------------------------------------------------------------------------


def test_a_refusal_counts_only_if_its_method_has_succeeded() -> None:
    alone = perform(scenario(REFUSED))
    assert alone.one.outcome is ScenarioOutcome.PASSED
    assert [check.control for check in alone.checks()] == ["tasks/get"]
    dropped = [check.dropped for check in alone.result.dropped if check.source.startswith("send")]
    assert dropped == ["tasks/get never succeeded, without which this proves nothing"]
    assert alone.result.scenarios[0].outcome is ScenarioOutcome.INCONCLUSIVE

    used = "- start_task: {behaviour: completes, as: job}\n- await_status: {task: $job, is: completed}"
    together = perform((*scenario(REFUSED), *scenario(used, "used")))
    assert together.result.dropped == ()
    assert together.result.scenarios[0].outcome is ScenarioOutcome.PASSED


@pytest.mark.parametrize("answer", ["{}", "-32602", "-32601", "-32000"])
def test_a_server_that_answers_everything_alike_earns_nothing(answer: str) -> None:
    made = perform(EVERY_NEGATIVE, "courteous", answer)
    earned = [c for c in made.result.checks if c.outcome is Outcome.PASS]
    assert earned == []
    assert made.result.exit_code in (1, 3)
    assert not [r for r in made.result.requirements if r.verdict is Verdict.SATISFIED]


def test_the_same_scenarios_earn_a_sound_server_something() -> None:
    used = "- start_task: {behaviour: completes, as: job}\n- await_status: {task: $job, is: completed}"
    made = perform((*EVERY_NEGATIVE, *scenario(used)))
    by_steps = [check for check in made.result.checks if check.source.startswith(("send", "quiet", "walk"))]
    earned = {check.scenario.rpartition("/")[2] for check in by_steps}
    assert {"refused", "absent", "quiet", "anything", "empty"} <= earned


# -- what the target may choose ------------------------------------------------------------------------------


def test_a_choice_that_leaves_nothing_to_judge_makes_the_scenario_not_applicable() -> None:
    made = perform(
        scenario("""
            - send: tasks/cancel
              params: {taskId: $unknown_id}
              expect:
                - that: {result: {status: cancelled}}
                  proves: v1.list.complete
                  else_not_applicable: {error: {code: -32602}}
                  because: it may refuse
        """)
    )
    assert (made.one.outcome, made.one.reason) == (ScenarioOutcome.NOT_APPLICABLE, "it may refuse")
    assert made.result.scenarios[0].outcome is ScenarioOutcome.NOT_APPLICABLE


def test_a_breach_seen_before_the_story_broke_off_is_what_counts() -> None:
    made = perform(
        scenario(f"""
            - send: tasks/list
              expect: {{result: {{tasks: {{$type: string}}}}}}
              proves: {PROVES}
            - send: tasks/list
              expect: {{result: {{tasks: {{$type: string}}}}}}
        """)
    )
    assert made.one.outcome is ScenarioOutcome.FAILED


# -- monitors ------------------------------------------------------------------------------------------------


def test_what_monitors_find_is_held_against_the_scenario_that_it_happened_in() -> None:
    guilty = scenario("- send: tasks/list\n  expect: {result: {tasks: {$type: array}}}\n  proves: v1.list.complete")
    made = perform((*scenario(WORKS, "clean"), *guilty, *scenario(WORKS, "also-clean")), "unmarked", "tasks/list")
    assert made.outcomes == {
        "clean": ScenarioOutcome.PASSED,
        "one": ScenarioOutcome.FAILED,
        "also-clean": ScenarioOutcome.PASSED,
    }
    (breach,) = (c for c in made.finished["one"].checks if c.outcome is Outcome.FAIL)
    assert breach.requirement == "base.envelope"
    transcript = made.finished["one"].transcript
    assert ["jsonrpc" in transcript[index].text for index in breach.messages][-1:] == [False]


def test_what_monitors_find_in_a_story_that_left_nothing_to_judge_is_confirmed_first() -> None:
    chosen = """
        - send: tasks/list
          expect:
            - that: {result: {tasks: {$type: string}}}
              proves: v1.list.complete
              else_not_applicable: {result: {tasks: {$type: array}}}
              because: it may say so
    """
    made = perform(scenario(chosen), "unmarked", "tasks/list")
    assert (made.one.outcome, made.one.attempts) == (ScenarioOutcome.FAILED, 2)
    assert made.one.inconclusive == ()


class _Broken:
    name = "broken"
    proves = ("base.envelope",)

    def __init__(self, when: str) -> None:
        self._when = when

    def see(self, observation: Observation) -> Iterable[Finding]:
        if self._when == "see" and observation.frame is not None and observation.frame.method == "tools/call":
            raise KeyError("tokens")
        return ()

    def settle(self, attempt: int) -> Iterable[Finding]:
        if self._when == "settle":
            raise KeyError("tokens")
        return ()


@pytest.mark.parametrize("when", ["see", "settle"])
def test_a_monitor_that_fails_is_our_defect_and_never_the_targets(when: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mcp_tasks_conformance.engine.run.monitors_for", lambda *_: (_Broken(when),))
    made = perform(scenario(WORKS))
    assert made.one.outcome is ScenarioOutcome.HARNESS_ERROR
    assert (made.one.reason or "").startswith("KeyError: 'tokens' (in ")
    assert made.end.reason is None


# -- our own defects and mistakes ----------------------------------------------------------------------------


async def _fails(attempt: Attempt, step: Any, scope: Any) -> None:
    raise ZeroDivisionError("division by zero")


def test_a_defect_in_a_verb_ends_its_scenario_alone_and_the_run_is_no_success(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(verbs.PERFORMERS, "walk", _fails)
    broken = scenario(f"- walk: tasks/list\n  items: tasks\n  proves: {PROVES}", "broken")
    made = perform((*broken, *scenario(WORKS, "works")))
    assert made.outcomes == {"broken": ScenarioOutcome.HARNESS_ERROR, "works": ScenarioOutcome.PASSED}
    reason = made.finished["broken"].reason or ""
    assert reason.startswith("ZeroDivisionError: division by zero (in _fails, test_run.py:")
    assert made.finished["broken"].attempts == 1
    assert made.finished["broken"].inconclusive == (PROVES,)
    assert made.finished["broken"].transcript  # what had been seen until then
    assert made.result.exit_code == 3
    assert "the harness failed" in made.result.reason


def test_a_stray_timeout_is_a_defect_and_not_the_end_of_our_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    async def times_out(attempt: Attempt, step: Any, scope: Any) -> None:
        raise TimeoutError

    monkeypatch.setitem(verbs.PERFORMERS, "walk", times_out)
    made = perform(scenario(f"- walk: tasks/list\n  items: tasks\n  proves: {PROVES}"))
    assert made.one.outcome is ScenarioOutcome.HARNESS_ERROR


def test_a_scenario_that_never_ends_is_ended() -> None:
    made = perform(scenario("- settle: {for_ms: 400000}\n- send: tasks/list"))
    assert (made.one.outcome, made.one.reason) == (ScenarioOutcome.INCONCLUSIVE, "not over after 300 s")


def test_a_stimulus_that_breaks_its_own_schema_is_our_mistake() -> None:
    made = perform(scenario(f"- send: tasks/get\n  params: {{taskId: 7}}\n  expect: {{result: {{status: working}}}}\n"
                            f"  proves: {PROVES}"))  # fmt: skip
    assert made.one.outcome is ScenarioOutcome.HARNESS_ERROR
    assert "what the scenario sends as tasks/get is invalid" in (made.one.reason or "")
    assert made.result.exit_code == 3


def test_a_stimulus_that_expects_to_be_refused_may_be_invalid() -> None:
    made = perform(scenario("- send: tasks/get\n  params: {taskId: 7}\n  expect: {error: {code: -32602}}\n"
                            f"  proves: {PROVES}"))  # fmt: skip
    assert made.one.outcome is ScenarioOutcome.PASSED


@pytest.mark.parametrize("verb", ["start_task", "call_tool"])
@pytest.mark.parametrize("keys", ["task: {ttl: soon}", "meta: {progressToken: [1]}"])
def test_a_tool_call_that_breaks_its_own_schema_is_our_mistake(verb: str, keys: str) -> None:
    made = perform(scenario(f"- {verb}: {{behaviour: completes, {keys}}}"))
    assert made.one.outcome is ScenarioOutcome.HARNESS_ERROR
    assert "what the scenario sends as tools/call is invalid" in (made.one.reason or "")


@pytest.mark.parametrize(
    "expect",
    [
        "{error: {}}",
        "{$any_of: [{result: {}}, {error: {}}]}",
        f"[{{that: {{result: {{}}}}, else_warn: {{error: {{}}}}, proves: {PROVES}}}]",
        "[{that: {result: {}}, else_not_applicable: {error: {}}}]",
    ],
)
def test_a_tool_call_that_reckons_with_a_refusal_may_be_invalid(expect: str) -> None:
    made = perform(scenario(f"- start_task: {{behaviour: completes, task: {{ttl: soon}}, expect: {expect}}}"))
    assert made.one.outcome is not ScenarioOutcome.HARNESS_ERROR


def test_what_a_parameter_makes_invalid_is_our_mistake_and_what_the_target_gives_is_not() -> None:
    made = perform(scenario("- start_task: {behaviour: completes, ttl: $ttl}", each="{ttl: [soon]}"))
    assert made.one.outcome is ScenarioOutcome.HARNESS_ERROR
    made = perform(scenario("- send: ping\n  as: pong\n- start_task: {behaviour: completes, ttl: $pong}"))
    assert made.one.outcome is ScenarioOutcome.INCONCLUSIVE
    assert "with what the target gave, tools/call" in (made.one.reason or "")


# -- interrupts ----------------------------------------------------------------------------------------------


def _interrupted(scenarios: Sequence[Any], after_s: float) -> tuple[list[Event], list[str]]:
    events: list[Event] = []
    closed: list[str] = []

    class Closing(InProcessTarget):
        async def start(self) -> Any:
            instance = await super().start()
            stop = instance.stop

            async def stop_and_tell() -> None:
                await stop()
                closed.append(instance.name)

            monkeypatched: Any = instance
            monkeypatched.stop = stop_and_tell
            return instance

    async def interrupt() -> None:
        target = Closing("tests.engine.data.server:create")
        run = Run(scenarios, target, lambda _: PROFILE, RunOptions(jobs=2), lambda event: events.append(event))
        doing = asyncio.ensure_future(run.run())
        await asyncio.sleep(after_s)
        doing.cancel()
        with pytest.raises(asyncio.CancelledError):
            await doing
        assert asyncio.all_tasks() == {asyncio.current_task()}

    with asyncio.Runner(loop_factory=VirtualTimeLoop) as runner:
        runner.run(interrupt())
    return events, closed


def test_an_interrupt_tells_of_everything_that_was_not_run_and_stops_the_target() -> None:
    slow = (
        f"- start_task: {{behaviour: slow, as: job}}\n- await_status: {{task: $job, is: completed, proves: {PROVES}}}"
    )
    scenarios = tuple(one for n in range(6) for one in scenario(slow, f"n{n}"))
    events, closed = _interrupted(scenarios, after_s=0.9)
    ended = {e.key[-2:]: e for e in events if isinstance(e, ScenarioFinished)}
    assert [ended[f"n{n}"].outcome for n in range(6)] == [ScenarioOutcome.PASSED] * 2 + [ScenarioOutcome.NOT_RUN] * 4
    assert {ended[f"n{n}"].reason for n in range(2, 6)} == {"interrupted"}
    assert len([e for e in events if isinstance(e, ScenarioStarted)]) == 4
    last = events[-1]
    assert isinstance(last, RunFinished)
    assert last.reason == "interrupted"
    assert closed == ["memory 1"]


def test_an_interrupt_during_discovery_is_told_too() -> None:
    events, closed = _interrupted(scenario(WORKS), after_s=0.0)
    assert [type(event) for event in events][-1] is RunFinished
    assert closed in (["memory 1"], [])
