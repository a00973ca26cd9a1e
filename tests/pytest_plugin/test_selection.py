"""Which scenarios become items, which of them run, and what the command line and the configuration file can say."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from importlib.metadata import entry_points
from pathlib import Path

import pytest

from mcp_tasks_conformance.catalog.library import load
from mcp_tasks_conformance.catalog.runs import keys_of
from tests.pytest_plugin.sessions import CONFIGURATION, STORIES, Ended, reference, run, told_all

OWN = {"stories.scenario.yaml": STORIES, "test_own.py": "def test_own(): pass\n"}
SOUND = ("--mcp-command", reference("--stdio"))
NOBODY = ("--mcp-url", "http://127.0.0.1:9/mcp")
MARKED = "import pytest\n@pytest.mark.mcp_must\n@pytest.mark.mcp_quality\ndef test_own(): pass\n"
CONFIGURED = (
    f"{CONFIGURATION}mcp_command = {reference('--stdio')}\n"
    "mcp_env =\n    ONE=1\n    TWO=2\nmcp_jobs = 2\nmcp_results = results.json\n"
)
BROKEN = STORIES.replace("start_task", "strat_task", 1)
REFUSALS = ["refuses[ending=completes]", "refuses[ending=fails-rpc-error]"]
SESSIONS: Mapping[str, tuple[tuple[str, ...], Mapping[str, str]]] = {
    "everything": (("--collect-only", "-q", *NOBODY), OWN),
    "a path": (("--collect-only", "-q", "test_own.py", *NOBODY), OWN),
    "a suite and a path": (
        ("--collect-only", "-q", "mcp-tasks/v1/receiver/cancel::sticks", "test_own.py", *NOBODY),
        OWN,
    ),
    "a level and an area": (
        ("--collect-only", "-q", "-m", "mcp_should and mcp_area_cancel", "mcp-tasks", *NOBODY),
        OWN,
    ),
    "a requirement": (("--collect-only", "-q", "-k", "v1.cancel.to-cancelled", *NOBODY), OWN),
    "no target": (("--collect-only", "-q"), OWN),
    "marks without a target": ((), {"test_own.py": MARKED}),
    "a broken file": ((".", *SOUND), {"my.scenario.yaml": BROKEN}),
}
WRONG: Mapping[str, tuple[tuple[str, ...], str]] = {
    "no target": (("--mcp-jobs", "3"), "--mcp-jobs goes with a target: --mcp-url or --mcp-command"),
    "two targets": ((*SOUND, *NOBODY), "--mcp-command and --mcp-url both name a target; give one"),
    "no number": ((*SOUND, "--mcp-jobs", "many"), "--mcp-jobs takes a whole number, at least 1, not many"),
    "no seconds": (
        (*SOUND, "--mcp-start-timeout", "soon"),
        "--mcp-start-timeout takes seconds, at least 0.1, not soon",
    ),
    "no folder": ((*SOUND, "--mcp-cwd", "nowhere"), "--mcp-cwd nowhere: there is no such folder"),
    "no identity": ((*NOBODY, "--mcp-identity", "x"), "--mcp-identity takes NAME='HEADER: VALUE'"),
    "no profile": ((*SOUND, "--mcp-profile", "nonesuch"), "--mcp-profile nonesuch is neither a file nor a profile"),
    "no baseline": (("test_own.py", *SOUND, "--mcp-baseline", "nonesuch"), "nonesuch:1:1: the file cannot be read"),
    "no scenario": (("mcp-tasks/v1/receiver/cancle", *SOUND), "not found: mcp-tasks/v1/receiver/cancle"),
}


@pytest.fixture(scope="module")
def ended(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Ended]:
    wrong = {f"wrong: {name}": (words, OWN) for name, (words, _) in WRONG.items()}
    return told_all(tmp_path_factory.mktemp("selection"), {**SESSIONS, **wrong})


@pytest.fixture(scope="module")
def configured(tmp_path_factory: pytest.TempPathFactory) -> tuple[Ended, Path]:
    """A session of which the configuration file says most, and its folder."""
    folder = tmp_path_factory.mktemp("configured")
    return run(folder, "-k", "refuses", ".", files={**OWN, "pytest.ini": CONFIGURED}), folder


def _collected(ended: Ended) -> list[str]:
    return [line for line in ended.said.splitlines() if "::" in line]


@pytest.mark.parametrize("there", ["../known.yaml", "below/known.yaml"])
def test_a_value_that_leads_pytest_away_from_its_configuration_is_told(tmp_path: Path, there: str) -> None:
    folder = tmp_path / "project"
    (folder / "below").mkdir(parents=True)
    (folder / there).write_text("# nothing is known\n")
    files = {**OWN, "pytest.ini": "[pytest]\n", "below/pytest.ini": "[pytest]\n"}
    apart = run(folder, "--collect-only", "-q", *NOBODY, "--mcp-baseline", there, files=files)
    assert apart.exit_code == 4
    assert f"pytest took {there}, the value of --mcp-baseline, for a path of tests" in apart.said
    assert f"write --mcp-baseline={there}" in apart.said
    joined = run(folder, "--collect-only", "-q", *NOBODY, f"--mcp-baseline={there}", files=files)
    assert joined.exit_code == 0


def test_every_run_of_the_library_and_of_ones_own_suites_is_an_item(ended: dict[str, Ended]) -> None:
    collected = _collected(ended["everything"])
    assert collected[:7] == [
        "stories.scenario.yaml::refuses[ending=completes]",
        "stories.scenario.yaml::refuses[ending=fails-rpc-error]",
        "stories.scenario.yaml::ends",
        "stories.scenario.yaml::recommends",
        "stories.scenario.yaml::has-no-point",
        "stories.scenario.yaml::stays-open",
        "test_own.py::test_own",
    ]
    scenarios = load().scenarios.values()
    library = [f"mcp-tasks/{one.suite}::{key[len(one.suite) + 1 :]}" for one in scenarios for key in keys_of(one)]
    assert collected[7:] == library
    assert "mcp-tasks/v1/receiver/cancel::terminal-task-refuses[ending=completes]" in library


def test_collecting_asks_nothing_of_the_target(ended: dict[str, Ended]) -> None:
    assert ended["everything"].exit_code == 0
    assert "could not test" not in ended["everything"].said


def test_paths_alone_leave_the_library_out(ended: dict[str, Ended]) -> None:
    assert _collected(ended["a path"]) == ["test_own.py::test_own"]


def test_a_part_of_the_library_is_named_by_the_beginning_of_its_node_ids(ended: dict[str, Ended]) -> None:
    collected = _collected(ended["a suite and a path"])
    assert collected[0] == "test_own.py::test_own"
    assert len(collected) > 2
    assert all(line.startswith("mcp-tasks/v1/receiver/cancel::sticks[") for line in collected[1:])


def test_items_are_marked_by_level_and_area(ended: dict[str, Ended]) -> None:
    library = load()
    levels = {key: {library.requirements[r].level[:6] for r in one.proves} for key, one in library.scenarios.items()}
    wanted = {key for key, found in levels.items() if "SHOULD" in found and key.startswith("v1/receiver/cancel/")}
    found = {line.partition("[")[0] for line in _collected(ended["a level and an area"])}
    assert {name.removeprefix("mcp-tasks/").replace("::", "/") for name in found} == wanted
    assert wanted


def test_items_are_found_by_the_requirements_that_they_prove(ended: dict[str, Ended]) -> None:
    assert "mcp-tasks/v1/receiver/cancel::working-task" in _collected(ended["a requirement"])


def test_without_a_target_suites_are_no_tests(ended: dict[str, Ended]) -> None:
    assert _collected(ended["no target"]) == ["test_own.py::test_own"]


def test_the_marks_are_known_whether_or_not_a_target_is_named(ended: dict[str, Ended]) -> None:
    assert "1 passed" in ended["marks without a target"].said
    assert ended["marks without a target"].exit_code == 0


def test_the_configuration_file_can_name_it_all(configured: tuple[Ended, Path]) -> None:
    ended, folder = configured
    assert ended.outcomes == dict.fromkeys(REFUSALS, "passed")
    results = json.loads((folder / "results.json").read_text())
    assert results["options"]["jobs"] == 2
    assert results["target"]["env"] == ["ONE", "TWO"]
    assert results["target"]["cwd"] == str(folder)


def test_what_is_deselected_is_not_run(configured: tuple[Ended, Path]) -> None:
    ended, folder = configured
    assert "5 deselected" in ended.said
    results = json.loads((folder / "results.json").read_text())
    assert [row["key"].rpartition("/")[2] for row in results["scenarios"]] == REFUSALS


def test_a_broken_suite_is_an_error_that_says_where(ended: dict[str, Ended]) -> None:
    broken = ended["a broken file"]
    assert "my.scenario.yaml:12:9: unknown verb `strat_task` (did you mean `start_task`?)" in broken.said
    assert broken.exit_code == pytest.ExitCode.INTERRUPTED


@pytest.mark.parametrize("name", WRONG)
def test_wrong_usage_is_told_at_once(ended: dict[str, Ended], name: str) -> None:
    wrong = ended[f"wrong: {name}"]
    assert wrong.exit_code == pytest.ExitCode.USAGE_ERROR
    assert WRONG[name][1] in wrong.line
    assert "Traceback" not in wrong.said


LIGHT = """
import sys, time
from _pytest.config import get_config
config = get_config()
before, began = set(sys.modules), time.process_time()
import mcp_tasks_conformance.pytest_plugin as plugin
plugin.pytest_addoption(config._parser)
spent_ms = (time.process_time() - began) * 1000
print(spent_ms, *sorted(name for name in set(sys.modules) - before if "." not in name or "mcp_tasks" in name))
"""


def test_the_plugin_costs_nothing_where_it_is_not_asked_for() -> None:
    said = [subprocess.check_output([sys.executable, "-P", "-c", LIGHT], text=True).split() for _ in range(3)]
    assert min(float(words[0]) for words in said) < 5
    package = "mcp_tasks_conformance"
    assert said[0][1:] == [package, f"{package}.pytest_plugin", f"{package}.pytest_plugin.options"]


def test_pytest_finds_the_plugin_by_itself() -> None:
    (found,) = entry_points(group="pytest11", name="mcp-tasks-conformance")
    assert found.value == "mcp_tasks_conformance.pytest_plugin"
