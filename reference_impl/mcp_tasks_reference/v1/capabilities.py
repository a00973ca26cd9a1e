"""What the server declares at initialization."""

from __future__ import annotations

from mcp_tasks_reference.jsonrpc import JsonObject, JsonValue
from mcp_tasks_reference.settings import Settings

LATEST = "2025-11-25"
WITHOUT_TASKS = "2025-06-18"
SUPPORTED = (LATEST, WITHOUT_TASKS)


class Capabilities:
    """Declares, and tells the methods what holds for a session.

    Spec: basic/utilities/tasks#capabilities, basic/lifecycle#version-negotiation
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings

    def agree(self, asked: str) -> str:
        """The protocol version to go on with."""
        return asked if asked in SUPPORTED else LATEST

    def declared(self, version: str) -> JsonObject:
        """The server's capabilities under a version."""
        capabilities: dict[str, JsonValue] = {"tools": {}, "logging": {}}
        if self.has_tasks(version):
            capabilities["tasks"] = self.tasks()
        return capabilities

    def tasks(self) -> JsonValue:
        """The tasks capability."""
        tasks: dict[str, JsonValue] = {}
        if self._settings.offer_list:
            tasks["list"] = {}
        if self._settings.offer_cancel:
            tasks["cancel"] = {}
        return {**tasks, "requests": self.requests()}

    def requests(self) -> JsonValue:
        """The requests that may become tasks."""
        return {"tools": {"call": {}}}

    def has_tasks(self, version: str | None) -> bool:
        """Whether tasks exist under a version."""
        return version == LATEST and self._settings.offer_tasks

    def serves_list(self, version: str | None) -> bool:
        """Whether tasks/list is served."""
        return self.has_tasks(version) and self._settings.offer_list

    def serves_cancel(self, version: str | None) -> bool:
        """Whether tasks/cancel is served."""
        return self.has_tasks(version) and self._settings.offer_cancel
