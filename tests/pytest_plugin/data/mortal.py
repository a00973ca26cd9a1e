"""A server over stdio that dies, with a last word, as soon as its tool is called."""

import json
import os
import sys

INTRODUCTION = {
    "protocolVersion": "2025-11-25",
    "serverInfo": {"name": "mortal", "version": "1"},
    "capabilities": {"tools": {}, "tasks": {"requests": {"tools": {"call": {}}}}},
}
TOOL = {"name": "work", "inputSchema": {"type": "object"}, "execution": {"taskSupport": "optional"}}
for line in sys.stdin:
    message = json.loads(line)
    if message.get("method") == "tools/call":
        sys.stderr.write("the work was too much\n")
        sys.stderr.flush()
        os._exit(3)
    if "id" in message:
        results = {"initialize": INTRODUCTION, "tools/list": {"tools": [TOOL]}}
        answer = {"jsonrpc": "2.0", "id": message["id"], "result": results.get(message["method"], {})}
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()
