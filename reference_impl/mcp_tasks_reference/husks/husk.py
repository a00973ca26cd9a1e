"""What each husk does with the messages it gets."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from mcp_tasks_reference import jsonrpc
from mcp_tasks_reference.behaviours import Toolbox
from mcp_tasks_reference.jsonrpc import JsonObject, JsonValue, RpcError

Reaction: TypeAlias = Callable[[str, int], Sequence[str]]
"""What is sent upon a text and its number; an exception of kind :class:`Collapse` ends everything."""

LAST_WORDS = 12
"""How many messages the crashing husk answers."""


class Collapse(Exception):
    """The husk is gone."""


@dataclass(frozen=True, slots=True)
class Husk:
    """A name, what it does, and how."""

    name: str
    sentence: str
    react: Reaction
    dead: bool = False
    """Whether it is gone before the first message."""


def _request(text: str) -> dict[str, Any] | None:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) and "method" in value and "id" in value else None


def _write(*messages: JsonObject) -> list[str]:
    return [jsonrpc.write(message) for message in messages]


def _initialized(request: dict[str, Any]) -> list[str]:
    capabilities: JsonObject = {"tools": {}, "tasks": {"list": {}, "cancel": {}, "requests": {"tools": {"call": {}}}}}
    return _write(
        jsonrpc.result(
            request["id"],
            {
                "protocolVersion": "2025-11-25",
                "capabilities": capabilities,
                "serverInfo": {"name": "husk", "version": "0"},
            },
        )
    )


def _tools(request: dict[str, Any]) -> list[str]:
    tools: list[JsonValue] = [
        {
            "name": tool.name,
            "description": tool.description,
            "inputSchema": tool.input_schema,
            "execution": {"taskSupport": tool.task_support},
        }
        for tool in Toolbox().make()
    ]
    return _write(jsonrpc.result(request["id"], {"tools": tools}))


def _constant(answer: Callable[[Any], JsonObject], *, courteous: bool) -> Reaction:
    """Answer every request alike; the courteous ones introduce themselves first."""

    def react(text: str, number: int) -> Sequence[str]:  # noqa: ARG001
        request = _request(text)
        if request is None:
            return ()
        if courteous and request["method"] == "initialize":
            return _initialized(request)
        if courteous and request["method"] == "tools/list":
            return _tools(request)
        return _write(answer(request["id"]))

    return react


def _empty(request_id: Any) -> JsonObject:  # noqa: ANN401
    return jsonrpc.result(request_id, {})


def _error(code: int) -> Callable[[Any], JsonObject]:
    return lambda request_id: jsonrpc.failure(request_id, RpcError(code, "No"))


def _silent(text: str, number: int) -> Sequence[str]:  # noqa: ARG001
    return ()


def _echo(text: str, number: int) -> Sequence[str]:  # noqa: ARG001
    return (text,)


def _garbage(text: str, number: int) -> Sequence[str]:  # noqa: ARG001
    return ("<html><body>502 Bad Gateway</body></html>", "{]", "\x00\x01 Segmentation fault")


def _crash(text: str, number: int) -> Sequence[str]:
    if number > LAST_WORDS:
        raise Collapse
    request = _request(text)
    if request is None:
        return ()
    if request["method"] == "initialize":
        return _initialized(request)
    return _tools(request) if request["method"] == "tools/list" else _write(_empty(request["id"]))


def _constants() -> list[Husk]:
    answers: dict[str, tuple[str, Callable[[Any], JsonObject]]] = {
        "empty": ("an empty result", _empty),
        "32602": ("invalid params", _error(-32602)),
        "32601": ("method not found", _error(-32601)),
    }
    return [
        *(Husk(f"all-{name}", f"Answers everything with {words}.", _constant(answer, courteous=False))
          for name, (words, answer) in answers.items()),
        *(Husk(f"courteous-{name}", f"Introduces itself and its tools, then answers all with {words}.",
               _constant(answer, courteous=True)) for name, (words, answer) in answers.items()),
    ]  # fmt: skip


HUSKS = {
    husk.name: husk
    for husk in (
        Husk("dead", "Is gone before the first message.", _silent, dead=True),
        Husk("silent", "Takes everything and says nothing.", _silent),
        Husk("echo", "Sends back what it gets.", _echo),
        Husk("garbage", "Answers with text that is no JSON.", _garbage),
        Husk("crash", "Begins well and is gone after some messages.", _crash),
        *_constants(),
    )
}
