"""Sessions that end early, sessions that only do what failed before, and sessions in several processes."""

from __future__ import annotations

import json
import signal
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.pytest_plugin.sessions import CONFIGURATION, SLOW, STORIES, Ended, Session, reference, run, run_all

FAULTY = ("--mcp-http", "--mcp-command", reference("--http", "{port}", "--fault", "cancel-ended-accepted"))
SOUND = ("--mcp-http", "--mcp-command", reference("--http", "{port}"))
OWN = {"stories.scenario.yaml": STORIES, "test_own.py": "def test_own(): pass\n"}
RESULTS = f"{CONFIGURATION}mcp_results = results.json\n"
WORKERS = ("-p", "xdist", "-n", "2")
SESSIONS: Mapping[str, tuple[tuple[str, ...], Mapping[str, str]]] = {
    "first failure": ((".", "-x", *FAULTY), {"a.scenario.yaml": STORIES, "b.scenario.yaml": SLOW}),
    "workers": ((".", *WORKERS, *FAULTY), {**OWN, "pytest.ini": RESULTS}),
    "workers without a target": ((".", *WORKERS, "--mcp-url", "http://127.0.0.1:9/mcp"), OWN),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("early")


@pytest.fixture(scope="module")
def ended(folder: Path) -> dict[str, Ended]:
    pytest.importorskip("xdist")
    return run_all(folder, SESSIONS)


def test_the_first_failure_ends_the_run_and_its_target(ended: dict[str, Ended]) -> None:
    first = ended["first failure"]
    assert Counter(first.outcomes.values())["failed"] == 1
    assert "stopping after 1 failures" in first.said
    assert "Verdict" not in first.said
    assert first.left == []
    assert first.exit_code == 1


def test_workers_run_a_share_each_and_the_verdict_is_one(ended: dict[str, Ended], folder: Path) -> None:
    workers = ended["workers"]
    assert Counter(workers.outcomes.values()) == {"failed": 2, "passed": 3, "skipped": 2}
    assert workers.outcomes["refuses[ending=completes]"] == "failed"
    assert workers.said.count("Verdict: violations (1 requirement violated)") == 1
    results = json.loads((folder / "1" / "results.json").read_text())
    outcomes = Counter(row["outcome"] for row in results["scenarios"])
    assert outcomes == {"failed": 2, "passed": 2, "inconclusive": 1, "not applicable": 1}
    assert workers.left == []
    assert workers.exit_code == 1


def test_workers_tell_once_that_the_target_is_not_there(ended: dict[str, Ended]) -> None:
    workers = ended["workers without a target"]
    assert workers.said.count("ERROR mcp-tasks") == 1
    assert Counter(workers.outcomes.values()) == {"error": 1, "passed": 1, "skipped": 6}
    assert workers.exit_code == 1


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=["SIGINT", "SIGTERM"])
def test_an_interrupt_leaves_no_process(tmp_path: Path, number: signal.Signals) -> None:
    session = Session(tmp_path, ".", *SOUND, files={"b.scenario.yaml": SLOW})
    session.until_targets_run()
    session.process.send_signal(number)
    interrupted = session.end(20)
    assert interrupted.left == []
    assert interrupted.exit_code == pytest.ExitCode.INTERRUPTED


def test_what_failed_is_run_again_by_itself_and_passes_once_it_is_mended(tmp_path: Path) -> None:
    faulty = reference("--stdio", "--fault", "cancel-ended-accepted")
    known = (".", "--mcp-profile", "reference")  # what a busy machine finds by trying tools may be less
    failed = run(tmp_path, *known, "--mcp-command", faulty, files=OWN)
    assert [name for name, outcome in failed.outcomes.items() if outcome == "failed"] == [
        "refuses[ending=completes]",
        "refuses[ending=fails-rpc-error]",
    ], failed.said
    again = run(tmp_path, *known, "--lf", "--mcp-command", reference("--stdio"), files=OWN)
    assert again.outcomes == {"refuses[ending=completes]": "passed", "refuses[ending=fails-rpc-error]": "passed"}
    assert "2 scenarios in " in again.said
