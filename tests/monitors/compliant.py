"""A server that keeps every rule, over streams that share no order, driven one small step at a time."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from random import Random

from mcp_tasks_conformance.events import JsonValue
from mcp_tasks_conformance.wire import jsonrpc
from tests.monitors.conversation import MAIN, Conversation, Sent, related

LAG_S = 0.2
"""How late a stream may deliver what another has overtaken, and how long a message may wait to be taken."""
ENDS = ("completed", "failed", "cancelled")


@dataclass
class Task:
    """One task as the server keeps it."""

    id: str
    connection: str
    created: float
    status: str = "working"
    updated: float = 0.0
    token: JsonValue = None
    progress: float = 0.0
    asking: JsonValue = None
    """The id of the request that it waits for."""
    answered: bool = False
    gone: bool = False
    waiters: list[Sent] = field(default_factory=list)


@dataclass(frozen=True)
class Style:
    """Choices that the specification leaves to a server."""

    transport: str
    digits: int
    """Decimals of its timestamps."""
    notifies: bool
    deletes_cancelled: bool
    names_task_everywhere: bool
    asks_on_result: bool
    """Whether what a task asks waits for tasks/result; else it comes on the listening stream, and again there."""
    in_process_order: bool
    """Whether it takes messages in the order in which they came."""


class Scene:
    """Client, server and what is under way between them; ``step`` lets one thing happen."""

    def __init__(self, style: Style, random: Random) -> None:
        self.style = style
        self.random = random
        self.talk = Conversation(transport=style.transport)
        self.connections: dict[str, str | None] = {MAIN: None}
        self.tasks: dict[str, Task] = {}
        self.inbound: deque[tuple[float, Callable[[], None]]] = deque()
        self.lanes: dict[tuple[str, str], deque[tuple[float, Callable[[], object]]]] = {}
        self.unanswered: list[tuple[str, JsonValue, str]] = []
        self.numbers = iter(range(1, 1_000_000))
        self.clock = 0.0
        self._open(MAIN)

    # -- one step --------------------------------------------------------------------------------------------

    def step(self) -> None:
        """Something happens; time goes on a little, or a lot, or not at all."""
        actions: Sequence[Callable[[], None]] = (
            self.ask_for_task, self.ask, self.ask, self.ask, self.call_plainly, self.answer_request, self.serve,
            self.serve, self.serve, self.advance, self.advance, self.report, self.deliver, self.deliver, self.deliver,
            self.wait, self.connect, self.begin_again, self.send_garbage, self.drop,
        )  # fmt: skip
        weights = [6, 6, 6, 6, 2, 6, 9, 9, 9, 8, 8, 8, 12, 12, 12, 8, 1, 1, 0.5, 1]
        self.random.choices(actions, weights)[0]()

    def finish(self) -> None:
        """Everything under way arrives, and the attempt is over."""
        while self.inbound:
            self.serve()
        while any(self.lanes.values()):
            self.deliver()
        self.talk.settle()

    # -- the client ------------------------------------------------------------------------------------------

    def ask_for_task(self) -> None:
        connection = self.random.choice(list(self.connections))
        token: JsonValue = self.random.choice([None, f"p{next(self.numbers)}", next(self.numbers), "again"])
        params: dict[str, JsonValue] = {"name": "x", "task": {}}
        if token is not None:
            params["_meta"] = {"progressToken": token}
        self._send("tools/call", params, connection, lambda sent: self._make(sent, connection, token))

    def ask(self) -> None:
        if not self.tasks:
            return
        task = self.random.choice(list(self.tasks.values()))
        method = self.random.choice(("get", "get", "get", "list", "cancel", "result"))
        connection = self.random.choice(self._peers(task.connection))
        serve = {"get": self._get, "list": self._list, "cancel": self._cancel, "result": self._result}[method]
        params: dict[str, JsonValue] = {} if method == "list" else {"taskId": task.id}
        self._send(f"tasks/{method}", params, connection, lambda sent: serve(sent, task))

    def call_plainly(self) -> None:
        token = f"p{next(self.numbers)}"
        params: dict[str, JsonValue] = {"name": "x", "_meta": {"progressToken": token}}

        def serve(sent: Sent) -> None:
            for value in range(self.random.randrange(3)):
                self._post(sent.connection, sent.stream, partial(self._progress, sent, token, value))
            self._answer(sent, {"content": []})

        self._send("tools/call", params, self.random.choice(list(self.connections)), serve)

    def answer_request(self) -> None:
        if self.unanswered:
            connection, identifier, task_id = self.unanswered.pop(self.random.randrange(len(self.unanswered)))
            self.talk.reply(identifier, {"action": "accept", "content": {}, **related(task_id)}, connection=connection)
            self.inbound.append((self.talk.at, lambda: self._take_answer(task_id, identifier)))

    def send_garbage(self) -> None:
        """Something that cannot be read, and the error that it may get."""
        connection = self.random.choice(list(self.connections))
        sent = self.talk.send(self.random.choice(["{", "[]", '{"id":null}']), connection=connection, opens=False)
        message: JsonValue = {"jsonrpc": "2.0", "id": None, "error": {"code": -32700, "message": "Parse error"}}

        def arrive() -> None:
            if self.style.transport == "http":
                self.talk.open(sent, status=400, media_type="application/json")
            self.talk.receive(message, sent.stream, connection)

        self._post(connection, sent.stream, arrive)

    def drop(self) -> None:
        """We abandon the stream of a tasks/result; what it was to bring is asked again on the listening stream."""
        waiting = [(task, sent) for task in self.tasks.values() for sent in task.waiters]
        if self.style.transport != "http" or not waiting:
            return
        task, sent = self.random.choice(waiting)
        task.waiters.remove(sent)
        self.lanes.pop((sent.connection, sent.stream), None)
        self.talk.end(sent.stream, connection=sent.connection)
        if task.status == "input_required" and not task.answered and not task.waiters:
            self._ask_for_input(task, task.connection, self._listening(task.connection))

    def connect(self) -> None:
        name = f"c{next(self.numbers)}"
        identity = self.random.choice([None, "first", "second"])
        self.talk.connect(name, identity=identity)
        self.connections[name] = identity
        self._open(name)

    def begin_again(self) -> None:
        """A new attempt; the connections and tasks of the old one live on."""
        if not self.inbound and not any(self.lanes.values()):
            self.talk.next_attempt()

    def wait(self) -> None:
        seconds = self.random.choice((0.0, 0.001, 0.05, 0.15, 0.6, 2.5))
        self._catch_up(self.talk.at + seconds - LAG_S)
        self.talk.at += seconds
        self.clock += seconds

    # -- the server ------------------------------------------------------------------------------------------

    def serve(self) -> None:
        if self.inbound:
            if not self.style.in_process_order:
                self.inbound.rotate(-self.random.randrange(len(self.inbound)))
            self.inbound.popleft()[1]()

    def advance(self) -> None:
        """A task moves on."""
        live = [task for task in self.tasks.values() if task.status not in ENDS]
        if not live:
            return
        task = self.random.choice(live)
        if task.status == "input_required":
            if task.answered:
                self._move(task, "working")
        elif self.random.random() < 0.4:
            self._move(task, "input_required")
            task.asking, task.answered = f"q{next(self.numbers)}", False
            if not self.style.asks_on_result:
                self._ask_for_input(task, task.connection, self._listening(task.connection))
            elif task.waiters:
                self._ask_for_input(task, task.waiters[0].connection, task.waiters[0].stream)
        else:
            self._move(task, self.random.choice(("completed", "failed")))

    def report(self) -> None:
        """A task tells of its progress."""
        telling = [task for task in self.tasks.values() if task.status not in ENDS and task.token is not None]
        if not telling:
            return
        task = self.random.choice(telling)
        task.progress += self.random.choice((0.1, 1, 10))
        named = related(task.id) if self.style.names_task_everywhere else {}
        value = task.progress
        stream = self._listening(task.connection)
        self._post(
            task.connection,
            stream,
            lambda: self.talk.progress(task.token, value, stream=stream, connection=task.connection, more=named),
        )

    def _make(self, sent: Sent, connection: str, token: JsonValue) -> None:
        task = Task(f"task-{next(self.numbers)}", connection, self.clock, updated=self.clock, token=token)
        self.tasks[task.id] = task
        named = related(task.id) if self.style.names_task_everywhere else {}
        self._answer(sent, {"task": self._shown(task), **named})

    def _get(self, sent: Sent, task: Task) -> None:
        if task.gone:
            self._refuse(sent)
        else:
            self._answer(sent, self._shown(task))

    def _list(self, sent: Sent, task: Task) -> None:
        mine = self._peers(sent.connection)
        shown = [self._shown(it) for it in self.tasks.values() if it.connection in mine and not it.gone]
        self._answer(sent, {"tasks": shown})

    def _cancel(self, sent: Sent, task: Task) -> None:
        if task.gone or task.status in ENDS:
            self._refuse(sent)
            return
        self._move(task, "cancelled")
        self._answer(sent, self._shown(task))
        task.gone = self.style.deletes_cancelled

    def _result(self, sent: Sent, task: Task) -> None:
        if task.gone:
            self._refuse(sent)
        elif task.status in ENDS:
            self._answer(sent, {"content": [], **related(task.id)})
        else:
            task.waiters.append(sent)
            if task.status == "input_required" and not task.answered:
                self._ask_for_input(task, sent.connection, sent.stream)

    def _move(self, task: Task, status: str) -> None:
        task.status, task.updated = status, self.clock
        if self.style.notifies:
            shown, stream = self._shown(task), self._listening(task.connection)
            notify = self.talk.notify
            self._post(
                task.connection,
                stream,
                lambda: notify("notifications/tasks/status", shown, stream=stream, connection=task.connection),
            )
        if status in ENDS:
            for sent in task.waiters:
                self._answer(sent, {"content": [], **related(task.id)})
            task.waiters.clear()

    def _ask_for_input(self, task: Task, connection: str, stream: str) -> None:
        identifier = task.asking

        def arrive() -> None:
            form: JsonValue = {"type": "object", "properties": {}}
            params: dict[str, JsonValue] = {"message": f"for {task.id}", "requestedSchema": form, **related(task.id)}
            self.talk.request(identifier, "elicitation/create", params, stream=stream, connection=connection)
            self.unanswered.append((connection, identifier, task.id))

        self._post(connection, stream, arrive)

    def _take_answer(self, task_id: str, identifier: JsonValue) -> None:
        task = self.tasks[task_id]
        if task.asking == identifier and task.status == "input_required":
            task.answered = True

    def _shown(self, task: Task) -> dict[str, JsonValue]:
        return {
            "taskId": task.id,
            "status": task.status,
            "createdAt": self._stamp(task.created),
            "lastUpdatedAt": self._stamp(task.updated),
            "ttl": None,
        }

    def _stamp(self, seconds: float) -> str:
        """Cut, not rounded, to the decimals of the style; the fewer may still be written as three."""
        unit = 10**self.style.digits
        whole, part = divmod(int(seconds * unit + 1e-6), unit)
        fraction = f".{part:0{self.style.digits}d}" if self.style.digits else ".000"
        return f"2025-11-25T{10 + whole // 3600:02d}:{whole // 60 % 60:02d}:{whole % 60:02d}{fraction}Z"

    # -- the streams -----------------------------------------------------------------------------------------

    def deliver(self) -> None:
        """One stream brings its next message."""
        filled = [lane for lane, queue in self.lanes.items() if queue]
        if filled:
            self.lanes[self.random.choice(filled)].popleft()[1]()

    def _catch_up(self, moment: float) -> None:
        """Nothing stays under way for longer than the lag, in either direction."""
        while late := next((arrive for sent, arrive in self.inbound if sent < moment), None):
            self.inbound = deque(pair for pair in self.inbound if pair[1] is not late)
            late()
        for queue in self.lanes.values():
            while queue and queue[0][0] < moment:
                queue.popleft()[1]()

    def _open(self, connection: str) -> None:
        self.talk.initialize(connection)
        if self.style.transport == "http":
            self.talk.listen(self._listening(connection), connection=connection)

    def _peers(self, connection: str) -> list[str]:
        """The connections that share tasks with this one: of its identity, or itself alone."""
        identity = self.connections[connection]
        return [name for name, who in self.connections.items() if name == connection or (who and who == identity)]

    def _send(self, method: str, params: dict[str, JsonValue], connection: str, serve: Callable[[Sent], None]) -> None:
        sent = self.talk.ask(method, params, connection=connection, opens=False)
        self.inbound.append((self.talk.at, lambda: self._take(sent, serve)))

    def _take(self, sent: Sent, serve: Callable[[Sent], None]) -> None:
        if self.style.transport == "http":
            self._post(sent.connection, sent.stream, lambda: self.talk.open(sent))
        serve(sent)

    def _answer(self, sent: Sent, result: JsonValue) -> None:
        self._post(sent.connection, sent.stream, lambda: self.talk.answer(sent, result))

    def _refuse(self, sent: Sent) -> None:
        message = jsonrpc.error(sent.id, -32602, "Task not found")
        self._post(sent.connection, sent.stream, lambda: self.talk.receive(message, sent.stream, sent.connection))

    def _progress(self, sent: Sent, token: JsonValue, value: int) -> None:
        self.talk.progress(token, value, stream=sent.stream, connection=sent.connection)

    def _post(self, connection: str, stream: str, arrive: Callable[[], object]) -> None:
        lane = (connection, stream if self.style.transport == "http" else self.style.transport)
        self.lanes.setdefault(lane, deque()).append((self.talk.at, arrive))

    def _listening(self, connection: str) -> str:
        return "get:1" if self.style.transport == "http" else self.style.transport
