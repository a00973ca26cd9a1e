"""Sessions that end early, sessions that only do what failed before, and sessions in several processes."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from tests.pytest_plugin.sessions import CONFIGURATION, SLOW, STORIES, Session, reference, run

FAULTY = reference("--http", "{port}", "--fault", "cancel-ended-accepted")
SOUND = reference("--http", "{port}")
OWN = {"stories.scenario.yaml": STORIES, "test_own.py": "def test_own(): pass\n"}


def test_the_first_failure_ends_the_run_and_its_target(tmp_path: Path) -> None:
    files = {"a.scenario.yaml": STORIES, "b.scenario.yaml": SLOW}
    ended = run(tmp_path, ".", "-x", "--mcp-http", "--mcp-command", FAULTY, files=files)
    assert [outcome for outcome in ended.outcomes.values() if outcome == "failed"] == ["failed"]
    assert "stopping after 1 failures" in ended.said
    assert "Verdict" not in ended.said
    assert ended.left == []
    assert ended.exit_code == 1


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=["SIGINT", "SIGTERM"])
def test_an_interrupt_leaves_no_process(tmp_path: Path, number: signal.Signals) -> None:
    session = Session(tmp_path, ".", "--mcp-http", "--mcp-command", SOUND, files={"b.scenario.yaml": SLOW})
    session.until_targets_run()
    session.process.send_signal(number)
    ended = session.end(20)
    assert ended.left == []
    assert ended.exit_code in (pytest.ExitCode.INTERRUPTED, -number)


def test_what_failed_is_run_again_by_itself_and_passes_once_it_is_mended(tmp_path: Path) -> None:
    faulty = reference("--stdio", "--fault", "cancel-ended-accepted")
    failed = run(tmp_path, ".", "--mcp-command", faulty, files=OWN)
    assert failed.exit_code == 1
    again = run(tmp_path, ".", "--lf", "--mcp-command", reference("--stdio"), files=OWN)
    assert again.outcomes == {"refuses[ending=completes]": "passed", "refuses[ending=fails-rpc-error]": "passed"}
    assert "2 scenarios in " in again.said


def test_workers_run_a_share_each_and_the_verdict_is_one(tmp_path: Path) -> None:
    pytest.importorskip("xdist")
    files = {**OWN, "pytest.ini": f"{CONFIGURATION}mcp_results = results.json\n"}
    ended = run(tmp_path, ".", "-p", "xdist", "-n", "2", "--mcp-http", "--mcp-command", FAULTY, files=files)
    assert ended.outcomes["refuses[ending=completes]"] == "failed"
    assert ended.outcomes["ends"] == "passed"
    assert ended.said.count("Verdict: violations (1 requirement violated)") == 1
    assert "6 scenarios" in ended.line or "5 scenarios" in ended.line
    assert (tmp_path / "results.json").exists()
    assert ended.left == []
    assert ended.exit_code == 1


def test_workers_tell_once_that_the_target_is_not_there(tmp_path: Path) -> None:
    pytest.importorskip("xdist")
    ended = run(tmp_path, ".", "-p", "xdist", "-n", "2", "--mcp-url", "http://127.0.0.1:9/mcp", files=OWN)
    assert ended.said.count("ERROR mcp-tasks") == 1
    assert [name for name, outcome in ended.outcomes.items() if outcome == "error"] == ["mcp-tasks"]
    assert ended.exit_code == 1
