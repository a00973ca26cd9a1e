"""Runs end at their time limit with what was judged until then, and at once where the target is gone for good."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import pytest

from mcp_tasks_conformance.catalog.model import Behaviour, Profile, Scenario
from mcp_tasks_conformance.engine.options import RunOptions
from mcp_tasks_conformance.engine.run import Run
from mcp_tasks_conformance.engine.verifying import Claimed
from mcp_tasks_conformance.events import Event, RunFinished, ScenarioOutcome
from mcp_tasks_conformance.targets.command import CommandTarget, StdioInstance
from mcp_tasks_conformance.targets.in_process import InProcessTarget
from mcp_tasks_conformance.verdicts.model import CertificateLevel, RunVerdict
from tests.engine.theatre import PROFILE, PROVES, perform, scenario

QUICK = f"- start_task: {{behaviour: completes, expect: {{result: {{task: {{}}}}}}, proves: {PROVES}}}"
SLOW = f"- start_task: {{behaviour: slow, as: job}}\n- await_status: {{task: $job, is: completed, proves: {PROVES}}}"
LONG = f"- settle: {{for_ms: 60000}}\n{QUICK}"
WRONG = f"- send: tasks/list\n  expect: {{result: {{tasks: none}}}}\n  proves: {PROVES}"
LONG_WORK = f"- start_task: {{behaviour: slow}}\n- settle: {{for_ms: 600000}}\n{QUICK.replace('completes', 'slow')}"
AUTOMATIC = RunOptions(jobs=1, time_limit_s="automatic")
UNHEARD = f"- send: tasks/list\n- send: ping\n  expect: {{result: {{}}}}\n  proves: {PROVES}"


def difficult(*kinds: str) -> InProcessTarget:
    return InProcessTarget("tests.engine.data.difficult:create", kinds)


def several(number: int, steps: str, name: str) -> tuple[Scenario, ...]:
    return tuple(one for n in range(number) for one in scenario(steps, f"{name}{n}"))


def test_what_has_not_run_at_the_time_limit_is_not_run_and_says_why() -> None:
    scenarios = (*scenario(QUICK, "quick"), *several(3, LONG, "long"))
    made = perform(scenarios, options=RunOptions(jobs=1, time_limit_s=30))
    assert made.outcomes.pop("quick") is ScenarioOutcome.PASSED
    rest = [event for key, event in made.finished.items() if key != "quick"]
    assert {event.outcome for event in rest} == {ScenarioOutcome.NOT_RUN}
    assert {event.reason for event in rest} == {"the time limit of 30 s was reached (--time-limit)"}
    assert 30 <= made.seconds < 31
    assert (made.result.ended_early, made.result.complete) == (rest[0].reason, False)


def test_a_run_that_the_time_limit_ended_is_never_conformant() -> None:
    sound = perform((*scenario(QUICK, "quick"), *scenario(LONG, "long")), options=RunOptions(jobs=1, time_limit_s=9))
    assert (sound.result.verdict, sound.result.exit_code) == (RunVerdict.COULD_NOT_TEST, 3)
    assert sound.result.reason == "the run ended early: the time limit of 9 s was reached (--time-limit)"
    assert sound.result.level is CertificateLevel.NONE


def test_a_violation_seen_before_the_time_limit_counts() -> None:
    scenarios = (*scenario(WRONG, "wrong"), *scenario(LONG, "long"))
    made = perform(scenarios, options=RunOptions(jobs=1, time_limit_s=30, confirm=False))
    assert (made.result.verdict, made.result.exit_code) == (RunVerdict.VIOLATIONS, 1)
    assert made.result.ended_early == "the time limit of 30 s was reached (--time-limit)"


def test_what_failed_once_and_could_not_be_confirmed_in_time_does_not_count() -> None:
    scenarios = (*scenario(QUICK, "quick"), *scenario(WRONG, "wrong"), *scenario(LONG, "long"))
    made = perform(scenarios, options=RunOptions(time_limit_s=30))
    assert made.finished["wrong"].outcome is ScenarioOutcome.NOT_RUN
    assert made.finished["wrong"].unconfirmed == (PROVES,)
    assert "before it could be run again: " in (made.finished["wrong"].reason or "")
    assert made.result.exit_code == 3


def test_what_was_inconclusive_at_the_time_limit_says_what_it_saw() -> None:
    scenarios = (*scenario(UNHEARD, "unheard"), *scenario(LONG, "long"))
    made = perform(scenarios, "deaf", "tasks/list", options=RunOptions(time_limit_s=30))
    assert made.finished["unheard"].outcome is ScenarioOutcome.INCONCLUSIVE
    assert "tasks/list: no answer within" in (made.finished["unheard"].reason or "")


def test_the_automatic_limit_is_out_of_reach_of_a_target_that_answers() -> None:
    made = perform(several(10, SLOW, "slow"), options=RunOptions(jobs=1, time_limit_s="automatic"))
    assert set(made.outcomes.values()) == {ScenarioOutcome.PASSED}


def test_the_automatic_limit_lets_one_scenario_wait_in_vain_for_a_minute_and_be_run_again() -> None:
    made = perform(scenario(f"- settle: {{for_ms: 60000}}\n{WRONG}"), options=AUTOMATIC)
    assert (made.one.outcome, made.one.attempts) == (ScenarioOutcome.FAILED, 2)
    assert made.end.reason is None


def test_the_automatic_limit_ends_what_would_take_for_ever() -> None:
    made = perform(several(30, LONG, "long"), options=RunOptions(jobs=1, time_limit_s="automatic"))
    assert made.seconds < 400
    assert ScenarioOutcome.NOT_RUN in made.outcomes.values()


def test_the_automatic_limit_leaves_room_for_what_tools_are_said_to_take() -> None:
    def limit_s(duration_ms: int) -> float:
        profile = Profile("slow", {"slow": Behaviour("slow", "slow", {}, duration_ms)})
        made = perform(several(30, LONG_WORK, "n"), profile=profile, options=AUTOMATIC)
        return float((made.end.reason or "").partition("limit of ")[2].split()[0])

    assert limit_s(30_000) == pytest.approx(limit_s(0) + 30 * 2 * 30 * 1.5, abs=2)


def test_the_time_limit_counts_from_the_beginning_and_ends_an_introduction() -> None:
    made = perform(scenario(QUICK), target=difficult("far=20"), options=RunOptions(time_limit_s=5))
    assert made.failure is not None
    assert made.failure.problem == "the time limit of 5 s was over before the target was known (--time-limit)"
    assert 5 <= made.seconds < 8  # it is given a second to end
    assert (made.result.verdict, made.result.exit_code) == (RunVerdict.COULD_NOT_TEST, 3)


def test_the_time_limit_ends_trial_calls() -> None:
    options = RunOptions(time_limit_s=3)
    made = perform(scenario(QUICK), target=difficult("never-ends"), profile=Claimed(PROFILE), options=options)
    assert made.failure is not None
    assert "was over before the target was known" in made.failure.problem
    assert 3 <= made.seconds < 6  # what is under way is let go of


def test_the_time_limit_ends_what_is_run_again() -> None:
    wrong = f"- settle: {{for_ms: 3000}}\n{WRONG}"
    made = perform(scenario(wrong, "wrong"), options=RunOptions(time_limit_s=5))
    assert "before it could be run again: " in (made.finished["wrong"].reason or "")
    assert 5 <= made.seconds < 6


class OneForAll(InProcessTarget):
    """A server that cannot be started again, as one behind a URL."""

    restartable = False
    _running = None

    async def start(self):  # type: ignore[no-untyped-def]
        self._running = self._running or await super().start()
        return self._running


def test_a_target_that_is_not_ours_and_falls_silent_in_mid_run_is_given_up_soon() -> None:
    target = OneForAll("tests.engine.data.difficult:create", ["silent-after=100"])
    made = perform(several(100, QUICK, "n"), target=target, options=RunOptions(jobs=5))
    outcomes = [*made.outcomes.values()]
    assert ScenarioOutcome.PASSED in outcomes
    assert ScenarioOutcome.NOT_RUN in outcomes
    assert made.end.reason == "the target was lost in 3 scenarios in a row and does not come back"
    assert made.seconds < 100


STUBBORN = """
import signal, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
sys.argv = ["mcp-tasks-reference", "--stdio"]
from mcp_tasks_reference.__main__ import main
try:
    main()
finally:
    time.sleep(60)
"""


class Known(CommandTarget):
    """A target that remembers its processes."""

    def __init__(self, *command: str) -> None:
        super().__init__(command)
        self.started: list[StdioInstance] = []

    async def start(self) -> StdioInstance:
        self.started.append(await super().start())
        return self.started[-1]


def test_processes_that_do_not_want_to_end_are_ended_soon_after_the_time_limit(tmp_path: Path) -> None:
    script = tmp_path / "stubborn.py"
    script.write_text(STUBBORN)
    target, events = Known(sys.executable, str(script)), list[Event]()
    scenarios, options = (*scenario(QUICK), *scenario(LONG, "long")), RunOptions(time_limit_s=2)

    def tell(event: Event) -> None:
        events.append(event)

    async def run() -> float:
        began = asyncio.get_running_loop().time()
        await Run(scenarios, target, lambda _: PROFILE, options, tell).run()
        return asyncio.get_running_loop().time() - began

    assert asyncio.run(run()) < 2 + 1 + 1.5
    assert target.started
    assert all(instance.gone.is_set() for instance in target.started)
    assert isinstance(events[-1], RunFinished)
