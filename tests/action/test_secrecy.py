"""Canaries: what a workflow gives in secret stands in no output, summary, report or log, but where it is masked."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import pytest

from tests.action.workflow import Job, run_action
from tests.cli.commands import DATA

pytestmark = pytest.mark.xdist_group("action: secrecy")
HEADER, COOKIE, ALICE, BOB = "CANARY-header-1f7d", "CANARY-cookie-8e9f", "CANARY-alice-9b2e", "CANARY-bob-77aa"
VARIABLE, WORD, QUERY, INHERITED = "CANARY-variable-c3d4", "CANARY-word-5e6f", "CANARY-query-2c3d", "CANARY-token-9a8b"
MARK = "CANARY-"
OPEN = "secret-server"


def tattler(way: str) -> str:
    """The command of a server that repeats everything it is told."""
    return shlex.join([sys.executable, "-S", "-E", str(DATA / "tattler.py"), "serves", way, f"--token={WORD}"])


WORKFLOWS = {
    "over HTTP": {
        "command": tattler("http"),
        "http": "true",
        "headers": f"Authorization: Bearer {HEADER}\nCookie: a={COOKIE}; b=c",
        "identities": f"alice=X-Canary: {ALICE}\nbob=X-Canary: {BOB}\n",
        "env": f"CANARY_ONE={VARIABLE}",
    },
    "over stdio": {"command": tattler("stdio"), "env": f"CANARY_ONE={VARIABLE}"},
    "unreachable": {
        "url": f"http://carol:{HEADER}@127.0.0.1:9/mcp?api_key={QUERY}",
        "headers": f"X-Key: {BOB}",
        "wait": "0",
    },
    "wrong header": {"command": tattler("http"), "http": "true", "headers": f"Authorization Bearer {HEADER}"},
    "wrong identity": {"command": tattler("http"), "http": "true", "identities": f"alice X-Canary {ALICE}"},
    "wrong switch": {"command": tattler("http"), "http": "perhaps", "headers": f"X-Key: {BOB}"},
}
TOLD = ("over HTTP", "over stdio")


@pytest.fixture(scope="module", params=WORKFLOWS)
def job(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Job]:
    name: str = request.param
    workspace = tmp_path_factory.mktemp("secrecy") / "repository"
    workspace.mkdir()
    inputs = {"python": sys.executable, "args": "--suite=get\n--start-timeout=10", **WORKFLOWS[name]}
    return name, run_action(workspace, inputs, environment={"SERVER_TOKEN": INHERITED, "OPEN": OPEN})


def test_no_canary_is_told_anywhere(job: tuple[str, Job]) -> None:
    name, ended = job
    assert MARK not in ended.shown
    assert MARK not in ended.summary
    assert MARK not in "".join(ended.outputs.values())
    assert [line for line in ended.log.split("\n") if MARK in line and not line.startswith("::add-mask::")] == []
    assert [command for command in ended.obeyed if MARK in command.message and command.name != "add-mask"] == []
    if ended.outputs["reports"]:
        texts = {file.name: file.read_text() for file in Path(ended.outputs["reports"]).iterdir()}
        assert [file for file, text in texts.items() if MARK in text] == []
        assert len(texts) == (3 if name in TOLD or name == "unreachable" else 0)


def test_everything_given_in_secret_is_masked_in_the_log(job: tuple[str, Job]) -> None:
    name, ended = job
    masked = {command.message for command in ended.obeyed if command.name == "add-mask"}
    given = "\n".join(WORKFLOWS[name].values())
    secrets = [secret for secret in (HEADER, COOKIE, ALICE, BOB, VARIABLE, WORD, QUERY) if secret in given]
    assert [secret for secret in secrets if not any(mask and mask in secret for mask in masked)] == []


def test_the_server_did_repeat_what_it_was_told(job: tuple[str, Job]) -> None:
    name, ended = job
    if name in TOLD:
        assert ended.exit_code == 1, ended.log
        assert "***" in ended.log
        assert "***" in Path(ended.outputs["results"]).read_text()


def test_a_server_sees_neither_the_inputs_nor_the_files_by_which_the_runner_is_told(tmp_path: Path) -> None:
    workspace = tmp_path / "repository"
    workspace.mkdir()
    spy = workspace / "spy.py"
    spy.write_text("import json, os, pathlib\npathlib.Path('seen.json').write_text(json.dumps(dict(os.environ)))\n")
    inputs = {"command": f"{sys.executable} spy.py", "env": f"GIVEN={VARIABLE}", "headers": ""}
    run_action(workspace, {"python": sys.executable, **inputs}, environment={"OPEN": OPEN})
    seen = (workspace / "seen.json").read_text()
    assert VARIABLE in seen
    assert OPEN in seen
    for name in ("INPUT_", "GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY", "GITHUB_ENV", "GITHUB_PATH", "GITHUB_STATE"):
        assert name not in seen
