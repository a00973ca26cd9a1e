"""Lines that a GitHub runner obeys, and a time in which it obeys none."""

from __future__ import annotations

import contextlib
import secrets
import sys
from collections.abc import Iterator, Mapping
from typing import Final

import click

from mcp_tasks_conformance.reports.text import visible

_IN_DATA: Final = {"%": "%25", "\r": "%0D", "\n": "%0A"}
_IN_PROPERTY: Final = {**_IN_DATA, ":": "%3A", ",": "%2C"}


def command(name: str, data: str, properties: Mapping[str, str] | None = None) -> str:
    """A workflow command; of its properties those that say something."""
    told = ",".join(
        f"{key}={_escaped(visible(value), _IN_PROPERTY)}" for key, value in (properties or {}).items() if value
    )
    return f"::{name} {told}::{_escaped(data, _IN_DATA)}" if told else f"::{name}::{_escaped(data, _IN_DATA)}"


@contextlib.contextmanager
def commands_stopped() -> Iterator[None]:
    """Within, the runner takes nothing for a command, whatever a target makes us print."""
    token = secrets.token_hex(16)
    click.echo(f"::stop-commands::{token}")
    try:
        yield
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        click.echo(f"::{token}::")


def _escaped(text: str, escapes: Mapping[str, str]) -> str:
    return "".join(escapes.get(character, character) for character in text)
