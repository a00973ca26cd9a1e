"""The options of a run, as every way in takes them."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Literal

from mcp_tasks_conformance.wire.endpoint import Endpoint

FLAWS = ("fault", "variant", "husk")
"""What can be made of the bundled reference."""
ENDPOINT = "/mcp"
"""The path of a command's endpoint unless said."""


class WrongOrder(Exception):
    """The options make no sense; the text names them as the command line spells them."""


@dataclass(frozen=True, slots=True)
class Order:
    """Which target, how it is entered, and how hard it is tried; each field is an option as the user gave it."""

    command: str | None = None
    http: bool = False
    path: str | None = None
    """The path of the command's endpoint, with ``http``; ENDPOINT where absent."""
    environment: tuple[str, ...] = ()
    """``NAME=VALUE`` each."""
    cwd: str | None = None
    url: str | None = None
    wait: float | None = None
    """How long the URL's server may take to come up, in seconds."""
    headers: tuple[str, ...] = ()
    """``NAME: VALUE`` each."""
    identities: tuple[str, ...] = ()
    """``NAME=HEADER: VALUE`` each."""
    implementation: str | None = None
    transport: Literal["http", "stdio", "memory"] | None = None
    fault: str | None = None
    variant: str | None = None
    husk: str | None = None
    profile: str | None = None
    """The name of a built-in one, or a file."""
    try_tools: bool = False
    """Whether tools of which nothing is said may be tried on a target that is not on this machine."""
    baseline: str | None = None
    """A file; an implementation has its own."""
    intensity: Literal["normal", "full"] | None = None
    jobs: int | None = None
    fresh: bool = False
    start_timeout: float | None = None
    timescale: float | None = None
    poll_interval: float | None = None
    time_limit: float | None = None
    """How long the run may last, in seconds; 0 for as long as it takes."""

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> Order:
        """The order in a mapping of options, which may hold others too."""
        return cls(**{field.name: given[field.name] for field in fields(cls) if field.name in given})

    @property
    def words(self) -> list[str]:
        """The words of the command.

        Raises:
            WrongOrder: it cannot be read as words, or has none.
        """
        try:
            words = shlex.split(self.command or "")
        except ValueError as error:
            raise WrongOrder(f"--command cannot be read as words: {error}") from error
        if not words:
            raise WrongOrder("--command is empty")
        return words

    @property
    def start_s(self) -> float:
        """How long the target may take to start."""
        return float(self.start_timeout or (30.0 if self.implementation else 5.0))

    @property
    def of_others(self) -> bool:
        """Whether the target is anything but the bundled reference."""
        return bool(self.command or self.url or self.implementation)

    @property
    def on_this_machine(self) -> bool:
        """Whether the target runs here, so that a hard trial troubles nobody else."""
        try:
            return not self.url or Endpoint.parse(self.url).loopback
        except ValueError:
            return False  # the target says what is wrong with its URL

    @property
    def folder(self) -> Path | None:
        """The command's working directory."""
        return Path(self.cwd) if self.cwd else None


def parted(text: str, separator: str, option: str, form: str) -> tuple[str, str]:
    """The two parts of an option's value.

    Raises:
        WrongOrder: it has not two.
    """
    left, found, right = text.partition(separator)
    if not found or not left.strip():
        # What was given is not repeated: it may be a secret whose name was forgotten.
        raise WrongOrder(f"{option} takes {form}; this one has no name before a {separator!r}")
    return left.strip(), right.strip()
