"""What a trial call showed, and the behaviours that it comes to."""

from __future__ import annotations

from typing import Any

import pytest

from mcp_tasks_conformance.engine.caution import Candidate
from mcp_tasks_conformance.engine.sightings import (
    Ask,
    Ending,
    Sighting,
    behaviours_of,
    duration_ms,
    profile_of,
    told_by_both,
)

ELICITATION, SAMPLING = "elicitation/create", "sampling/createMessage"


def sighting(tool: str = "tool", support: Any = "optional", **seen: Any) -> Sighting:
    candidate = Candidate(tool, {}, support, support != "forbidden", bool(seen.pop("schema", False)))
    return Sighting(candidate, **{"ending": Ending.CONTENT, "said": "succeeded", "lasted_s": 0.02, **seen})


def asks(*methods: str, at_once: bool = False, texts: str = "123") -> tuple[Ask, ...]:
    pairs = zip(methods, texts, strict=False)
    return tuple(Ask(method, text, number if at_once else 0) for number, (method, text) in enumerate(pairs))


@pytest.mark.parametrize(
    ("seen", "shown"),
    [
        (sighting(), {"completes", "either"}),
        (sighting(support="required"), {"completes", "task-only"}),
        (sighting(support="required", asks=asks(ELICITATION)), {"asks-elicitation", "task-only"}),
        (sighting(support="required", ending=Ending.TOOL_ERROR), {"fails-tool-error", "task-only"}),
        (sighting(support="required", asks=asks(ELICITATION, SAMPLING)), {"task-only"}),
        (sighting(support="required", ending=Ending.OTHER), set()),
        (sighting(support="forbidden"), {"plain-only"}),
        (sighting(support="forbidden", ending=Ending.TOOL_ERROR), set()),
        (sighting(structured=True, schema=True), {"completes", "either", "structured"}),
        (sighting(structured=True), {"completes", "either"}),
        (sighting(ending=Ending.TOOL_ERROR), {"fails-tool-error"}),
        (sighting(ending=Ending.RPC_ERROR), {"fails-rpc-error"}),
        (sighting(ending=Ending.OTHER), set()),
        (sighting(lasted_s=0.6, working_until_s=0.5), {"completes", "either", "slow"}),
        (sighting(lasted_s=0.6, working_until_s=0.1), {"completes", "either"}),
        (sighting(lasted_s=0.3, working_until_s=0.3), {"completes", "either"}),
        (sighting(progress=(0.1, 0.2)), {"completes", "either", "reports-progress"}),
        (sighting(progress=(0.1, 0.1)), {"completes", "either"}),
        (sighting(progress=(0.1,)), {"completes", "either"}),
        (sighting(logs=2), {"completes", "either", "logs"}),
        (sighting(asks=asks(ELICITATION)), {"asks-elicitation"}),
        (sighting(asks=asks(SAMPLING)), {"asks-sampling"}),
        (sighting(asks=asks(ELICITATION, ELICITATION)), {"asks-twice"}),
        (sighting(asks=asks(ELICITATION, SAMPLING)), set()),
        (sighting(asks=asks(*[ELICITATION] * 3, at_once=True)), {"asks-many"}),
        (sighting(asks=asks(*[ELICITATION] * 3, at_once=True, texts="132")), set()),
        (sighting(asks=asks(*[ELICITATION] * 3)), set()),
        (sighting(asks=asks(ELICITATION), ending=Ending.TOOL_ERROR), set()),
    ],
)
def test_a_tool_shows_what_it_was_seen_to_do(seen: Sighting, shown: set[str]) -> None:
    assert set(behaviours_of(seen)) == shown


def test_a_slow_tool_is_still_at_work_when_half_of_its_duration_is_over() -> None:
    seen = sighting(lasted_s=0.6, working_until_s=0.31)
    assert 600 <= duration_ms("slow", seen) <= 620


def test_of_equally_fast_tools_the_first_is_taken_and_of_others_the_faster() -> None:
    found = profile_of([sighting("slow", lasted_s=3.0), sighting("first", lasted_s=0.1), sighting("second")])
    assert found.behaviours["completes"].tool == "first"


def test_behaviours_get_different_tools_as_far_as_they_go() -> None:
    both = sighting("both", structured=True, schema=True)
    words = {name: one.tool for name, one in profile_of([both, sighting("words", lasted_s=0.8)]).behaviours.items()}
    assert words == {"completes": "words", "structured": "both", "either": "both"}
    slow = sighting("slow", lasted_s=0.8, working_until_s=0.8)
    shared = profile_of([both, slow, sighting("must", "required")]).behaviours
    assert (shared["completes"].tool, shared["structured"].tool, shared["slow"].tool) == ("slow", "both", "slow")
    lengthy = profile_of([both, sighting("lengthy", lasted_s=8.0)]).behaviours
    assert lengthy["completes"].tool == "both"


def test_a_tool_that_does_nothing_else_is_preferred() -> None:
    found = profile_of([sighting("talks", logs=3), sighting("calm", lasted_s=0.9)])
    assert found.behaviours["completes"].tool == "calm"
    assert found.behaviours["logs"].tool == "talks"


def test_any_tool_that_runs_only_as_a_task_will_do_though_one_that_simply_succeeds_is_preferred() -> None:
    curious = sighting("curious", "required", asks=asks(ELICITATION))
    assert profile_of([curious]).behaviours["task-only"].tool == "curious"
    assert profile_of([curious, sighting("calm", "required", lasted_s=3.0)]).behaviours["task-only"].tool == "calm"


def test_a_target_whose_tasks_never_succeed_is_asked_all_the_same_what_its_task_tool_should_do() -> None:
    stuck = sighting("stuck", "required", ending=Ending.OTHER, said="had not ended", made_task=True)
    found = profile_of([sighting("refused", ending=Ending.OTHER, said="had it refused"), stuck])
    assert {name: behaviour.tool for name, behaviour in found.behaviours.items()} == {
        "completes": "stuck",
        "task-only": "stuck",
    }
    assert "stuck, which had not ended, is used all the same" in found.notes[0]


def test_what_succeeds_plainly_and_is_given_up_in_tasks_is_known_for_what_it_is_and_not_judged() -> None:
    in_task = sighting("render", ending=Ending.OTHER, said="ended as cancelled", made_task=True, given_up=True)
    seen = told_by_both(in_task, sighting("render", lasted_s=0.7))
    found = profile_of([seen, sighting("broken", ending=Ending.TOOL_ERROR)])
    assert found.behaviours["completes"].tool == "render"
    assert found.otherwise["completes"] == found.notes[0] == "the tool render ended as cancelled"
    assert "fails-tool-error" not in found.otherwise
    assert len(found.notes) == 1
    assert profile_of([seen, sighting("sound", lasted_s=9.0, working_until_s=9.0)]).otherwise == {}


def test_what_fails_plainly_is_judged_by_that_though_its_tasks_end_as_cancelled() -> None:
    in_task = sighting("broken", ending=Ending.OTHER, said="ended as cancelled", made_task=True, given_up=True)
    seen = told_by_both(in_task, sighting("broken", ending=Ending.RPC_ERROR))
    assert profile_of([seen]).otherwise == {}
    assert behaviours_of(seen) == ("fails-rpc-error",)


def test_a_target_that_gives_up_the_only_task_it_was_seen_to_make_is_not_judged_by_it() -> None:
    stuck = sighting("stuck", "required", ending=Ending.OTHER, said="ended as cancelled", made_task=True, given_up=True)
    found = profile_of([stuck])
    assert found.notes == ("the tool stuck ended as cancelled",)
    assert set(found.otherwise) == {"completes", "task-only"}
