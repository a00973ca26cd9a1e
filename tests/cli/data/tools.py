"""A stdio server of v1 tasks with one task tool that works and one that is said to be destructive."""

from __future__ import annotations

import json
import sys
import uuid
from typing import Any

TASKS: dict[str, dict[str, Any]] = {}
TOOLS = [
    {"name": "build", "inputSchema": {"type": "object"}, "execution": {"taskSupport": "optional"}},
    {
        "name": "wipe",
        "inputSchema": {"type": "object"},
        "execution": {"taskSupport": "optional"},
        "annotations": {"destructiveHint": True},
    },
]
CAPABILITIES: dict[str, Any] = {"tools": {}, "tasks": {"cancel": {}, "requests": {"tools": {"call": {}}}}}
RESULT = {"content": [{"type": "text", "text": "built"}]}


def answer(method: str, params: dict[str, Any]) -> dict[str, Any]:
    if method == "initialize":
        info = {"name": "my server", "version": "1"}
        return {"protocolVersion": "2025-11-25", "capabilities": CAPABILITIES, "serverInfo": info}
    if method == "tools/list":
        return {"tools": TOOLS}
    if method == "tools/call":
        if params["name"] == "wipe":
            sys.stderr.write("WIPED\n")
            sys.stderr.flush()
        if "task" not in params:
            return RESULT
        moment = "2025-11-25T12:00:00Z"
        task = {"taskId": str(uuid.uuid4()), "status": "completed", "createdAt": moment, "lastUpdatedAt": moment}
        TASKS[task["taskId"]] = {**task, "ttl": 60000}
        return {"task": TASKS[task["taskId"]]}
    if method == "tasks/get":
        return TASKS[params["taskId"]]
    if method == "tasks/result":
        related = {"io.modelcontextprotocol/related-task": {"taskId": params["taskId"]}}
        return {**RESULT, "_meta": related}
    return {}


for line in sys.stdin:
    message = json.loads(line)
    if "id" in message and "method" in message:
        reply = {"jsonrpc": "2.0", "id": message["id"], "result": answer(message["method"], message.get("params", {}))}
        sys.stdout.write(json.dumps(reply) + "\n")
        sys.stdout.flush()
