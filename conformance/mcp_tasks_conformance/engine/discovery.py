"""What the target says of itself before anything is judged: revision, capabilities, tools, and how far away it is."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from mcp_tasks_conformance.engine.stage import Stage
from mcp_tasks_conformance.events import JsonValue
from mcp_tasks_conformance.peers.connection import Connection
from mcp_tasks_conformance.peers.exchange import NoAnswer
from mcp_tasks_conformance.wire.jsonrpc import FrameKind
from mcp_tasks_conformance.wire.transcript import Transcript

MOST_PAGES = 100


@dataclass(frozen=True, slots=True)
class Facts:
    """The target as it presents itself."""

    protocol_version: str
    server_info: Mapping[str, JsonValue]
    capabilities: Mapping[str, JsonValue]
    tools: tuple[Mapping[str, JsonValue], ...]
    round_trip_s: float
    problem: str | None = None
    """Why the tools are not known, or none."""

    def declares(self, capability: str) -> bool:
        """Whether a dotted capability is declared: present and neither null nor false."""
        value: JsonValue = self.capabilities
        for part in capability.split("."):
            if not isinstance(value, Mapping) or part not in value:
                return False
            value = value[part]
        return value is not None and value is not False

    def tool(self, name: str) -> Mapping[str, JsonValue] | None:
        """The tool of this name."""
        return next((tool for tool in self.tools if tool.get("name") == name), None)

    def for_scenarios(self) -> dict[str, JsonValue]:
        """What scenarios see as ``$target``."""
        return {
            "protocolVersion": self.protocol_version,
            "serverInfo": self.server_info,
            "capabilities": self.capabilities,
            "tools": list(self.tools),
        }


async def discover(stage: Stage) -> Facts:
    """Open a connection and ask for what there is.

    Raises:
        HandshakeRefused, NoAnswer, ConnectionGone: the target could not be initialized.
    """
    connection = await stage.open(Transcript(), 0, within=stage.pace.start_s)
    try:
        tools, problem = await _tools(connection, stage)
        round_trip = await _round_trip(connection, stage)
        while (  # tools may be registered only after `initialized`; the list then changes
            connection.inbox.peek(
                lambda m: (
                    m.frame.kind is FrameKind.NOTIFICATION and m.frame.method == "notifications/tools/list_changed"
                )
            )
            is not None
        ):
            connection.attach(Transcript(), "main")
            tools, problem = await _tools(connection, stage)
        result = connection.initialize_reply.view().get("result") if connection.initialize_reply is not None else {}
        assert isinstance(result, Mapping)
        info = result.get("serverInfo")
        return Facts(
            protocol_version=str(result.get("protocolVersion")),
            server_info=info if isinstance(info, Mapping) else {},
            capabilities=connection.capabilities,
            tools=tools,
            round_trip_s=round_trip,
            problem=problem,
        )
    finally:
        await stage.release(connection)


async def _tools(connection: Connection, stage: Stage) -> tuple[tuple[Mapping[str, JsonValue], ...], str | None]:
    if "tools" not in connection.capabilities and "tasks" not in connection.capabilities:
        return (), "the target declares no tools"
    tools: list[Mapping[str, JsonValue]] = []
    cursors: set[str] = set()
    params: dict[str, JsonValue] | None = None
    within = stage.pace.deadline(None, stage.pace.request_s)
    while True:
        try:
            reply = await connection.request("tools/list", params, within=within)
        except NoAnswer as silence:
            return tuple(tools), str(silence)
        result = reply.view().get("result")
        page = result.get("tools") if isinstance(result, Mapping) else None
        if not isinstance(result, Mapping) or not isinstance(page, Sequence) or isinstance(page, str):
            return tuple(tools), "tools/list was not answered with a list of tools"
        tools += [tool for tool in page if isinstance(tool, Mapping)]
        cursor = result.get("nextCursor")
        if not isinstance(cursor, str) or cursor in cursors or len(cursors) >= MOST_PAGES:
            return tuple(tools), None
        cursors.add(cursor)
        params = {"cursor": cursor}


async def _round_trip(connection: Connection, stage: Stage) -> float:
    """The shortest of three pings, in seconds."""
    loop = asyncio.get_running_loop()
    times: list[float] = []
    for _ in range(3):
        started = loop.time()
        try:
            await connection.request("ping", within=stage.pace.ping_s)
        except NoAnswer:
            return 0.0
        times.append(loop.time() - started)
    return min(times)
