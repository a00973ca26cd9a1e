"""What of a result is right and wrong for a case of the selftest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from mcp_tasks_conformance.catalog.library import load
from mcp_tasks_conformance.catalog.model import Scenario
from mcp_tasks_conformance.events import MethodSucceeded
from mcp_tasks_conformance.selftest import trial
from mcp_tasks_conformance.selftest.cases import Case, Kind, cases
from mcp_tasks_conformance.selftest.trial import CaseResult, judged, portion, try_case
from mcp_tasks_conformance.verdicts.model import RunResult
from tests.verdicts.builders import check, finished, must, planned, run, started

RULES = [must("v1.a"), must("v1.b")]
PLAN = [planned("a", "v1.a"), planned("b", "v1.b")]


def result(a: str = "pass", b: str = "pass", *, outcome: str = "passed", flaky: bool = False) -> RunResult:
    """A run of two scenarios; the outcome is that of the second."""
    ends = [
        finished(PLAN[0], check("v1.a", a)),
        finished(PLAN[1], *([check("v1.b", b)] if outcome == "passed" else []), outcome=outcome, flaky=flaky,
                 reason=None if outcome == "passed" else "so it is"),
    ]  # fmt: skip
    return run(RULES, started(*PLAN), MethodSucceeded("tools/call"), *ends)


def trial_of(kind: Kind, found: RunResult, violates: str = "", consequences: str = "") -> CaseResult:
    return judged(
        Case(kind, "sample", "memory", "Does it.", tuple(violates.split()), tuple(consequences.split())), found
    )


def test_a_fault_is_caught_by_a_check_of_its_requirement() -> None:
    tried = trial_of("fault", result(b="fail"), "v1.b")
    assert tried.good
    assert tried.caught_by == ("v1/receiver/suite/b (send, line 31)",)


def test_a_fault_that_no_check_sees_is_missed() -> None:
    tried = trial_of("fault", result(), "v1.b")
    assert (tried.missed, tried.alarms) == (("v1.b not seen",), ())


def test_what_a_fault_does_not_break_may_not_fail() -> None:
    tried = trial_of("fault", result(a="fail", b="fail"), "v1.b")
    assert len(tried.alarms) == 1
    assert tried.alarms[0].startswith("v1.a violated: v1/receiver/suite/a (send, line 31): expected")


def test_the_true_consequences_of_a_fault_may_fail() -> None:
    assert trial_of("fault", result(a="fail", b="fail"), "v1.b", "v1.a").good


def test_what_cannot_be_seen_of_a_fault_may_not_be_found_satisfied() -> None:
    case = Case("fault", "sample", "memory", "Does it.", ("v1.b",), unseen=("v1.a",))
    assert judged(case, result(b="fail")).alarms == ("v1.a satisfied: nothing of it can be seen here",)
    elsewhere = replace(case, transport="http")
    assert judged(elsewhere, result(b="fail")).good, "only a share of the library is run there"


@pytest.mark.parametrize("kind", ["sound", "variant"])
@pytest.mark.parametrize(
    ("found", "alarm"),
    [
        (result(a="fail"), "v1.a violated"),
        (result(outcome="crashed"), "v1/receiver/suite/b crashed: so it is"),
        (result(outcome="hung"), "v1/receiver/suite/b hung: so it is"),
        (result(flaky=True), "v1/receiver/suite/b is flaky"),
        (run(RULES, started(*PLAN)), "the run ends could-not-test"),
    ],
)
def test_what_is_sound_may_not_be_blamed(kind: Kind, found: RunResult, alarm: str) -> None:
    assert any(one.startswith(alarm) for one in trial_of(kind, found).alarms)


def test_the_sound_reference_leaves_nothing_open_and_a_variant_may() -> None:
    open_ = result(outcome="inconclusive")
    assert trial_of("sound", open_).alarms == ("v1/receiver/suite/b inconclusive: so it is",)
    assert trial_of("variant", open_).good


@pytest.mark.parametrize("kind", ["sound", "variant", "fault", "husk"])
def test_a_defect_of_ours_is_an_alarm_wherever_it_shows(kind: Kind) -> None:
    tried = trial_of(kind, result(a="fail", outcome="harness error"), "v1.a", "v1.b")
    assert [one for one in tried.alarms if one == "v1/receiver/suite/b: so it is"]


def test_a_husk_earns_nothing() -> None:
    assert [one.partition(" passed")[0] for one in trial_of("husk", result(b="fail")).alarms] == ["v1.a"]
    assert trial_of("husk", result(a="fail", b="fail")).good


def test_a_husk_may_not_end_well() -> None:
    assert "the run ends with exit code 0" in trial_of("husk", result()).alarms


def test_a_run_that_fails_is_an_alarm_and_does_not_end_the_selftest(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object, **__: object) -> RunResult:
        raise KeyError("tokens")

    monkeypatch.setattr(trial, "run_case", fails)
    tried = try_case(Case("sound", "reference", "memory", "The reference."))
    assert tried.alarms[0].startswith("the harness failed: KeyError('tokens') (")


def test_everything_is_tried_in_memory_and_a_part_of_it_over_the_others() -> None:
    found = cases()
    in_memory = {case.name for case in found if case.transport == "memory" and case.kind == "fault"}
    over_http = {case.name for case in found if case.transport == "http" and case.kind == "fault"}
    assert len(in_memory) > 3 * len(over_http) > 0
    for transport in ("memory", "http", "stdio"):
        here = [case for case in found if case.transport == transport]
        assert [case.name for case in here if case.kind == "sound"] == (
            ["reference", "reference-with-store"] if transport == "stdio" else ["reference"]
        )
        assert {case.kind for case in here} == {"sound", "fault", "variant", "husk"}
    assert len({case.key for case in found}) == len(found)


def test_over_real_transports_every_fault_has_its_turn() -> None:
    for transport in ("http", "stdio"):
        turns = [{case.key for case in cases(transports=(transport,), turn=turn)} for turn in range(10)]
        assert set.union(*turns) == {case.key for case in cases(transports=(transport,), full=True)}
        assert all(len(turn) < len(set.union(*turns)) / 2 for turn in turns)


def test_whose_turn_it_is_stays_so_while_the_library_does() -> None:
    assert cases() == cases()


def test_full_means_everything_everywhere_it_shows() -> None:
    assert len(cases(full=True)) > len(cases())


def test_a_pattern_keeps_what_it_names() -> None:
    name = next(case.name for case in cases() if case.kind == "husk")
    assert {case.name for case in cases(pattern=name)} == {name}
    assert cases(pattern="no-such-case") == ()


def test_over_real_transports_a_fault_is_tried_with_what_proves_its_requirement_and_a_share_of_the_rest() -> None:
    scenarios = tuple(load().scenarios.values())
    case = Case("fault", "result-impatient", "http", "It answers at once.", ("v1.result.blocks",))
    chosen = {scenario.id for scenario in portion(case, scenarios)}
    assert {scenario.id for scenario in scenarios if "v1.result.blocks" in scenario.proves} <= chosen
    assert 0 < len(chosen) < len(scenarios) / 2
    assert portion(replace(case, thorough=True), scenarios) == scenarios
    assert portion(replace(case, transport="memory"), scenarios) == scenarios


def test_the_shares_of_all_variants_together_are_nearly_the_whole_library() -> None:
    scenarios = tuple(load().scenarios.values())
    variants = [case for case in cases(transports=("http",)) if case.kind == "variant"]
    tried = {scenario.id for case in variants for scenario in portion(case, scenarios)}
    assert len(tried) > 0.95 * len(scenarios)


def test_a_husk_is_tried_with_all_that_only_its_transport_shows() -> None:
    scenarios = tuple(load().scenarios.values())
    chosen = portion(Case("husk", "crash", "http", "It dies."), scenarios)
    elsewhere = [scenario for scenario in scenarios if scenario.needs.transports == ("http",)]
    assert elsewhere
    assert all(scenario in chosen for scenario in elsewhere)
    assert len(chosen) < len(scenarios) / 2


class Runs:
    """Stands for runs against cases: what the first and the second come to."""

    def __init__(self, *results: RunResult) -> None:
        self.results = list(results)
        self.asked: list[tuple[int, bool]] = []

    def __call__(self, _: Case, scenarios: Sequence[Scenario], *, confirm: bool) -> RunResult:
        self.asked.append((len(scenarios), confirm))
        return self.results.pop(0)


CAUGHT, MISSED, ALARMING = result(b="fail"), result(), result(a="fail", b="fail")


@pytest.mark.parametrize(
    ("case", "results", "confirmed", "good"),
    [
        (Case("fault", "f", "http", "It.", ("v1.b",)), [CAUGHT], [False], True),
        (Case("fault", "f", "http", "It.", ("v1.b",)), [MISSED, CAUGHT], [False, True], True),
        (Case("fault", "f", "http", "It.", ("v1.b",)), [MISSED, MISSED], [False, True], False),
        (Case("fault", "f", "http", "It.", ("v1.b",)), [ALARMING, CAUGHT], [False, True], True),
        (Case("fault", "f", "http", "It.", ("v1.b",)), [ALARMING, ALARMING], [False, True], False),
        (Case("fault", "f", "stdio", "It.", ("v1.b",)), [ALARMING, CAUGHT], [False, True], True),
        (Case("fault", "f", "memory", "It.", ("v1.b",)), [MISSED], [False], False),
        (Case("variant", "v", "http", "It."), [CAUGHT], [True], False),
        (Case("sound", "reference", "http", "It.", thorough=True), [CAUGHT], [True], False),
        (Case("husk", "h", "http", "It."), [MISSED], [False], False),
    ],
)
def test_a_fault_over_a_real_transport_may_need_more_of_the_library_or_a_confirmation(
    case: Case, results: list[RunResult], confirmed: list[bool], good: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs = Runs(*results)
    monkeypatch.setattr(trial, "run_case", runs)
    tried = try_case(case)
    assert tried.good == good, tried
    assert tried.tries == len(confirmed)
    assert [confirm for _, confirm in runs.asked] == confirmed


def test_what_a_share_of_the_library_misses_is_tried_with_all_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    runs = Runs(MISSED, CAUGHT)
    monkeypatch.setattr(trial, "run_case", runs)
    try_case(Case("fault", "http-notification-200", "http", "It says 200.", ("v1.b",)))
    (share, _), (everything, _) = runs.asked
    assert share < everything / 2
    assert everything == len(load().scenarios)


def test_only_the_generation_that_is_asked_for_is_tried() -> None:
    assert cases(generation="v1") == cases()
    assert {case.kind for case in cases(generation="v0")} == {"sound"}
