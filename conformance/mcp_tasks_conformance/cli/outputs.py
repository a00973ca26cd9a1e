"""The files that a run leaves behind, as its options name them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from mcp_tasks_conformance.catalog.baseline_layout import laid_out
from mcp_tasks_conformance.catalog.model import Baseline
from mcp_tasks_conformance.verdicts.model import RunResult
from mcp_tasks_conformance.verdicts.renewal import renewed
from mcp_tasks_conformance.verdicts.results import UnwritableResultsError, write_results
from mcp_tasks_conformance.verdicts.writing import write_whole


@dataclass(frozen=True, slots=True)
class Outputs:
    """What to write once the run is over, and where."""

    results: Path | None
    baseline: Path | None

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> Outputs:
        """What the options ask for.

        Raises:
            click.UsageError: a file cannot be written there; said now, not when all the work is done.
        """
        return cls(results=_path(given, "results"), baseline=_path(given, "write_baseline"))

    def write(self, result: RunResult, baseline: Baseline | None, tell: Callable[[str], None]) -> bool:
        """Write them all, and say whether all could be written.

        Args:
            result: what the run came to.
            baseline: the one that it was judged with.
            tell: takes a line for people of what could not be written, or need be known of what was.
        """
        written = True
        for path, write in self._writers(result, baseline, tell):
            try:
                write(path)
            except UnwritableResultsError as unwritable:
                tell(f"Error: {unwritable}")
                written = False
            except OSError as error:
                tell(f"Error: {path}: cannot be written: {error.strerror or error}")
                written = False
        return written

    def _writers(
        self, result: RunResult, baseline: Baseline | None, tell: Callable[[str], None]
    ) -> Iterator[tuple[Path, Callable[[Path], None]]]:
        if self.results is not None:
            yield self.results, lambda path: write_results(path, result)
        if self.baseline is not None and result.complete:
            waivers = renewed(result, baseline)
            yield self.baseline, lambda path: write_whole(path, laid_out(waivers).encode("utf-8"))
            tell(f"{len(waivers)} {'entry' if len(waivers) == 1 else 'entries'} for the baseline {self.baseline}")
        elif self.baseline is not None:
            tell(f"{self.baseline} is not written: the run came to no end, so that nobody knows what it would need")


def _path(given: Mapping[str, Any], option: str) -> Path | None:
    if not given[option]:
        return None
    path = Path(given[option])
    if not path.parent.is_dir():
        raise click.UsageError(f"--{option.replace('_', '-')} {path}: there is no folder {path.parent}")
    return path
