"""What a tool is, and what it may do while it runs."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

from mcp_tasks_reference.jsonrpc import JsonObject, JsonValue

TaskSupport = Literal["required", "optional", "forbidden"]


class Call(Protocol):
    """One run of a tool, whether as a task or plainly: the tool cannot tell."""

    session_id: str
    arguments: JsonObject

    async def sleep(self, seconds: float) -> None:
        """Work for a while."""

    async def report(self, progress: float, total: float | None = None, message: str | None = None) -> None:
        """Tell the client how far the work is."""

    async def log(self, level: str, data: str) -> None:
        """Send a log message."""

    async def elicit(self, message: str, schema: JsonObject) -> Awaitable[JsonObject]:
        """Ask the user to fill in a form; what this gives can be awaited for the answer."""

    async def sample(self, prompt: str, max_tokens: int) -> Awaitable[JsonObject]:
        """Ask the client's model; what this gives can be awaited for the answer."""


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool as it is listed and run."""

    name: str
    description: str
    run: Callable[[Call], Awaitable[JsonObject]]
    task_support: TaskSupport = "optional"
    input_schema: JsonObject = field(
        default_factory=lambda: {"type": "object", "properties": {}, "additionalProperties": False}
    )
    output_schema: JsonObject | None = None
    stoppable: bool = True
    """Whether cancelling stops its work."""


class ToolFailure(Exception):
    """The tool did not succeed and says so in its result."""


def text_result(*texts: str, is_error: bool = False) -> dict[str, JsonValue]:
    """A tool result of plain text."""
    return {"content": [{"type": "text", "text": text} for text in texts], "isError": is_error}


def structured_result(value: JsonObject, texts: Sequence[str]) -> dict[str, JsonValue]:
    """A tool result with a value beside its text."""
    return {**text_result(*texts), "structuredContent": value}
