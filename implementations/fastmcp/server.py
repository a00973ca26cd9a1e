"""The behaviours of docs/behaviours.md on FastMCP, as its documentation of background tasks writes servers.

Usage: server.py stdio | server.py http PORT
"""

from __future__ import annotations

import asyncio
import sys
from dataclasses import dataclass
from datetime import timedelta
from typing import Literal

from fastmcp import Context, FastMCP
from fastmcp.exceptions import ToolError
from fastmcp.server.tasks import TaskConfig
from mcp.types import SamplingMessage, TextContent

MOMENT_S = 0.3
SLOW_S = 1.2
FLOOD = 1000

mcp = FastMCP("fastmcp-fixture")
counter = 0


def task(mode: Literal["optional", "required"] = "optional") -> TaskConfig:
    return TaskConfig(mode=mode, poll_interval=timedelta(milliseconds=200))


@dataclass
class Reading:
    degrees: int


@mcp.tool(name="completes", task=task())
async def completes() -> str:
    await asyncio.sleep(MOMENT_S)
    return "done"


@mcp.tool(name="structured", task=task())
async def structured() -> Reading:
    await asyncio.sleep(MOMENT_S)
    return Reading(21)


@mcp.tool(name="slow", task=task())
async def slow() -> str:
    await asyncio.sleep(SLOW_S)
    return "done after a while"


@mcp.tool(name="ignores-cancel", task=task())
async def ignores_cancel() -> str:
    work = asyncio.create_task(asyncio.sleep(SLOW_S))
    while not work.done():
        try:
            await asyncio.shield(work)
        except asyncio.CancelledError:
            continue
    return "done all the same"


@mcp.tool(name="fails-tool-error", task=task())
async def fails_tool_error() -> str:
    await asyncio.sleep(MOMENT_S)
    raise ToolError("the tool did not succeed")


@mcp.tool(name="asks-elicitation", task=task())
async def asks_elicitation(ctx: Context) -> str:
    answer = await ctx.elicit("Go on?", bool)
    return "confirmed" if answer.action == "accept" else "not confirmed"


@mcp.tool(name="asks-sampling", task=task())
async def asks_sampling(ctx: Context) -> str:
    prompt = SamplingMessage(role="user", content=TextContent(type="text", text="Say something."))
    answer = await ctx.session.create_message([prompt], max_tokens=50)
    return answer.content.text if isinstance(answer.content, TextContent) else "sampled"


@mcp.tool(name="asks-twice", task=task())
async def asks_twice(ctx: Context) -> str:
    await ctx.elicit("First?", bool)
    await asyncio.sleep(MOMENT_S)
    await ctx.elicit("Second?", bool)
    return "asked twice"


@mcp.tool(name="asks-many", task=task())
async def asks_many(ctx: Context) -> str:
    await asyncio.gather(*(ctx.elicit(question, bool) for question in ("1: first?", "2: second?", "3: third?")))
    return "asked three things"


@mcp.tool(name="floods", task=task())
async def floods(ctx: Context) -> str:
    await asyncio.gather(*(ctx.elicit(f"question {number}?", bool) for number in range(FLOOD)))
    return "asked far too much"


@mcp.tool(name="reports-progress", task=task())
async def reports_progress(ctx: Context) -> str:
    for step in range(1, 5):
        await asyncio.sleep(SLOW_S / 4)
        await ctx.report_progress(step, 4, f"step {step}")
    return "reported"


@mcp.tool(name="logs", task=task())
async def logs(ctx: Context) -> str:
    for step in range(1, 5):
        await asyncio.sleep(SLOW_S / 4)
        await ctx.info(f"step {step}")
    return "logged"


@mcp.tool(name="counts", task=task())
async def counts(read: bool = False) -> str:
    global counter
    if read:
        return str(counter)
    for _ in range(int(SLOW_S / 0.01)):
        await asyncio.sleep(0.01)
        counter += 1
    return "counted"


@mcp.tool(name="plain-only")
async def plain_only() -> str:
    return "plainly"


@mcp.tool(name="task-only", task=task("required"))
async def task_only() -> str:
    await asyncio.sleep(MOMENT_S)
    return "done as a task"


@mcp.tool(name="either", task=task())
async def either() -> str:
    await asyncio.sleep(MOMENT_S)
    return "done either way"


if __name__ == "__main__":
    if sys.argv[1] == "stdio":
        mcp.run(show_banner=False)
    else:
        mcp.run(transport="http", host="127.0.0.1", port=int(sys.argv[2]), show_banner=False)
