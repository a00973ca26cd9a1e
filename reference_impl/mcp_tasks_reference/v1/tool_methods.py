"""tools/list and tools/call."""

from __future__ import annotations

from collections.abc import Mapping

from mcp_tasks_reference.arguments import flaw_in
from mcp_tasks_reference.behaviours import Toolbox
from mcp_tasks_reference.calls import Calls, run_tool
from mcp_tasks_reference.execution import Execution
from mcp_tasks_reference.jsonrpc import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    METHOD_NOT_FOUND,
    JsonObject,
    JsonValue,
    RpcError,
)
from mcp_tasks_reference.service import TaskService
from mcp_tasks_reference.session import Exchange, Session
from mcp_tasks_reference.tools import Tool
from mcp_tasks_reference.v1.capabilities import Capabilities
from mcp_tasks_reference.v1.core_methods import Method
from mcp_tasks_reference.v1.params import Params
from mcp_tasks_reference.v1.views import Views


class ToolMethods:
    """Calls of tools, plainly or as tasks.

    Spec: basic/utilities/tasks#tool-level-negotiation, #creating-tasks
    """

    def __init__(
        self,
        toolbox: Toolbox,
        *,
        capabilities: Capabilities,
        params: Params,
        service: TaskService,
        execution: Execution,
        calls: Calls,
        views: Views,
    ) -> None:
        self._toolbox = toolbox
        self._capabilities = capabilities
        self._params = params
        self.service = service
        self._execution = execution
        self._calls = calls
        self._views = views

    def offered(self, session: Session) -> Mapping[str, Method]:
        """Tools are there once the session is agreed."""
        return {} if session.version is None else {"tools/list": self.list_tools, "tools/call": self.call}

    async def list_tools(self, exchange: Exchange, params: JsonObject) -> JsonObject:
        """All tools on one page, so no cursor was ever issued."""
        if self._params.cursor(params) is not None:
            raise RpcError(INVALID_PARAMS, "Invalid cursor")
        with_tasks = self._capabilities.has_tasks(exchange.session.version)
        return {"tools": [self.describe(tool, with_tasks=with_tasks) for tool in self._toolbox.tools.values()]}

    def describe(self, tool: Tool, *, with_tasks: bool) -> JsonObject:
        """A tool as it is listed."""
        described: dict[str, JsonValue] = {
            "name": tool.name,
            "description": tool.description,
            "inputSchema": tool.input_schema,
            "annotations": {"readOnlyHint": True, "destructiveHint": False},
        }
        if tool.output_schema is not None:
            described["outputSchema"] = tool.output_schema
        if with_tasks:
            described["execution"] = {"taskSupport": self.support(tool)}
        return described

    def support(self, tool: Tool) -> JsonValue:
        """What the tool says of tasks."""
        return tool.task_support

    async def call(self, exchange: Exchange, params: JsonObject) -> JsonObject:
        """Run a tool, or make a task that does."""
        tool = self._tool(params)
        arguments = params.get("arguments", {})
        flaw = flaw_in(arguments, tool.input_schema)
        if flaw is not None or not isinstance(arguments, dict):
            return self.refuse_arguments(flaw or "arguments must be an object", params)
        if not self.heeds_tasks(exchange.session):
            return await self.run(exchange, tool, arguments)
        wants_task = self._params.wants_task(params)
        if wants_task and tool.task_support == "forbidden":
            self.refuse_task(tool)
        if not wants_task and tool.task_support == "required":
            self.refuse_plain(tool)
        if self.becomes_task(tool, asked=wants_task):
            return await self.make_task(exchange, tool, arguments, params)
        return await self.run(exchange, tool, arguments)

    def refuse_arguments(self, flaw: str, params: JsonObject) -> JsonObject:  # noqa: ARG002
        """The arguments are not those that the tool asks for."""
        raise RpcError(INVALID_PARAMS, f"Invalid params: {flaw}")

    def heeds_tasks(self, session: Session) -> bool:
        """Whether `task` means anything in this session; undeclared, it is ignored."""
        return self._capabilities.has_tasks(session.version)

    def refuse_task(self, tool: Tool) -> None:
        """The tool is an ordinary one."""
        raise RpcError(METHOD_NOT_FOUND, f"Tool {tool.name} cannot be called as a task")

    def refuse_plain(self, tool: Tool) -> None:
        """The tool works as a task only."""
        raise RpcError(METHOD_NOT_FOUND, f"Tool {tool.name} can be called as a task only")

    def becomes_task(self, tool: Tool, *, asked: bool) -> bool:  # noqa: ARG002
        """Whether a call makes a task."""
        return asked

    async def run(self, exchange: Exchange, tool: Tool, arguments: JsonObject) -> JsonObject:
        """Run a tool within its own request."""
        call = self._calls.plain(exchange, arguments)
        try:
            return await run_tool(tool, call)
        finally:
            call.give_up(RpcError(INTERNAL_ERROR, "The call is over"))

    async def make_task(self, exchange: Exchange, tool: Tool, arguments: JsonObject, params: JsonObject) -> JsonObject:
        """Make a task; its work begins once the requestor has been told of it."""
        ttl_ms = self._params.ttl_ms(params)
        running = await self.service.create(exchange.session, exchange.request, params, ttl_ms)
        call = self._calls.as_task(running, arguments)
        exchange.afterwards(lambda: self._execution.start(running, tool, call))
        task = await self.service.find(exchange.session.owner, running.task_id)
        return self._views.created(task)

    def _tool(self, params: JsonObject) -> Tool:
        name = params.get("name")
        if not isinstance(name, str):
            raise RpcError(INVALID_PARAMS, "Invalid params: name must be a string")
        tool = self._toolbox.tools.get(name)
        if tool is None:
            raise RpcError(INVALID_PARAMS, f"Unknown tool: {name[:80]}")
        return tool
