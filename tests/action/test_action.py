"""The Action's steps, run as a runner does: green on the reference, red on a faulty one, told in every form."""

from __future__ import annotations

import json
import os
import shlex
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from xml.etree import ElementTree

import psutil
import pytest

from mcp_tasks_conformance.github_action import __main__ as entry
from mcp_tasks_conformance.github_action.performance import perform
from tests.action.workflow import ACTION, ONE_SCENARIO, Job, run_action

pytestmark = pytest.mark.xdist_group("action")
REFERENCE = shlex.join([sys.executable, "-m", "mcp_tasks_reference"])
STDIO = f"{REFERENCE} --stdio"
FAULTY = f"{STDIO} --fault cancel-ended-accepted"
BASELINE = """\
v1.cancel.terminal-rejected:
  scenarios: v1/receiver/cancel/terminal-task-refuses[ending=completes]
  reason: The store forgets that a task has ended.
"""
STALE = f"\n\n{BASELINE}"
BROKEN = "v1.no.such-rule:\n  reason: What rule?\n"
BROKEN_RULE = "v1.cancel.terminal-rejected"


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with a baseline at its root, and a server's folder with its own."""
    root = tmp_path_factory.mktemp("job") / "repository"
    folder = root / "server"
    folder.mkdir(parents=True)
    (root / "known.yaml").write_text(BASELINE)
    (root / "broken.yaml").write_text(BROKEN)
    (folder / "stale.yaml").write_text(STALE)
    return root


@pytest.fixture(scope="module")
def ports() -> Iterator[dict[str, int]]:
    """Ports that nobody else takes: one where a server will listen, one where none ever does."""
    with socket.socket() as nobody, socket.socket() as later:
        nobody.bind(("127.0.0.1", 0))
        later.bind(("127.0.0.1", 0))
        port = later.getsockname()[1]
        later.close()
        yield {"later": port, "nobody": nobody.getsockname()[1]}


def workflows(ports: Mapping[str, int]) -> dict[str, dict[str, str]]:
    """The inputs of each kind of workflow."""
    return {
        "command": {"command": STDIO, "reports": "reports/of stdio"},
        "http": {"command": f"{REFERENCE} --http {{port}}", "http": "true", "path": "/mcp"},
        "url": {"url": f"http://127.0.0.1:{ports['later']}/mcp", "wait": "20"},
        "faulty": {"command": FAULTY},
        "known": {"command": FAULTY, "baseline": "known.yaml"},
        "stale": {"command": STDIO, "baseline": "stale.yaml", "working-directory": "server"},
        "unreachable": {"url": f"http://127.0.0.1:{ports['nobody']}/mcp", "wait": "0.3"},
        "too little": {"command": STDIO, "min-proven": "1000"},
        "quiet": {"command": FAULTY, "summary": "false", "annotations": "false"},
        "no target": {},
        "two targets": {"command": STDIO, "url": "http://127.0.0.1:1/mcp"},
        "broken baseline": {"command": STDIO, "baseline": "broken.yaml"},
        "no such option": {"command": STDIO, "args": "--no-such-option"},
        "only help": {"command": STDIO, "args": "--help"},
        "no folder": {"command": STDIO, "working-directory": "nowhere"},
        "half a switch": {"command": STDIO, "strict": "maybe"},
    }


GREEN = ("command", "http", "url", "known")
RED = ("faulty", "stale", "quiet")
UNTESTED = ("unreachable", "too little")
UNUSABLE = ("no target", "two targets", "broken baseline", "no such option", "only help", "no folder", "half a switch")


@pytest.fixture(scope="module")
def jobs(repository: Path, ports: Mapping[str, int]) -> Iterator[dict[str, Job]]:
    """What came of all workflows, run two at a time, each in a repository of its own."""
    listed = workflows(ports)
    assert set(listed) == {*GREEN, *RED, *UNTESTED, *UNUSABLE}

    def one(name: str) -> Job:
        inputs = {"python": sys.executable, "args": ONE_SCENARIO, "profile": "reference", **listed[name]}
        workspace = repository.parent / name.replace(" ", "-")
        subprocess.run(["cp", "-r", str(repository), str(workspace)], check=True)
        return run_action(workspace, inputs)

    with ThreadPoolExecutor(2) as pool:
        running = {name: pool.submit(one, name) for name in ("url", *(name for name in listed if name != "url"))}
        server = subprocess.Popen(
            shlex.split(f"{REFERENCE} --http {ports['later']}"), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        try:
            yield {name: job.result() for name, job in running.items()}
        finally:
            server.kill()
            server.wait()


@pytest.mark.parametrize("name", GREEN)
def test_it_is_green_on_what_conforms(jobs: dict[str, Job], name: str) -> None:
    job = jobs[name]
    assert job.exit_code == 0, job.log
    assert job.outputs["verdict"] == "conformant"
    assert job.outputs["exit-code"] == "0"
    assert job.outputs["level"] == "none"
    assert job.outputs["violated"] == "0"
    assert int(job.outputs["proven"]) >= 10
    assert job.annotations("error") == []
    assert job.summary.startswith("## MCP Tasks: conformant")


@pytest.mark.parametrize("name", RED)
def test_it_is_red_on_what_does_not(jobs: dict[str, Job], name: str) -> None:
    job = jobs[name]
    assert job.exit_code == 1, job.log
    assert job.outputs["verdict"] == ("stale-baseline" if name == "stale" else "violations")
    assert job.outputs["exit-code"] == "1"
    assert job.outputs["violated"] == ("0" if name == "stale" else "1")


@pytest.mark.parametrize("name", UNTESTED)
def test_it_is_red_where_too_little_could_be_tested(jobs: dict[str, Job], name: str) -> None:
    job = jobs[name]
    assert job.exit_code == 3, job.log
    assert job.outputs["verdict"] == "could-not-test"
    assert job.outputs["exit-code"] == "3"
    (error,) = job.annotations("error")
    assert error.properties["title"] == "MCP Tasks: could not test"
    assert job.summary.startswith("## MCP Tasks: could-not-test\n")


@pytest.mark.parametrize("name", UNUSABLE)
def test_it_is_red_where_the_run_could_not_begin(jobs: dict[str, Job], name: str) -> None:
    job = jobs[name]
    assert job.exit_code == 2, job.log
    assert job.outputs["exit-code"] == "2"
    assert job.outputs["verdict"] == job.outputs["results"] == job.outputs["junit"] == job.outputs["markdown"] == ""
    (error,) = job.annotations("error")
    assert error.properties["title"] == "MCP Tasks: nothing was tested"
    assert error.message
    assert job.summary.startswith("## MCP Tasks: nothing was tested\n")
    assert "Traceback" not in job.log


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("no target", "give url or command"),
        ("two targets", "url and command both name a server"),
        ("broken baseline", "broken.yaml:1:1: "),
        ("no such option", "--no-such-option"),
        ("only help", "the arguments left nothing to judge"),
        ("no folder", "working-directory 'nowhere': No such file or directory"),
        ("half a switch", "strict is true or false, not 'maybe'"),
    ],
)
def test_the_annotation_and_the_summary_say_why(jobs: dict[str, Job], name: str, words: str) -> None:
    (error,) = jobs[name].annotations("error")
    assert words in error.message
    assert len(jobs[name].summary.splitlines()) > 2


def test_the_waited_for_server_is_told_apart_from_one_that_never_came(jobs: dict[str, Job]) -> None:
    (error,) = jobs["unreachable"].annotations("error")
    assert "refused the connection; waited 0.3 s for it" in error.message


@pytest.mark.parametrize("name", [*GREEN, *RED, *UNTESTED])
def test_the_reports_are_there_whatever_came_of_the_run(jobs: dict[str, Job], name: str) -> None:
    outputs = jobs[name].outputs
    results = json.loads(Path(outputs["results"]).read_text())
    assert (results["verdict"], results["level"]) == (outputs["verdict"], outputs["level"])
    assert str(results["exit_code"]) == outputs["exit-code"]
    told = {name: str(results["counts"]["must"][name]) for name in ("proven", "applicable", "violated")}
    assert told == {name: outputs[name] for name in told}
    assert ElementTree.parse(outputs["junit"]).getroot().tag == "testsuites"
    for path in ("results", "junit", "markdown"):
        assert Path(outputs[path]).parent == Path(outputs["reports"])
    if name != "quiet":
        assert jobs[name].summary == Path(outputs["markdown"]).read_text()


def test_reports_lie_where_the_workflow_wants_them(jobs: dict[str, Job], repository: Path) -> None:
    folder = repository.parent / "command" / "reports" / "of stdio"
    assert jobs["command"].outputs["reports"] == str(folder)
    assert {file.name for file in folder.iterdir()} == {"results.json", "junit.xml", "summary.md"}


def test_a_violation_is_annotated_without_a_file_that_the_repository_does_not_have(jobs: dict[str, Job]) -> None:
    (error,) = jobs["faulty"].annotations("error")
    scenario = ONE_SCENARIO.removeprefix("--scenario=")
    assert error.properties == {"title": f"{BROKEN_RULE} (MUST) violated in {scenario}"}
    for words in ("sent      tasks/cancel", "received  ", "expected  error: {code: -32602}"):
        assert words in error.message


def test_a_violation_is_in_the_summary_with_its_rule_its_link_and_how_to_see_it_again(jobs: dict[str, Job]) -> None:
    head, _, rest = jobs["faulty"].summary.partition("<details>")
    assert len(head.splitlines()) < 30
    assert f"<code>{BROKEN_RULE}</code>](https://modelcontextprotocol.io/" in head
    assert "**" in head
    assert "reproduce mcp-tasks-conformance run --command" in rest


def test_what_is_known_is_waived_and_shown(jobs: dict[str, Job]) -> None:
    assert jobs["known"].summary.startswith("## MCP Tasks: conformant outside the baseline")
    assert "The store forgets that a task has ended." in jobs["known"].summary


def test_a_stale_entry_is_annotated_where_it_stands_in_the_repository(jobs: dict[str, Job]) -> None:
    (error,) = jobs["stale"].annotations("error")
    assert error.properties == {
        "file": "server/stale.yaml",
        "line": "4",
        "title": f"Baseline: {BROKEN_RULE} is stale",
    }


def test_summary_and_annotations_can_be_left_out(jobs: dict[str, Job]) -> None:
    assert jobs["quiet"].summary == ""
    assert [command for command in jobs["quiet"].obeyed if command.name != "add-mask"] == []


@pytest.mark.parametrize("name", [*GREEN, *RED, *UNTESTED])
def test_the_log_has_the_report_for_people(jobs: dict[str, Job], name: str) -> None:
    assert "\nVerdict: " in jobs[name].log


@pytest.mark.parametrize("name", [*GREEN, *RED, *UNTESTED, *UNUSABLE])
def test_nothing_is_left_in_the_job(jobs: dict[str, Job], name: str) -> None:
    assert jobs[name].environment == jobs[name].path == ""
    assert set(jobs[name].outputs) == set(ACTION["outputs"])


def test_no_process_is_left(jobs: dict[str, Job]) -> None:
    assert jobs
    mine = [child.cmdline() for child in psutil.Process().children(recursive=True)]
    assert [words for words in mine if "--stdio" in words] == []


def test_a_defect_of_our_own_is_no_verdict(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def fails(_: object) -> int:
        raise KeyError("::error::x")

    monkeypatch.setattr(entry, "perform", fails)
    assert entry.main() == 3
    said = capsys.readouterr()
    assert said.out.startswith("::stop-commands::")
    assert "KeyError" in said.err


@pytest.mark.parametrize("variable", ["GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY"])
@pytest.mark.parametrize("place", ["no/such/folder/file", "."])
def test_a_file_of_the_runner_that_cannot_be_written_is_one_clear_line(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], variable: str, place: str
) -> None:
    named = str(tmp_path / place)
    given = {"INPUT_COMMAND": "no-such-command-anywhere", "INPUT_SUMMARY": "true", "RUNNER_TEMP": str(tmp_path)}
    assert perform({**given, variable: named}) == 3
    said = capfd.readouterr().err
    assert f"Error: {variable} '{named}': cannot be written: " in said
    assert "Traceback" not in said


def test_a_verdict_that_could_not_be_handed_over_is_no_success(tmp_path: Path) -> None:
    given = {"INPUT_COMMAND": STDIO, "INPUT_ARGS": ONE_SCENARIO, "RUNNER_TEMP": str(tmp_path)}
    environment = {**os.environ, **given, "GITHUB_OUTPUT": str(tmp_path)}
    words = [sys.executable, "-m", "mcp_tasks_conformance.github_action"]
    assert subprocess.run(words, env=environment, cwd=tmp_path, capture_output=True, check=False).returncode == 2
