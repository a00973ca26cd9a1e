"""Each variant takes the freedom that its sentence names, and a task still lives its life."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from mcp_tasks_reference.catalog import describe
from tests.reference import probes as p
from tests.reference.clients import RELATED, http_server, memory_server
from tests.reference.virtual import run_virtually, virtual

VARIANTS = {entry["name"]: entry for entry in describe() if entry["kind"] == "variant"}
IN_MEMORY = [name for name, entry in VARIANTS.items() if entry["transports"] is None]


async def polled_often(server: Any) -> Any:
    client = await server.connect()
    task = await client.task("slow")
    polls = [p.kind(await p.answered(client, "tasks/get", taskId=task)) for _ in range(8)]
    await asyncio.sleep(0.3)
    return [*polls, p.kind(await p.answered(client, "tasks/get", taskId=task))]


async def questions_of_a_later_result(server: Any) -> Any:
    """How many questions come at once, and how many more with a tasks/result."""
    client = await server.connect()
    task = await client.task("asks-elicitation")
    await asyncio.sleep(0.1)
    at_once = len(client.of("elicitation/create"))
    await client.begin("tasks/result", taskId=task)
    await asyncio.sleep(0.1)
    return at_once, len(client.of("elicitation/create")) - at_once


async def statuses_told(server: Any) -> Any:
    client = await server.connect()
    await client.task("completes")
    await asyncio.sleep(1)
    return [params["status"] for params in client.of("notifications/tasks/status")]


CASES: dict[str, tuple[p.Probe, Any, Any]] = {
    "no-list": (p.served, (True, True), (False, True)),
    "no-cancel": (p.served, (True, True), (True, False)),
    "no-tool-tasks": (p.called("either", {}), "task", "result"),
    "cancelled-deleted": (p.status_after_cancel, "cancelled", -32602),
    "cancelled-result-partial": (
        lambda server: _kind_of(p.result_of_cancelled, server),
        "-32602",
        "result",
    ),
    "ttl-capped": (p.created(lambda c: c["task"]["ttl"], {"ttl": 50_000}), 50_000, 20_000),
    "ttl-short": (p.created(lambda c: c["task"]["ttl"], {"ttl": 50_000}), 50_000, 2000),
    "ttl-extended": (p.created(lambda c: c["task"]["ttl"], {"ttl": 50_000}), 50_000, 600_000),
    "ttl-remaining": (p.shown("slow", lambda t: t["ttl"] < 30_000, after=0.1), False, True),
    "poll-interval-absent": (p.shown("slow", lambda t: t.get("pollInterval")), 50, None),
    "poll-interval-5s": (p.shown("slow", lambda t: t.get("pollInterval")), 50, 5000),
    "polls-limited": (polled_often, ["result"] * 9, ["result"] * 5 + ["-32000"] * 3 + ["result"]),
    "ends-at-once": (p.shown("completes", lambda t: t["status"]), "working", "completed"),
    "uuid7-ids": (p.created(lambda c: c["task"]["taskId"][14]), "4", "7"),
    "coarse-clock": (p.shown("slow", lambda t: len(t["createdAt"])), 27, 20),
    "notifications-never": (statuses_told, ["completed"], []),
    "notifications-always": (statuses_told, ["completed"], ["working"] * 2 + ["completed"] * 2),
    "progress-never": (p.progress(lambda _, told: len(told)), 4, 0),
    "questions-once": (questions_of_a_later_result, (1, 1), (1, 0)),
    "questions-on-result": (questions_of_a_later_result, (1, 1), (0, 1)),
    "immediate-response": (p.created(lambda c: len(c["_meta"])), 1, 2),
}


async def _kind_of(probe: p.Probe, server: Any) -> str:
    return p.kind(await probe(server))


async def look(probe: p.Probe, *options: str) -> Any:
    async with memory_server(*options) as server:
        return await probe(server)


@pytest.mark.parametrize("name", IN_MEMORY)
def test_the_variant_takes_its_freedom_and_the_server_as_such_does_not(name: str) -> None:
    probe, usual, varied = CASES[name]
    assert run_virtually(look(probe)) == usual
    assert run_virtually(look(probe, "--variant", name)) == varied


@pytest.mark.parametrize("name", [name for name in IN_MEMORY if name != "no-tool-tasks"])
def test_a_task_lives_its_life_in_every_variant(name: str) -> None:
    @virtual
    async def run() -> None:
        async with memory_server("--variant", name) as server:
            client = await server.connect()
            task = await client.task("slow")
            result = await client.result("tasks/result", taskId=task)
            assert result["content"]
            assert result["_meta"][RELATED] == {"taskId": task}
            assert (await client.get(task))["status"] == "completed"

    run()


async def test_json_only_answers_no_post_with_a_stream_and_asks_on_the_listening_one() -> None:
    async with http_server("--variant", "json-only") as server:
        client = await server.connect()
        await client.listen()
        client.types.clear()
        task = await client.task("asks-elicitation")
        waiting = await client.begin("tasks/result", taskId=task)
        await client.accept(await client.request("elicitation/create"))
        assert "result" in await client.response(waiting)
        await client.result("tools/call", name="reports-progress", _meta={"progressToken": 1})
        assert len(client.of("notifications/progress")) == 4
        assert set(client.types) == {"application/json", ""}


async def test_sse_always_answers_requests_with_streams() -> None:
    async with http_server("--variant", "sse-always") as server:
        client = await server.connect()
        task = await client.task("completes")
        await client.result("tasks/result", taskId=task)
        assert [kind.partition(";")[0] for kind in client.types if kind] == ["text/event-stream"] * 3
        await client.get(task)
        assert client.types[-1] == "application/json"


async def test_no_sessions_gives_no_session_and_serves_tasks_all_the_same() -> None:
    async with http_server("--variant", "no-sessions") as server:
        client = server.attach()
        agreed = await client.initialize()
        assert "mcp-session-id" not in client.headers
        assert "list" not in agreed["capabilities"]["tasks"]
        client.headers["mcp-protocol-version"] = "2025-11-25"
        task = await client.task("logs")
        assert (await client.result("tasks/result", taskId=task))["content"]
        assert len(client.of("notifications/message")) == 4
        refused = await client.raw("GET", accept="text/event-stream")
        assert (refused.status_code, refused.headers["allow"]) == (405, "POST")
        assert (await client.raw("DELETE")).status_code == 405
        ann = server.attach("ann")
        await ann.initialize()
        ann.headers["mcp-protocol-version"] = "2025-11-25"
        assert await ann.code("tasks/get", taskId=task) == -32602


def test_every_variant_has_a_case() -> None:
    assert set(CASES) == set(IN_MEMORY)
    assert set(VARIANTS) - set(IN_MEMORY) == {"json-only", "sse-always", "no-sessions"}
