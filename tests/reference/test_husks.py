from __future__ import annotations

import asyncio
import sys
from contextlib import suppress
from typing import Any

import pytest

from tests.reference.clients import MemoryClient, http_server, memory_server, stdio_client
from tests.reference.probes import answered
from tests.reference.virtual import virtual


async def answers(client: MemoryClient) -> list[object]:
    """What initialize, tools/list and tasks/get are answered."""
    agreed: dict[str, Any] = {"protocolVersion": "2025-11-25", "capabilities": {}}
    return [
        await answered(client, "initialize", **agreed),
        await answered(client, "tools/list"),
        await answered(client, "tasks/get", taskId="x"),
    ]


@pytest.mark.parametrize(
    ("husk", "expected"),
    [
        ("dead", ["silence"] * 3),
        ("silent", ["silence"] * 3),
        ("echo", ["silence"] * 3),
        ("garbage", ["silence"] * 3),
        ("all-empty", [{}] * 3),
        ("all-32602", [-32602] * 3),
        ("all-32601", [-32601] * 3),
    ],
)
def test_a_husk_gives_nothing_of_worth(husk: str, expected: list[object]) -> None:
    @virtual
    async def run() -> None:
        async with memory_server("--husk", husk) as server:
            assert await answers(server.attach()) == expected

    run()


@pytest.mark.parametrize(
    ("husk", "last"), [("courteous-empty", {}), ("courteous-32602", -32602), ("courteous-32601", -32601)]
)
def test_a_courteous_husk_introduces_itself_and_its_tools_first(husk: str, last: object) -> None:
    @virtual
    async def run() -> None:
        async with memory_server("--husk", husk) as server:
            client = server.attach()
            assert (await client.initialize())["capabilities"]["tasks"]
            assert len((await client.result("tools/list"))["tools"]) == 17
            assert await answered(client, "tasks/get", taskId="x") == last

    run()


@virtual
async def test_the_crashing_husk_begins_well_and_is_gone_then() -> None:
    async with memory_server("--husk", "crash") as server:
        client = server.attach()
        assert "tasks" in (await client.initialize())["capabilities"]
        assert [await answered(client, "ping") for _ in range(12)] == [{}] * 10 + ["silence"] * 2


async def test_a_dead_process_is_gone_at_once_over_both_transports() -> None:
    for transport in (["--stdio"], ["--http", "0"]):
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "mcp_tasks_reference", *transport, "--husk", "dead"
        )
        assert await asyncio.wait_for(process.wait(), 5) == 7


async def test_a_crashing_process_is_gone_in_the_middle() -> None:
    async with stdio_client("--husk", "crash") as client:
        with suppress(ConnectionError):  # it may be gone before the last is written
            for _ in range(15):
                await client.begin("ping")
        assert await asyncio.wait_for(client.process.wait(), 5) == 7


async def test_the_garbage_husk_writes_what_is_no_message() -> None:
    async with stdio_client("--husk", "garbage", initialize=False) as client:
        await client.begin("initialize")
        async with asyncio.timeout(5):
            while len(client.noise) < 3:  # noqa: ASYNC110
                await asyncio.sleep(0.01)
        assert client.seen == []


async def test_the_silent_husk_answers_nothing_over_http() -> None:
    async with http_server("--husk", "silent") as server:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.2):
                await server.attach().raw("POST", b'{"jsonrpc":"2.0","id":1,"method":"initialize"}')


async def test_an_empty_husk_answers_over_http() -> None:
    async with http_server("--husk", "all-empty") as server:
        answer = await server.attach().raw("POST", b'{"jsonrpc":"2.0","id":1,"method":"initialize"}')
        assert answer.json() == {"jsonrpc": "2.0", "id": 1, "result": {}}
