from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from mcp_tasks_reference.lifecycle import ENDS, Lifecycle, Status

LIFECYCLE = Lifecycle()
LIVE = [status for status in Status if status not in ENDS]


def test_a_task_begins_working() -> None:
    assert LIFECYCLE.first() is Status.WORKING


@pytest.mark.parametrize("before", sorted(ENDS))
@pytest.mark.parametrize("after", list(Status))
def test_nothing_comes_after_an_end(before: Status, after: Status) -> None:
    assert not LIFECYCLE.may_move(before, after)


@pytest.mark.parametrize("before", LIVE)
@pytest.mark.parametrize("after", [status for status in Status if status in ENDS])
def test_a_live_task_may_end_in_any_way(before: Status, after: Status) -> None:
    assert LIFECYCLE.may_move(before, after)


def test_a_live_task_may_ask_and_go_on() -> None:
    assert LIFECYCLE.may_move(Status.WORKING, Status.INPUT_REQUIRED)
    assert LIFECYCLE.may_move(Status.INPUT_REQUIRED, Status.WORKING)


@given(st.sampled_from(Status))
def test_staying_is_no_move(status: Status) -> None:
    assert not LIFECYCLE.may_move(status, status)


class Moves(RuleBasedStateMachine):
    """Any sequence of attempts, allowed or not."""

    def __init__(self) -> None:
        super().__init__()
        self.status = LIFECYCLE.first()
        self.end: Status | None = None

    @rule(after=st.sampled_from(Status))
    def attempt(self, after: Status) -> None:
        if LIFECYCLE.may_move(self.status, after):
            self.status = after
            if LIFECYCLE.is_over(after):
                self.end = after

    @precondition(lambda self: self.end is None)
    @rule(end=st.sampled_from(sorted(ENDS)))
    def can_always_end(self, end: Status) -> None:
        assert LIFECYCLE.may_move(self.status, end)

    @invariant()
    def an_end_is_final(self) -> None:
        assert self.end is None or self.status is self.end

    @invariant()
    def over_means_ended(self) -> None:
        assert LIFECYCLE.is_over(self.status) is (self.end is not None)


TestMoves = Moves.TestCase
