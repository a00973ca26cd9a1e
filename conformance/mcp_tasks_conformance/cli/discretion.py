"""Nothing that a command prints to standard error holds a secret: our own messages, logs, tracebacks."""

from __future__ import annotations

import contextlib
import io
import sys
from typing import TextIO

import click

from mcp_tasks_conformance.targets.redaction import Redactor


class MaskedStream(io.TextIOBase):
    """Hands text on with its secrets masked."""

    def __init__(self, stream: TextIO, redactor: Redactor) -> None:
        self._stream = stream
        self._redactor = redactor

    def write(self, text: str) -> int:
        """Write a text, which must hold each secret whole."""
        self._stream.write(self._redactor.text(text))
        return len(text)

    def flush(self) -> None:
        """Write out what is buffered."""
        self._stream.flush()

    def isatty(self) -> bool:
        """Whether people watch."""
        return self._stream.isatty()


def mask_stderr(redactor: Redactor) -> None:
    """Mask standard error until the program ends, its last words about a defect of ours included."""
    if redactor:
        masked = MaskedStream(sys.stderr, redactor)
        click.get_current_context().find_root().with_resource(contextlib.redirect_stderr(masked))
