"""Methods that every session has: agreeing, pinging, choosing a log level."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import TypeAlias

from mcp_tasks_reference.jsonrpc import INVALID_PARAMS, INVALID_REQUEST, JsonObject, RpcError
from mcp_tasks_reference.session import LOG_LEVELS, Exchange, Session
from mcp_tasks_reference.v1.capabilities import Capabilities

Method: TypeAlias = Callable[[Exchange, JsonObject], Awaitable[JsonObject]]


class CoreMethods:
    """The session's own methods.

    Spec: basic/lifecycle
    """

    def __init__(self, capabilities: Capabilities) -> None:
        self._capabilities = capabilities

    def offered(self, session: Session) -> Mapping[str, Method]:
        """What may be called: before the session is agreed, little."""
        early: dict[str, Method] = {"initialize": self.initialize, "ping": self.ping}
        return early if session.version is None else {**early, "logging/setLevel": self.set_level}

    async def initialize(self, exchange: Exchange, params: JsonObject) -> JsonObject:
        """Agree on a version and on what each side can do."""
        if exchange.session.version is not None:
            raise RpcError(INVALID_REQUEST, "Invalid request: the session is initialized already")
        asked, capabilities = params.get("protocolVersion"), params.get("capabilities")
        if not isinstance(asked, str):
            raise RpcError(INVALID_PARAMS, "Invalid params: protocolVersion must be a string")
        if not isinstance(capabilities, dict):
            raise RpcError(INVALID_PARAMS, "Invalid params: capabilities must be an object")
        version = self._capabilities.agree(asked)
        exchange.session.agree(version, capabilities)
        return {
            "protocolVersion": version,
            "capabilities": self._capabilities.declared(version),
            "serverInfo": {"name": "mcp-tasks-reference", "version": "1"},
        }

    async def ping(self, exchange: Exchange, params: JsonObject) -> JsonObject:  # noqa: ARG002
        """Be alive."""
        return {}

    async def set_level(self, exchange: Exchange, params: JsonObject) -> JsonObject:
        """Choose which log messages to get."""
        level = params.get("level")
        if level not in LOG_LEVELS:
            raise RpcError(INVALID_PARAMS, f"Invalid params: level must be one of {', '.join(LOG_LEVELS)}")
        exchange.session.log_level = str(level)
        return {}
