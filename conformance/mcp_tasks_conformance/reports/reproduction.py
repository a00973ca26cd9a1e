"""The command that runs a scenario again, from what a result keeps of the command that was given."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from mcp_tasks_conformance.events import JsonValue
from mcp_tasks_conformance.reports.digest import Reproduce
from mcp_tasks_conformance.shell_words import command_with_variables

REPRODUCE: Final = "reproduce"
"""The option of a result that has the words of a command which reaches the same target again."""


def reproduction(options: Mapping[str, JsonValue]) -> Reproduce | None:
    """Gives the command for a scenario's key; none where the options do not tell how the target was reached."""
    told = options.get(REPRODUCE)
    if not isinstance(told, Sequence) or isinstance(told, str):
        return None
    words = [str(word) for word in told]
    return lambda key: command_with_variables([*words, "--scenario", key])
