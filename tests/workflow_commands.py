"""Workflow commands as a runner takes them from the lines of a log."""

from __future__ import annotations

import re
from dataclasses import dataclass

_COMMAND = re.compile(r"\s*::([\w-]+) ?(.*?)::(.*)")


@dataclass(frozen=True)
class Command:
    name: str
    properties: dict[str, str]
    message: str


def command_of(line: str) -> Command | None:
    """The command that a line is, its escapes undone."""
    found = _COMMAND.fullmatch(line.rstrip("\r"))
    if found is None:
        return None
    pairs = [pair.partition("=") for pair in found[2].split(",") if pair]
    properties = {
        name: _unescaped(value, ("%0D", "\r"), ("%0A", "\n"), ("%3A", ":"), ("%2C", ",")) for name, _, value in pairs
    }
    return Command(found[1], properties, _unescaped(found[3], ("%0D", "\r"), ("%0A", "\n")))


def _unescaped(text: str, *escapes: tuple[str, str]) -> str:
    for escape, character in escapes:
        text = text.replace(escape, character)
    return text.replace("%25", "%")
