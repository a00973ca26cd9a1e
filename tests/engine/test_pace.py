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


@pytest.mark.parametrize(("round_trip_s", "stretch"), [(0.0, 1.0), (0.02, 1.0), (0.05, 2.5), (3.0, 10.0)])
def test_deadlines_and_windows_stretch_with_the_distance(round_trip_s: float, stretch: float) -> None:
    pace = Pace().measured(round_trip_s)
    assert pace.stretch == pytest.approx(stretch)
    assert pace.window(None) == pytest.approx(0.15 * stretch)
    assert pace.window(50) == pytest.approx(0.05 * stretch)
    assert pace.deadline(None, 10.0) == pytest.approx(10 * stretch)
    assert pace.deadline(200, 10.0) == pytest.approx(0.2 * stretch)
