"""A baseline as the text of its file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from mcp_tasks_conformance.catalog.model import Waiver
from mcp_tasks_conformance.catalog.yaml_text import quoted, text

HEAD: Final = """\
# Known failures of the target, by requirement. They do not fail a run of mcp-tasks-conformance;
# an entry whose failures no longer occur does.
"""

EXAMPLE: Final = """\
# There are none. An entry reads like this:
#
# v1.cancel.terminal-rejected:
#   scenarios: [v1/receiver/cancel/terminal-task-refuses]
#   reason: The store forgets that a task has ended.
"""


def laid_out(waivers: Iterable[Waiver]) -> str:
    """The text of a baseline with these entries; its comments are our own."""
    by_requirement: dict[str, list[Waiver]] = {}
    for waiver in waivers:
        by_requirement.setdefault(waiver.requirement, []).append(waiver)
    if not by_requirement:
        return HEAD + EXAMPLE
    blocks = ("\n".join(_block(requirement, entries)) for requirement, entries in by_requirement.items())
    return HEAD + "\n".join(blocks) + "\n"


def _block(requirement: str, entries: list[Waiver]) -> Iterator[str]:
    yield f"{requirement}:"
    for waiver in entries:
        first, *rest = _lines(waiver)
        yield f"  - {first}" if len(entries) > 1 else f"  {first}"
        indent = "    " if len(entries) > 1 else "  "
        yield from (f"{indent}{line}" for line in rest)


def _lines(waiver: Waiver) -> Iterator[str]:
    yield f"reason: {text(waiver.reason)}"
    if waiver.link is not None:
        yield f"link: {quoted(waiver.link)}"
    if waiver.expires is not None:
        yield f"expires: {quoted(waiver.expires.isoformat())}"
    if waiver.transports:
        yield f"transports: [{', '.join(waiver.transports)}]"
    if waiver.sometimes:
        yield "sometimes: true"
    if waiver.scenarios:
        yield "scenarios:"
        yield from (f"  - {text(scenario)}" for scenario in waiver.scenarios)
