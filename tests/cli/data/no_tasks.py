"""A stdio server with a tool and no tasks."""

import json
import sys

RESULTS = {
    "initialize": {
        "protocolVersion": "2025-11-25",
        "capabilities": {"tools": {}},
        "serverInfo": {"name": "plain", "version": "1"},
    },
    "tools/list": {"tools": [{"name": "add", "inputSchema": {"type": "object"}}]},
}

sys.stderr.write("serving without tasks\n")
sys.stderr.flush()
for line in sys.stdin:
    message = json.loads(line)
    if "id" in message:
        answer = {"jsonrpc": "2.0", "id": message["id"], "result": RESULTS.get(message["method"], {})}
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()
