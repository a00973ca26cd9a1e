"""A server that repeats everything it was ever told in secret, wherever it can.

Arguments: how it behaves (serves, refuses, dies, garbage), then stdio or http, then whatever else.
"""

import http.server
import json
import os
import sys
from typing import Any

behaviour, way = sys.argv[1:3]
SECRETS = [*sys.argv[3:], *(value for name, value in sorted(os.environ.items()) if name.startswith("CANARY"))]
TASK = {
    "status": "completed",
    "createdAt": "2026-01-01T00:00:00Z",
    "lastUpdatedAt": "2026-01-01T00:00:00Z",
    "ttl": 60000,
}
TOOL = {"name": "completes", "inputSchema": {"type": "object"}, "execution": {"taskSupport": "optional"}}
TASKS: dict[str, Any] = {"cancel": {}, "requests": {"tools": {"call": {}}}}
known: list[str] = []


def answer(message: dict[str, Any], told: list[str]) -> dict[str, Any] | None:
    """The answer to a message; all that was told in secret is in it."""
    if "id" not in message:
        return None
    gossip = " ".join(told)
    params = message.get("params") or {}
    content = {"content": [{"type": "text", "text": gossip}]}
    result: dict[str, Any]
    match message["method"]:
        case "initialize":
            result = {
                "protocolVersion": "2025-11-25",
                "capabilities": {"tools": {}, "tasks": TASKS},
                "serverInfo": {"name": f"tattler {gossip}", "version": gossip},
            }
        case "ping":
            result = {}
        case "tools/list":
            result = {"tools": [{**TOOL, "description": gossip}]}
        case "tools/call" if "task" in params:
            known.append(f"{gossip} {len(known)}")
            result = {"task": {**TASK, "taskId": known[-1], "statusMessage": gossip}}
        case "tools/call":
            result = content
        case "tasks/get" if params.get("taskId") in known:
            result = {**TASK, "taskId": params["taskId"], "statusMessage": gossip}
        case "tasks/result" if params.get("taskId") in known:
            result = content
        case _:
            return {"jsonrpc": "2.0", "id": message["id"], "error": {"code": -32099, "message": gossip, "data": told}}
    return {"jsonrpc": "2.0", "id": message["id"], "result": {**result, "_meta": {gossip: told}}}


class Handler(http.server.BaseHTTPRequestHandler):
    """Repeats the headers of a request."""

    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        told = [*SECRETS, self.path, *(value for name, value in self.headers.items() if name.lower() in REPEATED)]
        body = self.rfile.read(int(self.headers["content-length"]))
        sys.stderr.write(f"asked with {told}\n")
        sys.stderr.flush()
        if behaviour == "refuses":
            self.reply(401, json.dumps({"error": f"who is {told}?"}).encode(), told)
            return
        answered = answer(json.loads(body), told)
        self.reply(202, b"", told) if answered is None else self.reply(200, json.dumps(answered).encode(), told)

    def do_GET(self) -> None:
        self.reply(405, b"", [])

    def do_DELETE(self) -> None:
        self.reply(405, b"", [])

    def reply(self, status: int, body: bytes, told: list[str]) -> None:
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.send_header("www-authenticate", f'Bearer error="{" ".join(told)}"')
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        pass


REPEATED = ("authorization", "x-canary", "cookie")

sys.stderr.write(f"told in secret: {SECRETS}\n")
sys.stderr.flush()
if behaviour == "dies":
    sys.exit(f"cannot serve with {SECRETS}")
if behaviour == "garbage":
    sys.stdout.write(f"welcome, {SECRETS}\n")
    sys.stdout.flush()
if way == "http":
    server = http.server.ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "0"))), Handler)
    sys.stdout.write(f"{server.server_port}\n")
    sys.stdout.flush()
    server.serve_forever()
for line in sys.stdin:
    answered = answer(json.loads(line), SECRETS)
    if answered is not None and behaviour == "serves":
        sys.stdout.write(json.dumps(answered) + "\n")
        sys.stdout.flush()
