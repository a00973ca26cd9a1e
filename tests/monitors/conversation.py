"""Hand-made conversations with a target: each call is one entry of a transcript, fed to all monitors at once."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass, field

from mcp_tasks_conformance.events import Direction, JsonValue, Outcome, Seen, SeenKind
from mcp_tasks_conformance.monitors.observation import Finding, Observation
from mcp_tasks_conformance.monitors.registry import monitors_for
from mcp_tasks_conformance.wire import jsonrpc
from mcp_tasks_conformance.wire.jsonrpc import Frame

TASKS: Mapping[str, JsonValue] = {"list": {}, "cancel": {}, "requests": {"tools": {"call": {}}}}
CREATED = "2025-11-25T10:00:00.000Z"
MAIN = "main"
Members = Mapping[str, JsonValue]


def stamp(seconds: float) -> str:
    """A timestamp so many seconds after CREATED, in milliseconds."""
    return f"2025-11-25T10:{int(seconds) // 60:02d}:{int(seconds) % 60:02d}.{round(seconds * 1000) % 1000:03d}Z"


def task(task_id: str, status: str = "working", updated: float = 0.0, **more: JsonValue) -> dict[str, JsonValue]:
    """A Task object."""
    times: dict[str, JsonValue] = {"createdAt": CREATED, "lastUpdatedAt": stamp(updated)}
    return {"taskId": task_id, "status": status, **times, "ttl": 60000, "pollInterval": 500, **more}


def related(task_id: str) -> dict[str, JsonValue]:
    """The related-task metadata of a task."""
    return {"_meta": {"io.modelcontextprotocol/related-task": {"taskId": task_id}}}


@dataclass(frozen=True, slots=True)
class Sent:
    """A request of ours."""

    frame: Frame
    connection: str
    index: int
    stream: str

    @property
    def id(self) -> JsonValue:
        """Its id."""
        return self.frame.id


@dataclass(slots=True)
class Attempt:
    """One attempt's transcript, as far as its indices go."""

    number: int
    length: int = 0


@dataclass
class Conversation:
    """One target instance, its connections and the monitors that watch them."""

    transport: str = "http"
    hosts: str = "server"
    keeps_sessions: bool = True
    findings: list[Finding] = field(default_factory=list)
    at: float = 0.0

    def __post_init__(self) -> None:
        self.monitors = monitors_for("v1", self.hosts)
        self.attempt = Attempt(1)
        self._ids = itertools.count(1)
        self._posts = itertools.count(1)
        self._connections: dict[str, tuple[str, str | None]] = {MAIN: (MAIN, None)}

    # -- setting the scene -----------------------------------------------------------------------------------

    def connect(self, name: str, *, session: str | None = None, identity: str | None = None) -> None:
        """Add a connection."""
        self._connections[name] = session or name, identity

    def initialize(
        self,
        connection: str = MAIN,
        *,
        ours: Mapping[str, JsonValue] | None = None,
        tasks: JsonValue = TASKS,
    ) -> None:
        """The handshake of a connection."""
        capabilities: JsonValue = {"elicitation": {}, "sampling": {}} if ours is None else ours
        params = {
            "protocolVersion": "2025-11-25",
            "capabilities": capabilities,
            "clientInfo": {"name": "x", "version": "1"},
        }
        asked = self.ask("initialize", params, connection=connection)
        theirs: dict[str, JsonValue] = {"tools": {}} if tasks is None else {"tools": {}, "tasks": tasks}
        server: JsonValue = {"name": "y", "version": "1"}
        self.answer(asked, {"protocolVersion": "2025-11-25", "capabilities": theirs, "serverInfo": server})
        self.tell("notifications/initialized", connection=connection)

    def next_attempt(self) -> None:
        """End this attempt and begin another: indices and time start anew."""
        self.settle()
        self.attempt = Attempt(self.attempt.number + 1)
        self.at = 0.0

    # -- what we do ------------------------------------------------------------------------------------------

    def ask(
        self,
        method: str,
        params: Mapping[str, JsonValue] | None = None,
        *,
        connection: str = MAIN,
        opens: bool = True,
        id: JsonValue = None,  # noqa: A002
    ) -> Sent:
        """Send a request; over HTTP its stream opens at once unless it is to be opened later."""
        message = jsonrpc.request(next(self._ids) if id is None else id, method, params)
        return self.send(jsonrpc.encode(message), connection=connection, opens=opens)

    def send(self, text: str, *, connection: str = MAIN, opens: bool = True) -> Sent:
        """Send any text as a message that an answer is awaited for."""
        frame = jsonrpc.decode(text)
        index = self._see(Direction.SENT, SeenKind.MESSAGE, connection, "", text, frame)
        stream = f"post:{next(self._posts)}" if self.transport == "http" else self.transport
        sent = Sent(frame, connection, index, stream)
        if self.transport == "http" and opens:
            self.open(sent)
        return sent

    def tell(
        self,
        method: str,
        params: Mapping[str, JsonValue] | None = None,
        *,
        connection: str = MAIN,
        status: int = 202,
        body: str = "",
    ) -> str:
        """Send a notification, which HTTP answers with a status and perhaps a body."""
        return self._post(jsonrpc.notification(method, params), connection, status, body)

    def reply(
        self,
        id: JsonValue,  # noqa: A002
        result: JsonValue,
        *,
        connection: str = MAIN,
        status: int = 202,
        body: str = "",
    ) -> str:
        """Answer a request of the target."""
        return self._post(jsonrpc.result(id, result), connection, status, body)

    # -- what the target does --------------------------------------------------------------------------------

    def open(self, sent: Sent, status: int = 200, media_type: str = "text/event-stream", text: str = "") -> None:
        """The head of the answer to a POST."""
        detail: Members = {"status": status, "type": media_type, "method": "POST"}
        self._see(
            Direction.RECEIVED,
            SeenKind.HTTP,
            sent.connection,
            sent.stream,
            text,
            None,
            detail,
            (sent.frame, sent.index),
        )

    def listen(
        self, stream: str = "get:1", *, connection: str = MAIN, status: int = 200, media_type: str = "text/event-stream"
    ) -> None:
        """The head of the answer to a GET."""
        detail: Members = {"status": status, "type": media_type, "method": "GET"}
        self._see(Direction.RECEIVED, SeenKind.HTTP, connection, stream, "", None, detail)

    def delete(self, *, connection: str = MAIN) -> None:
        """We end the session."""
        detail: Members = {"status": 200, "type": "", "method": "DELETE"}
        self._see(Direction.RECEIVED, SeenKind.HTTP, connection, "delete:1", "", None, detail)

    def answer(self, sent: Sent, result: JsonValue, *, stream: str | None = None) -> int:
        """The result of a request."""
        return self.receive(jsonrpc.result(sent.id, result), stream or sent.stream, sent.connection)

    def refuse(self, sent: Sent, code: int = -32602, message: str = "Task not found") -> int:
        """The error of a request."""
        return self.receive(jsonrpc.error(sent.id, code, message), sent.stream, sent.connection)

    def notify(
        self, method: str, params: Mapping[str, JsonValue], *, stream: str = "get:1", connection: str = MAIN
    ) -> int:
        """A notification of the target."""
        return self.receive(jsonrpc.notification(method, params), stream, connection)

    def request(
        self,
        id: JsonValue,  # noqa: A002
        method: str,
        params: Mapping[str, JsonValue],
        *,
        stream: str = "get:1",
        connection: str = MAIN,
    ) -> int:
        """A request of the target."""
        return self.receive(jsonrpc.request(id, method, params), stream, connection)

    def receive(self, message: JsonValue, stream: str = "get:1", connection: str = MAIN) -> int:
        """Any JSON of the target, as a message."""
        return self.receive_text(jsonrpc.encode(message), stream, connection)

    def receive_text(self, text: str, stream: str = "get:1", connection: str = MAIN) -> int:
        """Any text of the target, as a message."""
        where = stream if self.transport == "http" else self.transport
        return self._see(Direction.RECEIVED, SeenKind.MESSAGE, connection, where, text, jsonrpc.decode(text))

    def print(self, text: str) -> int:
        """A line on stdout that is no message."""
        return self._see(Direction.RECEIVED, SeenKind.NOISE, MAIN, self.transport, text, None)

    def end(self, stream: str, *, connection: str = MAIN) -> int:
        """A stream comes to its end."""
        return self._see(
            Direction.RECEIVED, SeenKind.STREAM, connection, stream, "", None, {"ended": True, "reason": "over"}
        )

    # -- whole exchanges -------------------------------------------------------------------------------------

    def make(
        self,
        task_id: str,
        status: str = "working",
        *,
        token: JsonValue = None,
        connection: str = MAIN,
        updated: float = 0.0,
        **more: JsonValue,
    ) -> Sent:
        """Have a task made."""
        params: dict[str, JsonValue] = {"name": "work", "arguments": {}, "task": {"ttl": 60000}}
        if token is not None:
            params["_meta"] = {"progressToken": token}
        sent = self.ask("tools/call", params, connection=connection)
        self.answer(sent, {"task": task(task_id, status, updated, **more)})
        return sent

    def get(
        self, task_id: str, status: str, updated: float = 0.0, *, connection: str = MAIN, **more: JsonValue
    ) -> Sent:
        """Ask for a task and be shown it."""
        sent = self.ask("tasks/get", {"taskId": task_id}, connection=connection)
        self.answer(sent, task(task_id, status, updated, **more))
        return sent

    def ping(self, connection: str = MAIN) -> None:
        """A round trip."""
        self.answer(self.ask("ping", connection=connection), {})

    def progress(
        self,
        token: JsonValue,
        value: JsonValue,
        more: Members | None = None,
        *,
        stream: str = "get:1",
        connection: str = MAIN,
    ) -> int:
        """A progress notification."""
        params: Members = {"progressToken": token, "progress": value, **(more or {})}
        return self.notify("notifications/progress", params, stream=stream, connection=connection)

    def status(
        self, task_id: str, status: str, updated: float = 0.0, *, connection: str = MAIN, stream: str = "get:1"
    ) -> int:
        """A status notification."""
        params = task(task_id, status, updated)
        return self.notify("notifications/tasks/status", params, stream=stream, connection=connection)

    # -- what came of it -------------------------------------------------------------------------------------

    def settle(self) -> None:
        """The attempt is over."""
        for monitor in self.monitors:
            self.findings += monitor.settle(self.attempt.number)

    def outcomes(self, requirement: str) -> list[Outcome]:
        """What was found of a requirement, in order."""
        return [finding.outcome for finding in self.findings if finding.requirement == requirement]

    def broken(self) -> dict[str, str]:
        """Every requirement that was found broken, and how."""
        return {f.requirement: f.observed for f in self.findings if f.outcome is Outcome.FAIL}

    def warned(self) -> dict[str, str]:
        """Every requirement that was warned of, and how, but for what every message without metadata is warned of."""
        usual = ("v1.create.related-task-on-messages", "v1.progress.related-task")
        return {
            f.requirement: f.observed
            for f in self.findings
            if f.outcome is Outcome.WARN and not (f.requirement in usual and "none" in f.observed)
        }

    # -- feeding ---------------------------------------------------------------------------------------------

    def _post(self, message: dict[str, JsonValue], connection: str, status: int, body: str) -> str:
        text = jsonrpc.encode(message)
        self._see(Direction.SENT, SeenKind.MESSAGE, connection, "", text, jsonrpc.decode(text))
        stream = f"post:{next(self._posts)}"
        if self.transport == "http":
            detail: Members = {"status": status, "type": "", "method": "POST"}
            self._see(Direction.RECEIVED, SeenKind.HTTP, connection, stream, body, None, detail)
        return stream

    def _see(
        self,
        direction: Direction,
        kind: SeenKind,
        connection: str,
        stream: str,
        text: str,
        frame: Frame | None,
        detail: Members | None = None,
        request: tuple[Frame, int] | None = None,
    ) -> int:
        session, identity = self._connections[connection]
        seen = Seen(self.attempt.length, self.at, direction, kind, connection, stream, text, detail or {})
        observation = Observation(
            seen,
            frame,
            "instance",
            self.transport,
            identity,
            connection,
            session,
            None if request is None else request[0],
            None if request is None else request[1],
            None,
            self.attempt.number,
            self.keeps_sessions,
        )
        self.attempt.length += 1
        for monitor in self.monitors:
            self.findings += monitor.see(observation)
        return seen.index
