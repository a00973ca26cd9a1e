"""Profiles as people use them: written by `profile`, checked, mistaken, claiming quality rules."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import pytest

from mcp_tasks_conformance.catalog import library
from mcp_tasks_conformance.catalog.behaviours import BEHAVIOURS
from mcp_tasks_conformance.catalog.profiles import load_profile
from tests.cli.commands import Ran, Running, run_all, script

REFERENCE = f"{sys.executable} -m mcp_tasks_reference --stdio"
ONE = ("--scenario", "v1/receiver/lifecycle/success-completes")
WAKEUP = ("run", "--transport", "memory", "--suite", "quality", "--fault", "result-polls")
FILES = {
    "mistaken.yaml": "profile: mistaken\nbehaviours:\n"
    "  completes: {tool: completes, duration_ms: 50}\n  slow: {tool: slwo, duration_ms: 600}\n",
    "foreign.yaml": "profile: foreign\nbehaviours:\n  completes: {tool: brew, duration_ms: 50}\n",
    "wrong.yaml": "profile: wrong\nbehaviours:\n  completes: {tool: fails-tool-error, duration_ms: 50}\n",
    "claims.yaml": "profile: claims\nclaims: quality.result-wakeup\nbehaviours:\n"
    "  completes: {tool: completes, duration_ms: 20}\n  slow: {tool: slow, duration_ms: 600}\n",
    "no-claims.yaml": "profile: no-claims\nbehaviours:\n"
    "  completes: {tool: completes, duration_ms: 20}\n  slow: {tool: slow, duration_ms: 600}\n",
}
RUNS: dict[str, tuple[str, ...]] = {
    "written": ("profile", "--command", script("tools")),
    "of nothing": ("profile", "--command", "no-such-command-anywhere"),
    "of no target": ("profile", "--url", "x", "--command", "y"),
    "mistaken": ("run", "--command", REFERENCE, "--profile", "mistaken.yaml", *ONE),
    "foreign": ("run", "--command", REFERENCE, "--profile", "foreign.yaml", *ONE),
    "wrong": ("run", "--command", REFERENCE, "--profile", "wrong.yaml", *ONE),
    "huge": ("run", "--profile", "huge.yaml"),
    "claimed": (*WAKEUP, "--profile", "claims.yaml"),
    "not claimed": (*WAKEUP, "--profile", "no-claims.yaml"),
    "auto": ("run", "--command", script("tools"), *ONE),
    "checked": ("check", "claims.yaml"),
    "checked in vain": ("check", "bad.yaml"),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the profiles."""
    folder = tmp_path_factory.mktemp("profiles")
    for name, text in FILES.items():
        (folder / name).write_text(text)
    (folder / "huge.yaml").write_text(
        "profile: huge\nbehaviours:\n" + "  completes: {tool: a, duration_ms: 1}\n" * 400_000
    )
    (folder / "bad.yaml").write_text("profile: bad\nbehaviours:\n  compltes: {tool: a, duration_ms: 1}\n")
    return folder


@pytest.fixture(scope="module")
def ran(folder: Path) -> dict[str, Ran]:
    """All of them, those that run at all two at a time."""
    with_results = {name: words for name, words in RUNS.items() if words[0] == "run"}
    ended = asyncio.run(run_all(folder, with_results))
    without = {name: Running(folder, *words, results=False) for name, words in RUNS.items() if words[0] != "run"}
    return ended | {name: running.end() for name, running in without.items()}


def test_a_written_profile_is_one_and_has_a_line_for_every_behaviour(ran: dict[str, Ran], folder: Path) -> None:
    (folder / "written.yaml").write_text(ran["written"].out)
    profile = load_profile(folder / "written.yaml", library.load().requirements)
    assert profile.name == "my-server"
    assert {name: behaviour.tool for name, behaviour in profile.behaviours.items()} == {
        "completes": "build",
        "either": "build",
    }
    for name in BEHAVIOURS:
        assert f"{name}: {{tool: " in ran["written"].out
    assert ran["written"].exit_code == 0


def test_what_was_tried_is_told_with_how_it_was_called(ran: dict[str, Ran]) -> None:
    assert "tried: build, as a task: it succeeded" in ran["written"].err


def test_a_destructive_tool_is_not_called_but_listed(ran: dict[str, Ran]) -> None:
    assert "not tried: wipe: annotated destructive (--try-tools or a profile has it tried)" in ran["written"].err
    assert "# slow: {tool: TOOL, duration_ms: 1000}" in ran["written"].out
    assert "#   tool: wipe\n" in ran["written"].out
    results = ran["auto"].results
    assert results is not None
    assert "WIPED" not in str(results["stderr_tail"])


def test_lines_that_are_completed_make_a_profile_too(ran: dict[str, Ran], folder: Path) -> None:
    lines = ran["written"].out.splitlines()
    completed = [line.replace("  # ", "  ") if ": {tool: " in line else line for line in lines]
    (folder / "completed.yaml").write_text("\n".join(completed))
    assert set(load_profile(folder / "completed.yaml", ()).behaviours) == set(BEHAVIOURS)


def test_of_a_target_that_is_not_there_no_profile_is_written(ran: dict[str, Ran]) -> None:
    assert ran["of nothing"].exit_code == 3
    assert ran["of nothing"].out == ""
    assert "Could not test: command not found" in ran["of nothing"].err
    assert ran["of no target"].exit_code == 2


def test_a_tool_that_is_not_there_is_told_at_the_top_with_its_line(ran: dict[str, Ran]) -> None:
    note = "mistaken.yaml:4: the target has no tool slwo (did you mean `slow`?); not exercised for that: slow"
    assert f"Note      {note}" in ran["mistaken"].said.replace("Note ", "Note      ", 1)
    results = ran["mistaken"].results
    assert results is not None
    assert results["target"]["notes"] == [note]
    assert ran["mistaken"].exit_code == 0


def test_a_profile_of_another_server_is_no_test(ran: dict[str, Ran]) -> None:
    assert ran["foreign"].exit_code == 3
    assert "none of the tools of the profile foreign is there; the target lists 17: completes," in ran["foreign"].said


def test_a_tool_that_does_something_else_is_told_and_violates_nothing(ran: dict[str, Ran]) -> None:
    assert "the tool fails-tool-error ended with isError true" in ran["wrong"].said
    results = ran["wrong"].results
    assert results is not None
    assert results["counts"]["must"]["violated"] == 0
    outcomes = {row["key"].partition("[")[2]: row["outcome"] for row in results["scenarios"]}
    assert outcomes["work=completes]"] == "inconclusive"


def test_a_file_that_can_be_no_profile_is_refused_at_once(ran: dict[str, Ran]) -> None:
    assert ran["huge"].exit_code == 2
    assert "huge.yaml:1:1: the file has 15,600,026 bytes; a profile has no more than 1,000,000" in ran["huge"].said
    assert ran["huge"].seconds < 10


def test_a_quality_rule_fails_the_run_where_the_profile_claims_it(ran: dict[str, Ran]) -> None:
    assert ran["not claimed"].exit_code == 0
    assert ran["claimed"].exit_code == 1
    assert "quality.result-wakeup" in ran["claimed"].said


def test_a_profile_can_be_checked_like_a_suite(ran: dict[str, Ran]) -> None:
    assert (ran["checked"].exit_code, ran["checked"].out) == (0, "1 profile: nothing amiss\n")
    assert ran["checked in vain"].exit_code == 2
    assert "bad.yaml:3:3: unknown behaviour `compltes` (did you mean `completes`?)" in ran["checked in vain"].said
