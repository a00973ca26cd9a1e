"""This repository's own workflows: they parse, ask for little, use the Action as it is, and their gate works."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.action.workflow import ACTION, ONE_SCENARIO, ROOT, Job, run_action

pytestmark = pytest.mark.xdist_group("action: workflows")
FOLDER = ROOT / ".github" / "workflows"
FILES = sorted(FOLDER.glob("*.y*ml"))
CI: dict[str, Any] = yaml.safe_load((FOLDER / "ci.yml").read_text(encoding="utf-8"))
PINNED = re.compile(r"uses: [\w-]+/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+")
TOLD = re.compile(r"\$\{\{ steps\.faulty\.(outcome|outputs\.([a-z-]+)) \}\}")


def steps_of(workflow: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for job in workflow["jobs"].values():
        yield from job["steps"]


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_a_workflow_may_only_read_and_is_safe_from_what_it_is_given(file: Path) -> None:
    workflow = yaml.safe_load(file.read_text(encoding="utf-8"))
    assert workflow["permissions"] == {"contents": "read"}
    assert "group" in workflow["concurrency"]
    assert "pull_request_target" not in workflow[True]
    for job in workflow["jobs"].values():
        assert job["timeout-minutes"] <= 30
        assert "permissions" not in job
    for step in steps_of(workflow):
        assert "${{" not in step.get("run", "")
        if step.get("uses", "").startswith("actions/checkout@"):
            assert step["with"]["persist-credentials"] is False


@pytest.mark.parametrize("file", [*FILES, ROOT / "action.yml"], ids=lambda file: file.name)
def test_what_others_wrote_is_pinned_to_a_commit_with_its_version(file: Path) -> None:
    for line in file.read_text(encoding="utf-8").splitlines():
        used = line.strip().removeprefix("- ")
        if used.startswith("uses: ") and used != "uses: ./":
            assert PINNED.fullmatch(used), line


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_the_action_is_used_with_inputs_that_it_has(file: Path) -> None:
    for step in steps_of(yaml.safe_load(file.read_text(encoding="utf-8"))):
        if step.get("uses") == "./":
            assert set(step["with"]) <= set(ACTION["inputs"])


def test_the_matrix_runs_one_implementation_of_each_language() -> None:
    manifests = [yaml.safe_load(file.read_text()) for file in (ROOT / "implementations").glob("*/manifest.yaml")]
    languages = {manifest["implementation"]: manifest["language"] for manifest in manifests}
    run = CI["jobs"]["implementations"]["strategy"]["matrix"]["implementation"]
    assert set(run) <= set(languages)
    assert sorted(languages[name] for name in run) == sorted(set(languages.values()))


def test_tox_runs_on_every_python_that_is_promised() -> None:
    promised = re.findall(r"Python :: (3\.\d+)\"", (ROOT / "pyproject.toml").read_text())
    assert CI["jobs"]["tox"]["strategy"]["matrix"]["python"] == promised


@pytest.fixture(scope="module")
def gate(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Job]:
    """The steps of the gate that use the Action, on a part of the library; by URL nothing listens here."""
    jobs = {}
    for number, step in enumerate(CI["jobs"]["gate"]["steps"]):
        if step.get("uses") == "./" and "command" in step["with"]:
            workspace = tmp_path_factory.mktemp("gate") / "repository"
            workspace.mkdir()
            command = step["with"]["command"].replace("mcp-tasks-reference", f"{sys.executable} -m mcp_tasks_reference")
            ours = {"command": command, "python": sys.executable, "args": ONE_SCENARIO}
            jobs[step.get("id", str(number))] = run_action(workspace, {**step["with"], **ours})
    return jobs


def told(job: Job, text: str) -> str:
    """What a step's expressions about the faulty reference come to."""
    outcome = "success" if job.exit_code == 0 else "failure"
    return TOLD.sub(lambda found: outcome if found[1] == "outcome" else job.outputs[found[2]], text)


def test_the_gate_is_green_on_the_reference_and_red_on_a_faulty_one(gate: dict[str, Job]) -> None:
    assert len(gate) == 3
    for name, job in gate.items():
        assert job.exit_code == (1 if name == "faulty" else 0), job.log


def test_the_gate_accepts_red_for_the_right_reason_alone(gate: dict[str, Job], tmp_path: Path) -> None:
    (last,) = (step for step in CI["jobs"]["gate"]["steps"] if "OUTCOME" in step.get("env", {}))
    for name, job in gate.items():
        environment = {variable: told(job, text) for variable, text in last["env"].items()}
        assert not any("${{" in text for text in environment.values())
        words = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", last["run"]]
        ended = subprocess.run(words, cwd=tmp_path, env={"PATH": "/usr/bin:/bin", **environment}, check=False)
        assert (ended.returncode == 0) is (name == "faulty")
