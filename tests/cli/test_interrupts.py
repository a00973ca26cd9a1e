"""A run that is interrupted, and a target that is killed in the middle: a report, and no process left."""

from __future__ import annotations

import signal
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.cli.commands import DATA, Ran, Running

SLOW = str(DATA / "slow.yaml")


def _outcomes(ended: Ran) -> Counter[str]:
    assert ended.results is not None
    return Counter(row["outcome"] for row in ended.results["scenarios"])


def _scenarios(ended: Ran) -> list[dict[str, Any]]:
    assert ended.results is not None
    rows: list[dict[str, Any]] = ended.results["scenarios"]
    return rows


@pytest.mark.parametrize(
    ("transport", "number"), [("stdio", signal.SIGINT), ("http", signal.SIGTERM)], ids=["SIGINT", "SIGTERM"]
)
def test_an_interrupted_run_ends_in_a_report_and_takes_its_target_along(
    tmp_path: Path, transport: str, number: signal.Signals
) -> None:
    running = Running(tmp_path, "run", SLOW, "--transport", transport, "--jobs", "2")
    running.until_it_says("Scenarios")
    assert running.targets()
    running.process.send_signal(number)
    ended = running.end(10)
    assert ended.left == []
    assert ended.exit_code == 130
    assert "interrupted" in ended.said
    assert "Traceback" not in ended.said
    assert _outcomes(ended)["not run"] >= 2
    assert ended.results is not None
    assert ended.results["verdict"] == "could-not-test"


def test_an_impatient_second_interrupt_leaves_nothing_behind_either(tmp_path: Path) -> None:
    running = Running(tmp_path, "run", SLOW, "--transport", "stdio", "--jobs", "2")
    running.until_it_says("Scenarios")
    running.process.send_signal(signal.SIGINT)
    running.process.send_signal(signal.SIGINT)
    ended = running.end(10)
    assert ended.left == []
    assert ended.exit_code == 130


def test_an_interrupt_before_the_target_has_answered_ends_in_a_report(tmp_path: Path) -> None:
    running = Running(tmp_path, "run", SLOW, "--command", "sleep 60")
    while not running.targets():
        assert running.process.poll() is None
    running.process.send_signal(signal.SIGINT)
    ended = running.end(10)
    assert ended.left == []
    assert ended.exit_code == 130
    assert "Traceback" not in ended.said


@pytest.mark.parametrize("transport", ["http", "stdio"])
def test_a_target_that_is_killed_in_the_middle_is_started_again(tmp_path: Path, transport: str) -> None:
    running = Running(tmp_path, "run", SLOW, "--transport", transport)
    running.until_it_says("Scenarios")
    killed = [target for target in running.targets() if "mcp_tasks_reference" in " ".join(target.cmdline())]
    for target in killed:
        target.kill()
    assert killed
    ended = running.end()
    assert ended.left == []
    assert _outcomes(ended) == {"passed": 4}
    assert any(row["flaky"] for row in _scenarios(ended))
    assert ended.exit_code == 0
