"""What requirement verdicts come to for the target: verdict, exit code, certificate, counts."""

from __future__ import annotations

from dataclasses import replace

import pytest

from mcp_tasks_conformance.catalog.model import Level
from mcp_tasks_conformance.events import RunFinished, TargetFailed
from mcp_tasks_conformance.verdicts.model import CertificateLevel, RunResult, RunVerdict
from mcp_tasks_conformance.verdicts.options import VerdictOptions
from tests.verdicts.builders import check, finished, must, planned, run, simple, started

RULES = [must("v1.a"), must("v1.should", Level.SHOULD), must("quality.x", Level.QUALITY)]
PLAN = [planned("a", "v1.a"), planned("should", "v1.should"), planned("x", "quality.x")]


def judged(a: str = "pass", should: str = "pass", quality: str = "pass", **options: object) -> RunResult:
    """A run in which a MUST, a SHOULD and a quality row were judged once each."""
    ends = [
        finished(PLAN[0], check("v1.a", a)),
        finished(PLAN[1], check("v1.should", should)),
        finished(PLAN[2], check("quality.x", quality)),
    ]
    return run(RULES, started(*PLAN), *ends, options=VerdictOptions(**options))  # type: ignore[arg-type]


def verdict_and_exit(result: RunResult) -> tuple[str, int]:
    return result.verdict.value, result.exit_code


def test_a_target_without_a_breach_is_conformant() -> None:
    assert verdict_and_exit(judged()) == ("conformant", 0)


@pytest.mark.parametrize(("open_", "expected"), [(1, ("conformant", 0)), (2, ("could-not-test", 3))])
def test_more_musts_left_open_than_judged_is_no_verdict(open_: int, expected: tuple[str, int]) -> None:
    plans = [planned("a", "v1.a"), *(planned(f"open-{n}", f"v1.open{n}") for n in range(open_))]
    rules = [must("v1.a"), *(must(f"v1.open{n}") for n in range(open_))]
    ends = [finished(plan, outcome="inconclusive", inconclusive=plan.proves) for plan in plans[1:]]
    result = run(rules, started(*plans), finished(plans[0], check("v1.a")), *ends)
    assert verdict_and_exit(result) == expected
    if open_ == 2:
        assert result.reason == "more MUSTs stayed inconclusive (2) than were judged (1)"


def test_what_an_attempt_that_does_not_count_saw_broken_is_left_open_and_bars_a_level() -> None:
    plan = planned("a", "v1.a")
    told = finished(
        plan, check("v1.a"), check("base.answers", source="engine"), unconfirmed=("base.answers",), attempts=2
    )
    result = run([must("v1.a"), must("base.answers")], started(plan), told)
    assert verdict_and_exit(result) == ("conformant", 0)
    assert (result.level, result.level_reason) == (CertificateLevel.NONE, "MUSTs: 1 inconclusive")
    assert result.requirements[1].reason == f"seen to be broken once, in {plan.key}"


def test_a_violated_must_is_exit_code_one() -> None:
    result = judged(a="fail")
    assert verdict_and_exit(result) == ("violations", 1)
    assert result.reason == "1 requirement violated"


@pytest.mark.parametrize("broken", [{"should": "fail"}, {"should": "warn"}])
def test_broken_recommendations_fail_a_strict_run_only(broken: dict[str, str]) -> None:
    proven = planned("b", "v1.b")
    rules = [must("v1.b"), *RULES]
    ends = [
        finished(proven, check("v1.b")),
        finished(PLAN[0], check("v1.a", broken.get("a", "pass"))),
        finished(PLAN[1], check("v1.should", broken.get("should", "pass"))),
    ]
    plan = started(proven, *PLAN[:2])
    assert verdict_and_exit(run(rules, plan, *ends)) == ("conformant", 0)
    strict = run(rules, plan, *ends, options=VerdictOptions(strict=True))
    assert verdict_and_exit(strict) == ("violations", 1)
    assert strict.reason == "1 recommendation broken, which --strict makes fail"


def test_a_reading_that_the_text_of_a_must_permits_never_fails_a_strict_run() -> None:
    result = judged(quality="warn", strict=True, claims=("quality.x",))
    assert verdict_and_exit(result) == ("conformant", 0)
    two = planned("b", "v1.b")
    ends = [finished(two, check("v1.b")), finished(PLAN[0], check("v1.a", "warn"))]
    result = run([must("v1.b"), *RULES], started(two, PLAN[0]), *ends, options=VerdictOptions(strict=True))
    assert verdict_and_exit(result) == ("conformant", 0)
    assert not any(one.fails for one in result.checks)


def test_a_may_and_uncounted_quality_never_fail_a_strict_run() -> None:
    rules = [must("v1.a"), must("v1.may", Level.MAY), must("quality.x", Level.QUALITY)]
    plan = [planned("a", "v1.a"), planned("may", "v1.may"), planned("x", "quality.x")]
    ends = [
        finished(plan[0], check("v1.a")),
        finished(plan[1], check("v1.may", "fail")),
        finished(plan[2], check("quality.x", "fail")),
    ]
    result = run(rules, started(*plan), *ends, options=VerdictOptions(strict=True))
    assert verdict_and_exit(result) == ("conformant", 0)


def test_uncounted_quality_does_not_fail_a_run_and_named_quality_does() -> None:
    assert verdict_and_exit(judged(quality="fail")) == ("conformant", 0)
    assert verdict_and_exit(judged(quality="fail", fail_on=("quality.*",))) == ("violations", 1)


@pytest.mark.parametrize("outcome", ["crashed", "hung"])
def test_a_target_that_dies_or_falls_silent_is_never_conformant(outcome: str) -> None:
    one, two = planned("one", "v1.a"), planned("two", "v1.a")
    result = run([must("v1.a")], started(one, two), finished(one, check("v1.a")), finished(two, outcome=outcome))
    assert verdict_and_exit(result) == ("violations", 1)
    assert result.reason == f"v1/receiver/suite/two {outcome}"


def test_not_one_must_proven_is_not_tested() -> None:
    result = simple(must("v1.a"), outcome="inconclusive", reason="too soon")
    assert verdict_and_exit(result) == ("could-not-test", 3)
    assert result.reason == "not one MUST was proven"


def test_a_run_in_which_nothing_came_to_a_judgement_is_not_tested() -> None:
    one, watched = planned("one", "v1.a"), planned("two", "v1.b")
    ends = [finished(one, check("v1.c"), outcome="inconclusive", reason="too soon")]
    ends.append(finished(watched, outcome="inconclusive", reason="too soon"))
    result = run([must("v1.a"), must("v1.b"), must("v1.c")], started(one, watched), *ends)
    assert verdict_and_exit(result) == ("could-not-test", 3)


def test_a_proven_recommendation_alone_is_not_enough() -> None:
    assert verdict_and_exit(simple(must("v1.a", Level.SHOULD), check("v1.a"))) == ("could-not-test", 3)


def test_a_server_that_serves_no_tasks_is_not_tested_however_well_it_speaks() -> None:
    plan = planned("only", "v1.a", skip="the target does not declare tasks")
    base = planned("ping", "base.b", party="server")
    rules = [must("v1.a"), must("base.b", party="server")]
    result = run(rules, started(plan, base), finished(base, check("base.b")))
    assert verdict_and_exit(result) == ("could-not-test", 3)
    assert result.reason == "not one MUST of tasks was proven"


def test_a_run_that_asks_only_for_base_rules_is_judged_by_them() -> None:
    base = planned("ping", "base.b", party="server")
    result = run([must("v1.a"), must("base.b", party="server")], started(base), finished(base, check("base.b")))
    assert verdict_and_exit(result) == ("conformant", 0)


def test_violations_outweigh_that_nothing_was_proven() -> None:
    assert verdict_and_exit(simple(must("v1.a"), check("v1.a", "fail"))) == ("violations", 1)


def test_fewer_proofs_than_asked_for_is_not_tested() -> None:
    assert verdict_and_exit(judged(min_proven=1)) == ("conformant", 0)
    result = judged(min_proven=2)
    assert verdict_and_exit(result) == ("could-not-test", 3)
    assert result.reason == "1 MUST proven, fewer than the 2 that --min-proven asks for"


def test_a_run_that_ended_early_without_a_violation_is_not_conformant() -> None:
    one, two = planned("one", "v1.a"), planned("two", "v1.b")
    rules = [must("v1.a"), must("v1.b")]
    result = run(rules, started(one, two), finished(one, check("v1.a")), RunFinished("interrupted"), ends=False)
    assert verdict_and_exit(result) == ("could-not-test", 3)
    assert result.reason == "the run ended early: interrupted"
    assert not result.complete


def test_a_result_asked_for_in_the_middle_says_that_it_is_not_complete() -> None:
    result = run([must("v1.a")], started(planned("one", "v1.a")), ends=False)
    assert (result.complete, result.ended_early) == (False, "the run did not come to its end")


def test_an_unreachable_target_is_told_with_all_that_is_known_of_it() -> None:
    failed = TargetFailed("nosuch: command not found", "Is it installed?", "a\nb", target={"command": "nosuch"})
    result = run([must("v1.a")], failed)
    assert verdict_and_exit(result) == ("could-not-test", 3)
    assert result.reason == "nosuch: command not found"
    assert result.failure is not None
    assert result.failure.hint == "Is it installed?"
    assert result.target == {"command": "nosuch"}
    assert result.stderr_tail == "a\nb"
    assert result.requirements == ()


def test_a_target_that_fails_after_a_violation_keeps_the_violation() -> None:
    plan = planned("only", "v1.a")
    failed = TargetFailed("gone", None, None)
    result = run([must("v1.a")], started(plan), finished(plan, check("v1.a", "fail")), failed)
    assert verdict_and_exit(result) == ("violations", 1)


def test_every_must_and_should_satisfied_is_full() -> None:
    result = judged()
    assert (result.level, result.level_reason) == (CertificateLevel.FULL, None)


def test_a_broken_recommendation_leaves_core() -> None:
    result = judged(should="fail")
    assert (result.level, result.level_reason) == (CertificateLevel.CORE, "SHOULDs: 1 warned")


def test_quality_is_no_matter_of_the_certificate() -> None:
    assert judged(quality="fail").level is CertificateLevel.FULL


def test_a_violation_certifies_nothing() -> None:
    assert judged(a="fail").level is CertificateLevel.NONE


def test_a_must_kept_by_a_tenable_reading_takes_nothing_from_the_certificate() -> None:
    one, two = planned("one", "v1.a"), planned("two", "v1.b")
    ends = [finished(one, check("v1.a")), finished(two, check("v1.b", "warn"))]
    assert run([must("v1.a"), must("v1.b")], started(one, two), *ends).level is CertificateLevel.FULL


def test_an_inconclusive_must_certifies_nothing() -> None:
    one, two = planned("one", "v1.a"), planned("two", "v1.b")
    ends = [finished(one, check("v1.a")), finished(two, outcome="inconclusive", reason="too soon")]
    result = run([must("v1.a"), must("v1.b")], started(one, two), *ends)
    assert (result.level, result.level_reason) == (CertificateLevel.NONE, "MUSTs: 1 inconclusive")


def test_what_the_target_does_not_offer_takes_nothing_from_the_certificate() -> None:
    one, two = planned("one", "v1.a"), planned("two", "v1.b", skip="the target does not declare tasks.cancel")
    hidden = must("v1.c", observe="internal")
    result = run([must("v1.a"), must("v1.b"), hidden], started(one, two), finished(one, check("v1.a")))
    assert result.level is CertificateLevel.FULL


def test_a_run_narrowed_to_some_scenarios_certifies_nothing() -> None:
    one = planned("one", "v1.a")
    result = run([must("v1.a"), must("v1.b")], started(one), finished(one, check("v1.a")))
    assert result.verdict is RunVerdict.CONFORMANT
    assert (result.level, result.level_reason) == (CertificateLevel.NONE, "MUSTs: 1 without a proof in this run")


def test_the_summary_adds_up_to_what_applies() -> None:
    names = ["proven", "violated", "warned", "open", "skipped", "hidden"]
    rules = [must(f"v1.{name}", observe="internal" if name == "hidden" else "wire") for name in names]
    plans = {name: planned(name, f"v1.{name}", skip="no" if name == "skipped" else None) for name in names[:-1]}
    result = run(
        rules,
        started(*plans.values()),
        finished(plans["proven"], check("v1.proven")),
        finished(plans["violated"], check("v1.violated", "fail")),
        finished(plans["warned"], check("v1.warned", "warn")),
        finished(plans["open"], outcome="inconclusive", reason="x"),
    )
    assert result.counts.summary == "1 of 4 applicable MUSTs proven, 1 violated, 1 warned, 1 inconclusive"
    assert (result.counts.must.not_exercised, result.counts.must.untestable) == (1, 1)


def test_the_summary_names_no_warnings_where_there_are_none() -> None:
    assert judged().counts.summary == "1 of 1 applicable MUST proven, 0 violated, 0 inconclusive"


def test_a_run_in_which_the_harness_failed_is_no_success() -> None:
    ends = [
        finished(PLAN[0], check("v1.a")),
        finished(PLAN[1], outcome="harness error", reason="KeyError: 'x' (in judge, judging.py:7)"),
    ]
    result = run(RULES, started(*PLAN[:2]), *ends)
    assert verdict_and_exit(result) == ("could-not-test", 3)
    assert result.reason == "the harness failed in v1/receiver/suite/should: KeyError: 'x' (in judge, judging.py:7)"


def test_a_level_says_how_much_no_tool_exercised() -> None:
    one = planned("one", "v1.a")
    two = replace(planned("two", "v1.b", "v1.c", skip="no tool is known for slow"), lacks_tool=True)
    rules = [must("v1.a"), must("v1.b"), must("v1.c", Level.SHOULD)]
    result = run(rules, started(one, two), finished(one, check("v1.a")))
    told = "1 MUST and 1 SHOULD not exercised for want of a tool"
    assert (result.level, result.level_reason) == (CertificateLevel.FULL, told)
