"""The runner of a workflow: the files by which a step tells it what came of it."""

from __future__ import annotations

import secrets
import tempfile
from collections.abc import Mapping, MutableMapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

_FILES: Final = ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY", "GITHUB_ENV", "GITHUB_PATH", "GITHUB_STATE")
"""What is written there the runner believes."""


class UnwritableFile(Exception):
    """A file of the runner's cannot be written; the text names it by its variable."""


@dataclass(frozen=True, slots=True)
class Runner:
    """Where its files lie, and the repository that the workflow is about."""

    output: Path | None
    summary: Path | None
    temporary: Path
    workspace: Path | None

    @classmethod
    def taken_from(cls, environment: MutableMapping[str, str]) -> Runner:
        """Take the names of its files out of the environment: a server under test has nothing to tell the runner."""
        named = {name: environment.pop(name, "") for name in _FILES}
        return cls(
            output=_path(named["GITHUB_OUTPUT"]),
            summary=_path(named["GITHUB_STEP_SUMMARY"]),
            temporary=_path(environment.get("RUNNER_TEMP", "")) or Path(tempfile.gettempdir()),
            workspace=_path(environment.get("GITHUB_WORKSPACE", "")),
        )

    def tell(self, outputs: Mapping[str, str]) -> None:
        """Set the outputs of the step; no value can end before its end or be taken for another output.

        Raises:
            UnwritableFile: the runner's file does not take them.
        """
        _add("GITHUB_OUTPUT", self.output, "".join(_assignment(name, value) for name, value in outputs.items()))

    def summarize(self, markdown: str) -> None:
        """Add to the summary of the step.

        Raises:
            UnwritableFile: the runner's file does not take it.
        """
        _add("GITHUB_STEP_SUMMARY", self.summary, markdown)


def _assignment(name: str, value: str) -> str:
    end = f"end-of-{secrets.token_hex(16)}"
    return f"{name}<<{end}\n{value}\n{end}\n"


def _add(variable: str, file: Path | None, text: str) -> None:
    if file is None:
        return
    try:
        with file.open("a", encoding="utf-8", newline="\n") as opened:
            opened.write(text)
    except OSError as error:
        raise UnwritableFile(f"{variable} {str(file)!r}: cannot be written: {error.strerror or error}") from error


def _path(text: str) -> Path | None:
    return Path(text) if text else None
