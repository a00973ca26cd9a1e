"""The snippets of docs/ci.md and of the README: what can be run is run, the rest is held against action.yml."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from mcp_tasks_conformance.cli.commands import group
from tests.action.workflow import ACTION, ONE_SCENARIO, ROOT

GUIDE = (ROOT / "docs" / "ci.md").read_text(encoding="utf-8")
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SERVER = "node server.js"
REFERENCE = shlex.join([sys.executable, "-m", "mcp_tasks_reference", "--stdio"])
SUITE = shlex.join([sys.executable, "-m", "mcp_tasks_conformance"])


def blocks(text: str, language: str) -> list[str]:
    return [body for name, body in BLOCK.findall(text) if name == language]


def steps(node: Any) -> Iterator[dict[str, Any]]:
    """Everything in a snippet that uses an action."""
    if isinstance(node, dict):
        if "uses" in node:
            yield node
        node = list(node.values())
    if isinstance(node, list):
        for item in node:
            yield from steps(item)


def ours() -> list[dict[str, Any]]:
    snippets = [yaml.safe_load(body) for body in (*blocks(GUIDE, "yaml"), *blocks(README, "yaml"))]
    return [step for step in steps(snippets) if "mcp-tasks-conformance@" in step["uses"]]


def test_every_snippet_that_uses_the_action_gives_inputs_that_it_has() -> None:
    assert len(ours()) >= 8
    for step in ours():
        assert set(step["with"]) <= set(ACTION["inputs"])
        assert ("url" in step["with"]) is not ("command" in step["with"])
        for line in step["with"].get("args", "").splitlines():
            assert not line.startswith("--") or line.partition("=")[0] in options()


def test_no_snippet_names_a_tag_that_there_may_not_be() -> None:
    refs = re.findall(r"mcp-tasks-conformance@([\w.-]+)", GUIDE + README)
    assert set(refs) == {"main"}
    assert len(refs) > len(ours())


def test_every_output_is_documented() -> None:
    named = re.findall(r"`([a-z-]+)`", GUIDE.partition("### Outputs")[2].partition("### A matrix")[0])
    assert set(ACTION["outputs"]) <= set(named)


@pytest.mark.parametrize("text", [GUIDE, README], ids=["guide", "readme"])
def test_every_option_that_is_named_exists(text: str) -> None:
    known = options()
    for line in text.splitlines():
        if "mcp-tasks-conformance run" in line:
            named = re.findall(r"(?<= )--[a-z-]+", line.partition("mcp-tasks-conformance run")[2].replace(SERVER, ""))
            assert [option for option in named if option not in known and option != "--port"] == []


def options() -> set[str]:
    commands = ("run", "report", "list", "coverage")
    return {option for name in commands for parameter in group.commands[name].params for option in parameter.opts}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "conformance").mkdir()
    for file in ("baseline.yaml", "conformance/baseline.yaml"):
        (tmp_path / file).write_text(
            "v1.cancel.terminal-rejected:\n"
            "  scenarios: v1/receiver/cancel/terminal-task-refuses[ending=completes]\n"
            "  reason: It forgets that a task has ended.\n"
        )
    return tmp_path


def shell(script: str, folder: Path, flaws: str) -> subprocess.CompletedProcess[str]:
    """Run a snippet with the reference as the server, on a part of the library."""
    script = script.replace(SERVER, f"{REFERENCE}{flaws}").replace(
        "mcp-tasks-conformance run", f"{SUITE} run --profile reference '{ONE_SCENARIO}'"
    )
    return subprocess.run(["bash", "-c", script], cwd=folder, capture_output=True, text=True, timeout=60, check=False)


@pytest.mark.parametrize(
    ("flaws", "code", "said"),
    [(" --fault cancel-ended-accepted", 0, "conformant"), ("", 1, "or a stale entry"), (" --flaw", 3, "could not be")],
)
def test_the_plain_shell_tells_the_exit_codes_apart(folder: Path, flaws: str, code: int, said: str) -> None:
    script = blocks(GUIDE.partition("## A plain shell")[2], "sh")[0]
    ended = shell(script, folder, flaws)
    assert ended.returncode == code, ended.stdout + ended.stderr
    assert said in ended.stdout.splitlines()[-1]
    assert {"results.json", "junit.xml", "summary.md"} <= {file.name for file in folder.iterdir()}


def test_what_gitlab_runs_leaves_what_it_shows(folder: Path) -> None:
    job = yaml.safe_load(blocks(GUIDE.partition("## GitLab")[2], "yaml")[0])["mcp-tasks"]
    (script,) = (line for line in job["script"] if line.startswith("mcp-tasks-conformance run"))
    ended = shell(script, folder, " --fault cancel-ended-accepted")
    assert ended.returncode == 0, ended.stdout + ended.stderr
    for file in (job["artifacts"]["reports"]["junit"], *job["artifacts"]["paths"]):
        assert (folder / file).is_file()
