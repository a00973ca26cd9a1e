"""The reference server with the tools by which servers show their tasks to the official MCP conformance suite.

Named, supported and timed as that suite has them: ``seconds`` is whole, ``failing_job`` and ``protocol_error_job`` run
only as tasks and take their time, ``multi_input`` asks two things at once. ``python -m tests.engine.data.official``
serves over stdio; ``create`` is for in-process targets.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from mcp_tasks_reference.behaviours import NAME_FORM, Toolbox, ask_name
from mcp_tasks_reference.jsonrpc import INTERNAL_ERROR, JsonObject, RpcError
from mcp_tasks_reference.memory import MemoryApp
from mcp_tasks_reference.parts import Parts
from mcp_tasks_reference.server import Server
from mcp_tasks_reference.settings import Settings
from mcp_tasks_reference.tools import Call, Tool, ToolFailure, text_result

_CONFIRM: JsonObject = {"type": "object", "properties": {"confirm": {"type": "boolean"}}, "required": ["confirm"]}


def _inputs(*required: str, **types: str) -> JsonObject:
    members: JsonObject = {name: {"type": kind} for name, kind in types.items()}
    return {"type": "object", "properties": members, "required": list(required)}


class OfficialTools(Toolbox):
    """In the place of the bundled tools."""

    def make(self) -> list[Tool]:
        computing = _inputs(seconds="integer", label="string")
        return [
            Tool("greet", "Greets.", _greet, "forbidden", _inputs("name", name="string")),
            Tool("slow_compute", "Computes for so many seconds.", _slow_compute, input_schema=computing),
            Tool("failing_job", "Always fails.", _failing_job, "required"),
            Tool("protocol_error_job", "Always ends in a protocol error.", _protocol_error_job, "required"),
            Tool("confirm_delete", "Asks before it deletes.", _confirm_delete,
                 input_schema=_inputs("filename", filename="string")),
            Tool("multi_input", "Asks two things at once.", _multi_input),
            Tool("test_tool_with_task", "Asks for a name.", _asks_a_name),
        ]  # fmt: skip


async def _greet(call: Call) -> JsonObject:
    return text_result(f"Hello, {call.arguments['name']}!")


async def _slow_compute(call: Call) -> JsonObject:
    seconds = call.arguments.get("seconds", 3)
    assert isinstance(seconds, int)
    await call.sleep(seconds)
    return text_result(f"{call.arguments.get('label', 'default')} took {seconds} s")


async def _failing_job(call: Call) -> JsonObject:
    await call.sleep(1)
    raise ToolFailure("The job crashed")


async def _protocol_error_job(call: Call) -> JsonObject:
    await call.sleep(0.5)
    raise RpcError(INTERNAL_ERROR, "The server broke")


async def _confirm_delete(call: Call) -> JsonObject:
    await (await call.elicit(f"Delete {call.arguments['filename']}?", _CONFIRM))
    return text_result("Asked, and deleted nothing")


async def _multi_input(call: Call) -> JsonObject:
    asked = [await call.elicit(f"The {which} value?", NAME_FORM) for which in ("first", "second")]
    for answer in asked:
        await answer
    return text_result("Both are answered")


async def _asks_a_name(call: Call) -> JsonObject:
    return text_result(f"Hello, {await ask_name(call, 'What is your name?')}")


def _server() -> Server:
    return Server(Settings(), Parts((OfficialTools,)))


def create(options: Sequence[str]) -> MemoryApp:
    server = _server()
    return server.parts.of(MemoryApp)(server)


if __name__ == "__main__":
    from mcp_tasks_reference.transports.stdio import serve_stdio

    asyncio.run(serve_stdio(_server()))
