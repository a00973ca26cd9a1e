"""How pytest's command line names what is in the library: by the beginnings of its items' node ids."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

ROOT = "mcp-tasks"
"""The node id of the library, and so its name on the command line."""


class Address(NamedTuple):
    """A part of the library: all of it, the suites below a path, a scenario, or one run of it."""

    text: str
    path: str
    name: str | None

    def covers_suite(self, suite: str) -> bool:
        """Whether anything of that suite may be meant."""
        return not self.path or suite == self.path or (self.name is None and suite.startswith(f"{self.path}/"))

    def covers(self, suite: str, name: str) -> bool:
        """Whether the item of that name in that suite is meant; without brackets, all runs of a scenario are."""
        return self.covers_suite(suite) and self.name in (None, name, name.partition("[")[0])


def is_address(argument: str, folder: Path) -> bool:
    """Whether an argument names the library; a file or folder of that name comes first."""
    beginning = argument.partition("::")[0]
    return beginning.partition("/")[0] == ROOT and not (folder / beginning).exists()


def parse(argument: str) -> Address:
    """The address that an argument spells."""
    beginning, _, name = argument.partition("::")
    return Address(argument, beginning.removeprefix(ROOT).strip("/"), name or None)


def any_covers(addresses: Iterable[Address], suite: str, name: str) -> bool:
    """Whether one of them means that item."""
    return any(address.covers(suite, name) for address in addresses)
