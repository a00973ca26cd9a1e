"""The tools that a target lists: all pages, whatever stands in them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from mcp_tasks_conformance.engine.matching import show, type_name
from mcp_tasks_conformance.engine.pace import Pace
from mcp_tasks_conformance.events import JsonValue
from mcp_tasks_conformance.peers.connection import Connection
from mcp_tasks_conformance.peers.exchange import NoAnswer

MOST_PAGES: Final = 100
MOST_TOOLS: Final = 10_000

Tool = Mapping[str, JsonValue]


_WANT_CREDENTIALS: Final = (401, 403)


class CredentialsWanted(Exception):
    """The target lets nobody see its tools without credentials, or without others."""

    def __init__(self, status: JsonValue) -> None:
        super().__init__(f"tools/list was refused with HTTP {status}")
        self.status = status


@dataclass(slots=True)
class ToolList:
    """What tools/list came to."""

    problem: str | None = None
    """Why the tools are not known, or not all of them."""
    notes: dict[str, None] = field(default_factory=dict)
    """What is odd in the list, each thing once."""
    _tools: dict[str, Tool] = field(default_factory=dict)

    @property
    def tools(self) -> tuple[Tool, ...]:
        """Those that can be called: each has a name of its own."""
        return tuple(self._tools.values())

    def take(self, page: Sequence[JsonValue]) -> None:
        """Take the tools of one page in."""
        for item in page:
            name = item.get("name") if isinstance(item, Mapping) else None
            if not isinstance(item, Mapping):
                self._note(f"an entry that is no tool but {type_name(item)}")
            elif not isinstance(name, str) or not name:
                self._note(f"a tool without a name: {show(item, 80)}")
            elif name in self._tools:
                self._note(f"the tool {show(name, 60)} twice; the first counts")
            elif len(self._tools) >= MOST_TOOLS:
                self.problem = f"tools/list has more than {MOST_TOOLS:,} tools"
            else:
                self._tools[name] = item

    def _note(self, what: str) -> None:
        self.notes.setdefault(f"tools/list has {what}")


async def list_tools(connection: Connection, pace: Pace) -> ToolList:
    """Read the whole list.

    Raises:
        ConnectionGone: the target is gone.
        CredentialsWanted: HTTP refuses it for want of credentials.
    """
    found = ToolList()
    cursors: set[str] = set()
    params: dict[str, JsonValue] | None = None
    within = pace.deadline(None, pace.request_s)
    while found.problem is None:
        try:
            reply = await connection.request("tools/list", params, within=within)
        except NoAnswer as silence:
            found.problem = str(silence)
            break
        status = (reply.http or {}).get("status")
        if status in _WANT_CREDENTIALS:
            raise CredentialsWanted(status)
        view = reply.view()
        result = view.get("result")
        page = result.get("tools") if isinstance(result, Mapping) else None
        if not isinstance(result, Mapping) or not isinstance(page, Sequence) or isinstance(page, str):
            found.problem = f"tools/list was not answered with a list of tools, but {show(view, 120)}"
            break
        found.take(page)
        cursor = result.get("nextCursor")
        if not isinstance(cursor, str):
            break
        if cursor in cursors:
            found.problem = f"tools/list goes round in circles: the cursor {show(cursor, 60)} comes again"
        elif len(cursors) >= MOST_PAGES:
            found.problem = f"tools/list has more than {MOST_PAGES} pages"
        cursors.add(cursor)
        params = {"cursor": cursor}
    return found
