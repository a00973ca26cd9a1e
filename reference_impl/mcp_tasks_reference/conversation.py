"""A session over one stream each way, as stdio and the in-memory transport have it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from mcp_tasks_reference import jsonrpc
from mcp_tasks_reference.jsonrpc import UnreadableMessage
from mcp_tasks_reference.outlet import Outbox
from mcp_tasks_reference.server import Server
from mcp_tasks_reference.task import Owner

GRACE_S = 0.1
"""How long requests may still be answered after the client has said its last word."""


async def converse(
    server: Server,
    receive: Callable[[], Awaitable[str | None]],
    send: Callable[[str], Awaitable[None]],
    *,
    credential: str | None = None,
    owner: Owner | None = None,
) -> None:
    """Serve one client until it leaves; its tasks go on.

    Args:
        server: What serves it.
        receive: Gives the next message's text; None when the client has said its last word. What cannot be read at
            all is raised as an UnreadableMessage.
        send: Sends a message's text.
        credential: What the client showed.
        owner: Whom it acts for, where the transport knows that better.
    """
    await server.open()
    outbox = Outbox()
    session = server.open_session(outbox, credential=credential, owner=owner)
    try:
        async with asyncio.TaskGroup() as group:
            group.create_task(outbox.carry(send))
            while True:
                try:
                    text = await receive()
                    if text is None:
                        break
                    server.dispatcher.take(session, jsonrpc.read(text), outbox)
                except UnreadableMessage as unreadable:
                    outbox.put(server.dispatcher.refusal(unreadable))
                await asyncio.sleep(0)  # let it be answered, however fast the next one comes
                await outbox.room()
            jobs = [exchange.job for exchange in session.in_flight.values() if exchange.job is not None]
            if jobs:
                await asyncio.wait(jobs, timeout=GRACE_S)
            outbox.shut()
    except* ConnectionError:
        pass  # the client is gone without a word
    finally:
        session.close()
