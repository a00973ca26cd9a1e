"""The bundled tools: each shows the behaviour that it is named after."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from mcp_tasks_reference.jsonrpc import JsonObject, JsonValue, RpcError
from mcp_tasks_reference.questions import accepted_content
from mcp_tasks_reference.tools import Call, Tool, ToolFailure, structured_result, text_result

MOMENT_S = 0.02
SLOW_S = 0.6
PROGRESS_S = 0.3
PROGRESS_STEPS = 4
COUNT_EVERY_S = 0.005
FLOOD = 1000
OWN_ERROR = -32050

NAME_FORM: JsonObject = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}
COUNT_ARGUMENTS: JsonObject = {
    "type": "object",
    "properties": {"read": {"type": "boolean", "description": "Give the counter instead of raising it."}},
    "additionalProperties": False,
}
SUM_SCHEMA: JsonObject = {
    "type": "object",
    "properties": {"sum": {"type": "integer"}, "terms": {"type": "array", "items": {"type": "integer"}}},
    "required": ["sum", "terms"],
}


class Toolbox:
    """The tools of one server, and the state that they share."""

    def __init__(self) -> None:
        self._counters: Counter[str] = Counter()
        self.tools: Mapping[str, Tool] = {tool.name: tool for tool in self.make()}

    def make(self) -> list[Tool]:
        """All tools, in the order they are listed in."""
        return [
            Tool("completes", "Works for a moment and succeeds.", completes),
            Tool("structured", "Succeeds with a value beside its text.", structured, output_schema=SUM_SCHEMA),
            Tool("slow", "Works for a good while and succeeds.", slow),
            Tool("fails-tool-error", "Ends with a result that says it failed.", fails_tool_error),
            Tool("fails-rpc-error", "Ends with a JSON-RPC error of its own.", fails_rpc_error),
            Tool("asks-elicitation", "Asks for a name and greets.", asks_elicitation),
            Tool("asks-sampling", "Asks the client's model and passes its answer on.", asks_sampling),
            Tool("asks-twice", "Asks for a name, works, and asks for another.", asks_twice),
            Tool("asks-many", "Asks for three names at once.", asks_many),
            Tool("reports-progress", "Reports its progress while it works.", reports_progress),
            Tool("logs", "Sends log messages while it works.", logs),
            Tool("floods", "Asks far more at once than anybody should keep.", floods),
            Tool("ignores-cancel", "Works to its end whatever happens.", slow, stoppable=False),
            Tool("counts", "Raises a counter while it works.", self.counts, input_schema=COUNT_ARGUMENTS),
            Tool("plain-only", "An ordinary tool.", completes, "forbidden"),
            Tool("task-only", "Succeeds, as a task only.", completes, "required"),
            Tool("either", "Succeeds with the same result either way.", completes),
        ]

    async def counts(self, call: Call) -> JsonObject:
        """Raise the session's counter every few milliseconds, or read it."""
        if call.arguments.get("read") is True:
            return text_result(str(self._counters[call.session_id]))
        for _ in range(round(SLOW_S / COUNT_EVERY_S)):
            await call.sleep(COUNT_EVERY_S)
            self._counters[call.session_id] += 1
        return text_result("Counted")


async def completes(call: Call) -> JsonObject:
    """Work for a moment and succeed."""
    await call.sleep(MOMENT_S)
    return text_result("The work is done")


async def structured(call: Call) -> JsonObject:
    """Succeed with a value beside the text."""
    await call.sleep(MOMENT_S)
    terms: list[JsonValue] = [3, 4, 5]
    return structured_result({"sum": 12, "terms": terms}, ["3 + 4 + 5 = 12"])


async def slow(call: Call) -> JsonObject:
    """Work for a good while and succeed."""
    await call.sleep(SLOW_S)
    return text_result("The long work is done")


async def fails_tool_error(call: Call) -> JsonObject:
    """Fail in the tool's own words."""
    await call.sleep(MOMENT_S)
    raise ToolFailure("The printer is out of paper")


async def fails_rpc_error(call: Call) -> JsonObject:
    """Fail with a JSON-RPC error."""
    await call.sleep(MOMENT_S)
    raise RpcError(OWN_ERROR, "The upstream service is unavailable", {"service": "weather", "attempts": 3})


async def asks_elicitation(call: Call) -> JsonObject:
    """Ask for a name and greet."""
    return text_result(f"Hello, {await ask_name(call, 'Your name, please')}")


async def asks_sampling(call: Call) -> JsonObject:
    """Ask the client's model and pass its answer on."""
    answer = await (await call.sample("Say something kind in one sentence.", 100))
    content = answer.get("content")
    text = content.get("text") if isinstance(content, Mapping) else None
    return text_result(f"The model said: {text if isinstance(text, str) else 'something that is no text'}")


async def asks_twice(call: Call) -> JsonObject:
    """Ask for a name, work, and ask for another."""
    first = await ask_name(call, "The first name, please")
    await call.sleep(MOMENT_S)
    second = await ask_name(call, "The second name, please")
    return text_result(f"Hello, {first} and {second}")


async def asks_many(call: Call) -> JsonObject:
    """Ask for three names at once."""
    asked = [await call.elicit(f"Name number {number}, please", NAME_FORM) for number in (1, 2, 3)]
    names = [name_in(await answer) for answer in asked]
    return text_result(f"Hello, {', '.join(names)}")


async def reports_progress(call: Call) -> JsonObject:
    """Report progress in steps."""
    for step in range(1, PROGRESS_STEPS + 1):
        await call.sleep(PROGRESS_S / PROGRESS_STEPS)
        await call.report(step, PROGRESS_STEPS, f"Step {step} of {PROGRESS_STEPS}")
    return text_result("All steps are done")


async def logs(call: Call) -> JsonObject:
    """Send log messages in steps."""
    for step in range(1, PROGRESS_STEPS + 1):
        await call.sleep(PROGRESS_S / PROGRESS_STEPS)
        await call.log("info", f"Step {step} of {PROGRESS_STEPS}")
    return text_result("All steps are logged")


async def floods(call: Call) -> JsonObject:
    """Ask more than any queue should hold."""
    asked = [await call.elicit(f"Name number {number}, please", NAME_FORM) for number in range(1, FLOOD + 1)]
    for answer in asked:
        await answer
    return text_result("Everything was answered")


async def ask_name(call: Call, message: str) -> str:
    """Ask for one name and wait for it."""
    return name_in(await (await call.elicit(message, NAME_FORM)))


def name_in(answer: JsonObject) -> str:
    """The name in an answered form; who gives none is a stranger."""
    content = accepted_content(answer, NAME_FORM)
    return "stranger" if content is None else str(content["name"])
