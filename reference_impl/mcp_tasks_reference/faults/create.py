"""Faults in making tasks."""

from __future__ import annotations

from mcp_tasks_reference.deviation import broken
from mcp_tasks_reference.tools import Tool
from mcp_tasks_reference.v1.tool_methods import ToolMethods


@broken(
    "plain-call-makes-task",
    "v1.create.only-if-asked",
    says="A plain call of an optional tool is answered with a task.",
    also=["v1.tool.optional-both", "quality.optional-tool-shim"],
)
class PlainCallMakesTask(ToolMethods):
    def becomes_task(self, tool: Tool, *, asked: bool) -> bool:
        return asked or tool.task_support == "optional"
