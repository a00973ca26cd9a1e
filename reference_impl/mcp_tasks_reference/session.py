"""One connection's conversation with a client, whatever carries it."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable, Mapping

from mcp_tasks_reference import jsonrpc
from mcp_tasks_reference.jsonrpc import JsonObject, JsonValue, RequestId, Response
from mcp_tasks_reference.outlet import Outlet
from mcp_tasks_reference.task import Owner

LOG_LEVELS = ("debug", "info", "notice", "warning", "error", "critical", "alert", "emergency")


class Session:
    """What was agreed with one client, which of its requests are being answered, and what it was asked."""

    def __init__(self, session_id: str, owner: Owner, listening: Outlet) -> None:
        self.id = session_id
        self.owner = owner
        self.listening = listening
        """The way to the client for messages that belong to no request of its own."""
        self.version: str | None = None
        self.client_capabilities: JsonObject = {}
        self.log_level = "info"
        self.closed = False
        self.in_flight: dict[RequestId, Exchange] = {}
        self._asked: dict[RequestId, Callable[[Response], None]] = {}
        self._ids = itertools.count(1)

    def agree(self, version: str, client_capabilities: JsonObject) -> None:
        """Keep what initialize settled."""
        self.version = version
        self.client_capabilities = client_capabilities

    def can(self, *path: str) -> bool:
        """Whether the client declared a capability, named by the keys that lead to it."""
        value: JsonValue = self.client_capabilities
        for key in path:
            if not isinstance(value, Mapping) or not isinstance(value.get(key), Mapping):
                return False
            value = value[key]
        return True

    def wants_log(self, level: str) -> bool:
        """Whether the client wants log messages of a level."""
        return LOG_LEVELS.index(level) >= LOG_LEVELS.index(self.log_level)

    def can_elicit_forms(self) -> bool:
        """Forms are meant by an elicitation capability that names no mode, or names them."""
        return self.can("elicitation", "form") or (self.can("elicitation") and not self.can("elicitation", "url"))

    def notify(self, method: str, params: JsonObject, outlet: Outlet | None = None) -> bool:
        """Send a notification; false where nobody listens."""
        if self.closed:
            return False
        return (outlet or self.listening).put(jsonrpc.notification(method, params))

    def ask(
        self, outlet: Outlet, method: str, params: JsonObject, answered: Callable[[Response], None]
    ) -> RequestId | None:
        """Send a request under a new id; none where nobody listens."""
        request_id = self.next_id()
        if self.closed or not outlet.put(jsonrpc.request(request_id, method, params)):
            return None
        self._asked[request_id] = answered
        return request_id

    def next_id(self) -> RequestId:
        """An id that this session has not used for a request of its own."""
        return next(self._ids)

    def withdraw(self, request_id: RequestId, params: JsonObject, reason: str) -> None:
        """Tell the client that a request needs no answer any more."""
        if self._asked.pop(request_id, None) is not None:
            self.notify("notifications/cancelled", {"requestId": request_id, "reason": reason, **params})

    def answered(self, response: Response) -> None:
        """Hand an answer to whoever asked; one that nobody waits for is ignored."""
        answered = self._asked.pop(response.id, None)
        if answered is not None:
            answered(response)

    def close(self) -> None:
        """Nothing more is sent; requests being answered are dropped, tasks go on."""
        self.closed = True
        self._asked.clear()
        for exchange in self.in_flight.values():
            exchange.abandon()


class Exchange:
    """One request of the client while it is being answered."""

    def __init__(self, session: Session, request: jsonrpc.Request, outlet: Outlet) -> None:
        self.session = session
        self.request = request
        self.outlet = outlet
        """Where the answer goes, and what belongs to the request before it."""
        self.job: asyncio.Task[None] | None = None
        self._afterwards: list[Callable[[], None]] = []

    def afterwards(self, act: Callable[[], None]) -> None:
        """Do something once the answer is on its way."""
        self._afterwards.append(act)

    def answered(self) -> None:
        """The answer is on its way."""
        acts, self._afterwards = self._afterwards, []
        for act in acts:
            act()

    def abandon(self) -> None:
        """Nobody wants the answer any more."""
        if self.job is not None:
            self.job.cancel()
