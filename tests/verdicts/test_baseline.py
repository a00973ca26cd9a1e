"""What a baseline does to the verdict: known failures do not count, unknown ones and stale entries do."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_tasks_conformance.catalog.model import Baseline, Level, Requirement, Waiver
from mcp_tasks_conformance.events import Check, PlannedScenario, RunFinished, ScenarioFinished
from mcp_tasks_conformance.verdicts.fold import Fold
from mcp_tasks_conformance.verdicts.model import CertificateLevel, EntryState, RunResult, Verdict
from mcp_tasks_conformance.verdicts.options import VerdictOptions
from tests.verdicts.builders import check, finished, must, planned, row, run, scenario, started, waiver

TODAY = date(2026, 6, 15)
PROVEN, A = must("v1.proven"), must("v1.a")
WATCHED = must("base.watched", generation="both", party="both")
ANSWERS = must("base.answers", generation="both", party="both")
SHOULD, QUALITY = must("v1.should", Level.SHOULD), must("quality.x", Level.QUALITY)
RULES = [PROVEN, A, WATCHED, ANSWERS, SHOULD, QUALITY]
GOOD = planned("good", "v1.proven")
ONE, TWO = planned("one", "v1.a"), planned("two", "v1.a")
FAIL, WARN, PASS = check("v1.a", "fail"), check("v1.a", "warn"), check("v1.a")
DEAD = check("base.answers", "fail", source="engine", observed="the process is gone")


def judged(
    *ends: ScenarioFinished,
    waivers: tuple[Waiver, ...] = (),
    plan: tuple[PlannedScenario, ...] = (ONE, TWO),
    early: str | None = None,
    **options: Any,
) -> RunResult:
    """A run of some scenarios beside one that proves a MUST."""
    baseline = Baseline(Path("baseline.yaml"), waivers)
    end = RunFinished(early, timing={"total_ms": 1})
    return run(
        RULES,
        started(GOOD, *plan),
        finished(GOOD, check("v1.proven")),
        *ends,
        end,
        options=VerdictOptions(**{"baseline": baseline, "today": TODAY, **options}),
        ends=False,
    )


def whole(requirement: str = "v1.a", keys: tuple[str, ...] = (ONE.key, TWO.key), **members: Any) -> Waiver:
    """An entry without scenarios, of a requirement that these are to prove."""
    return waiver(requirement, scenarios=(), keys=frozenset(keys), **members)


def states(result: RunResult) -> list[str]:
    assert result.baseline is not None
    return [entry.state.value for entry in result.baseline.entries]


@dataclass(frozen=True)
class Case:
    """A run by how its two scenarios end, and what it comes to."""

    waivers: tuple[Waiver, ...]
    one: ScenarioFinished | None
    two: ScenarioFinished | None
    verdict: str
    a: Verdict
    states: list[str]
    ended: tuple[str, str]


def failed(plan: PlannedScenario, *checks: Check, **members: Any) -> ScenarioFinished:
    return finished(plan, *(checks or (FAIL,)), outcome="failed", **members)


def passed(plan: PlannedScenario) -> ScenarioFinished:
    return finished(plan, PASS)


def opened(plan: PlannedScenario) -> ScenarioFinished:
    return finished(plan, outcome="inconclusive", reason="too soon", inconclusive=("v1.a",))


CASES = {
    "every failure is waived": Case(
        (whole(),), failed(ONE), failed(TWO), "conformant", Verdict.WAIVED, ["in use"], ("waived", "waived")
    ),
    "the failure of one scenario is waived": Case(
        (waiver("v1.a", ONE.key),),
        failed(ONE),
        passed(TWO),
        "conformant",
        Verdict.WAIVED,
        ["in use"],
        ("waived", "passed"),
    ),
    "another scenario fails unexpectedly": Case(
        (waiver("v1.a", ONE.key),),
        failed(ONE),
        failed(TWO),
        "violations",
        Verdict.VIOLATED,
        ["in use"],
        ("waived", "failed"),
    ),
    "a failure that is known no longer occurs": Case(
        (waiver("v1.a", ONE.key),),
        passed(ONE),
        passed(TWO),
        "stale-baseline",
        Verdict.SATISFIED,
        ["stale"],
        ("passed", "passed"),
    ),
    "an entry without scenarios has nothing left": Case(
        (whole(),), passed(ONE), passed(TWO), "stale-baseline", Verdict.SATISFIED, ["stale"], ("passed", "passed")
    ),
    "an entry is stale and something else fails": Case(
        (waiver("v1.a", ONE.key),),
        passed(ONE),
        failed(TWO),
        "violations",
        Verdict.VIOLATED,
        ["stale"],
        ("passed", "failed"),
    ),
    "one of an entry's failures still occurs": Case(
        (waiver("v1.a", ONE.key, TWO.key),),
        passed(ONE),
        failed(TWO),
        "conformant",
        Verdict.WAIVED,
        ["in use"],
        ("passed", "waived"),
    ),
    "what is known could not be judged": Case(
        (waiver("v1.a", ONE.key),),
        opened(ONE),
        passed(TWO),
        "conformant",
        Verdict.INCONCLUSIVE,
        ["not judged"],
        ("inconclusive", "passed"),
    ),
    "half of what is known could not be judged": Case(
        (whole(),),
        opened(ONE),
        passed(TWO),
        "conformant",
        Verdict.INCONCLUSIVE,
        ["not judged"],
        ("inconclusive", "passed"),
    ),
    "an entry has expired": Case(
        (whole(expires=date(2026, 6, 14)),),
        failed(ONE),
        passed(TWO),
        "violations",
        Verdict.VIOLATED,
        ["expired"],
        ("failed", "passed"),
    ),
    "an entry counts on its last day": Case(
        (whole(expires=TODAY),),
        failed(ONE),
        passed(TWO),
        "conformant",
        Verdict.WAIVED,
        ["in use"],
        ("waived", "passed"),
    ),
    "an expired entry is not stale": Case(
        (whole(expires=date(2026, 6, 14)),),
        passed(ONE),
        passed(TWO),
        "conformant",
        Verdict.SATISFIED,
        ["expired"],
        ("passed", "passed"),
    ),
    "what an entry knows occurs by chance, and did": Case(
        (whole(sometimes=True),),
        failed(ONE),
        passed(TWO),
        "conformant",
        Verdict.WAIVED,
        ["in use"],
        ("waived", "passed"),
    ),
    "what an entry knows occurs by chance, and did not": Case(
        (whole(sometimes=True),),
        passed(ONE),
        passed(TWO),
        "conformant",
        Verdict.WAIVED,
        ["not seen"],
        ("passed", "passed"),
    ),
    "what an entry knows occurs by chance, and could not be judged": Case(
        (whole(sometimes=True),),
        opened(ONE),
        passed(TWO),
        "conformant",
        Verdict.WAIVED,
        ["not seen"],
        ("inconclusive", "passed"),
    ),
    "what an entry knows occurs by chance, and a lesser reading is taken": Case(
        (waiver("v1.a", ONE.key, sometimes=True),),
        passed(ONE),
        finished(TWO, WARN, outcome="warned"),
        "conformant",
        Verdict.WARNED,
        ["not seen"],
        ("passed", "warned"),
    ),
    "what an entry knows occurs by chance, and something else fails": Case(
        (waiver("v1.a", ONE.key, sometimes=True),),
        passed(ONE),
        failed(TWO),
        "violations",
        Verdict.VIOLATED,
        ["not seen"],
        ("passed", "failed"),
    ),
    "an entry is about this transport": Case(
        (whole(transports=("stdio",)),),
        failed(ONE),
        passed(TWO),
        "conformant",
        Verdict.WAIVED,
        ["in use"],
        ("waived", "passed"),
    ),
    "an entry is about another transport": Case(
        (whole(transports=("http",)),),
        failed(ONE),
        passed(TWO),
        "violations",
        Verdict.VIOLATED,
        ["not judged"],
        ("failed", "passed"),
    ),
    "two entries share the failures of a requirement": Case(
        (waiver("v1.a", ONE.key), waiver("v1.a", TWO.key, reason="other")),
        failed(ONE),
        failed(TWO),
        "conformant",
        Verdict.WAIVED,
        ["in use", "in use"],
        ("waived", "waived"),
    ),
    "an entry is about another requirement": Case(
        (waiver("v1.proven", GOOD.key),),
        failed(ONE),
        passed(TWO),
        "violations",
        Verdict.VIOLATED,
        ["stale"],
        ("failed", "passed"),
    ),
    "a lesser reading is known": Case(
        (whole(),),
        finished(ONE, WARN, outcome="warned"),
        passed(TWO),
        "conformant",
        Verdict.WAIVED,
        ["in use"],
        ("waived", "passed"),
    ),
    "a lesser reading is taken beside a known failure": Case(
        (waiver("v1.a", ONE.key),),
        failed(ONE),
        finished(TWO, WARN, outcome="warned"),
        "conformant",
        Verdict.WARNED,
        ["in use"],
        ("waived", "warned"),
    ),
    "a scenario of what is known was not run": Case(
        (whole(),), passed(ONE), None, "could-not-test", Verdict.INCONCLUSIVE, ["not judged"], ("passed", "not run")
    ),
    "the baseline is empty": Case(
        (), passed(ONE), passed(TWO), "conformant", Verdict.SATISFIED, [], ("passed", "passed")
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_what_a_run_with_a_baseline_comes_to(name: str) -> None:
    case = CASES[name]
    ends = [end for end in (case.one, case.two) if end is not None]
    result = judged(*ends, waivers=case.waivers, early=None if len(ends) == 2 else "interrupted")
    assert result.verdict.value == case.verdict
    assert result.exit_code == {"conformant": 0, "could-not-test": 3}.get(case.verdict, 1)
    assert row(result, "v1.a").verdict is case.a
    assert states(result) == case.states
    assert (scenario(result, "one").outcome, scenario(result, "two").outcome) == case.ended


def test_an_unexpected_failure_and_a_stale_entry_are_told_apart_in_words() -> None:
    known = (waiver("v1.a", ONE.key),)
    assert judged(failed(ONE), failed(TWO), waivers=known).reason == "1 requirement violated"
    stale = "1 entry of the baseline is stale: what it knows of no longer fails"
    assert judged(passed(ONE), passed(TWO), waivers=known).reason == stale
    assert judged(passed(ONE), failed(TWO), waivers=known).reason == f"1 requirement violated; {stale}"
    many = judged(passed(ONE), passed(TWO), waivers=(waiver("v1.a", ONE.key), waiver("v1.a", TWO.key)))
    assert many.reason == "2 entries of the baseline are stale: what they know of no longer fails"


def test_a_waived_requirement_says_why_and_what_was_seen() -> None:
    result = judged(failed(ONE), failed(TWO), waivers=(waiver("v1.a", ONE.key), waiver("v1.a", TWO.key, reason="#7")))
    assert (row(result, "v1.a").reason, row(result, "v1.a").observed) == ("v1.a is known; #7", "error.code: -32600")
    waived = [(c.scenario, c.outcome.value, c.waived, c.fails) for c in result.checks if c.requirement == "v1.a"]
    assert waived == [(ONE.key, "fail", "v1.a is known", False), (TWO.key, "fail", "#7", False)]


def test_an_unexpected_failure_is_the_one_that_the_requirement_shows() -> None:
    result = judged(
        failed(ONE), failed(TWO, check("v1.a", "fail", observed="worse")), waivers=(waiver("v1.a", ONE.key),)
    )
    assert (row(result, "v1.a").reason, row(result, "v1.a").observed) == (None, "worse")
    assert [(c.scenario, c.fails) for c in result.checks if c.requirement == "v1.a"] == [
        (ONE.key, False),
        (TWO.key, True),
    ]


def test_what_is_waived_is_counted_apart_and_certifies_nothing() -> None:
    result = judged(failed(ONE), failed(TWO), waivers=(whole(),))
    assert result.counts.summary == "1 of 2 applicable MUSTs proven, 0 violated, 1 waived, 0 inconclusive"
    assert result.reason == "no violation outside the baseline, which waives 1 requirement"
    assert result.level is CertificateLevel.NONE
    assert result.level_reason is not None
    assert "1 waived" in result.level_reason


def test_a_stale_baseline_certifies_nothing() -> None:
    assert judged(passed(ONE), passed(TWO), waivers=(whole(),)).level is CertificateLevel.NONE


def test_entries_tell_where_their_failures_occurred() -> None:
    result = judged(failed(ONE), passed(TWO), waivers=(whole(), whole("v1.proven", keys=(GOOD.key,), line=7)))
    assert result.baseline is not None
    assert [(e.place, e.occurred) for e in result.baseline.entries] == [
        ("baseline.yaml:3", (ONE.key,)),
        ("baseline.yaml:7", ()),
    ]


# -- what else interplays ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(("strict", "verdict"), [(False, "conformant"), (True, "conformant")])
def test_a_waived_warning_fails_no_run_strict_or_not(strict: bool, verdict: str) -> None:
    plan = (planned("s", "v1.should"),)
    end = finished(plan[0], check("v1.should", "fail"), outcome="failed")
    result = judged(end, plan=plan, waivers=(waiver("v1.should", plan[0].key),), strict=strict)
    assert (result.verdict.value, states(result)) == (verdict, ["in use"])
    assert row(result, "v1.should").verdict is Verdict.WAIVED
    assert scenario(result, "s").outcome == "waived"


def test_a_warning_that_is_not_waived_fails_a_strict_run() -> None:
    plan = (planned("s", "v1.should"), planned("t", "v1.should"))
    ends = [finished(one, check("v1.should", "fail"), outcome="failed") for one in plan]
    result = judged(*ends, plan=plan, waivers=(waiver("v1.should", plan[0].key),), strict=True)
    assert result.verdict.value == "violations"
    assert result.reason == "1 recommendation broken, which --strict makes fail"
    assert [check.fails for check in result.checks if check.requirement == "v1.should"] == [False, True]


def test_quality_that_was_asked_to_count_can_be_waived() -> None:
    plan = (planned("q", "quality.x"),)
    end = finished(plan[0], check("quality.x", "fail"), outcome="failed")
    known = waiver("quality.x", plan[0].key)
    assert judged(end, plan=plan, fail_on=("quality.*",)).verdict.value == "violations"
    assert judged(end, plan=plan, fail_on=("quality.*",), waivers=(known,)).verdict.value == "conformant"
    assert states(judged(end, plan=plan, waivers=(known,))) == ["in use"]


def test_what_is_waived_is_not_proven() -> None:
    result = judged(failed(ONE), failed(TWO), waivers=(whole(),), min_proven=2)
    assert (result.verdict.value, result.exit_code) == ("could-not-test", 3)


def test_a_baseline_that_waives_all_there_is_leaves_nothing_tested() -> None:
    end = finished(GOOD, check("v1.proven", "fail"), outcome="failed")
    options = VerdictOptions(baseline=Baseline(Path("b.yaml"), (waiver("v1.proven", GOOD.key),)), today=TODAY)
    result = run([PROVEN], started(GOOD), end, options=options)
    assert (result.verdict.value, result.reason) == ("could-not-test", "not one MUST was proven")


def test_too_little_proven_outweighs_a_stale_entry() -> None:
    assert judged(passed(ONE), passed(TWO), waivers=(whole(),), min_proven=3).verdict.value == "could-not-test"


@pytest.mark.parametrize("outcome", ["crashed", "hung"])
def test_a_target_that_is_known_to_be_lost_can_be_waived(outcome: str) -> None:
    end = finished(ONE, DEAD, outcome=outcome, reason="the process is gone", inconclusive=("v1.a",))
    assert judged(end, passed(TWO)).verdict.value == "violations"
    result = judged(end, passed(TWO), waivers=(waiver("base.answers", ONE.key),))
    assert (result.verdict.value, states(result)) == ("conformant", ["in use"])
    assert (scenario(result, "one").outcome, scenario(result, "one").reason) == ("waived", "the process is gone")
    assert row(result, "base.answers").verdict is Verdict.WAIVED


def test_a_target_that_is_lost_elsewhere_is_not_waived() -> None:
    ends = [finished(plan, DEAD, outcome="crashed", inconclusive=("v1.a",)) for plan in (ONE, TWO)]
    result = judged(*ends, waivers=(waiver("base.answers", ONE.key),))
    assert result.verdict.value == "violations"
    assert scenario(result, "two").outcome == "crashed"


def test_another_breach_of_a_target_that_is_known_to_be_lost_fails() -> None:
    end = finished(ONE, DEAD, FAIL, outcome="crashed")
    result = judged(end, passed(TWO), waivers=(waiver("base.answers", ONE.key),))
    assert (result.verdict.value, scenario(result, "one").outcome) == ("violations", "failed")


def test_the_loss_of_the_target_takes_no_entry_of_another_requirement_away() -> None:
    end = finished(ONE, DEAD, outcome="crashed", inconclusive=("v1.a",))
    known = (waiver("base.answers", ONE.key), waiver("v1.a", ONE.key))
    assert states(judged(end, passed(TWO), waivers=known)) == ["in use", "not judged"]


# -- when an entry is stale, and when it was only not looked for ---------------------------------------------------


def test_a_scenario_that_does_not_apply_keeps_its_entry() -> None:
    skipped = planned("one", "v1.a", skip="it is about stdio")
    result = judged(passed(TWO), plan=(skipped, TWO), waivers=(waiver("v1.a", skipped.key),))
    assert (states(result), result.verdict.value) == (["not judged"], "conformant")


def test_a_scenario_that_does_not_apply_keeps_no_entry_that_is_about_others_too() -> None:
    skipped = planned("one", "v1.a", skip="it is about stdio")
    assert states(judged(passed(TWO), plan=(skipped, TWO), waivers=(whole(),))) == ["stale"]


def test_a_run_of_some_scenarios_makes_no_entry_stale_that_is_about_others_too() -> None:
    result = judged(passed(ONE), plan=(ONE,), waivers=(whole(), waiver("v1.a", ONE.key)))
    assert states(result) == ["not judged", "stale"]


def test_what_the_target_chose_to_leave_unjudged_keeps_its_entry() -> None:
    end = finished(ONE, outcome="not applicable", reason="it gives no ttl")
    assert states(judged(end, passed(TWO), waivers=(waiver("v1.a", ONE.key),))) == ["not judged"]


def test_a_scenario_that_did_not_come_to_the_judgement_keeps_its_entry() -> None:
    end = finished(ONE, check("v1.proven", "fail"), outcome="failed", inconclusive=("v1.a",))
    assert states(judged(end, passed(TWO), waivers=(waiver("v1.a", ONE.key),))) == ["not judged"]


def test_praise_whose_control_never_held_takes_no_entry_away() -> None:
    end = finished(ONE, check("v1.a", control="tasks/cancel"))
    assert states(judged(end, passed(TWO), waivers=(waiver("v1.a", ONE.key),))) == ["not judged"]


def test_a_failure_whose_control_never_held_has_not_occurred() -> None:
    end = failed(ONE, check("v1.a", "fail", control="tasks/cancel"))
    result = judged(end, passed(TWO), waivers=(waiver("v1.a", ONE.key),))
    assert (states(result), scenario(result, "one").outcome) == (["not judged"], "inconclusive")


@pytest.mark.parametrize(
    ("named", "ends", "state"),
    [
        (False, (passed(ONE), passed(TWO)), "stale"),
        (False, (passed(ONE), opened(TWO)), "stale"),
        (False, (passed(ONE), finished(TWO, PASS, check("base.watched", "fail", source="monitor m"))), "in use"),
        (True, (passed(ONE), passed(TWO)), "stale"),
        (True, (passed(ONE), opened(TWO)), "not judged"),
    ],
)
def test_what_only_monitors_judge_is_looked_for_wherever_a_scenario_comes_to_its_end(
    named: bool, ends: tuple[ScenarioFinished, ...], state: str
) -> None:
    every = (GOOD.key, ONE.key, TWO.key)
    known = waiver("base.watched", *every) if named else whole("base.watched", keys=every)
    assert states(judged(*ends, waivers=(known,))) == [state]


def test_a_failure_that_a_monitor_saw_in_another_scenario_is_covered_by_an_entry_without_scenarios() -> None:
    stray = finished(TWO, PASS, check("v1.proven", "fail", source="monitor m"), outcome="failed")
    result = judged(passed(ONE), stray, waivers=(whole("v1.proven", keys=(GOOD.key,)),))
    assert (states(result), result.verdict.value) == (["in use"], "conformant")


def test_what_other_scenarios_show_says_nothing_of_an_entry_whose_own_do_not_apply() -> None:
    skipped = planned("one", "v1.a", skip="it is about stdio")
    result = judged(
        finished(TWO, check("v1.proven")), plan=(skipped, planned("two")), waivers=(whole(keys=(ONE.key,)),)
    )
    assert states(result) == ["not judged"]


def test_a_scenario_is_told_as_waived_when_it_ends() -> None:
    fold = Fold(RULES, VerdictOptions(baseline=Baseline(Path("b.yaml"), (whole(),)), today=TODAY))
    fold(started(GOOD, ONE, TWO))
    end = failed(ONE)
    fold(end)
    assert fold.outcome(end) == "waived"


def test_without_a_baseline_nothing_is_said_of_one() -> None:
    result = judged(failed(ONE), passed(TWO), baseline=None)
    assert result.baseline is None
    assert result.verdict.value == "violations"


# -- the algebra --------------------------------------------------------------------------------------------------

outcomes = st.sampled_from(["pass", "warn", "fail"])
plans = [planned(name, "v1.a") for name in "bcd"]
rules: list[Requirement] = [PROVEN, A]


def of(outcome: list[str], waivers: tuple[Waiver, ...], **options: Any) -> RunResult:
    ends = [finished(plan, check("v1.a", how)) for plan, how in zip(plans, outcome, strict=True)]
    return judged(*ends, plan=tuple(plans), waivers=waivers, **options)


@given(st.lists(outcomes, min_size=3, max_size=3), st.booleans())
def test_the_failures_of_a_run_taken_as_its_baseline_are_exactly_what_it_waives(how: list[str], strict: bool) -> None:
    failing = {c.scenario for c in of(how, (), strict=strict).checks if c.fails}
    waivers = tuple(waiver("v1.a", key) for key in sorted(failing))
    result = of(how, waivers, strict=strict)
    assert result.exit_code == 0
    assert {c.scenario for c in result.checks if c.waived is not None} == failing
    assert set(states(result)) <= {"in use"}


@given(st.lists(outcomes, min_size=3, max_size=3), st.sets(st.sampled_from(range(3)), max_size=3))
def test_a_run_passes_exactly_if_all_that_fails_is_known_and_all_that_is_known_fails(
    how: list[str], known: set[int]
) -> None:
    result = of(how, tuple(waiver("v1.a", plans[n].key) for n in sorted(known)))
    unexpected = any(how[n] == "fail" and n not in known for n in range(3))
    stale = any(how[n] == "pass" for n in known)
    assert (result.verdict.value == "violations") is unexpected
    assert (result.verdict.value == "stale-baseline") is (stale and not unexpected)
    assert result.exit_code == (1 if unexpected or stale else 0)
    assert result.baseline is not None
    assert len(result.baseline.in_state(EntryState.STALE)) == sum(how[n] == "pass" for n in known)
