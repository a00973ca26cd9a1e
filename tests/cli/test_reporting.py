"""Reports that a run leaves behind, and those made of its results later."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree as Xml

import pytest
from click.testing import CliRunner, Result

from mcp_tasks_conformance.cli.commands import group
from mcp_tasks_conformance.engine.run import Run
from tests.cli.commands import Ran, run

SCENARIOS = ("--scenario", "v1/receiver/cancel/terminal-task-refuses", "--scenario", "v1/receiver/cancel/working-task")
FAULTY = ("run", "--transport", "memory", *SCENARIOS, "--fault", "cancel-ended-accepted")
FILES = ("--junit", "junit.xml", "--markdown", "report.md", "--results", "results.json")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("reporting")


@pytest.fixture(scope="module")
def ran(folder: Path) -> Ran:
    return run(folder, *FAULTY, *FILES, "--annotations", results=False)


def report(folder: Path, *words: str) -> Result:
    return CliRunner().invoke(group, ["report", str(folder / "results.json"), *words])


def test_a_run_leaves_every_report_that_was_asked_for(ran: Ran, folder: Path) -> None:
    assert ran.exit_code == 1
    root = Xml.parse(folder / "junit.xml").getroot()
    assert (root.tag, root.get("failures")) == ("testsuites", "3")
    assert (folder / "report.md").read_text().startswith("## MCP Tasks: violations\n")


def test_reproduce_commands_stand_in_every_report(ran: Ran, folder: Path) -> None:
    command = "reproduce mcp-tasks-conformance run --transport memory --fault cancel-ended-accepted --scenario"
    assert command in ran.said.replace("\\ ", "")
    assert command in (folder / "junit.xml").read_text()
    assert command in (folder / "report.md").read_text()


@pytest.mark.parametrize(("form", "file"), [("junit", "junit.xml"), ("markdown", "report.md")])
def test_a_report_made_later_is_the_one_of_the_run(ran: Ran, folder: Path, form: str, file: str) -> None:
    later = report(folder, "--format", form)
    assert later.exit_code == 0
    assert later.output == (folder / file).read_text()


def test_the_console_report_made_later_is_that_of_the_run(ran: Ran, folder: Path) -> None:
    _, _, told = ran.out.partition("\n")
    told = told[: told.rindex("\n::", 0, told.index("\n::error"))] + "\n"
    head, _, findings = told.partition("\n\n")
    later = report(folder)
    assert head.startswith("Target    mcp-tasks-reference")
    assert later.output == f"{head.splitlines()[0]}\n\n{findings}"


def test_a_report_can_be_written_to_a_file(ran: Ran, folder: Path) -> None:
    for form in ("console", "junit", "markdown", "annotations"):
        file = folder / f"later.{form}"
        written = report(folder, "--format", form, "--output", str(file))
        assert (written.exit_code, written.output) == (0, "")
        assert file.read_text() == report(folder, "--format", form).output


def test_between_the_words_of_the_report_nothing_is_a_command(ran: Ran) -> None:
    lines = ran.out.splitlines()
    stopped = re.fullmatch(r"::stop-commands::([0-9a-f]{32})", lines[0])
    assert stopped is not None
    resumed = lines.index(f"::{stopped[1]}::")
    assert lines[resumed - 1].startswith("Verdict: violations")
    after = lines[resumed + 1 :]
    assert len(after) == 1
    assert after[0].startswith("::error title=v1.cancel.terminal-rejected (MUST) violated in v1/receiver/cancel/")


def test_the_word_that_resumes_commands_is_another_in_each_run(ran: Ran, folder: Path) -> None:
    words = ["run", "--command", "no-such-command-anywhere", "--annotations"]
    first, second = (CliRunner().invoke(group, words).output.splitlines()[0] for _ in range(2))
    assert len({first, second, ran.out.splitlines()[0]}) == 3


def test_a_target_that_cannot_be_tested_is_in_every_report(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    words = ["run", "--command", "no-such-command-anywhere", *FILES, "--annotations"]
    ended = CliRunner().invoke(group, words)
    assert ended.exit_code == 3
    assert 'errors="1"' in (tmp_path / "junit.xml").read_text()
    assert "Could not test: command not found" in (tmp_path / "report.md").read_text()
    assert "::error title=MCP Tasks%3A could not test::command not found" in ended.output


def test_the_summary_of_a_step_is_added_to(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    summary = tmp_path / "summary.md"
    summary.write_text("# Before\n")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    words = ["run", "--command", "no-such-command-anywhere", "--markdown", str(summary)]
    assert CliRunner().invoke(group, words).exit_code == 3
    assert summary.read_text().startswith("# Before\n## MCP Tasks: could-not-test\n")


def test_any_other_file_is_replaced(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# Before\n")
    words = ["run", "--command", "no-such-command-anywhere", "--markdown", str(page)]
    assert CliRunner().invoke(group, words).exit_code == 3
    assert "Before" not in page.read_text()


@pytest.mark.parametrize("option", ["--junit", "--markdown", "--results", "--write-baseline"])
def test_a_file_that_cannot_be_written_is_told_and_takes_no_other_report_away(tmp_path: Path, option: str) -> None:
    other = tmp_path / "other.xml"
    words = ["run", "--transport", "memory", *SCENARIOS, option, str(tmp_path / ("x" * 300))]
    words += ["--junit", str(other)] if option != "--junit" else ["--markdown", str(other)]
    ended = CliRunner().invoke(group, words)
    assert ended.exit_code == 2
    assert "Verdict: conformant" in ended.output
    assert ended.stdout.endswith("\nBut 1 file could not be written, which makes the exit code 2.\n")
    *_, last = ended.stderr.splitlines()
    assert last.startswith("Error: ")
    assert last.endswith("cannot be written: File name too long")
    assert other.exists()


def test_a_folder_that_goes_while_the_run_lasts_is_told_last(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "reports"
    folder.mkdir()
    perform = Run.run

    async def goes(run: Run) -> None:
        await perform(run)
        folder.rmdir()

    monkeypatch.setattr(Run, "run", goes)
    words = ["run", "--transport", "memory", *SCENARIOS]
    words += ["--results", str(folder / "r.json"), "--write-baseline", str(folder / "b.yaml")]
    ended = CliRunner().invoke(group, words)
    assert ended.exit_code == 2
    assert ended.stdout.endswith("\nBut 2 files could not be written, which makes the exit code 2.\n")
    assert "b.yaml has" not in ended.output
    assert ended.output.count("No such file or directory") == 2


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("", "is empty"),
        ('{"format": 1', "breaks off in the middle"),
        ('{"name": "package"}', "it is no results file"),
        ('{"format": 1, "complete": true}', "is a required property"),
    ],
)
def test_results_that_cannot_be_used_are_told_and_are_exit_code_two(tmp_path: Path, content: str, problem: str) -> None:
    (tmp_path / "results.json").write_text(content)
    ended = report(tmp_path, "--format", "junit")
    assert ended.exit_code == 2
    assert problem in ended.output
    assert "Traceback" not in ended.output


def test_results_that_are_not_there_are_told(tmp_path: Path) -> None:
    ended = report(tmp_path)
    assert ended.exit_code == 2
    assert "results.json' does not exist" in ended.output


def test_verbose_is_for_the_console(tmp_path: Path) -> None:
    (tmp_path / "results.json").write_text("{}")
    ended = report(tmp_path, "--format", "junit", "--verbose")
    assert ended.exit_code == 2
    assert "--verbose is for --format console" in ended.output
