"""A peer over HTTP: refusals, streams that end, messages of the server's own on any stream; over a real socket."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from mcp_tasks_conformance.peers.connection import Connection, Watched
from mcp_tasks_conformance.peers.exchange import ConnectionGone, NoAnswer
from mcp_tasks_conformance.peers.handshake import HandshakeRefused, initialize
from mcp_tasks_conformance.wire.client_pool import ClientPool
from mcp_tasks_conformance.wire.http import HttpTransport
from mcp_tasks_conformance.wire.transcript import Transcript
from tests.wire.raw_server import EVENTS, Asked, RawServer, Script, Wire, answer, event, response, result

CAPABILITIES = {"protocolVersion": "2025-11-25", "capabilities": {"tasks": {}}}


class Talk:
    """A connection to a scripted server."""

    def __init__(self, server: RawServer) -> None:
        self.server = server
        self.watched: list[Watched] = []
        self.connection = Connection(
            label="http 1/1", transport_kind="http", watcher=lambda _, watched: self.watched.append(watched)
        )
        self.connection.attach(Transcript(), "main")


@asynccontextmanager
async def talk(script: Script) -> AsyncIterator[Talk]:
    async with RawServer(script) as server, ClientPool() as pool:
        before = asyncio.all_tasks()
        made = Talk(server)
        transport = HttpTransport(server.url, made.connection, headers={}, client_pool=pool)
        made.connection.bind(transport)
        try:
            yield made
        finally:
            await made.connection.close()
        ours = {task for task in asyncio.all_tasks() - before if "RawServer" not in repr(task)}
        assert ours == set()


def error(code: int, **more: object) -> bytes:
    return json.dumps({"jsonrpc": "2.0", **more, "error": {"code": code, "message": "no"}}).encode()


async def test_a_refusal_without_a_json_rpc_body_is_a_reply_with_its_status_alone() -> None:
    async def refuse(asked: Asked, wire: Wire) -> None:
        await wire.send(answer(404, "text/plain", b"Not Found"))

    async with talk(refuse) as made:
        reply = await made.connection.request("tasks/get", within=5)
    assert reply.frame is None
    assert reply.view().keys() == {"http"}
    assert (reply.http or {})["status"] == 404


@pytest.mark.parametrize("members", [{"id": None}, {}], ids=["null", "missing"])
async def test_an_error_without_an_id_belongs_to_the_request_whose_post_it_answers(members: Any) -> None:
    async def refuse(asked: Asked, wire: Wire) -> None:
        await wire.send(answer(400, "application/json", error(-32600, **members)))

    async with talk(refuse) as made:
        first, second = await asyncio.gather(
            made.connection.request("one", within=5), made.connection.request("two", within=5)
        )
    for reply in (first, second):
        assert reply.view()["error"] == {"code": -32600, "message": "no"}
        assert (reply.http or {})["status"] == 400
    assert {w.request.method for w in made.watched if w.frame and w.frame.is_error and w.request} == {"one", "two"}


async def test_a_wrong_id_in_the_answer_to_a_post_still_ends_its_wait_and_is_left_to_the_judge() -> None:
    async def always_zero(asked: Asked, wire: Wire) -> None:
        await wire.send(answer(200, "application/json", b'{"jsonrpc":"2.0","id":0,"result":{"any":"thing"}}'))

    async with talk(always_zero) as made:
        reply = await made.connection.request("ping", within=5)
    assert reply.view()["result"] == {"any": "thing"}
    assert all(w.request is None for w in made.watched if w.frame and w.frame.result is not None)


async def test_the_answer_of_one_request_on_the_stream_of_another_ends_the_right_wait() -> None:
    waiting: list[tuple[Asked, Wire]] = []

    async def crossed(asked: Asked, wire: Wire) -> None:
        waiting.append((asked, wire))
        if len(waiting) == 2:
            (one, its_wire), (two, other_wire) = waiting
            await its_wire.send(EVENTS + event(response(two, n=2)) + event(response(one, n=1)))
            its_wire.close()
            await other_wire.send(EVENTS)
            other_wire.close()
        await wire.gone()

    async with talk(crossed) as made:
        replies = await asyncio.gather(
            made.connection.request("one", within=5), made.connection.request("two", within=5)
        )
    assert [reply.view()["result"] for reply in replies] == [{"n": 1}, {"n": 2}]


@pytest.mark.parametrize(
    "head",
    [EVENTS, answer(200, "application/json"), answer(204), answer(200, "text/html", b"<html>")],
    ids=["stream", "empty", "204", "html"],
)
async def test_an_answer_that_ends_without_a_response_is_told_at_once(head: bytes) -> None:
    async def nothing(asked: Asked, wire: Wire) -> None:
        await wire.send(head)
        wire.close()

    async with talk(nothing) as made:
        with pytest.raises(NoAnswer, match="its stream ended without a response") as silence:
            await made.connection.request("tasks/get", within=60)
    assert silence.value.stream_ended


async def test_a_post_that_is_merely_accepted_is_a_reply_with_its_status() -> None:
    async def accept(asked: Asked, wire: Wire) -> None:
        await wire.send(answer(202))

    async with talk(accept) as made:
        raw = await made.connection.raw('{"jsonrpc": "2.0", "method": "notifications/unknown"}')
        reply = await made.connection.finish(raw, within=5)
    assert reply.frame is None
    assert (reply.http or {})["status"] == 202


async def test_requests_of_the_server_are_answered_whichever_stream_they_came_on() -> None:
    answers: asyncio.Queue[Any] = asyncio.Queue()

    async def asks(asked: Asked, wire: Wire) -> None:
        if asked.method == "GET":
            await wire.send(EVENTS + event({"jsonrpc": "2.0", "id": "on GET", "method": "ping"}))
            await wire.gone()
        elif "method" not in asked.message:
            answers.put_nowait(asked.message)
            await wire.send(answer(202))
        else:
            await wire.send(EVENTS + event({"jsonrpc": "2.0", "id": "on POST", "method": "roots/list"}))
            await wire.send(event(response(asked)))
            wire.close()

    async with talk(asks) as made:
        await made.connection.transport.listen()
        await made.connection.request("tools/call", within=5)
        got = {(one := await asyncio.wait_for(answers.get(), 5))["id"]: one for _ in range(2)}
    assert got["on GET"]["result"] == {}
    assert got["on POST"]["error"]["code"] == -32601


async def test_dropping_a_stream_ends_it_and_says_nothing_of_the_answer() -> None:
    begun, closed = asyncio.Event(), asyncio.Event()

    async def waits(asked: Asked, wire: Wire) -> None:
        if asked.message["method"] == "ping":
            await wire.send(result(asked))
            return
        await wire.send(EVENTS)
        begun.set()
        await wire.gone()
        closed.set()

    async with talk(waits) as made:
        exchange = await made.connection.begin("tasks/result", {"taskId": "x"})
        await asyncio.wait_for(begun.wait(), 5)
        await made.connection.drop(exchange.stream)
        await asyncio.wait_for(closed.wait(), 5)
        assert not exchange.reply.done()
        await made.connection.request("ping", within=5)


async def test_a_server_that_goes_away_ends_every_wait() -> None:
    asked_twice = asyncio.Event()

    async def silent(asked: Asked, wire: Wire) -> None:
        if asked.message["method"] == "two":
            asked_twice.set()
        await wire.gone()

    async with talk(silent) as made:
        begun = [await made.connection.begin(method) for method in ("one", "two")]
        await asyncio.wait_for(asked_twice.wait(), 5)
        await made.server.stop()
        for exchange in begun:
            with pytest.raises((ConnectionGone, NoAnswer)):
                await made.connection.finish(exchange, within=60)
        with pytest.raises((ConnectionGone, NoAnswer)):
            await made.connection.request("ping", within=60)


# -- the handshake -------------------------------------------------------------------------------------------


async def test_a_listening_stream_whose_head_never_comes_holds_nothing_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mcp_tasks_conformance.peers.handshake.LISTEN_S", 0.05)

    async def lazy(asked: Asked, wire: Wire) -> None:
        if asked.method == "GET":
            await wire.gone()
        elif asked.message["method"] == "initialize":
            await wire.send(result(asked, **CAPABILITIES))
        else:
            await wire.send(answer(202))

    async with talk(lazy) as made:
        await asyncio.wait_for(initialize(made.connection, within=5), 5)
    assert made.connection.capabilities == {"tasks": {}}


async def test_what_comes_late_on_a_slow_listening_stream_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mcp_tasks_conformance.peers.handshake.LISTEN_S", 0.05)
    proceed = asyncio.Event()

    async def lazy(asked: Asked, wire: Wire) -> None:
        if asked.method == "GET":
            await proceed.wait()
            await wire.send(EVENTS + event({"jsonrpc": "2.0", "method": "notifications/late"}))
            await wire.gone()
        elif asked.message["method"] == "initialize":
            await wire.send(result(asked, **CAPABILITIES))
        else:
            await wire.send(answer(202))

    async with talk(lazy) as made:
        await initialize(made.connection, within=5)
        proceed.set()
        late = await made.connection.inbox.take(lambda _: True, within=5)
    assert late.frame.method == "notifications/late"


@pytest.mark.parametrize(
    ("sent", "told"),
    [
        (answer(401), "wants credentials"),
        (answer(404, "text/html", b"<html>"), "HTTP 404 and no JSON-RPC message"),
        (answer(400, "application/json", error(-32602, id=None)), "refused: -32602 no"),
        (answer(200, "application/json", b'{"jsonrpc":"2.0","id":1,"result":{}}'), "without protocolVersion"),
        (answer(200, "application/json", b'{"jsonrpc":"2.0","id":1}'), "neither result nor error"),
    ],
)
async def test_a_refused_handshake_says_how_it_was_refused(sent: bytes, told: str) -> None:
    async def refuse(asked: Asked, wire: Wire) -> None:
        await wire.send(sent)

    async with talk(refuse) as made:
        with pytest.raises(HandshakeRefused, match=told):
            await initialize(made.connection, within=5)
