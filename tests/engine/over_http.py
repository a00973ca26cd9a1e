"""The small server over HTTP, with sessions, and runs against it in real time."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence

from mcp_tasks_conformance.catalog.model import Profile, Scenario
from mcp_tasks_conformance.engine.options import RunOptions
from mcp_tasks_conformance.engine.run import Run
from mcp_tasks_conformance.engine.verifying import Claimed
from mcp_tasks_conformance.events import Event
from mcp_tasks_conformance.targets.url import UrlTarget
from mcp_tasks_conformance.verdicts.fold import Fold
from tests.engine.data.server import JsonObject, Refusal, Server, Talk
from tests.engine.theatre import PROFILE, Performance, requirements
from tests.wire.raw_server import EVENTS, Asked, RawServer, Wire, answer


async def _unheard(text: str) -> None:
    pass


class HttpServer:
    """Serves one small server; what a test wants otherwise it overrides."""

    listening: asyncio.Server
    """What accepts its connections."""
    unknown_session = answer(404, "text/plain", b"no such session")

    def __init__(self) -> None:
        self.server = Server()
        self.sessions: set[str] = set()
        self.ended: set[str] = set()

    async def script(self, asked: Asked, wire: Wire) -> None:
        if asked.method == "GET":
            await self.listen(asked, wire)
        elif asked.method == "DELETE":
            session = asked.headers.get("mcp-session-id", "")
            self.ended.add(session)
            await wire.send(answer(200 if session in self.sessions else 404))
        else:
            await self.post(asked, wire)

    async def listen(self, asked: Asked, wire: Wire) -> None:
        await wire.send(EVENTS)
        await wire.gone()

    async def post(self, asked: Asked, wire: Wire) -> None:
        message = asked.message
        session = asked.headers.get("mcp-session-id", "")
        if message.get("method") == "initialize":
            session = f"session-{len(self.sessions) + 1}"
            self.sessions.add(session)
        elif session not in self.sessions or session in self.ended:
            await wire.send(self.unknown_session)
            return
        if "id" not in message or "method" not in message:
            await wire.send(answer(202))
            return
        await self.respond(message, session, wire)

    async def respond(self, message: JsonObject, session: str, wire: Wire) -> None:
        reply: JsonObject = {"jsonrpc": "2.0", "id": message["id"]}
        try:
            reply["result"] = await self.server.handle(Talk(_unheard), message["method"], message.get("params", {}))
        except Refusal as refusal:
            reply["error"] = {"code": refusal.code, "message": str(refusal)}
        body = json.dumps(reply).encode()
        await wire.send(answer(200, "application/json", body, mcp_session_id=session))


def perform_over_http(
    scenarios: Sequence[Scenario],
    kind: type[HttpServer] = HttpServer,
    options: RunOptions | None = None,
    profile: Profile | Claimed = PROFILE,
) -> Performance:
    """Run scenarios against it."""
    fold, events = Fold(requirements().values()), list[Event]()

    def tell(event: Event) -> None:
        events.append(event)
        fold(event)

    async def run() -> None:
        server = kind()
        async with RawServer(server.script) as listening:
            server.listening = listening._server
            await Run(scenarios, UrlTarget(listening.url), lambda _: profile, options or RunOptions(), tell).run()
            await server.server.close()

    asyncio.run(run())
    return Performance(tuple(events), fold.result(), 0.0)
