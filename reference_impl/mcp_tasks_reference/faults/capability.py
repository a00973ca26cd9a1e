"""Faults in what is declared."""

from __future__ import annotations

from mcp_tasks_reference.deviation import broken
from mcp_tasks_reference.jsonrpc import INVALID_PARAMS, JsonObject, JsonValue, RpcError
from mcp_tasks_reference.session import Exchange
from mcp_tasks_reference.v1.capabilities import LATEST, WITHOUT_TASKS, Capabilities
from mcp_tasks_reference.v1.tool_methods import ToolMethods

_UNDECLARED = ("v1.capability.undeclared-ignored", "v1.capability.list-gate", "v1.capability.cancel-gate")
_LIST = (
    "v1.list.schema",
    "v1.list.complete",
    "v1.list.next-cursor",
    "v1.list.paginates",
    "v1.list.bad-cursor",
    "v1.error.malformed-params",
)
_CANCEL = (
    "v1.cancel.to-cancelled",
    "v1.cancel.terminal-rejected",
    "v1.cancel.unknown-id",
    "v1.cancel.schema",
    "v1.error.malformed-params",
)


@broken(
    "tasks-undeclared",
    "v1.capability.declared",
    says="Tasks are served, but no tasks capability is declared.",
    also=_UNDECLARED,
)
class TasksUndeclared(Capabilities):
    def declared(self, version: str) -> JsonObject:
        return {name: value for name, value in super().declared(version).items() if name != "tasks"}


@broken(
    "tasks-experimental",
    "v1.capability.declared",
    says="The tasks capability stands among the experimental ones.",
    also=_UNDECLARED,
)
class TasksExperimental(Capabilities):
    def declared(self, version: str) -> JsonObject:
        declared = dict(super().declared(version))
        declared["experimental"] = {"tasks": declared.pop("tasks", {})}
        return declared


@broken(
    "tools-capability-empty",
    "v1.capability.declared",
    says="`tasks.requests.tools` is declared without `call`.",
    also=["v1.capability.undeclared-ignored"],
)
class ToolsCapabilityEmpty(Capabilities):
    def requests(self) -> JsonValue:
        return {"tools": {}}


@broken(
    "capabilities-as-booleans",
    "v1.capability.shape",
    says="`tasks.list` and `tasks.cancel` are declared as `true`.",
)
class CapabilitiesAsBooleans(Capabilities):
    def tasks(self) -> JsonValue:
        return {"list": True, "cancel": True, "requests": self.requests()}


@broken(
    "list-declared-only",
    "v1.capability.list-gate",
    says="`tasks.list` is declared, but tasks/list does not exist.",
    also=_LIST,
)
class ListDeclaredOnly(Capabilities):
    def serves_list(self, version: str | None) -> bool:
        return False


@broken(
    "list-undeclared",
    "v1.capability.list-gate",
    says="tasks/list is served without being declared.",
    offer_list=False,
)
class ListUndeclared(Capabilities):
    def serves_list(self, version: str | None) -> bool:
        return self.has_tasks(version)


@broken(
    "cancel-declared-only",
    "v1.capability.cancel-gate",
    says="`tasks.cancel` is declared, but tasks/cancel does not exist.",
    also=_CANCEL,
)
class CancelDeclaredOnly(Capabilities):
    def serves_cancel(self, version: str | None) -> bool:
        return False


@broken(
    "cancel-undeclared",
    "v1.capability.cancel-gate",
    says="tasks/cancel is served without being declared.",
    offer_cancel=False,
)
class CancelUndeclared(Capabilities):
    def serves_cancel(self, version: str | None) -> bool:
        return self.has_tasks(version)


@broken(
    "undeclared-task-refused",
    "v1.capability.undeclared-ignored",
    says="tools/list, which is no request to make a task of, is refused where it carries `task`.",
)
class UndeclaredTaskRefused(ToolMethods):
    async def list_tools(self, exchange: Exchange, params: JsonObject) -> JsonObject:
        if "task" in params:
            raise RpcError(INVALID_PARAMS, "Invalid params: task is not supported")
        return await super().list_tools(exchange, params)


@broken(
    "other-version-answered",
    "base.version-agreed",
    says="Of the two versions that it knows, the server agrees to the one not asked for, with tasks either way.",
)
class OtherVersionAnswered(Capabilities):
    def agree(self, asked: str) -> str:
        return WITHOUT_TASKS if super().agree(asked) == LATEST else LATEST

    def has_tasks(self, version: str | None) -> bool:
        return True
