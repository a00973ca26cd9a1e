"""The transport against an application of the usual stack: starlette, sse-starlette and uvicorn."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import AsyncIterator

import pytest
import uvicorn
from sse_starlette.sse import EventSourceResponse
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Mount, Route

from mcp_tasks_conformance.wire import jsonrpc
from tests.wire.conftest import Connect

INITIALIZE = jsonrpc.encode(jsonrpc.request(0, "initialize", {}))


async def post(request: Request) -> Response:
    message = await request.json()
    if "id" not in message:
        return Response(status_code=202)
    if message["method"] == "initialize":
        return JSONResponse(jsonrpc.result(message["id"], {}), headers={"Mcp-Session-Id": "s"})
    if request.headers.get("mcp-session-id") != "s":
        return PlainTextResponse("no such session", status_code=404)

    async def events() -> AsyncIterator[dict[str, str]]:
        yield {"id": "1", "data": ""}
        yield {"data": json.dumps(jsonrpc.notification("notifications/progress"))}
        yield {"data": json.dumps(jsonrpc.result(message["id"], {"text": "é" * 100_000}))}

    return EventSourceResponse(events(), ping=1, sep="\r\n")


async def get(request: Request) -> Response:
    async def events() -> AsyncIterator[dict[str, str]]:
        yield {"data": json.dumps(jsonrpc.notification("notifications/tools/list_changed"))}
        await asyncio.sleep(60)

    return EventSourceResponse(events(), ping=1)


async def delete(request: Request) -> Response:
    return Response(status_code=200)


@pytest.fixture
async def url() -> AsyncIterator[str]:
    endpoint = [
        Route("/", post, methods=["POST"]),
        Route("/", get, methods=["GET"]),
        Route("/", delete, methods=["DELETE"]),
    ]
    # A mount answers the path without its last slash with a redirect.
    app = Starlette(routes=[Mount("/mcp", routes=endpoint)])
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        server = uvicorn.Server(uvicorn.Config(app, log_level="critical", lifespan="off", timeout_graceful_shutdown=1))
        listener.listen()
        serving = asyncio.create_task(server._serve([listener]))
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/mcp"
        server.should_exit = True
        await serving


async def test_a_whole_conversation_through_a_redirecting_mount(url: str, connect: Connect) -> None:
    transport, sink = connect(url)
    await sink.end_of(await transport.send(INITIALIZE))
    assert transport.session_id == "s"
    await sink.end_of(await transport.send(jsonrpc.encode(jsonrpc.notification("notifications/initialized"))))
    assert sink.head("post:2")["status"] == 202
    assert await transport.listen() == "get:1"
    await sink.until(lambda: sink.texts("get:1"))
    streams = [await transport.send(jsonrpc.encode(jsonrpc.request(number, "tools/call"))) for number in range(1, 21)]
    for number, stream in enumerate(streams, start=1):
        assert await sink.end_of(stream) == "the server ended the stream"
        first, last = [json.loads(text) for text in sink.texts(stream)]
        assert first["method"] == "notifications/progress"
        assert last == jsonrpc.result(number, {"text": "é" * 100_000})
    assert await transport.end_session() == 200
    await transport.close()
    assert sink.closings == []


async def test_a_wrong_session_is_a_plain_404(url: str, connect: Connect) -> None:
    transport, sink = connect(url)
    stream = await transport.send(jsonrpc.encode(jsonrpc.request(1, "ping")), headers={"Mcp-Session-Id": "other"})
    await sink.end_of(stream)
    assert sink.head(stream)["status"] == 404
    assert sink.messages == []
