"""Verbs that order other steps: at once, again, whichever first, page by page; and what breaks off inside them."""

from __future__ import annotations

import json

import pytest

from mcp_tasks_conformance.engine.options import RunOptions
from mcp_tasks_conformance.engine.verbs import flow
from mcp_tasks_conformance.events import Outcome, ScenarioFinished, ScenarioOutcome
from tests.engine.theatre import PROVES, perform, scenario

START = "start_task: {behaviour: completes, as: job}"
LISTS = "{result: {tasks: {$type: array}}}"
NO_LIST = "{result: {tasks: {$type: string}}}"


def methods(event: ScenarioFinished) -> list[str]:
    """The methods of our requests, in the order that they were sent in."""
    sent = [json.loads(entry.text) for entry in event.transcript if entry.direction == "sent"]
    return [m["method"] for m in sent if "id" in m and m["method"] not in ("initialize", "ping")]


# -- together ------------------------------------------------------------------------------------------------


def test_branches_run_at_the_same_time_and_their_names_are_known_after_them() -> None:
    made = perform(
        scenario(f"""
            - together:
              - - start_task: {{behaviour: slow, as: one}}
                - await_status: {{task: $one, is: completed, as: first}}
              - - start_task: {{behaviour: slow, as: two}}
                - await_status: {{task: $two, is: completed, as: second}}
            - compare: {{values: [$first.taskId, $second.taskId], are: distinct, proves: {PROVES}}}
        """)
    )
    assert made.one.outcome is ScenarioOutcome.PASSED
    assert made.one.duration < 1.0  # each takes 0.6 s


def test_a_branch_that_breaks_off_ends_the_others_and_is_what_is_told() -> None:
    made = perform(
        scenario(f"""
            - together:
              - - start_task: {{behaviour: slow, as: job}}
                - await_status: {{task: $job, is: completed, proves: {PROVES}}}
              - - send: tasks/list
                  expect: {NO_LIST}
        """)
    )
    assert made.one.outcome is ScenarioOutcome.INCONCLUSIVE
    assert "result.tasks: string" in (made.one.reason or "")
    assert made.one.duration < 0.6
    assert made.checks() == []


def test_stories_that_break_off_in_a_branch_do_not_keep_others_from_being_run() -> None:
    broken = f"- together:\n  - - send: tasks/list\n      expect: {NO_LIST}\n  - - settle: {{for_ms: 5000}}\n"
    made = perform(tuple(one for n in range(5) for one in scenario(broken, f"n{n}")), options=RunOptions(jobs=1))
    assert set(made.outcomes.values()) == {ScenarioOutcome.INCONCLUSIVE}
    assert made.end.reason is None


def test_a_death_in_a_branch_is_the_death_of_the_target() -> None:
    made = perform(
        scenario("""
            - together:
              - - start_task: {behaviour: slow, as: job}
                - await_status: {task: $job, is: completed, proves: v1.list.complete}
              - - send: tasks/list
        """),
        "mortal",
        "tasks/list",
    )
    assert made.one.outcome is ScenarioOutcome.CRASHED


def test_a_choice_in_a_branch_leaves_nothing_to_judge() -> None:
    made = perform(
        scenario("""
            - together:
              - - settle: {for_ms: 100}
                - not_applicable: it chose otherwise
              - - settle: {for_ms: 5000}
        """)
    )
    assert (made.one.outcome, made.one.reason) == (ScenarioOutcome.NOT_APPLICABLE, "it chose otherwise")


# -- await_any -----------------------------------------------------------------------------------------------


def test_the_branch_that_holds_first_goes_on_alone() -> None:
    made = perform(
        scenario(f"""
            - start_task: {{behaviour: slow, as: job}}
            - await_any:
              - - await_status: {{task: $job, is: completed, as: ended}}
                - judge: $ended
                  expect: {{status: completed}}
                  proves: {PROVES}
              - - await_notification: notifications/message
                  within_ms: 60000
                - not_applicable: it told of it instead
        """)
    )
    assert made.one.outcome is ScenarioOutcome.PASSED
    assert [check.outcome for check in made.checks()] == [Outcome.PASS]
    assert made.one.duration < 1.0


def test_what_the_other_branches_found_does_not_count() -> None:
    made = perform(
        scenario(f"""
            - start_task: {{behaviour: slow, as: job}}
            - together:
              - - settle: {{for_ms: 100}}
                - send: tasks/cancel
                  params: {{taskId: $job.taskId}}
              - - await_any:
                  - - await_status: {{task: $job, is: completed, proves: {PROVES}}}
                  - - await_status: {{task: $job, is: cancelled}}
        """)
    )
    assert made.one.outcome is ScenarioOutcome.PASSED
    assert made.checks() == []


def test_where_no_branch_holds_the_scenario_is_inconclusive_and_says_what_each_lacked() -> None:
    made = perform(
        scenario("""
            - start_task: {behaviour: completes, as: job}
            - await_any:
              - - await_status: {task: $job, is: failed}
              - - await_notification: notifications/message
                  within_ms: 200
        """)
    )
    assert made.one.outcome is ScenarioOutcome.INCONCLUSIVE
    reason = made.one.reason or ""
    assert "expected one of 2, found" in reason
    assert "expected status failed, found status working then completed and is over" in reason
    assert "expected notifications/message, found none within 0.2 s" in reason


def test_where_no_branch_holds_a_step_that_proves_fails() -> None:
    made = perform(
        scenario(f"""
            - start_task: {{behaviour: completes, as: job}}
            - await_any:
              - - await_status: {{task: $job, is: failed}}
              - - await_status: {{task: $job, is: cancelled}}
              proves: {PROVES}
        """)
    )
    assert made.one.outcome is ScenarioOutcome.FAILED
    assert [check.outcome for check in made.checks()] == [Outcome.FAIL]


def test_a_death_while_branches_wait_is_the_death_of_the_target() -> None:
    made = perform(
        scenario("""
            - start_task: {behaviour: slow, as: job}
            - await_any:
              - - await_status: {task: $job, is: completed}
              - - await_notification: notifications/message
        """),
        "mortal",
        "tasks/get",
    )
    assert made.one.outcome is ScenarioOutcome.CRASHED


# -- repeat --------------------------------------------------------------------------------------------------


def test_rounds_run_one_after_another_and_what_they_gave_is_collected() -> None:
    made = perform(
        scenario(f"""
            - repeat:
                over: [10, 20, 30]
                item: ttl
                steps:
                  - start_task: {{behaviour: completes, ttl: $ttl, as: job}}
                collect: {{ttls: $job.ttl}}
            - compare: {{values: $ttls, are: increasing, proves: {PROVES}}}
        """)
    )
    assert made.one.outcome is ScenarioOutcome.PASSED
    assert made.checks()[0].observed == "[10, 20, 30]"
    assert methods(made.one) == ["tools/call"] * 3


def test_rounds_may_run_at_once() -> None:
    made = perform(
        scenario(f"""
            - repeat:
                times: 5
                at_once: true
                steps:
                  - start_task: {{behaviour: slow, as: job}}
                  - await_status: {{task: $job, is: completed}}
                collect: {{ids: $job.taskId}}
            - compare: {{values: $ids, are: distinct, proves: {PROVES}}}
        """)
    )
    assert made.one.outcome is ScenarioOutcome.PASSED
    assert made.one.duration < 1.0


@pytest.mark.parametrize("at_once", ["true", "false"])
def test_a_round_that_breaks_off_ends_the_scenario(at_once: str) -> None:
    made = perform(
        scenario(f"""
            - repeat:
                times: 3
                at_once: {at_once}
                steps:
                  - send: tasks/list
                    expect: {NO_LIST}
            - send: tasks/list
              expect: {LISTS}
              proves: {PROVES}
        """)
    )
    assert made.one.outcome is ScenarioOutcome.INCONCLUSIVE
    assert len(methods(made.one)) == (3 if at_once == "true" else 1)


def test_what_a_round_did_not_give_cannot_be_collected() -> None:
    made = perform(
        scenario(f"""
            - repeat:
                times: 1
                steps:
                  - {START}
                collect: {{intervals: $job.noSuchMember}}
            - compare: {{values: $intervals, are: distinct, proves: {PROVES}}}
        """)
    )
    assert (made.one.outcome, made.one.reason) == (
        ScenarioOutcome.INCONCLUSIVE,
        "there is nothing at $job.noSuchMember",
    )


# -- walk ----------------------------------------------------------------------------------------------------

FIVE_TASKS = "- repeat: {times: 5, steps: [{start_task: {behaviour: completes}}]}\n"
WALK = f"""
- walk: tasks/list
  items: tasks
  proves: {PROVES}
"""


def test_a_walk_reads_every_page() -> None:
    made = perform(
        scenario(
            FIVE_TASKS
            + WALK
            + "- walk: tasks/list\n  items: tasks\n  as: all\n"
            + "- judge: $all\n  expect: {items: {$size: 5}, pages: {$size: 3}, ended: true}\n"
        )
    )
    assert made.one.outcome is ScenarioOutcome.PASSED
    assert [check.observed for check in made.checks()] == ["5 items on 3 pages"]


@pytest.mark.parametrize(
    ("cursor", "observed"), [("same", "the cursor of an earlier page again"), ("new", "no end after 20 pages")]
)
def test_a_walk_without_end_fails(cursor: str, observed: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(flow, "MOST_PAGES", 20)
    made = perform(scenario(WALK), "endless", cursor)
    assert [(check.outcome, check.observed) for check in made.checks()] == [(Outcome.FAIL, observed)]


def test_a_walk_over_what_is_no_list_fails() -> None:
    made = perform(scenario(WALK), "courteous", "{}")
    assert made.checks()[0].expected == "a page with tasks"
    assert made.one.outcome is ScenarioOutcome.FAILED


def test_a_walk_that_is_not_answered_fails_once_the_target_is_seen_to_live() -> None:
    made = perform(scenario(WALK), "deaf", "tasks/list")
    assert "ping was answered" in made.checks()[0].observed
