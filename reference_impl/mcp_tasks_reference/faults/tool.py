"""Faults in what tools say of tasks, and in holding to it."""

from __future__ import annotations

from mcp_tasks_reference.deviation import broken
from mcp_tasks_reference.jsonrpc import (
    INVALID_PARAMS,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    JsonObject,
    JsonValue,
    RpcError,
)
from mcp_tasks_reference.session import Exchange
from mcp_tasks_reference.tools import Tool, text_result
from mcp_tasks_reference.v1.tool_methods import ToolMethods


@broken("support-invented", "v1.tool.support-values", says="A tool's taskSupport is `sometimes`.")
class SupportInvented(ToolMethods):
    def support(self, tool: Tool) -> JsonValue:
        return "sometimes" if tool.name == "either" else super().support(tool)


@broken(
    "support-untold",
    "v1.tool.forbidden-rejects-task",
    says="tools/list says of no tool that it can be called as a task, and all the same most can be.",
)
class SupportUntold(ToolMethods):
    def describe(self, tool: Tool, *, with_tasks: bool) -> JsonObject:
        return super().describe(tool, with_tasks=False)


@broken(
    "forbidden-tool-as-task",
    "v1.tool.forbidden-rejects-task",
    says="A tool that forbids tasks is called as one all the same.",
)
class ForbiddenToolAsTask(ToolMethods):
    def refuse_task(self, tool: Tool) -> None:
        pass


@broken(
    "forbidden-tool-wrong-code",
    "v1.tool.forbidden-rejects-task",
    says="Calling a tool that forbids tasks as one is refused with -32602.",
)
class ForbiddenToolWrongCode(ToolMethods):
    def refuse_task(self, tool: Tool) -> None:
        raise RpcError(INVALID_PARAMS, f"Tool {tool.name} cannot be called as a task")


@broken(
    "required-tool-plainly",
    "v1.tool.required-rejects-plain",
    says="A tool that requires tasks is called plainly all the same.",
)
class RequiredToolPlainly(ToolMethods):
    def refuse_plain(self, tool: Tool) -> None:
        pass


@broken(
    "required-tool-wrong-code",
    "v1.tool.required-rejects-plain",
    says="A plain call of a tool that requires tasks is refused with -32602.",
)
class RequiredToolWrongCode(ToolMethods):
    def refuse_plain(self, tool: Tool) -> None:
        raise RpcError(INVALID_PARAMS, f"Tool {tool.name} can be called as a task only")


@broken(
    "required-tool-invalid-request",
    "v1.tool.required-rejects-plain",
    says="A plain call of a tool that requires tasks is refused with -32600, as an example of the text has it.",
)
class RequiredToolInvalidRequest(ToolMethods):
    def refuse_plain(self, tool: Tool) -> None:
        raise RpcError(INVALID_REQUEST, f"Task augmentation required for {tool.name}")


@broken(
    "optional-tool-plain-refused",
    "quality.optional-tool-shim",
    "v1.tool.optional-both",
    "v1.capability.may-require",
    says="A plain call of an optional tool is refused with -32601.",
)
class OptionalToolPlainRefused(ToolMethods):
    async def run(self, exchange: Exchange, tool: Tool, arguments: JsonObject) -> JsonObject:
        if tool.task_support == "optional" and arguments.get("read") is not True:
            raise RpcError(METHOD_NOT_FOUND, f"Tool {tool.name} works better as a task")
        return await super().run(exchange, tool, arguments)


@broken(
    "plain-call-makes-task",
    "v1.create.only-if-asked",
    "v1.tool.optional-both",
    says="A plain call of an optional tool is answered with a task.",
    also=["quality.optional-tool-shim"],
)
class PlainCallMakesTask(ToolMethods):
    def becomes_task(self, tool: Tool, *, asked: bool) -> bool:
        return asked or tool.task_support == "optional"


@broken(
    "task-call-answers-result",
    "v1.create.returns-task",
    "v1.tool.optional-both",
    says="A call that asks for a task is answered with the tool's own result, when that is there.",
    also=["v1.create.schema", "v1.create.starts-working", "v1.create.prompt", "quality.creation-latency"],
)
class TaskCallAnswersResult(ToolMethods):
    def becomes_task(self, tool: Tool, *, asked: bool) -> bool:
        return False


@broken(
    "later-task-call-answers-result",
    "v1.create.returns-task",
    says="A tool that has made a task answers the next call that asks for one with its own result.",
)
class LaterTaskCallAnswersResult(ToolMethods):
    _latest: str | None = None

    def becomes_task(self, tool: Tool, *, asked: bool) -> bool:
        becomes = super().becomes_task(tool, asked=asked) and (not asked or tool.name != self._latest)
        if asked:
            self._latest = tool.name if becomes else None
        return becomes


@broken(
    "bad-arguments-as-result",
    "v1.create.returns-task",
    says="Wrong arguments of a call that asks for a task are answered with a failed tool result.",
)
class BadArgumentsAsResult(ToolMethods):
    def refuse_arguments(self, flaw: str, params: JsonObject) -> JsonObject:
        if not self._params.wants_task(params):
            return super().refuse_arguments(flaw, params)
        return text_result(flaw, is_error=True)
