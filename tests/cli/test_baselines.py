"""Runs with a baseline, as people run them: written, kept, outgrown, broken."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import pytest

from tests.cli.commands import Ran, run, run_all

TERMINAL = "v1.cancel.terminal-rejected"
ONE = "v1/receiver/cancel/terminal-task-refuses[ending=completes]"
SCENARIOS = ("--scenario", "v1/receiver/cancel/terminal-task-refuses", "--scenario", "v1/receiver/cancel/working-task")
SOUND = ("run", "--transport", "memory", *SCENARIOS)
FAULTY = (*SOUND, "--fault", "cancel-ended-accepted")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a baseline that knows one failure, and one that knows a requirement which has never failed."""
    folder = tmp_path_factory.mktemp("baselines")
    (folder / "one.yaml").write_text(f"{TERMINAL}: {{reason: 'issue #7', scenarios: '{ONE}'}}\n")
    (folder / "old.yaml").write_text(f"{TERMINAL}: {{reason: over, expires: '2020-01-01'}}\n")
    implementation = folder / "implementations" / "faulty"
    implementation.mkdir(parents=True)
    (implementation / "known.yaml").write_text(f"{TERMINAL}: {{reason: its own}}\n")
    (implementation / "manifest.yaml").write_text(
        "implementation: faulty\nversion: '1'\nlanguage: Python\nbaseline: known.yaml\nprofile: reference\n"
        f"start: {{stdio: {sys.executable} -m mcp_tasks_reference --stdio --fault cancel-ended-accepted}}\n"
    )
    return folder


@pytest.fixture(scope="module")
def ran(folder: Path) -> dict[str, Ran]:
    """A run that writes its baseline, and then all at once those that have one."""
    first = run(folder, *FAULTY, "--write-baseline", "written.yaml")
    others = {
        "known": (*FAULTY, "--baseline", "written.yaml"),
        "unexpected": (*FAULTY, "--baseline", "one.yaml", "--write-baseline", "renewed.yaml"),
        "stale": (*SOUND, "--baseline", "one.yaml"),
        "implementation": ("run", *SCENARIOS, "--implementation", "faulty"),
        "implementation with another": ("run", *SCENARIOS, "--implementation", "faulty", "--baseline", "one.yaml"),
        "expired": (*FAULTY, "--baseline", "old.yaml"),
    }
    return {"first": first, **asyncio.run(run_all(folder, others))}


@pytest.mark.parametrize(
    ("name", "exit_code", "verdict", "said"),
    [
        ("first", 1, "violations", "written.yaml has 1 entry"),
        ("known", 0, "conformant", "Verdict: conformant outside the baseline"),
        ("unexpected", 1, "violations", "Waived by the baseline (1)"),
        ("stale", 1, "stale-baseline", f"{TERMINAL} one.yaml:1 issue #7 {ONE} What it knows of no longer fails."),
        ("implementation", 0, "conformant", f"Waived by the baseline (1) {TERMINAL} MUST its own"),
        ("implementation with another", 1, "violations", f"Waived by the baseline (1) {TERMINAL} MUST issue #7"),
        ("expired", 1, "violations", f"{TERMINAL} old.yaml:1 over in every scenario It counted until 2020-01-01."),
    ],
)
def test_a_run_with_a_baseline_says_what_it_came_to(
    ran: dict[str, Ran], name: str, exit_code: int, verdict: str, said: str
) -> None:
    assert said in ran[name].said
    assert ran[name].exit_code == exit_code
    results = ran[name].results
    assert results is not None
    assert (results["verdict"], results["exit_code"]) == (verdict, exit_code)


def test_what_is_known_is_not_shown_as_violated(ran: dict[str, Ran]) -> None:
    assert "Violated" not in ran["known"].said
    assert "Violated (1)" in ran["unexpected"].said
    assert f"--scenario '{ONE}'" not in ran["unexpected"].said


def test_a_written_baseline_names_what_failed_and_asks_for_reasons(ran: dict[str, Ran], folder: Path) -> None:
    written = (folder / "written.yaml").read_text()
    assert written.count("reason: to be explained") == 1
    assert written.count("v1/receiver/cancel/terminal-task-refuses[") == 3
    assert ran["first"].exit_code == 1


def test_a_renewed_baseline_keeps_the_reasons_there_were(ran: dict[str, Ran], folder: Path) -> None:
    renewed = (folder / "renewed.yaml").read_text()
    assert ran["unexpected"].exit_code == 1
    assert 'reason: "issue #7"' in renewed
    assert renewed.count("reason: to be explained") == 1
    assert renewed.count(ONE) == 1


def test_of_a_target_that_cannot_be_tested_no_baseline_is_written(tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_text("{}\n")
    doors = ("--baseline", "mine.yaml", "--write-baseline", "mine.yaml")
    ended = run(tmp_path, "run", "--command", "no-such-command-anywhere", *doors)
    assert "mine.yaml is not written: the run came to no end" in ended.said
    assert ended.exit_code == 3
    assert (tmp_path / "mine.yaml").read_text() == "{}\n"
