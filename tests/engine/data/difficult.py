"""The reference server made difficult: ``python difficult.py KIND[=VALUE] --stdio | --http PORT``, or in memory.

Nothing here breaks a rule of the specification unless the kind says so.
"""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace

from mcp_tasks_reference.calls import TaskCall
from mcp_tasks_reference.courier import Courier
from mcp_tasks_reference.dispatcher import Dispatcher
from mcp_tasks_reference.execution import Execution
from mcp_tasks_reference.jsonrpc import JsonObject, Message
from mcp_tasks_reference.lifecycle import Status
from mcp_tasks_reference.memory import MemoryApp
from mcp_tasks_reference.outlet import Outlet
from mcp_tasks_reference.parts import Parts
from mcp_tasks_reference.running import Running
from mcp_tasks_reference.server import Server
from mcp_tasks_reference.session import Exchange, Session
from mcp_tasks_reference.settings import Settings
from mcp_tasks_reference.task import Outcome, Task
from mcp_tasks_reference.tools import Tool
from mcp_tasks_reference.v1.task_methods import TaskMethods


async def _forever() -> None:
    await asyncio.get_running_loop().create_future()


def never_ends(_: str) -> type:
    """No task ever ends by itself."""

    class NeverEnds(Execution):
        async def end(self, running: Running, outcome: Outcome) -> None:
            await _forever()

    return NeverEnds


def gives_up(_: str) -> type:
    """Every task that a tool call made is given up as its work begins: cancelled, though nobody asked for that."""

    class GivesUp(Execution):
        def start(self, running: Running, tool: Tool, call: TaskCall) -> None:
            super().start(running, tool, call)
            self._jobs.start(self._give_up(running), "giving up")

        async def _give_up(self, running: Running) -> None:
            await self._service.move(running.task_id, Status.CANCELLED, "context canceled")
            self._service.stop_work(running.task_id)

    return GivesUp


def forgets_fetched(_: str) -> type:
    """A task is gone once its result was fetched."""

    class ForgetsFetched(TaskMethods):
        async def result(self, exchange: Exchange, params: JsonObject) -> JsonObject:
            try:
                return await super().result(exchange, params)
            finally:
                await self._service.expire(str(params.get("taskId")))

    return ForgetsFetched


def slow(seconds: str) -> type:
    """Every request is answered so many seconds after it came."""

    class Slow(Dispatcher):
        async def respond(self, exchange: Exchange) -> JsonObject:
            await asyncio.sleep(float(seconds))
            return await super().respond(exchange)

    return Slow


def deaf(method: str) -> type:
    """One method is never answered."""

    class Deaf(Dispatcher):
        async def respond(self, exchange: Exchange) -> JsonObject:
            if exchange.request.method == method:
                await _forever()
            return await super().respond(exchange)

    return Deaf


def dies_over(method: str) -> type:
    """The process ends over one method, and says so; until then each request is logged."""

    class DiesOver(Dispatcher):
        async def respond(self, exchange: Exchange) -> JsonObject:
            sys.stderr.write(f"asked for {exchange.request.method}\n")
            sys.stderr.flush()
            if exchange.request.method == method:
                os._exit(7)
            return await super().respond(exchange)

    return DiesOver


def silent_after(messages: str) -> type:
    """Nothing is answered after so many messages of one process."""

    class FallsSilent(Dispatcher):
        _left = int(messages)

        def take(self, session: Session, message: Message, outlet: Outlet) -> None:
            self._left -= 1
            if self._left >= 0:
                super().take(session, message, outlet)

    return FallsSilent


def chatty(milliseconds: str) -> type:
    """Whoever listens is sent a log message every so many milliseconds."""

    class Chatty(Dispatcher):
        _talking: asyncio.Task[None] | None = None
        _sessions: dict[Session, bool]

        def take(self, session: Session, message: Message, outlet: Outlet) -> None:
            if self._talking is None:
                self._sessions = {}
                self._talking = self._jobs.start(self._talk(), "talk")
            if getattr(message, "method", None) == "notifications/initialized":
                self._sessions[session] = False
            super().take(session, message, outlet)

        async def _talk(self) -> None:
            log: JsonObject = {"level": "info", "data": "all is well, and nothing has happened"}
            while True:
                await asyncio.sleep(float(milliseconds) / 1000)
                for session, has_listened in list(self._sessions.items()):
                    if session.listening.is_open:
                        self._sessions[session] = session.notify("notifications/message", log)
                    elif has_listened:
                        del self._sessions[session]

    return Chatty


def far(seconds: str) -> type:
    """In memory, every message takes so long on its way, in either direction and in order."""

    class Far(MemoryApp):
        async def serve(
            self,
            receive: Callable[[], Awaitable[str | None]],
            send: Callable[[str], Awaitable[None]],
            headers: Mapping[str, str],
        ) -> None:
            there, back = _Road(float(seconds)), _Road(float(seconds))

            async def bring() -> None:
                while (text := await receive()) is not None:
                    there.put(text)
                there.put(None)

            async def take() -> None:
                while (text := await back.get()) is not None:
                    await send(text)

            async def put(text: str) -> None:
                back.put(text)

            carriers = [asyncio.create_task(bring()), asyncio.create_task(take())]
            try:
                await super().serve(there.get, put, headers)
            finally:
                for carrier in carriers:
                    carrier.cancel()
                await asyncio.wait(carriers)

    return Far


class _Road:
    """Where messages take their time."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._under_way: asyncio.Queue[tuple[float, str | None]] = asyncio.Queue()

    def put(self, text: str | None) -> None:
        self._under_way.put_nowait((asyncio.get_running_loop().time() + self._seconds, text))

    async def get(self) -> str | None:
        arrival, text = await self._under_way.get()
        await asyncio.sleep(max(0.0, arrival - asyncio.get_running_loop().time()))
        return text


def broadcasts(_: str) -> type:
    """Status notifications go to every session that ever made a task."""

    class Broadcasts(Courier):
        _sessions: dict[str, Session]

        def tell_status(self, running: Running, task: Task) -> None:
            known = self.__dict__.setdefault("_sessions", {})
            known[running.session.id] = running.session
            for session in known.values():
                session.notify("notifications/tasks/status", self._views.status(task))

    return Broadcasts


def one_session(_: str) -> type:
    """Over HTTP, whoever comes while a session is open is turned away."""
    from mcp_tasks_reference.transports.http.gate import Refusal
    from mcp_tasks_reference.transports.http.sessions import HttpSession, SessionBook

    class OneSession(SessionBook):
        def begin(self, credential: str | None) -> HttpSession:
            if self._sessions:
                raise Refusal(503, "Only one session at a time")
            return super().begin(credential)

    return OneSession


def latest_session(_: str) -> type:
    """Over HTTP, whoever comes takes the place of whoever was there."""
    from mcp_tasks_reference.transports.http.sessions import HttpSession, SessionBook

    class LatestSession(SessionBook):
        def begin(self, credential: str | None) -> HttpSession:
            self.end_all()
            return super().begin(credential)

    return LatestSession


def few_sessions(number: str) -> type:
    """Over HTTP, no more than so many sessions are open at a time."""
    from mcp_tasks_reference.transports.http.gate import Refusal
    from mcp_tasks_reference.transports.http.sessions import HttpSession, SessionBook

    class FewSessions(SessionBook):
        def begin(self, credential: str | None) -> HttpSession:
            if len(self._sessions) >= int(number):
                raise Refusal(503, "Too many sessions")
            return super().begin(credential)

    return FewSessions


def ends_all(_: str) -> type:
    """Over HTTP, the end of one session is the end of all."""
    from mcp_tasks_reference.transports.http.sessions import SessionBook

    class EndsAll(SessionBook):
        def end(self, session_id: str) -> None:
            for known in list(self._sessions):
                super().end(known)

    return EndsAll


def exits(_: str) -> type:
    """Over HTTP, the process exits with the end of a session."""
    from mcp_tasks_reference.transports.http.sessions import SessionBook

    class Exits(SessionBook):
        def end(self, session_id: str) -> None:
            sys.stderr.write("a session ended, and so do I\n")
            os._exit(3)

    return Exits


KINDS: dict[str, Callable[[str], type]] = {
    "never-ends": never_ends,
    "gives-up": gives_up,
    "forgets-fetched": forgets_fetched,
    "slow": slow,
    "deaf": deaf,
    "dies-over": dies_over,
    "silent-after": silent_after,
    "chatty": chatty,
    "far": far,
    "broadcasts": broadcasts,
    "one-session": one_session,
    "latest-session": latest_session,
    "few-sessions": few_sessions,
    "ends-all": ends_all,
    "exits": exits,
}


def _server(words: Sequence[str]) -> Server:
    made = []
    settings = Settings()
    for word in words:
        kind, _, value = word.partition("=")
        if kind == "store":  # a file, which other processes may use too
            settings = replace(settings, store_path=value)
        else:
            made.append(KINDS[kind](value))
    return Server(settings, Parts(tuple(made)))


def create(options: Sequence[str]) -> MemoryApp:
    server = _server(options)
    return server.parts.of(MemoryApp)(server)


def main() -> None:
    *words, transport = sys.argv[1:]
    if transport == "--stdio":
        from mcp_tasks_reference.transports.stdio import serve_stdio

        asyncio.run(serve_stdio(_server(words)))
    else:
        from mcp_tasks_reference.transports.http import serve_http

        asyncio.run(serve_http(_server(words), "127.0.0.1", int(transport)))


if __name__ == "__main__":
    main()
