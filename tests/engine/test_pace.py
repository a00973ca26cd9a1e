"""How long things may take."""

from __future__ import annotations

from typing import Any

import pytest

from mcp_tasks_conformance.engine.pace import Pace


@pytest.mark.parametrize(
    ("task", "seconds"),
    [
        ({"pollInterval": 500}, 0.5),
        ({"pollInterval": 2.5e3}, 2.5),
        ({"pollInterval": 1}, 0.02),
        ({"pollInterval": 10**9}, 60.0),
        ({}, 0.1),
        ({"pollInterval": None}, 0.1),
        ({"pollInterval": 0}, 0.1),
        ({"pollInterval": -5}, 0.1),
        ({"pollInterval": "500"}, 0.1),
        ({"pollInterval": True}, 0.1),
    ],
)
def test_a_task_is_polled_as_it_asks_within_reason(task: dict[str, Any], seconds: float) -> None:
    assert Pace().poll(task) == seconds


def test_the_caller_may_know_better() -> None:
    assert Pace(poll_ms_override=5).poll({"pollInterval": 500}) == 0.005


@pytest.mark.parametrize(
    ("round_trip_s", "window_s", "short_s", "long_s"),
    [
        (0.0, 0.15, 0.2, 10.0),
        (0.02, 0.21, 0.6, 10.4),
        (0.4, 1.35, 2.0, 18.0),
        (3.0, 9.15, 9.2, 70.0),
    ],
)
def test_deadlines_and_windows_leave_room_for_round_trips(
    round_trip_s: float, window_s: float, short_s: float, long_s: float
) -> None:
    pace = Pace().measured(round_trip_s)
    assert pace.window(None) == pytest.approx(window_s)
    assert pace.window(50) == pytest.approx(window_s - 0.1)
    assert pace.deadline(200, 10.0) == pytest.approx(short_s)
    assert pace.deadline(None, 10.0) == pytest.approx(long_s)


def test_a_window_is_longer_than_a_round_trip_however_slow_the_target() -> None:
    assert all(Pace().measured(seconds).window(10) > 2 * seconds for seconds in (0.1, 1.0, 5.0, 30.0))


def test_the_caller_stretches_everything() -> None:
    assert Pace(stretch=3.0).window(100) == pytest.approx(0.3)
    assert Pace(stretch=3.0).deadline(None, 10.0) == pytest.approx(30.0)
    stretched, usual = (Pace(stretch=stretch).time_limit(100, 50.0, 10.0, 4) for stretch in (3.0, 1.0))
    assert stretched == pytest.approx(3 * usual)


def test_the_time_limit_grows_with_the_plan_its_work_the_distance_and_what_starting_costs() -> None:
    assert Pace().time_limit(100, 0.0, 0.0, 4) == pytest.approx(240.0 + 1.5 * 50.0)
    assert Pace().time_limit(100, 0.0, 0.0, 1) == pytest.approx(240.0 + 1.5 * 200.0)
    assert Pace().time_limit(100, 100.0, 0.0, 4) == pytest.approx(240.0 + 1.5 * 75.0)
    assert Pace().time_limit(100, 0.0, 25.0, 4) == pytest.approx(240.0 + 1.5 * 75.0)
    assert Pace().measured(0.1).time_limit(100, 0.0, 0.0, 4) == pytest.approx(240.0 + 1.5 * 50.0 + 20.0)
