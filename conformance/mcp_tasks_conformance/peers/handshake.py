"""Opening a conversation in generation v1: initialize, initialized, the listening stream.

Spec: lifecycle#initialization of 2025-11-25.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Protocol, runtime_checkable

from mcp_tasks_conformance import __version__
from mcp_tasks_conformance.events import JsonValue
from mcp_tasks_conformance.peers.connection import Connection
from mcp_tasks_conformance.peers.exchange import ConnectionGone, NoAnswer, Reply

V1_REVISION = "2025-11-25"
DEFAULT_CAPABILITIES: Mapping[str, JsonValue] = {"elicitation": {"form": {}}, "sampling": {}}
"""What we declare unless a scenario says otherwise: all that a v1 task may ask of a requestor."""
LISTEN_S = 2.0
"""How long the head of the answer to a listening stream is waited for: some servers send it with the first event."""


class HandshakeRefused(Exception):
    """The target answered initialize, but not with a result that a conversation can stand on."""

    def __init__(self, problem: str, reply: Reply) -> None:
        super().__init__(problem)
        self.reply = reply


@runtime_checkable
class Versioned(Protocol):
    """A transport that states the agreed revision with every message."""

    protocol_version: str | None


async def initialize(
    connection: Connection,
    *,
    within: float,
    version: str = V1_REVISION,
    capabilities: Mapping[str, JsonValue] = DEFAULT_CAPABILITIES,
    initialized: bool = True,
    listen: bool = True,
) -> Reply:
    """Initialize a v1 conversation and remember what both sides declared.

    Raises:
        HandshakeRefused: initialize was answered with an error, an HTTP refusal or a result without capabilities.
        NoAnswer, ConnectionGone: as for any request.
    """
    connection.declared = capabilities
    params: dict[str, JsonValue] = {
        "protocolVersion": version,
        "capabilities": capabilities,
        "clientInfo": {"name": "mcp-tasks-conformance", "version": __version__},
    }
    reply = await connection.request("initialize", params, within=within)
    result = reply.view().get("result")
    if not isinstance(result, Mapping):
        raise HandshakeRefused(_refusal(reply), reply)
    agreed, declared = result.get("protocolVersion"), result.get("capabilities")
    if not isinstance(agreed, str) or not isinstance(declared, Mapping):
        raise HandshakeRefused("initialize was answered without protocolVersion and capabilities", reply)
    connection.capabilities = declared
    connection.initialize_reply = reply
    if isinstance(connection.transport, Versioned):
        connection.transport.protocol_version = agreed
    if initialized:
        try:
            async with asyncio.timeout(within):
                await connection.notify("notifications/initialized")
        except TimeoutError:
            raise NoAnswer("notifications/initialized", within) from None
    if listen:
        await open_listening_stream(connection)
    return reply


async def open_listening_stream(connection: Connection) -> None:
    """Open a listening stream, which stays open also where its answer is slow to begin.

    Raises:
        ConnectionGone: the target cannot be reached any more.
    """
    try:
        async with asyncio.timeout(LISTEN_S):
            await connection.transport.listen()
    except TimeoutError:
        return  # it may still begin; what comes on it will be seen
    except ConnectionError as error:
        raise ConnectionGone(str(error)) from error


def _refusal(reply: Reply) -> str:
    view = reply.view()
    error = view.get("error")
    if isinstance(error, Mapping):
        return f"initialize was refused: {error.get('code')} {error.get('message')}"
    if reply.frame is None and reply.http is not None:
        status = reply.http.get("status")
        if status in (401, 403):
            return f"initialize was refused with HTTP {status}: the server wants credentials"
        return f"initialize was answered with HTTP {status} and no JSON-RPC message"
    return "initialize was answered with neither result nor error"
