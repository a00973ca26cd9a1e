"""From inputs to a verdict: the run itself, and what the runner and its readers are told of it."""

from __future__ import annotations

import contextlib
import io
import os
import sys
import tempfile
from collections.abc import Callable, Mapping, MutableMapping, Sequence
from pathlib import Path
from typing import Final, TextIO

import click

from mcp_tasks_conformance.cli.commands import group
from mcp_tasks_conformance.github_action.inputs import Inputs, WrongInput
from mcp_tasks_conformance.github_action.runner import Runner, UnwritableFile
from mcp_tasks_conformance.reports.annotations import annotations_of
from mcp_tasks_conformance.reports.markup import block
from mcp_tasks_conformance.reports.text import brief
from mcp_tasks_conformance.reports.workflow_commands import command, commands_stopped
from mcp_tasks_conformance.verdicts.model import RunResult
from mcp_tasks_conformance.verdicts.results import ResultsError, read_results

UNUSABLE: Final = 2
DEFECT: Final = 3
FILES: Final[Mapping[str, str]] = {"results": "results.json", "junit": "junit.xml", "markdown": "summary.md"}
"""The reports, and how they are named in their folder."""
_NOTHING: Final = "MCP Tasks: nothing was tested"
_LONGEST: Final = 400
_LINES: Final = 20


def perform(environment: MutableMapping[str, str]) -> int:
    """Judge what the inputs name, tell the runner what came of it, and give the exit code.

    Args:
        environment: that of this process; what a server under test has no use for is taken out of it.
    """
    runner, inputs = Runner.taken_from(environment), Inputs.taken_from(environment)
    for secret in inputs.secrets():
        click.echo(command("add-mask", secret))
    reports: Path | None = None
    shown = {"summary": True, "annotations": True}
    try:
        shown = {name: inputs.switched(name) for name in shown}
        words = inputs.words()
        _enter(inputs.line("working-directory"))
        reports = _folder(inputs.line("reports"), runner)
    except WrongInput as wrong:
        exit_code, said = UNUSABLE, f"Error: {wrong}"
        with commands_stopped():
            click.echo(said, err=True)
    else:
        files = [f"--{option}={reports / name}" for option, name in FILES.items()]
        exit_code, said = _judged([*words, *files])
    result = _result(reports)
    if result is None and exit_code == 0:  # the arguments asked for something else, such as --help
        exit_code, said = UNUSABLE, "the arguments left nothing to judge"
    unwritable = _unwritable(lambda: runner.tell(_outputs(result, exit_code, reports)))
    if shown["summary"]:
        unwritable += _unwritable(lambda: runner.summarize(_summary(result, reports, said)))
    for problem in unwritable:
        with commands_stopped():
            click.echo(f"Error: {problem}", err=True)
    if shown["annotations"]:
        click.echo(_annotations(result, runner, said), nl=False)
    return exit_code or (UNUSABLE if unwritable else 0)


def _unwritable(write: Callable[[], None]) -> list[str]:
    """Write a file of the runner's; gives why that failed."""
    try:
        write()
    except UnwritableFile as problem:
        return [str(problem)]
    return []


def _enter(folder: str | None) -> None:
    try:
        if folder is not None:
            os.chdir(folder)
    except OSError as error:
        raise WrongInput(f"working-directory {folder!r}: {error.strerror}") from error


def _folder(wanted: str | None, runner: Runner) -> Path:
    """The folder of the reports, which holds none of an earlier run."""
    try:
        if wanted is None:
            return Path(tempfile.mkdtemp(prefix="mcp-tasks-conformance-", dir=runner.temporary))
        folder = Path(wanted).resolve()
        folder.mkdir(parents=True, exist_ok=True)
        for name in FILES.values():
            (folder / name).unlink(missing_ok=True)
    except OSError as error:
        raise WrongInput(f"reports {str(wanted or runner.temporary)!r}: {error.strerror}") from error
    return folder


def _judged(words: Sequence[str]) -> tuple[int, str]:
    """The exit code of a run, and what it said to standard error."""
    heard = _Heard(sys.stderr)
    with commands_stopped(), contextlib.redirect_stderr(heard):
        try:
            group.main(["run", *words], prog_name="mcp-tasks-conformance")
        except SystemExit as ended:
            return (ended.code if isinstance(ended.code, int) else 0), heard.text


class _Heard(io.TextIOBase):
    """Hands text on and keeps it."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self.text = ""

    def write(self, text: str) -> int:
        self.text += text
        return self._stream.write(text)

    def flush(self) -> None:
        self._stream.flush()


def _result(reports: Path | None) -> RunResult | None:
    if reports is None:
        return None
    try:
        return read_results(reports / FILES["results"])
    except ResultsError:
        return None


def _outputs(result: RunResult | None, exit_code: int, reports: Path | None) -> dict[str, str]:
    written = {name: reports / file for name, file in FILES.items()} if reports is not None else {}
    must = None if result is None else result.counts.must
    return {
        "verdict": "" if result is None else result.verdict,
        "level": "" if result is None else result.level,
        "proven": "" if must is None else str(must.proven),
        "applicable": "" if must is None else str(must.applicable),
        "violated": "" if must is None else str(must.violated),
        "exit-code": str(exit_code),
        "reports": "" if reports is None else str(reports),
        **{name: str(path) if path.is_file() else "" for name, path in written.items()},
    }


def _summary(result: RunResult | None, reports: Path | None, said: str) -> str:
    if result is None or reports is None:
        return f"## {_NOTHING}\n\n{block(_last_words(said))}\n"
    try:
        return (reports / FILES["markdown"]).read_text(encoding="utf-8")
    except OSError:
        return f"## MCP Tasks: {result.verdict}\n"


def _annotations(result: RunResult | None, runner: Runner, said: str) -> str:
    if result is None:
        return command("error", "\n".join(_last_words(said)), {"title": _NOTHING}) + "\n"
    return annotations_of(result, runner.workspace or Path())


def _last_words(said: str) -> list[str]:
    """Why a run did not begin, in lines that can be shown."""
    lines = said.rpartition("Error: ")[2].strip().splitlines()
    return [brief(line, _LONGEST) for line in lines[:_LINES]]
