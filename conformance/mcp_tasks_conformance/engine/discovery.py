"""What the target says of itself before anything is judged: revision, capabilities, tools, and how far away it is."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass

from mcp_tasks_conformance.engine.stage import Stage
from mcp_tasks_conformance.engine.tool_list import ToolList, list_tools
from mcp_tasks_conformance.events import Direction, JsonValue, SeenKind
from mcp_tasks_conformance.peers.capabilities import declares
from mcp_tasks_conformance.peers.connection import Connection
from mcp_tasks_conformance.peers.exchange import ConnectionGone, NoAnswer
from mcp_tasks_conformance.peers.inbox import Incoming
from mcp_tasks_conformance.wire import jsonrpc
from mcp_tasks_conformance.wire.jsonrpc import FrameKind
from mcp_tasks_conformance.wire.transcript import Transcript

LISTEN_S = 0.2
"""How long it is listened to a target that talks unasked, to tell how much it does."""
MOST_CHANGES = 5
"""So often a list that is said to have changed is read again."""


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
    notes: tuple[str, ...] = ()
    """What is odd in the list of tools."""
    sessions: bool = True
    """Whether it tells sessions apart: over HTTP, whether it gave one a name."""
    chatter_per_s: float = 0.0
    """How much it says a second that nobody asked for and that is about nothing in particular."""

    def declares(self, capability: str) -> bool:
        """Whether a dotted capability is declared: present and neither null nor false."""
        return declares(self.capabilities, capability)

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


class NotIntroduced(Exception):
    """The target died or fell silent before it could be learned what it is."""

    def __init__(self, awaited: str, noise: str | None = None) -> None:
        super().__init__(f"{awaited} was never answered")
        self.awaited = awaited
        self.noise = noise
        """The first that came and was no message, or none."""


async def discover(stage: Stage, transcript: Transcript) -> Facts:
    """Open a connection and ask for what there is.

    What monitors find in it is no check: it belongs to no scenario, and scenarios introduce themselves and list the
    tools in the same way.

    Args:
        stage: where the target is met.
        transcript: takes what is said until the target is known.

    Raises:
        HandshakeRefused: the target does not want to be initialized.
        CredentialsWanted: it wants credentials for its list of tools.
        NotIntroduced: it died over one of the first requests, or answered none after initialize.
    """
    try:
        connection = await stage.open(transcript, 0, within=stage.pace.deadline(None, stage.pace.start_s))
    except (NoAnswer, ConnectionGone):
        raise NotIntroduced("initialize", _noise(transcript)) from None
    try:
        listed = await _tools(connection, stage)
        round_trip = await _round_trip(connection, stage)
        chatter_per_s = await _chatter_per_s(connection, transcript)
        if round_trip is None and listed.problem is not None:
            raise NotIntroduced("tools/list or ping")
        for _ in range(MOST_CHANGES):  # tools may be registered only after `initialized`; the list then changes
            if connection.inbox.peek(_says_that_tools_changed) is None:
                break
            connection.attach(Transcript(), "main")
            listed = await _tools(connection, stage)
        result = connection.initialize_reply.view().get("result") if connection.initialize_reply is not None else {}
        assert isinstance(result, Mapping)
        info = result.get("serverInfo")
        return Facts(
            protocol_version=str(result.get("protocolVersion")),
            server_info=info if isinstance(info, Mapping) else {},
            capabilities=connection.capabilities,
            tools=listed.tools,
            round_trip_s=round_trip or 0.0,
            problem=listed.problem,
            notes=((listed.problem,) if listed.tools and listed.problem else ()) + tuple(listed.notes),
            sessions=connection.keeps_session,
            chatter_per_s=chatter_per_s,
        )
    finally:
        await stage.release(connection)


def _noise(transcript: Transcript) -> str | None:
    for seen in transcript.entries:
        garbled = seen.kind is SeenKind.MESSAGE and jsonrpc.decode(seen.text).kind is FrameKind.INVALID
        if seen.direction is Direction.RECEIVED and (seen.kind is SeenKind.NOISE or garbled):
            return seen.text
    return None


def _says_that_tools_changed(message: Incoming) -> bool:
    return message.frame.kind is FrameKind.NOTIFICATION and message.frame.method == "notifications/tools/list_changed"


async def _tools(connection: Connection, stage: Stage) -> ToolList:
    if "tools" not in connection.capabilities and "tasks" not in connection.capabilities:
        return ToolList("the target declares no tools")
    try:
        return await list_tools(connection, stage.pace)
    except ConnectionGone:
        raise NotIntroduced("tools/list") from None


async def _chatter_per_s(connection: Connection, transcript: Transcript) -> float:
    """How much is said unasked; where nothing has been until now nothing is waited for."""
    if not transcript.chatter:
        return 0.0
    before = transcript.chatter
    with suppress(TimeoutError):
        await connection.inbox.watch(lambda _: False, within=LISTEN_S)
    return (transcript.chatter - before) / LISTEN_S


async def _round_trip(connection: Connection, stage: Stage) -> float | None:
    """The shortest of three pings, in seconds; none where one of them is not answered."""
    loop = asyncio.get_running_loop()
    times: list[float] = []
    for _ in range(3):
        started = loop.time()
        try:
            await connection.request("ping", within=stage.pace.deadline(None, stage.pace.ping_s))
        except NoAnswer:
            return None
        except ConnectionGone:
            raise NotIntroduced("ping") from None
        times.append(loop.time() - started)
    return min(times)
