"""What a run leaves behind, as its options name it: files, and commands for the service that runs it."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from mcp_tasks_conformance.catalog.baseline_layout import laid_out
from mcp_tasks_conformance.catalog.model import Baseline, Waiver
from mcp_tasks_conformance.counting import counted
from mcp_tasks_conformance.reports.annotations import annotations_of, repository_of
from mcp_tasks_conformance.reports.digest import Reproduce
from mcp_tasks_conformance.reports.junit import junit_of
from mcp_tasks_conformance.reports.markdown import markdown_of
from mcp_tasks_conformance.reports.workflow_commands import commands_stopped
from mcp_tasks_conformance.verdicts.model import RunResult
from mcp_tasks_conformance.verdicts.renewal import renewed
from mcp_tasks_conformance.verdicts.results import UnwritableResultsError, write_results
from mcp_tasks_conformance.verdicts.writing import write_whole

STEP_SUMMARY = "GITHUB_STEP_SUMMARY"
"""Names the file that GitHub shows as the summary of a step, to which others may have written before."""


def _check_apart(given: Mapping[str, Any]) -> None:
    """See that nothing that is written takes the place of something else, or of what was read."""
    written = ("results", "junit", "markdown", "write_baseline")
    named = {option: Path(given[option]).resolve() for option in (*written, "baseline", "profile") if given[option]}
    named |= {f"FILE {file}": Path(file).resolve() for file in given["files"]}
    for option in written:
        for other, path in named.items():
            renewed_in_place = {option, other} == {"write_baseline", "baseline"}
            if option in named and other != option and path == named[option] and not renewed_in_place:
                raise click.UsageError(f"--{option.replace('_', '-')} and {other} name the same file, {path}")


def _check_kept(written: Path | None, judged_with: Baseline | None) -> None:
    """See that no reasons are lost that somebody has written down."""
    if written is None or not _holds_something(written):
        return
    if judged_with is None or judged_with.path.resolve() != written.resolve():
        raise click.UsageError(
            f"--write-baseline {written}: the file is there, and the reasons in it would be lost; "
            f"give --baseline {written} beside it to keep them, or remove the file to begin anew"
        )


def _holds_something(file: Path) -> bool:
    try:
        return file.is_file() and file.stat().st_size > 0
    except OSError:  # a name that the file system does not take: told when it is written
        return False


@dataclass(frozen=True, slots=True)
class Outputs:
    """What to write once the run is over, and where."""

    results: Path | None
    junit: Path | None
    markdown: Path | None
    baseline: Path | None
    annotations: bool

    @classmethod
    def of(cls, given: Mapping[str, Any], judged_with: Baseline | None = None) -> Outputs:
        """What the options ask for.

        Args:
            given: the options.
            judged_with: the baseline whose reasons a new one keeps.

        Raises:
            click.UsageError: a file cannot be written there, or another option names the same; said now, not when all
                the work is done.
        """
        _check_apart(given)
        _check_kept(_path(given, "write_baseline"), judged_with)
        if given["transcripts"] and not given["results"]:
            raise click.UsageError("--transcripts goes with --results: it says which transcripts that file keeps")
        return cls(
            results=_path(given, "results"),
            junit=_path(given, "junit"),
            markdown=_path(given, "markdown"),
            baseline=_path(given, "write_baseline"),
            annotations=given["annotations"],
        )

    def commands_stopped(self) -> AbstractContextManager[None]:
        """Within, a runner that obeys annotations takes nothing for a command, whatever a target makes us print."""
        return commands_stopped() if self.annotations else contextlib.nullcontext()

    def annotate(self, result: RunResult) -> None:
        """Print the annotations, where they are asked for."""
        if self.annotations:
            click.echo(annotations_of(result, repository_of(os.environ)), nl=False)

    def write(self, result: RunResult, baseline: Baseline | None, reproduce: Reproduce | None) -> list[str]:
        """Write all files; gives what could not be written and why.

        Args:
            result: what the run came to.
            baseline: the one that it was judged with.
            reproduce: gives the shell command that runs a scenario again.
        """
        problems = [unwritten(path, write) for path, write in self._writers(result, baseline, reproduce)]
        if self.baseline is not None and not result.complete:
            click.echo(f"{self.baseline} is not written: the run came to no end", err=True)
        return [problem for problem in problems if problem is not None]

    def _writers(
        self, result: RunResult, baseline: Baseline | None, reproduce: Reproduce | None
    ) -> Iterator[tuple[Path, Callable[[Path], None]]]:
        if self.results is not None:
            yield self.results, lambda path: write_results(path, result)
        if self.junit is not None:
            yield self.junit, lambda path: write_text(path, junit_of(result, reproduce))
        if self.markdown is not None:
            yield self.markdown, lambda path: write_text(path, markdown_of(result, reproduce))
        if self.baseline is not None and result.complete:
            yield self.baseline, lambda path: _write_baseline(path, renewed(result, baseline))


def write_text(path: Path, text: str) -> None:
    """Write a file whole, or add to the summary of a step.

    Raises:
        OSError: the file system does not take it.
    """
    if str(path) == os.environ.get(STEP_SUMMARY):
        with path.open("a", encoding="utf-8") as summary:
            summary.write(text)
    else:
        write_whole(path, text.encode("utf-8"))


def unwritten(path: Path, write: Callable[[Path], None]) -> str | None:
    """Write a file; gives why that failed, or none."""
    try:
        write(path)
    except UnwritableResultsError as unwritable:
        return str(unwritable)
    except OSError as error:
        return f"{path}: cannot be written: {error.strerror or error}"
    return None


def _write_baseline(path: Path, waivers: Sequence[Waiver]) -> None:
    write_text(path, laid_out(waivers))
    told = (
        f"has {counted(len(waivers), 'entry', 'entries')}" if waivers else "has no entries: there is nothing to waive"
    )
    click.echo(f"{path} {told}", err=True)


def _path(given: Mapping[str, Any], option: str) -> Path | None:
    if not given[option]:
        return None
    path = Path(given[option])
    if not path.parent.is_dir():
        raise click.UsageError(f"--{option.replace('_', '-')} {path}: there is no folder {path.parent}")
    return path
