"""The work behind a task, from its start to the task's end."""

from __future__ import annotations

import logging

from mcp_tasks_reference.calls import TaskCall, run_tool
from mcp_tasks_reference.jobs import Jobs
from mcp_tasks_reference.jsonrpc import INTERNAL_ERROR, JsonObject, RpcError
from mcp_tasks_reference.lifecycle import Status
from mcp_tasks_reference.running import Running
from mcp_tasks_reference.service import TaskService
from mcp_tasks_reference.task import Outcome
from mcp_tasks_reference.tools import Tool

_log = logging.getLogger(__name__)


class Execution:
    """Runs tools for tasks and turns what comes out into the task's end.

    Spec: basic/utilities/tasks#task-execution-errors
    """

    def __init__(self, service: TaskService, jobs: Jobs) -> None:
        self._service = service
        self._jobs = jobs

    def start(self, running: Running, tool: Tool, call: TaskCall) -> None:
        """Begin the work of a task that has been made, unless the task has ended before."""
        if running.over:
            return
        job = self._jobs.start(self._carry_out(running, tool, call), f"{tool.name} for {running.task_id}")
        self._service.attach(running, job, stoppable=tool.stoppable)

    async def _carry_out(self, running: Running, tool: Tool, call: TaskCall) -> None:
        await self.end(running, await outcome_of(tool, call))

    async def end(self, running: Running, outcome: Outcome) -> None:
        """Take the task to where the outcome of its work leads."""
        await self._service.move(
            running.task_id, self.status_after(outcome), self.message_after(outcome), self.kept(outcome)
        )

    def status_after(self, outcome: Outcome) -> Status:
        """The status that an outcome leads to."""
        if outcome.error is not None:
            return self.status_after_error()
        return self.status_after_success() if outcome.succeeded else self.status_after_tool_error()

    def status_after_success(self) -> Status:
        """The request did what it was asked to do."""
        return Status.COMPLETED

    def status_after_tool_error(self) -> Status:
        """The tool's result says that it failed."""
        return Status.FAILED

    def status_after_error(self) -> Status:
        """The request ended in a JSON-RPC error."""
        return Status.FAILED

    def message_after(self, outcome: Outcome) -> str | None:
        """What the task says of its end."""
        if outcome.error is not None:
            return f"The request failed: {outcome.error.message}"
        if outcome.succeeded:
            return "The request succeeded"
        return f"The tool failed: {_first_text(outcome.result or {})}"

    def kept(self, outcome: Outcome) -> Outcome:
        """What tasks/result will give."""
        return outcome


async def outcome_of(tool: Tool, call: TaskCall) -> Outcome:
    """Run a tool to its result or error; cancellation passes through."""
    try:
        return Outcome(result=await run_tool(tool, call))
    except RpcError as error:
        return Outcome(error=error)
    except Exception:
        _log.exception("%s failed", tool.name)
        return Outcome(error=RpcError(INTERNAL_ERROR, "Internal error"))


def _first_text(result: JsonObject) -> str:
    content = result.get("content")
    first = content[0] if isinstance(content, list) and content else None
    text = first.get("text") if isinstance(first, dict) else None
    return text if isinstance(text, str) else "no reason given"
