"""A client small enough to be trusted, over every transport of the reference server."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Any

import httpx

from mcp_tasks_reference.memory import create

RELATED = "io.modelcontextprotocol/related-task"
EVERYTHING: dict[str, Any] = {"elicitation": {}, "sampling": {}}
Message = dict[str, Any]


class Client:
    """Sends requests, keeps everything that comes, in order."""

    def __init__(self) -> None:
        self.seen: list[Any] = []
        self.taken: set[int] = set()
        self._news = asyncio.Event()
        self._last = 0

    async def send(self, text: str) -> None:
        raise NotImplementedError

    def came(self, message: Any) -> None:
        self.seen.append(message)
        self._news.set()

    async def begin(self, method: str, params: Any = None, **members: Any) -> int:
        """Send a request and go on."""
        self._last += 1
        params = members if params is None else params
        await self.send(json.dumps({"jsonrpc": "2.0", "id": self._last, "method": method, "params": params}))
        return self._last

    async def call(self, method: str, params: Any = None, **members: Any) -> Message:
        """Send a request and wait for its response."""
        return await self.response(await self.begin(method, params, **members))

    async def result(self, method: str, params: Any = None, **members: Any) -> Message:
        """The result of a request that succeeds."""
        response = await self.call(method, params, **members)
        assert "result" in response, response
        result: Message = response["result"]
        return result

    async def code(self, method: str, params: Any = None, **members: Any) -> int | None:
        """The error code of a request, none where it succeeds."""
        code: int | None = (await self.call(method, params, **members)).get("error", {}).get("code")
        return code

    async def notify(self, method: str, **params: Any) -> None:
        await self.send(json.dumps({"jsonrpc": "2.0", "method": method, "params": params}))

    async def reply(self, request: Message, **result: Any) -> None:
        await self.send(json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": result}))

    async def accept(self, request: Message, name: str = "Ann") -> None:
        await self.reply(request, action="accept", content={"name": name})

    async def response(self, request_id: Any, within: float = 5) -> Message:
        return await self.next(lambda message: "method" not in message and message.get("id") == request_id, within)

    async def request(self, method: str, within: float = 5) -> Message:
        """The next request or notification of a method."""
        return await self.next(lambda message: message.get("method") == method, within)

    async def next(self, wanted: Callable[[Message], bool], within: float = 5) -> Message:
        """The first message of a kind that nobody has taken yet."""
        async with asyncio.timeout(within):
            while True:
                for index, message in enumerate(self.seen):
                    if index not in self.taken and isinstance(message, dict) and wanted(message):
                        self.taken.add(index)
                        return message
                self._news.clear()
                await self._news.wait()

    def of(self, method: str) -> list[Message]:
        """All requests and notifications of a method so far, as params."""
        return [one["params"] for one in self.seen if isinstance(one, dict) and one.get("method") == method]

    async def initialize(self, capabilities: Message | None = None, version: str = "2025-11-25") -> Message:
        result = await self.result(
            "initialize",
            protocolVersion=version,
            capabilities=EVERYTHING if capabilities is None else capabilities,
            clientInfo={"name": "test", "version": "1"},
        )
        await self.notify("notifications/initialized")
        return result

    async def task(self, tool: str, ttl: Any = 30_000, **params: Any) -> str:
        """Make a task and give its id."""
        created = await self.result("tools/call", {"name": tool, "task": {"ttl": ttl}, **params})
        return str(created["task"]["taskId"])

    async def get(self, task_id: str) -> Message:
        return await self.result("tasks/get", taskId=task_id)

    async def ended(self, task_id: str) -> Message:
        """Poll until the task has ended."""
        for _ in range(200):
            task = await self.get(task_id)
            if task["status"] in ("completed", "failed", "cancelled"):
                return task
            await asyncio.sleep(0.02)
        raise AssertionError("the task does not end")


class MemoryClient(Client):
    def __init__(self) -> None:
        super().__init__()
        self._outgoing: asyncio.Queue[str | None] = asyncio.Queue()

    async def send(self, text: str) -> None:
        self._outgoing.put_nowait(text)

    async def receive_for_server(self) -> str | None:
        return await self._outgoing.get()

    async def send_from_server(self, text: str) -> None:
        try:
            self.came(json.loads(text))
        except ValueError:
            self.came(text)

    @property
    def unread(self) -> int:
        """How many messages the server has not taken."""
        return self._outgoing.qsize()

    def leave(self) -> None:
        self._outgoing.put_nowait(None)


class App:
    """An in-memory server that clients connect to."""

    def __init__(self, options: Sequence[str], group: asyncio.TaskGroup) -> None:
        self.app = create(options)
        self._group = group
        self._clients: list[MemoryClient] = []

    def attach(self, token: str | None = None) -> MemoryClient:
        """A connection that is not initialized."""
        client = MemoryClient()
        headers = {} if token is None else {"Authorization": f"Bearer {token}"}
        self._group.create_task(self.app.serve(client.receive_for_server, client.send_from_server, headers))
        self._clients.append(client)
        return client

    async def connect(self, token: str | None = None, capabilities: Message | None = None) -> MemoryClient:
        client = self.attach(token)
        await client.initialize(capabilities)
        return client

    def disconnect_all(self) -> None:
        for client in self._clients:
            client.leave()


@asynccontextmanager
async def memory_server(*options: str) -> AsyncIterator[App]:
    """An in-memory server."""
    async with asyncio.TaskGroup() as group:
        app = App(options, group)
        try:
            yield app
        finally:
            app.disconnect_all()
            await app.app.close()


@asynccontextmanager
async def memory_client(*options: str, capabilities: Message | None = None) -> AsyncIterator[MemoryClient]:
    """One initialized connection to an in-memory server."""
    async with memory_server(*options) as server:
        yield await server.connect(capabilities=capabilities)


class StdioClient(Client):
    def __init__(self, process: asyncio.subprocess.Process) -> None:
        super().__init__()
        self.process = process
        self.noise: list[bytes] = []

    async def send(self, text: str) -> None:
        await self.send_raw(text.encode() + b"\n")

    async def send_raw(self, line: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(line)
        await self.process.stdin.drain()

    async def listen(self) -> None:
        assert self.process.stdout is not None
        buffer = b""
        while chunk := await self.process.stdout.read(65536):
            *lines, buffer = (buffer + chunk).split(b"\n")
            for line in lines:
                try:
                    self.came(json.loads(line))
                except ValueError:
                    self.noise.append(line)


@asynccontextmanager
async def stdio_client(*options: str, initialize: bool = True) -> AsyncIterator[StdioClient]:
    """A server as a child process."""
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "mcp_tasks_reference", "--stdio", *options, stdin=pipe, stdout=pipe
    )
    client = StdioClient(process)
    async with asyncio.TaskGroup() as group:
        group.create_task(client.listen())
        try:
            if initialize:
                await client.initialize()
            yield client
        finally:
            assert process.stdin is not None
            process.stdin.close()
            with suppress(TimeoutError):
                await asyncio.wait_for(process.wait(), 3)
            if process.returncode is None:
                process.kill()
                await process.wait()


class HttpClient(Client):
    """One HTTP session; POSTs run in the background so that answers may take their time."""

    def __init__(self, url: str, http: httpx.AsyncClient, group: asyncio.TaskGroup, token: str | None = None) -> None:
        super().__init__()
        self.url = url
        self.http = http
        self.headers = {"accept": "application/json, text/event-stream", "content-type": "application/json"}
        if token is not None:
            self.headers["authorization"] = f"Bearer {token}"
        self.statuses: list[int] = []
        self.types: list[str] = []
        self.streams: list[asyncio.Task[None]] = []
        self.event_ids: list[str] = []
        self._group = group

    async def send(self, text: str) -> None:
        answered = asyncio.get_running_loop().create_future()
        self.streams.append(self._group.create_task(self._post(text, answered)))
        if '"initialize"' in text or '"id"' not in text:
            await answered

    async def _post(self, text: str, answered: asyncio.Future[None]) -> None:
        async with self.http.stream("POST", self.url, content=text.encode(), headers=self.headers) as response:
            self.statuses.append(response.status_code)
            self.types.append(response.headers.get("content-type", ""))
            if "mcp-session-id" in response.headers:
                self.headers["mcp-session-id"] = response.headers["mcp-session-id"]
                self.headers["mcp-protocol-version"] = "2025-11-25"
            if not answered.done():
                answered.set_result(None)
            await self._take(response)

    async def _take(self, response: httpx.Response) -> None:
        if response.headers.get("content-type", "").startswith("text/event-stream"):
            async for line in response.aiter_lines():
                if line.startswith("id:"):
                    self.event_ids.append(line[3:].strip())
                if line.startswith("data:") and line[5:].strip():
                    self.came(json.loads(line[5:]))
        elif body := await response.aread():
            self.came(json.loads(body))

    async def listen(self, last_event_id: str | None = None) -> asyncio.Task[None]:
        """Open a listening stream, or resume one."""
        opened = asyncio.get_running_loop().create_future()

        async def follow() -> None:
            headers = {**self.headers, "accept": "text/event-stream"}
            if last_event_id is not None:
                headers["last-event-id"] = last_event_id
            async with self.http.stream("GET", self.url, headers=headers) as response:
                self.statuses.append(response.status_code)
                self.types.append(response.headers.get("content-type", ""))
                opened.set_result(None)
                await self._take(response)

        stream = self._group.create_task(follow())
        self.streams.append(stream)
        await opened
        return stream

    async def raw(self, method: str, content: bytes = b"", **headers: str) -> httpx.Response:
        """One HTTP request of one's own making; underscores in header names stand for dashes."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return await self.http.request(method, self.url, content=content, headers={**self.headers, **named})

    async def drop(self, stream: asyncio.Task[None]) -> None:
        """Leave a stream."""
        stream.cancel()
        with suppress(asyncio.CancelledError):
            await stream


class HttpServer:
    def __init__(
        self, url: str, http: httpx.AsyncClient, group: asyncio.TaskGroup, process: asyncio.subprocess.Process
    ) -> None:
        self.url = url
        self.process = process
        self._http = http
        self._group = group
        self._clients: list[HttpClient] = []

    def attach(self, token: str | None = None) -> HttpClient:
        client = HttpClient(self.url, self._http, self._group, token)
        self._clients.append(client)
        return client

    async def connect(self, token: str | None = None, capabilities: Message | None = None) -> HttpClient:
        client = self.attach(token)
        await client.initialize(capabilities)
        return client

    async def leave(self) -> None:
        for client in self._clients:
            for stream in client.streams:
                await client.drop(stream)


@asynccontextmanager
async def http_server(*options: str) -> AsyncIterator[HttpServer]:
    """A server as a process that listens on a port."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "mcp_tasks_reference", "--http", "0", *options, stderr=asyncio.subprocess.PIPE
    )
    assert process.stderr is not None
    try:
        line = await asyncio.wait_for(process.stderr.readline(), 10)
        url = line.decode().split()[-1]
        limits = httpx.Limits(max_connections=None)
        async with (
            httpx.AsyncClient(timeout=10, trust_env=False, limits=limits) as http,
            asyncio.TaskGroup() as group,
        ):
            server = HttpServer(url, http, group, process)
            try:
                yield server
            finally:
                await server.leave()
    finally:
        with suppress(ProcessLookupError):
            process.kill()
        await process.wait()
