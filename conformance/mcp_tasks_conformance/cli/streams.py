"""Standard output and error: readers may leave, disks may be full, terminals have an edge."""

from __future__ import annotations

import contextlib
import io
import os
import shutil
import sys
from collections.abc import Iterator
from typing import TextIO

import click

from mcp_tasks_conformance.reports.page import Page

UNWRITABLE = 2
_ENDLESS = 1_000_000


class PatientStream(io.TextIOBase):
    """Hands text on while it can be written; what comes after that is lost, and the command goes on.

    A reader that leaves (``| head``) has seen enough, which is no error of anybody. Any other problem is kept.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self.problem: OSError | None = None

    @property
    def encoding(self) -> str:  # type: ignore[override]
        """The encoding of the stream."""
        return self._stream.encoding

    @property
    def errors(self) -> str | None:  # type: ignore[override]
        """What happens to characters that it cannot hold."""
        return self._stream.errors

    def write(self, text: str) -> int:
        """Write a text."""
        with self._patience():
            self._stream.write(text)
        return len(text)

    def flush(self) -> None:
        """Write out what is buffered."""
        with self._patience():
            self._stream.flush()

    def isatty(self) -> bool:
        """Whether people watch."""
        return self._stream.isatty()

    def fileno(self) -> int:
        """The descriptor of the stream."""
        return self._stream.fileno()

    @contextlib.contextmanager
    def _patience(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            if not isinstance(error, BrokenPipeError):
                self.problem = error
            # Nothing that is buffered, or comes later, meets the problem again; not even when the program ends.
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, self._stream.fileno())
            os.close(nowhere)


@contextlib.contextmanager
def patient() -> Iterator[None]:
    """Within, standard output and error are patient; a full disk behind standard output is told, by exit code 2.

    Raises:
        SystemExit: something could not be written, and not because its reader had left.
    """
    out, err = PatientStream(sys.stdout or io.StringIO()), PatientStream(sys.stderr or io.StringIO())
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            yield
        finally:
            out.flush()
            if out.problem is not None:
                err.write(f"Error: standard output cannot be written: {out.problem.strerror or out.problem}\n")
                err.flush()
                raise SystemExit(UNWRITABLE) from None


class Screen:
    """Lines for standard output: fitted to a terminal, and whole in a pipe, where a line stays a line."""

    def __init__(self) -> None:
        self._fits = sys.stdout.isatty()
        self.page = Page(shutil.get_terminal_size().columns if self._fits else _ENDLESS)

    def row(self, name: str, text: str) -> None:
        """A name and what it is about: beneath each other in a terminal, else in one line."""
        if self._fits:
            self.page.text(name)
            self.page.text(text, 4)
        else:
            self.page.unbroken(f"{name}  {text}")

    def show(self) -> None:
        """Print all lines, and begin anew."""
        click.echo(self.page.plain(), nl=False)
        self.page.lines.clear()
