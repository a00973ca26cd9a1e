"""A small, sound server of v1 tasks that runs in memory; other modules here make it misbehave.

``create(options)`` is what an import string names: the first option is the kind, the others are its arguments.
"""

from __future__ import annotations

import asyncio
import itertools
import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

JsonObject = dict[str, Any]
CAPABILITIES: JsonObject = {
    "tools": {},
    "tasks": {"list": {}, "cancel": {}, "requests": {"tools": {"call": {}}}},
}
DURATIONS_S = {"completes": 0.02, "slow": 0.6, "asks-elicitation": 0.0, "plain-only": 0.0}
RELATED_TASK = "io.modelcontextprotocol/related-task"
MOMENT = "2025-11-25T12:00:00Z"
TERMINAL = ("completed", "failed", "cancelled")


class Refusal(Exception):
    """A JSON-RPC error."""

    def __init__(self, code: int, message: str = "no") -> None:
        super().__init__(message)
        self.code = code


class Talk:
    """One connection, as the server's methods see it."""

    def __init__(self, send: Callable[[str], Awaitable[None]]) -> None:
        self._send = send
        self._ids = itertools.count(1)
        self._asked: dict[str, asyncio.Future[JsonObject]] = {}

    async def say(self, message: JsonObject) -> None:
        await self._send(json.dumps({"jsonrpc": "2.0", **message}))

    async def say_text(self, text: str) -> None:
        await self._send(text)

    async def ask(self, method: str, params: JsonObject) -> JsonObject:
        """Ask the other side and wait for its response message."""
        key = f"server-{next(self._ids)}"
        self._asked[key] = asyncio.get_running_loop().create_future()
        await self.say({"id": key, "method": method, "params": params})
        return await self._asked[key]

    def answered(self, message: JsonObject) -> None:
        waiting = self._asked.pop(str(message["id"]), None)
        if waiting is not None:
            waiting.set_result(message)


class Server:
    """Serves any number of connections; a method that has no handler is refused."""

    def __init__(self) -> None:
        self.tasks: dict[str, JsonObject] = {}
        self.results: dict[str, asyncio.Future[JsonObject]] = {}
        self.work: set[asyncio.Task[None]] = set()
        self.death: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    async def serve(
        self,
        receive: Callable[[], Awaitable[str | None]],
        send: Callable[[str], Awaitable[None]],
        headers: Mapping[str, str],
    ) -> None:
        listening = asyncio.create_task(self._listen(receive, Talk(send)))
        try:
            await asyncio.wait({listening, self.death}, return_when=asyncio.FIRST_COMPLETED)
            if self.death.done():
                raise RuntimeError("the server died")
        finally:
            listening.cancel()
            await asyncio.wait({listening})

    async def close(self) -> None:
        for task in self.work:
            task.cancel()

    def die(self) -> None:
        if not self.death.done():
            self.death.set_result(None)

    async def _listen(self, receive: Callable[[], Awaitable[str | None]], talk: Talk) -> None:
        answering: set[asyncio.Task[None]] = set()
        try:
            while (text := await receive()) is not None:
                try:
                    message = json.loads(text)
                except ValueError:
                    await talk.say({"id": None, "error": {"code": -32700, "message": "Parse error"}})
                    continue
                if not isinstance(message, dict):
                    await talk.say({"id": None, "error": {"code": -32600, "message": "Invalid request"}})
                elif "method" not in message:
                    talk.answered(message)
                elif "id" in message:
                    answering.add(asyncio.create_task(self.answer(talk, message)))
        finally:
            for task in answering:
                task.cancel()

    async def answer(self, talk: Talk, request: JsonObject) -> None:
        try:
            result = await self.handle(talk, request["method"], request.get("params", {}))
        except Refusal as refusal:
            await talk.say({"id": request["id"], "error": {"code": refusal.code, "message": str(refusal)}})
        else:
            await talk.say({"id": request["id"], "result": result})

    async def handle(self, talk: Talk, method: str, params: JsonObject) -> JsonObject:
        handler = getattr(self, "on_" + method.replace("/", "_"), None)
        if handler is None:
            raise Refusal(-32601, f"Method not found: {method}")
        result: JsonObject = await handler(talk, params)
        return result

    async def on_initialize(self, talk: Talk, params: JsonObject) -> JsonObject:
        return {
            "protocolVersion": "2025-11-25",
            "capabilities": CAPABILITIES,
            "serverInfo": {"name": "small", "version": "1"},
        }

    async def on_ping(self, talk: Talk, params: JsonObject) -> JsonObject:
        return {}

    async def on_tools_list(self, talk: Talk, params: JsonObject) -> JsonObject:
        return {
            "tools": [
                {
                    "name": name,
                    "inputSchema": {"type": "object"},
                    "execution": {"taskSupport": "forbidden" if name == "plain-only" else "optional"},
                }
                for name in DURATIONS_S
            ]
        }

    async def on_tools_call(self, talk: Talk, params: JsonObject) -> JsonObject:
        name = params["name"]
        if name not in DURATIONS_S:
            raise Refusal(-32602)
        if "task" not in params:
            return await self.run(talk, name)
        task_id = f"task-{len(self.tasks) + 1}-{id(self):x}"
        self.tasks[task_id] = {
            "taskId": task_id,
            "status": "working",
            "createdAt": MOMENT,
            "lastUpdatedAt": MOMENT,
            "ttl": params["task"].get("ttl"),
            "pollInterval": 20,
        }
        self.results[task_id] = asyncio.get_running_loop().create_future()
        self.work.add(asyncio.create_task(self._work(talk, task_id, name)))
        return {"task": dict(self.tasks[task_id]), "_meta": {RELATED_TASK: {"taskId": task_id}}}

    async def run(self, talk: Talk, name: str) -> JsonObject:
        await asyncio.sleep(DURATIONS_S[name])
        said = "done"
        if name == "asks-elicitation":
            schema = {"type": "object", "properties": {"name": {"type": "string"}}}
            answer = await talk.ask("elicitation/create", {"message": "Who?", "requestedSchema": schema})
            said = json.dumps(answer.get("result", answer.get("error")))
        return {"content": [{"type": "text", "text": said}]}

    async def _work(self, talk: Talk, task_id: str, name: str) -> None:
        result = await self.run(talk, name)
        if self.tasks[task_id]["status"] not in TERMINAL:
            self.end(task_id, "completed", result)

    def end(self, task_id: str, status: str, result: JsonObject) -> None:
        self.tasks[task_id]["status"] = status
        self.results[task_id].set_result({**result, "_meta": {RELATED_TASK: {"taskId": task_id}}})

    def task(self, params: JsonObject) -> JsonObject:
        found = self.tasks.get(str(params.get("taskId")))
        if found is None:
            raise Refusal(-32602, "no such task")
        return found

    async def on_tasks_get(self, talk: Talk, params: JsonObject) -> JsonObject:
        return dict(self.task(params))

    async def on_tasks_result(self, talk: Talk, params: JsonObject) -> JsonObject:
        return await asyncio.shield(self.results[self.task(params)["taskId"]])

    async def on_tasks_list(self, talk: Talk, params: JsonObject) -> JsonObject:
        first = int(params.get("cursor", "0"))
        listed = list(self.tasks.values())
        page: JsonObject = {"tasks": listed[first : first + 2]}
        if first + 2 < len(listed):
            page["nextCursor"] = str(first + 2)
        return page

    async def on_tasks_cancel(self, talk: Talk, params: JsonObject) -> JsonObject:
        task = self.task(params)
        if task["status"] in TERMINAL:
            raise Refusal(-32602, "it is over")
        self.end(task["taskId"], "cancelled", {"content": []})
        return dict(task)


def create(options: Sequence[str]) -> Server:
    return Server()
