"""The faults that show over one transport only."""

from __future__ import annotations

import asyncio

import psutil

from tests.reference.clients import http_server, stdio_client

PING = b'{"jsonrpc":"2.0","id":"p","method":"ping"}'


async def test_stdout_banner_writes_log_lines_among_the_messages() -> None:
    async with stdio_client("--fault", "stdout-banner") as client:
        assert client.noise == [b"INFO sending a message"]


async def test_http_answers_as_text_says_text_plain() -> None:
    async with http_server("--fault", "http-answers-as-text") as server:
        client = await server.connect()
        answer = await client.raw("POST", PING)
        assert answer.headers["content-type"].startswith("text/plain")


async def test_http_notification_200_answers_notifications_with_an_object() -> None:
    async with http_server("--fault", "http-notification-200") as server:
        client = await server.connect()
        answer = await client.raw("POST", b'{"jsonrpc":"2.0","method":"notifications/initialized"}')
        assert (answer.status_code, answer.json()) == (200, {})


async def test_http_broadcast_sends_what_belongs_to_a_request_twice() -> None:
    async with http_server("--fault", "http-broadcast") as server:
        client = await server.connect()
        await client.listen()
        await client.result("tools/call", name="reports-progress", _meta={"progressToken": 1})
        await asyncio.sleep(0.05)
        assert len(client.of("notifications/progress")) == 8


async def test_http_tools_to_all_answers_another_session_s_request_with_the_tools() -> None:
    async with http_server("--fault", "http-tools-to-all") as server:
        calls, lists = await server.connect(), await server.connect()
        call = await calls.begin("tools/call", name="slow")
        assert await lists.begin("tools/list") == call
        assert "tools" in (await calls.response(call))["result"]


async def test_http_get_as_json_answers_get_with_an_object() -> None:
    async with http_server("--fault", "http-get-as-json") as server:
        client = await server.connect()
        answer = await client.raw("GET", accept="text/event-stream")
        assert answer.headers["content-type"] == "application/json"


async def test_http_responses_on_get_sends_responses_twice() -> None:
    async with http_server("--fault", "http-responses-on-get") as server:
        client = await server.connect()
        await client.listen()
        ping = await client.begin("ping")
        await client.response(ping)
        await client.response(ping)


async def test_session_never_gone_serves_on_after_delete() -> None:
    async with http_server("--fault", "session-never-gone") as server:
        client = await server.connect()
        await client.raw("DELETE")
        assert (await client.raw("POST", PING)).status_code == 200


async def test_session_end_ends_tasks_gives_results_to_the_others() -> None:
    async with http_server("--fault", "session-end-ends-tasks") as server:
        stays, leaves = await server.connect(), await server.connect()
        call = {"name": "completes", "task": {}}
        assert "task" in await stays.result("tools/call", call)
        await leaves.raw("DELETE")
        assert "content" in await stays.result("tools/call", call)


async def test_any_version_served_takes_any_version_header() -> None:
    async with http_server("--fault", "any-version-served") as server:
        client = await server.connect()
        assert (await client.raw("POST", PING, mcp_protocol_version="1999-12-31")).status_code == 200


async def test_get_streams_answers_tasks_get_with_a_stream() -> None:
    async with http_server("--fault", "get-streams") as server:
        client = await server.connect()
        await client.get(await client.task("slow"))
        assert client.types[-1].startswith("text/event-stream")


async def test_disconnect_cancels_cancels_the_task_that_was_waited_for() -> None:
    async with http_server("--fault", "disconnect-cancels") as server:
        client = await server.connect()
        task = await client.task("slow")
        await client.begin("tasks/result", taskId=task)
        await asyncio.sleep(0.1)
        await client.drop(client.streams[-1])
        assert (await client.ended(task))["status"] == "cancelled"


async def test_ends_when_heard_never_ends_where_nobody_listens() -> None:
    async def status(*options: str) -> str:
        async with http_server(*options) as server:
            client = await server.connect()
            task = await client.task("completes")
            await asyncio.sleep(0.3)
            return str((await client.get(task))["status"])

    assert await status() == "completed"
    assert await status("--fault", "ends-when-heard") == "working"


async def test_memory_kept_goes_on_costing_memory() -> None:
    async def grown(*options: str) -> int:
        async with stdio_client(*options) as client:
            process = psutil.Process(client.process.pid)
            before = process.memory_info().rss
            for _ in range(150):
                await client.task("completes", ttl=500)
            await asyncio.sleep(1)
            return int(process.memory_info().rss - before)

    assert await grown() < 10_000_000
    assert await grown("--fault", "memory-kept") > 25_000_000


async def test_store_forgets_empties_a_durable_store(tmp_path: object) -> None:
    store = ("--store", f"{tmp_path}/tasks.db")
    async with stdio_client(*store) as client:
        task = await client.task("completes")
    async with stdio_client(*store, "--fault", "store-forgets") as client:
        assert await client.code("tasks/get", taskId=task) == -32602
