"""What is known to fail is not run again to be sure of it; whatever else failed beside it is."""

from __future__ import annotations

from pathlib import Path

from mcp_tasks_conformance.catalog import source
from mcp_tasks_conformance.catalog.baselines import Shelf, read_baseline
from mcp_tasks_conformance.catalog.model import Baseline
from mcp_tasks_conformance.catalog.problems import Problems
from mcp_tasks_conformance.engine.options import RunOptions
from mcp_tasks_conformance.events import ScenarioOutcome
from mcp_tasks_conformance.targets.in_process import InProcessTarget
from tests.engine.theatre import PROVES, perform, requirements, scenario

OTHER = "v1.list.complete"
WRONG = f"- send: tasks/list\n  expect: {{result: {{tasks: none}}}}\n  proves: {PROVES}"
BOTH = f"{WRONG}\n- send: ping\n  expect: {{result: {{tasks: none}}}}\n  proves: {OTHER}"
CUT_SHORT = (
    f"{WRONG}\n- send: ping\n  expect: {{error: {{}}}}\n- send: ping\n  expect: {{result: {{}}}}\n  proves: {OTHER}"
)
FATAL = f"- send: tasks/cancel\n  params: {{taskId: x}}\n  expect: {{result: {{}}}}\n  proves: {PROVES}"


def known(entries: str, stories: str = WRONG) -> Baseline:
    problems = Problems()
    document = source.parse(entries.encode(), Path("known.yaml"), problems)
    assert document is not None
    return read_baseline(document, Path("known.yaml"), Shelf(requirements(), scenario(stories)))


def attempts(stories: str, entries: str, *server: str) -> int:
    options = RunOptions(baseline=known(entries, stories))
    return perform(scenario(stories), *server, options=options).one.attempts


def test_a_failure_that_the_baseline_knows_is_not_run_again() -> None:
    made = perform(scenario(WRONG), options=RunOptions(baseline=known(f"{PROVES}: {{reason: known}}")))
    assert (made.one.outcome, made.one.attempts) == (ScenarioOutcome.FAILED, 1)


def test_one_that_occurs_by_chance_is_not_either() -> None:
    assert attempts(WRONG, f"{PROVES}: {{reason: known, sometimes: true}}") == 1


def test_one_that_it_does_not_know_is() -> None:
    assert attempts(WRONG, f"{OTHER}: {{reason: known}}") == 2
    assert attempts(WRONG, f"{PROVES}: {{reason: known, transports: http}}") == 2
    assert attempts(WRONG, f'{PROVES}: {{reason: known, expires: "2020-01-01"}}') == 2


def test_it_is_run_again_where_something_else_failed_too() -> None:
    assert attempts(BOTH, f"{PROVES}: {{reason: known}}") == 2
    assert attempts(BOTH, f"{PROVES}: {{reason: known}}\n{OTHER}: {{reason: known}}") == 1


def test_it_is_run_again_where_not_all_was_judged() -> None:
    assert attempts(CUT_SHORT, f"{PROVES}: {{reason: known}}") == 2


def test_it_is_run_again_where_the_target_was_lost_beside_it() -> None:
    target = InProcessTarget("tests.engine.data.misbehaving:create", ("mortal", "tasks/cancel"))
    stories = (*scenario(WRONG, "wrong"), *scenario(FATAL, "fatal"))
    made = perform(stories, target=target, options=RunOptions(baseline=known(f"{PROVES}: {{reason: known}}")))
    assert (made.outcomes["fatal"], made.finished["wrong"].attempts) == (ScenarioOutcome.CRASHED, 2)
