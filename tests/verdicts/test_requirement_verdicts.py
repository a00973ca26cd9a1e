"""What checks, controls and skips say about a requirement."""

from __future__ import annotations

import pytest

from mcp_tasks_conformance.catalog.model import Level
from mcp_tasks_conformance.events import MethodSucceeded, RunFinished
from mcp_tasks_conformance.verdicts.fold import Fold
from mcp_tasks_conformance.verdicts.model import Proofs, Verdict
from mcp_tasks_conformance.verdicts.options import UnmatchedPattern, VerdictOptions
from tests.verdicts.builders import check, finished, must, planned, row, run, scenario, simple, started


def test_a_requirement_whose_only_proof_passed_is_satisfied() -> None:
    result = simple(must("v1.a"), check("v1.a"))
    assert row(result, "v1.a").verdict is Verdict.SATISFIED
    assert row(result, "v1.a").proofs == Proofs(passed=1, planned=1)


@pytest.mark.parametrize("level", [Level.MUST, Level.MUST_NOT])
def test_a_failed_check_of_what_binds_is_a_violation(level: Level) -> None:
    result = simple(must("v1.a", level), check("v1.a"), check("v1.a", "fail", observed="error.code: -1"))
    assert row(result, "v1.a").verdict is Verdict.VIOLATED
    assert row(result, "v1.a").observed == "error.code: -1"
    assert row(result, "v1.a").proofs == Proofs(passed=0, planned=1)


@pytest.mark.parametrize("level", [Level.SHOULD, Level.SHOULD_NOT, Level.MAY])
def test_a_failed_check_of_what_does_not_bind_is_a_warning(level: Level) -> None:
    result = simple(must("v1.a", level), check("v1.a", "fail"))
    assert row(result, "v1.a").verdict is Verdict.WARNED
    assert [judged.outcome for judged in result.checks] == ["warn"]


def test_a_broken_recommendation_is_no_passed_proof() -> None:
    result = simple(must("v1.a", Level.SHOULD), check("v1.a", "fail"))
    assert row(result, "v1.a").proofs == Proofs(passed=0, planned=1)


def test_a_lesser_reading_warns_and_says_which_reading_the_target_took() -> None:
    result = simple(must("v1.a"), check("v1.a", "warn", observed="code -32600", because="The error section has it."))
    assert row(result, "v1.a").verdict is Verdict.WARNED
    assert row(result, "v1.a").observed == "code -32600"
    assert row(result, "v1.a").reason == "The error section has it."


def test_a_satisfied_rule_that_can_be_read_in_several_ways_says_what_was_seen() -> None:
    result = simple(must("v1.a", ambiguity="Two codes are tenable."), check("v1.a", observed="code -32601"))
    assert row(result, "v1.a").observed == "code -32601"


def test_one_of_three_proofs_passed_leaves_the_requirement_inconclusive_and_partly_proven() -> None:
    one, two, three = planned("one", "v1.a"), planned("two", "v1.a"), planned("three", "v1.a")
    result = run(
        [must("v1.a")],
        started(one, two, three),
        finished(one, check("v1.a")),
        finished(two, outcome="inconclusive", reason="step 2: the task ended too soon"),
        finished(three, outcome="inconclusive", reason="step 2: the task ended too soon"),
    )
    assert row(result, "v1.a").verdict is Verdict.INCONCLUSIVE
    assert row(result, "v1.a").proofs == Proofs(passed=1, planned=3)
    assert row(result, "v1.a").reason == "step 2: the task ended too soon"


def test_a_proof_counts_for_nothing_when_the_scenario_could_not_judge_all_of_it() -> None:
    result = simple(must("v1.a"), check("v1.a"), outcome="inconclusive", reason="step 5: gone", inconclusive=("v1.a",))
    assert row(result, "v1.a").verdict is Verdict.INCONCLUSIVE
    assert row(result, "v1.a").reason == "step 5: gone"


@pytest.mark.parametrize("outcome", ["pass", "fail", "warn"])
def test_a_check_whose_control_never_held_is_dropped_whatever_it_says(outcome: str) -> None:
    result = simple(must("v1.a"), check("v1.a", outcome, control="tasks/cancel"))
    assert row(result, "v1.a").verdict is Verdict.INCONCLUSIVE
    assert row(result, "v1.a").reason == "tasks/cancel never succeeded, without which this proves nothing"
    assert result.checks == ()
    assert [judged.dropped for judged in result.dropped] == [
        "tasks/cancel never succeeded, without which this proves nothing"
    ]


def test_a_control_may_hold_anywhere_in_the_run_even_after_the_check() -> None:
    plan = planned("only", "v1.a")
    end = finished(plan, check("v1.a", control="tasks/cancel"))
    result = run([must("v1.a")], started(plan), end, MethodSucceeded("tasks/cancel"))
    assert row(result, "v1.a").verdict is Verdict.SATISFIED
    assert result.dropped == ()


def test_a_passed_check_beside_a_dropped_one_earns_no_credit() -> None:
    result = simple(must("v1.a"), check("v1.a", control="tasks/cancel"), check("v1.a", source="send, line 40"))
    assert row(result, "v1.a").verdict is Verdict.INCONCLUSIVE
    assert row(result, "v1.a").proofs == Proofs(passed=0, planned=1)


def test_a_monitor_that_judged_is_a_proof_of_its_own() -> None:
    plan = planned("only", "v1.a")
    praise = check("base.envelope", source="monitor envelope")
    result = run(
        [must("v1.a"), must("base.envelope", party="both")], started(plan), finished(plan, check("v1.a"), praise)
    )
    assert row(result, "base.envelope").proofs == Proofs(passed=1, planned=1)


def test_a_monitor_counts_once_however_many_scenarios_it_watched() -> None:
    one, two = planned("one", "v1.a"), planned("two", "v1.a")
    praise = check("base.envelope", source="monitor envelope")
    blame = check("base.envelope", "fail", source="monitor envelope")
    rules = [must("v1.a"), must("base.envelope", party="both")]
    good = run(rules, started(one, two), finished(one, praise), finished(two, praise))
    bad = run(rules, started(one, two), finished(one, praise), finished(two, blame))
    assert row(good, "base.envelope").proofs == Proofs(passed=1, planned=1)
    assert row(bad, "base.envelope").proofs == Proofs(passed=0, planned=1)
    assert row(bad, "base.envelope").verdict is Verdict.VIOLATED


def test_a_monitor_does_not_prove_what_the_scenario_was_to_prove() -> None:
    result = simple(must("v1.a"), check("v1.a", source="monitor machine"), outcome="inconclusive", reason="too soon")
    assert row(result, "v1.a").verdict is Verdict.INCONCLUSIVE
    assert row(result, "v1.a").proofs == Proofs(passed=1, planned=2)


def test_the_engines_own_checks_are_one_proof_however_many_scenarios_have_one() -> None:
    one, two = planned("one", "v1.a"), planned("two", "v1.a")
    praise = check("base.answers", source="engine")
    rules = [must("v1.a"), must("base.answers", party="both")]
    result = run(rules, started(one, two), finished(one, check("v1.a"), praise), finished(two, check("v1.a"), praise))
    assert row(result, "base.answers").proofs == Proofs(passed=1, planned=1)


def test_praise_of_a_monitor_counts_for_nothing_where_its_control_never_held() -> None:
    plan = planned("only", "v1.a")
    praise = check("base.envelope", source="monitor envelope", control="tools/call")
    rules = [must("v1.a"), must("base.envelope", party="both")]
    result = run(rules, started(plan), finished(plan, check("v1.a"), praise))
    assert row(result, "base.envelope").verdict is Verdict.INCONCLUSIVE
    assert row(result, "base.envelope").reason == "tools/call never succeeded, without which this proves nothing"


def test_what_no_scenario_could_exercise_names_the_reason_that_is_nearest_to_being_removed() -> None:
    plans = [
        planned("one", "v1.a", skip="the target does not declare tasks.cancel"),
        planned("two", "v1.a", skip="it is about http; no tool is known for asks-elicitation: none asked"),
        planned("three", "v1.a", skip="no tool is known for asks-elicitation: none asked"),
    ]
    result = run([must("v1.a")], started(*plans))
    assert row(result, "v1.a").verdict is Verdict.NOT_EXERCISED
    assert row(result, "v1.a").reason == "no tool is known for asks-elicitation: none asked"
    assert row(result, "v1.a").proofs == Proofs(skipped=3)


def test_tools_that_are_lacking_are_named_once_in_one_phrase() -> None:
    skips = ["completes", "slow", "completes; no tool is known for slow", "slow, structured", "logs: it is quiet"]
    plans = [
        planned(f"number-{number}", "v1.a", skip=f"no tool is known for {skip}") for number, skip in enumerate(skips)
    ]
    reason = row(run([must("v1.a")], started(*plans)), "v1.a").reason
    assert reason == "no tool is known for completes, structured, slow; no tool is known for logs: it is quiet"


@pytest.mark.parametrize(
    ("skips", "told"),
    [
        (["it is about http; stdio has one connection", "it is about http"], "it is about http"),
        (["it needs 2 identities (--identity NAME=HEADER); stdio has one connection"], "stdio has one connection"),
        (["the target keeps no sessions", "the target does not declare tasks"], None),
        (["no tool is known for slow: it is odd; it needs nothing", "it is about http"], None),
    ],
)
def test_of_the_reasons_of_one_scenario_the_one_decides_that_is_hardest_to_remove(
    skips: list[str], told: str | None
) -> None:
    plans = [planned(f"number-{number}", "v1.a", skip=skip) for number, skip in enumerate(skips)]
    reason = row(run([must("v1.a")], started(*plans)), "v1.a").reason
    assert reason == (told or "; ".join(skips[:1] if "no tool" in skips[0] else skips))


def test_a_scenario_that_does_not_apply_takes_nothing_from_the_proofs_that_do() -> None:
    one, two = planned("one", "v1.a"), planned("two", "v1.a", skip="one connection only")
    result = run([must("v1.a")], started(one, two), finished(one, check("v1.a")))
    assert row(result, "v1.a").verdict is Verdict.SATISFIED
    assert row(result, "v1.a").proofs == Proofs(passed=1, planned=1, skipped=1)


def test_a_choice_of_the_target_that_leaves_nothing_to_judge_is_no_gap() -> None:
    result = simple(must("v1.a"), outcome="not applicable", reason="the target ended the task at once")
    assert row(result, "v1.a").verdict is Verdict.NOT_EXERCISED
    assert row(result, "v1.a").reason == "the target ended the task at once"


@pytest.mark.parametrize("outcome", ["passed", "warned", "not applicable"])
def test_a_branch_that_the_target_did_not_take_leaves_nothing_open(outcome: str) -> None:
    plan = planned("only", "v1.taken", "v1.other")
    result = run(
        [must("v1.taken"), must("v1.other")],
        started(plan),
        finished(plan, check("v1.taken"), outcome=outcome, inconclusive=("v1.other",)),
    )
    assert row(result, "v1.taken").verdict is Verdict.SATISFIED
    assert row(result, "v1.other").verdict is Verdict.NOT_EXERCISED
    assert row(result, "v1.other").reason == "what the target chose to do left nothing to judge"


def test_what_a_story_that_broke_off_after_a_breach_did_not_reach_is_open() -> None:
    plan = planned("only", "v1.broken", "v1.after")
    blame = check("v1.broken", "fail")
    result = run(
        [must("v1.broken"), must("v1.after")],
        started(plan),
        finished(plan, blame, outcome="failed", reason="step 4: gone", inconclusive=("v1.after",)),
    )
    assert row(result, "v1.after").verdict is Verdict.INCONCLUSIVE
    assert row(result, "v1.after").reason == "step 4: gone"


def test_a_requirement_that_nothing_in_the_run_proves_says_so() -> None:
    plan = planned("only", "v1.a")
    result = run([must("v1.a"), must("v1.b")], started(plan), finished(plan, check("v1.a")))
    assert row(result, "v1.b").verdict is Verdict.NOT_EXERCISED
    assert row(result, "v1.b").reason == "nothing in this run proves it"


def test_a_watched_requirement_that_nothing_came_under_is_not_exercised() -> None:
    plan = planned("only", "v1.a")
    result = run([must("v1.a"), must("v1.b")], started(plan, watched=("v1.b",)), finished(plan, check("v1.a")))
    assert row(result, "v1.b").reason == "nothing came that it is about"
    assert row(result, "v1.b").proofs == Proofs(skipped=1)


def test_what_kept_scenarios_from_running_says_more_than_that_nothing_came() -> None:
    plan = planned("only", "v1.a", skip="stdio has one connection")
    result = run([must("v1.a")], started(plan, watched=("v1.a",)))
    assert row(result, "v1.a").reason == "stdio has one connection"
    assert row(result, "v1.a").proofs == Proofs(skipped=2)


def test_what_no_peer_can_see_is_untestable_and_says_why() -> None:
    hidden = must("v1.b", observe="internal", why="Memory is the receiver's own affair.")
    plan = planned("only", "v1.a")
    result = run([must("v1.a"), hidden], started(plan), finished(plan, check("v1.a")))
    assert row(result, "v1.b").verdict is Verdict.UNTESTABLE
    assert row(result, "v1.b").reason == "Memory is the receiver's own affair."


def test_a_crash_leaves_its_requirement_inconclusive_and_violates_that_of_answers() -> None:
    plan = planned("only", "v1.a")
    rules = [must("v1.a"), must("base.answers", party="both", generation="both")]
    death = check("base.answers", "fail", source="engine")
    result = run(rules, started(plan), finished(plan, check("v1.a"), death, outcome="crashed", reason="exit code 1"))
    assert row(result, "v1.a").verdict is Verdict.INCONCLUSIVE
    assert row(result, "v1.a").reason == "the target crashed"
    assert row(result, "base.answers").verdict is Verdict.VIOLATED


@pytest.mark.parametrize(
    ("outcome", "reason", "told"),
    [
        ("hung", None, "the target hung"),
        ("not run", "the target is gone", "not run: the target is gone"),
        ("harness error", "KeyError: 'x'", "the harness failed: KeyError: 'x'"),
        ("inconclusive", None, "the scenario did not get so far"),
    ],
)
def test_an_attempt_that_came_to_nothing_says_why(outcome: str, reason: str | None, told: str) -> None:
    result = simple(must("v1.a"), outcome=outcome, reason=reason)
    assert row(result, "v1.a").verdict is Verdict.INCONCLUSIVE
    assert row(result, "v1.a").reason == told


def test_scenarios_that_an_interrupted_run_never_reached_are_inconclusive() -> None:
    result = run([must("v1.a")], started(planned("only", "v1.a")), RunFinished("interrupted"), ends=False)
    assert row(result, "v1.a").reason == "not run: interrupted"
    assert scenario(result, "only").outcome == "not run"


def test_many_reasons_are_cut_short_with_their_number() -> None:
    plans = [planned(f"n{number}", "v1.a", skip=f"reason {number}") for number in range(7)]
    result = run([must("v1.a")], started(*plans))
    assert row(result, "v1.a").reason == "reason 0; reason 1; reason 2; reason 3; and 3 more"


def test_requirements_of_other_generations_and_parties_are_left_out() -> None:
    rules = [
        must("v1.a"),
        must("v2.a", generation="v2"),
        must("v1.client", party="requestor"),
        must("base.b", generation="both", party="both"),
        must("base.server", party="server"),
    ]
    plan = planned("only", "v1.a")
    narrow = run(rules, started(plan), finished(plan, check("v1.a")))
    wide = run(rules, started(plan, parties=("receiver", "server")), finished(plan, check("v1.a")))
    assert [result.id for result in narrow.requirements] == ["v1.a", "base.b"]
    assert [result.id for result in wide.requirements] == ["v1.a", "base.b", "base.server"]


def test_the_plan_tells_the_generation_where_the_run_does_not() -> None:
    plan = planned("only", "v1.a")
    rules = [must("v1.a"), must("v2.a", generation="v2")]
    result = run(rules, started(plan, generations={}), finished(plan, check("v1.a")))
    assert [result.id for result in result.requirements] == ["v1.a"]


def test_a_judged_requirement_is_never_left_out() -> None:
    plan = planned("only", "v1.a")
    stray = check("v1.client", "fail", source="monitor machine")
    rules = [must("v1.a"), must("v1.client", party="requestor")]
    result = run(rules, started(plan), finished(plan, check("v1.a"), stray))
    assert row(result, "v1.client").verdict is Verdict.VIOLATED


def test_a_check_of_no_known_requirement_is_refused() -> None:
    plan = planned("only", "v1.a")
    fold = Fold([must("v1.a")])
    fold(started(plan))
    with pytest.raises(ValueError, match=r"send, line 31: no catalogue has v1\.typo"):
        fold(finished(plan, check("v1.typo")))


def test_quality_is_violated_but_does_not_count() -> None:
    result = simple(must("quality.x", Level.QUALITY), check("quality.x", "fail"))
    assert row(result, "quality.x").verdict is Verdict.VIOLATED
    assert not row(result, "quality.x").counted


@pytest.mark.parametrize(
    "options",
    [
        VerdictOptions(fail_on=("quality.x",)),
        VerdictOptions(fail_on=("quality.*",)),
        VerdictOptions(claims=("quality.x",)),
    ],
)
def test_quality_counts_where_it_is_named_or_claimed(options: VerdictOptions) -> None:
    result = simple(must("quality.x", Level.QUALITY), check("quality.x", "fail"), options=options)
    assert row(result, "quality.x").counted
    assert scenario(result, "only").outcome == "failed"


def test_a_recommendation_that_is_named_binds() -> None:
    named = VerdictOptions(fail_on=("v1.a",))
    result = simple(must("v1.a", Level.SHOULD), check("v1.a", "fail"), options=named)
    assert row(result, "v1.a").verdict is Verdict.VIOLATED


def test_a_may_never_binds_even_where_it_is_named() -> None:
    result = simple(must("v1.a", Level.MAY), check("v1.a", "fail"), options=VerdictOptions(fail_on=("*",)))
    assert row(result, "v1.a").verdict is Verdict.WARNED


@pytest.mark.parametrize(("option", "members"), [("--fail-on", "fail_on"), ("claims", "claims")])
def test_a_pattern_that_names_nothing_is_an_error(option: str, members: str) -> None:
    with pytest.raises(UnmatchedPattern, match=f"{option} quality.typo: no requirement has such an id"):
        Fold([must("v1.a")], VerdictOptions(**{members: ("quality.typo",)}))  # type: ignore[arg-type]
