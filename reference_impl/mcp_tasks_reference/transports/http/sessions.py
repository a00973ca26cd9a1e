"""The sessions of an HTTP endpoint."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass

from mcp_tasks_reference.server import Server
from mcp_tasks_reference.session import Session
from mcp_tasks_reference.transports.http.streams import Listening, StreamBook

MAX_SESSIONS = 10_000


@dataclass(frozen=True, slots=True)
class HttpSession:
    """A session with its streams, and the credential it was begun with."""

    session: Session
    credential: str | None
    listening: Listening
    streams: StreamBook


class SessionBook:
    """Sessions by their ids; beyond a number, the one that was silent longest ends."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._sessions: OrderedDict[str, HttpSession] = OrderedDict()

    def begin(self, credential: str | None) -> HttpSession:
        """Begin a session."""
        listening = self._server.parts.of(Listening)()
        session = self._server.open_session(listening, credential=credential)
        held = HttpSession(session, credential, listening, StreamBook())
        self._sessions[session.id] = held
        while len(self._sessions) > MAX_SESSIONS:
            self.end(next(iter(self._sessions)))
        return held

    def find(self, session_id: str, credential: str | None) -> HttpSession | None:
        """A session that was begun with the same credential; another's does not exist."""
        held = self._sessions.get(session_id)
        if held is None or held.credential != credential:
            return None
        self._sessions.move_to_end(session_id)
        return held

    def end(self, session_id: str) -> None:
        """End a session: its streams close, requests being answered are dropped, its tasks go on."""
        held = self._sessions.pop(session_id)
        held.session.close()
        held.streams.finish_all()

    def all(self) -> tuple[HttpSession, ...]:
        """The sessions there are."""
        return tuple(self._sessions.values())

    def end_all(self) -> None:
        """The server is closing."""
        for held in self.all():
            self.end(held.session.id)
