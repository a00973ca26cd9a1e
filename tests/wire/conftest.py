"""Connections for transports under test."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from typing import Protocol

import pytest

from mcp_tasks_conformance.wire.client_pool import ClientPool
from mcp_tasks_conformance.wire.http import HttpTransport
from tests.wire.recording import RecordingSink


class Connect(Protocol):
    def __call__(
        self, url: str, *, headers: Mapping[str, str] | None = None, session_of: HttpTransport | None = None
    ) -> tuple[HttpTransport, RecordingSink]: ...


@pytest.fixture(params=[True, False], ids=["direct", "httpx"])
async def pool(request: pytest.FixtureRequest) -> AsyncIterator[ClientPool]:
    """Both ways that requests may go."""
    async with ClientPool(direct=request.param) as pool:
        yield pool
    assert not [task for task in asyncio.all_tasks() if task.get_name().startswith(("post:", "get:"))]


@pytest.fixture
async def connect(pool: ClientPool) -> AsyncIterator[Connect]:
    """Opens transports that are closed in the end."""
    opened: list[HttpTransport] = []

    def opens(
        url: str, *, headers: Mapping[str, str] | None = None, session_of: HttpTransport | None = None
    ) -> tuple[HttpTransport, RecordingSink]:
        sink = RecordingSink()
        opened.append(HttpTransport(url, sink, headers=headers or {}, client_pool=pool, session_of=session_of))
        return opened[-1], sink

    yield opens
    for transport in opened:
        await transport.close()
