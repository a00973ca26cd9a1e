"""The behaviours of docs/behaviours.md on the Python SDK, as its guide to tasks writes servers.

Usage: server.py stdio | server.py http PORT
"""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import anyio
import uvicorn
from mcp import types
from mcp.server.experimental.task_context import ServerTaskContext
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.shared.exceptions import UrlElicitationRequiredError
from starlette.applications import Starlette
from starlette.routing import Mount

FORM: dict[str, Any] = {"type": "object", "properties": {"confirm": {"type": "boolean"}}, "required": ["confirm"]}
MOMENT_S = 0.05
SLOW_S = 1.5
FLOOD = 2000

server: Server[Any, Any] = Server("python-sdk-fixture")
server.experimental.enable_tasks()
counter = 0


def text(*texts: str, error: bool = False) -> types.CallToolResult:
    return types.CallToolResult(content=[types.TextContent(type="text", text=each) for each in texts], isError=error)


async def working(seconds: float, task: ServerTaskContext | None) -> bool:
    """Work for so long, looking now and then whether it is called off; whether it came to its end."""
    until = anyio.current_time() + seconds
    while (left := until - anyio.current_time()) > 0:
        if task is not None and task.is_cancelled:
            return False
        await anyio.sleep(min(left, 0.01))
    return True


async def completes(task: ServerTaskContext | None) -> types.CallToolResult:
    await working(MOMENT_S, task)
    return text("done")


async def structured(task: ServerTaskContext | None) -> types.CallToolResult:
    await working(MOMENT_S, task)
    return types.CallToolResult(
        content=[types.TextContent(type="text", text="21 degrees")], structuredContent={"degrees": 21}
    )


async def slow(task: ServerTaskContext | None) -> types.CallToolResult:
    await working(SLOW_S, task)
    return text("done after a while")


async def ignores_cancel(_task: ServerTaskContext | None) -> types.CallToolResult:
    await anyio.sleep(SLOW_S)
    return text("done all the same")


async def fails_tool_error(task: ServerTaskContext | None) -> types.CallToolResult:
    await working(MOMENT_S, task)
    return text("the tool did not succeed", error=True)


async def fails_rpc_error(task: ServerTaskContext | None) -> types.CallToolResult:
    """End in the one exception that the SDK passes on as a JSON-RPC error (-32042); it makes results of all others."""
    await working(MOMENT_S, task)
    login = types.ElicitRequestURLParams(message="Log in", url="https://login.invalid/", elicitationId="fixture")
    raise UrlElicitationRequiredError([login])


async def reports_progress(task: ServerTaskContext | None) -> types.CallToolResult:
    context = server.request_context
    token = context.meta.progressToken if context.meta else None
    for step in range(1, 5):
        if await working(SLOW_S / 4, task) and token is not None:
            await context.session.send_progress_notification(token, step, 4, f"step {step}")
    return text("reported")


async def logs(task: ServerTaskContext | None) -> types.CallToolResult:
    session = server.request_context.session
    for step in range(1, 5):
        if await working(SLOW_S / 4, task):
            await session.send_log_message("info", f"step {step}", "fixture")
    return text("logged")


async def counts(task: ServerTaskContext | None) -> types.CallToolResult:
    global counter
    for _ in range(int(SLOW_S / 0.01)):
        if await working(0.01, task):
            counter += 1
    return text("counted")


async def plain_only(_task: ServerTaskContext | None) -> types.CallToolResult:
    return text("plainly")


async def elicit(task: ServerTaskContext, question: str) -> types.ElicitResult:
    return await task.elicit(question, FORM)


async def asks_elicitation(task: ServerTaskContext) -> types.CallToolResult:
    answer = await elicit(task, "Go on?")
    return text("confirmed" if answer.action == "accept" else "not confirmed")


async def asks_sampling(task: ServerTaskContext) -> types.CallToolResult:
    prompt = types.SamplingMessage(role="user", content=types.TextContent(type="text", text="Say something."))
    answer = await task.create_message([prompt], max_tokens=50)
    return text(answer.content.text if isinstance(answer.content, types.TextContent) else "sampled")


async def asks_twice(task: ServerTaskContext) -> types.CallToolResult:
    await elicit(task, "First?")
    await anyio.sleep(MOMENT_S)
    await elicit(task, "Second?")
    return text("asked twice")


async def floods(task: ServerTaskContext) -> types.CallToolResult:
    async with anyio.create_task_group() as questions:
        for number in range(FLOOD):
            questions.start_soon(elicit, task, f"question {number}?")
    return text("asked far too much")


Work = Callable[[ServerTaskContext | None], Awaitable[types.CallToolResult]]
WorkOfTask = Callable[[ServerTaskContext], Awaitable[types.CallToolResult]]


@dataclass(frozen=True)
class Behaviour:
    """A tool: `work` runs plainly and as a task, `asks` asks the requestor, for which the SDK wants a task."""

    support: types.TaskExecutionMode
    work: Work | None = None
    asks: WorkOfTask | None = None
    output_schema: dict[str, Any] | None = None


BEHAVIOURS = {
    "completes": Behaviour(types.TASK_OPTIONAL, completes),
    "structured": Behaviour(
        types.TASK_OPTIONAL,
        structured,
        output_schema={"type": "object", "properties": {"degrees": {"type": "number"}}, "required": ["degrees"]},
    ),
    "slow": Behaviour(types.TASK_OPTIONAL, slow),
    "fails-tool-error": Behaviour(types.TASK_OPTIONAL, fails_tool_error),
    "fails-rpc-error": Behaviour(types.TASK_OPTIONAL, fails_rpc_error),
    "asks-elicitation": Behaviour(types.TASK_REQUIRED, asks=asks_elicitation),
    "asks-sampling": Behaviour(types.TASK_REQUIRED, asks=asks_sampling),
    "asks-twice": Behaviour(types.TASK_REQUIRED, asks=asks_twice),
    "reports-progress": Behaviour(types.TASK_OPTIONAL, reports_progress),
    "logs": Behaviour(types.TASK_OPTIONAL, logs),
    "floods": Behaviour(types.TASK_REQUIRED, asks=floods),
    "ignores-cancel": Behaviour(types.TASK_OPTIONAL, ignores_cancel),
    "counts": Behaviour(types.TASK_OPTIONAL, counts),
    "plain-only": Behaviour(types.TASK_FORBIDDEN, plain_only),
    "task-only": Behaviour(types.TASK_REQUIRED, completes),
    "either": Behaviour(types.TASK_OPTIONAL, completes),
}


@server.set_logging_level()
async def set_logging_level(level: types.LoggingLevel) -> None:
    pass


@server.list_tools()
async def list_tools() -> list[types.Tool]:
    return [
        types.Tool(
            name=name,
            description=f"Shows the behaviour {name}.",
            inputSchema={"type": "object", "properties": {}},
            outputSchema=behaviour.output_schema,
            execution=types.ToolExecution(taskSupport=behaviour.support),
        )
        for name, behaviour in BEHAVIOURS.items()
    ]


@server.call_tool()
async def call_tool(name: str, arguments: dict[str, Any]) -> types.CallToolResult | types.CreateTaskResult:
    if name not in BEHAVIOURS:
        return text(f"Unknown tool: {name}", error=True)
    if name == "counts" and arguments.get("read"):
        return text(str(counter))
    behaviour = BEHAVIOURS[name]
    experimental = server.request_context.experimental
    experimental.validate_task_mode(behaviour.support)
    work, asks = behaviour.work, behaviour.asks
    if asks is not None:
        return await experimental.run_task(asks)
    assert work is not None
    return await experimental.run_task(work) if experimental.is_task else await work(None)


async def serve_stdio() -> None:
    async with stdio_server() as (read_stream, write_stream):
        await server.run(read_stream, write_stream, server.create_initialization_options())


def serve_http(port: int) -> None:
    session_manager = StreamableHTTPSessionManager(app=server)

    @asynccontextmanager
    async def lifespan(_app: Starlette) -> AsyncIterator[None]:
        async with session_manager.run():
            yield

    app = Starlette(routes=[Mount("/mcp", app=session_manager.handle_request)], lifespan=lifespan)
    uvicorn.run(app, host="127.0.0.1", port=port, log_level="warning")


if __name__ == "__main__":
    if sys.argv[1] == "stdio":
        anyio.run(serve_stdio)
    else:
        serve_http(int(sys.argv[2]))
