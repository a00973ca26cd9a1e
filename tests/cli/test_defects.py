"""Defects of our own: a report of what was seen, a line that says whose fault it is, and an exit code of its own."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from mcp_tasks_conformance.cli import running
from mcp_tasks_conformance.cli.commands import group
from mcp_tasks_conformance.engine import verbs
from tests.cli.commands import DATA

OURS = "the harness failed, which says nothing of the target. Please report it."


def invoke(*arguments: str) -> Result:
    return CliRunner().invoke(group, ["run", str(DATA / "slow.yaml"), "--transport", "memory", *arguments])


async def _broken(*_: Any) -> None:
    raise KeyError("tokens")


def test_a_defect_in_a_verb_is_told_and_the_run_is_no_success(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(verbs.PERFORMERS, "await_status", _broken)
    results = tmp_path / "results.json"
    ended = invoke("--results", str(results))
    assert ended.exit_code == 3
    assert "KeyError: 'tokens'" in ended.output
    written = json.loads(results.read_text())
    assert written["verdict"] == "could-not-test"
    assert {row["outcome"] for row in written["scenarios"]} == {"harness error"}


def test_a_defect_in_the_run_itself_ends_in_a_report_of_what_was_seen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(self: object, planned: Sequence[object]) -> None:
        raise KeyError("tokens")

    monkeypatch.setattr("mcp_tasks_conformance.engine.course.Course.run", fails)
    results = tmp_path / "results.json"
    ended = invoke("--results", str(results))
    assert ended.exit_code == 3
    assert OURS in " ".join(ended.output.split())
    assert {row["outcome"] for row in json.loads(results.read_text())["scenarios"]} == {"not run"}


@pytest.mark.parametrize("defect", [KeyError("tokens"), OSError(24, "Too many open files")])
def test_a_defect_before_the_run_is_told_as_ours(monkeypatch: pytest.MonkeyPatch, defect: Exception) -> None:
    def fails(*_: object) -> None:
        raise defect

    monkeypatch.setattr(running, "choose_profile", fails)
    ended = invoke()
    assert ended.exit_code == 3
    assert OURS in ended.output
    assert type(defect).__name__ in ended.output
