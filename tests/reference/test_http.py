from __future__ import annotations

import asyncio
import json

from tests.reference.clients import RELATED, http_server

PING = b'{"jsonrpc":"2.0","id":"p","method":"ping"}'


async def test_a_task_lives_over_http() -> None:
    async with http_server() as server:
        client = await server.connect()
        task = await client.task("completes")
        result = await client.result("tasks/result", taskId=task)
        assert result["_meta"][RELATED] == {"taskId": task}
        assert set(client.types) == {"application/json", ""}
        assert client.statuses.count(202) == 1


async def test_questions_come_on_the_stream_of_the_waiting_result() -> None:
    async with http_server() as server:
        client = await server.connect()
        task = await client.task("asks-twice")
        waiting = await client.begin("tasks/result", taskId=task)
        for _ in range(2):
            await client.accept(await client.request("elicitation/create"))
        assert (await client.response(waiting))["result"]["content"]
        assert [kind for kind in client.types if kind.startswith("text/event-stream")]


async def test_questions_come_on_the_listening_stream_when_nobody_waits() -> None:
    async with http_server() as server:
        client = await server.connect()
        await client.listen()
        task = await client.task("asks-elicitation")
        await client.accept(await client.request("elicitation/create"))
        assert (await client.ended(task))["status"] == "completed"
        assert [params["status"] for params in client.of("notifications/tasks/status")] == [
            "input_required",
            "working",
            "completed",
        ]


async def test_get_is_never_a_stream() -> None:
    async with http_server() as server:
        client = await server.connect()
        task = await client.task("reports-progress", _meta={"progressToken": 1})
        client.types.clear()
        await client.ended(task)
        assert set(client.types) == {"application/json"}


async def test_progress_of_a_plain_call_travels_with_its_answer() -> None:
    async with http_server() as server:
        client = await server.connect()
        await client.result("tools/call", name="reports-progress", _meta={"progressToken": 1})
        assert [params["progress"] for params in client.of("notifications/progress")] == [1, 2, 3, 4]


async def test_logs_that_nobody_heard_come_before_the_result() -> None:
    async with http_server() as server:
        client = await server.connect()
        task = await client.task("logs")
        await client.ended(task)
        client.seen.clear()
        client.taken.clear()
        response = await client.call("tasks/result", taskId=task)
        assert len(client.of("notifications/message")) == 4
        assert client.seen[-1] == response


async def test_leaving_a_waiting_result_leaves_the_task_alone() -> None:
    async with http_server() as server:
        client = await server.connect()
        task = await client.task("slow")
        await client.begin("tasks/result", taskId=task)
        await asyncio.sleep(0.1)
        await client.drop(client.streams[-1])
        assert (await client.result("tasks/result", taskId=task))["content"]
        assert (await client.get(task))["status"] == "completed"


async def test_a_question_on_a_lost_stream_is_asked_again() -> None:
    async with http_server() as server:
        client = await server.connect()
        task = await client.task("asks-elicitation")
        await client.begin("tasks/result", taskId=task)
        await client.request("elicitation/create")
        await client.drop(client.streams[-1])
        waiting = await client.begin("tasks/result", taskId=task)
        await client.accept(await client.request("elicitation/create"))
        assert "result" in await client.response(waiting)


async def test_a_lost_stream_is_resumed_where_it_broke() -> None:
    async with http_server() as server:
        client = await server.connect()
        task = await client.task("asks-elicitation")
        waiting = await client.begin("tasks/result", taskId=task)
        question = await client.request("elicitation/create")
        await client.drop(client.streams[-1])
        await client.accept(question)
        await client.ended(task)
        await client.listen(client.event_ids[-1])
        assert (await client.response(waiting))["result"]["content"]
        assert len(client.of("elicitation/create")) == 1
        assert len(set(client.event_ids)) == len(client.event_ids)


async def test_a_lost_listening_stream_gives_what_was_missed() -> None:
    async with http_server() as server:
        client = await server.connect()
        stream = await client.listen()
        await client.ended(await client.task("completes"))
        await client.request("notifications/tasks/status")
        await client.drop(stream)
        missed = await client.task("completes")
        await client.ended(missed)
        await client.listen(client.event_ids[-1])
        assert (await client.request("notifications/tasks/status"))["params"]["taskId"] == missed


async def test_of_two_listening_streams_one_gets_each_message() -> None:
    async with http_server() as server:
        client = await server.connect()
        await client.listen()
        await client.listen()
        await client.ended(await client.task("completes"))
        await client.request("notifications/tasks/status")
        await asyncio.sleep(0.05)
        assert len(client.of("notifications/tasks/status")) == 1


async def test_cancelling_the_wait_ends_its_stream_without_a_response() -> None:
    async with http_server() as server:
        client = await server.connect()
        task = await client.task("slow")
        waiting = await client.begin("tasks/result", taskId=task)
        stream = client.streams[-1]
        await asyncio.sleep(0.05)
        await client.notify("notifications/cancelled", requestId=waiting)
        await asyncio.wait_for(stream, 3)
        assert not [message for message in client.seen if message.get("id") == waiting]
        assert (await client.ended(task))["status"] == "completed"


async def test_headers_are_checked() -> None:
    async with http_server() as server:
        client = await server.connect()
        for status, headers in (
            (404, {"mcp_session_id": "nobody's"}),
            (400, {"mcp_protocol_version": "1999-12-31"}),
            (200, {"mcp_protocol_version": "2025-06-18"}),
            (403, {"origin": "https://example.com"}),
            (403, {"origin": "null"}),
            (200, {"origin": "http://localhost:1234"}),
            (401, {"authorization": "Basic dTpw"}),
            (404, {"authorization": "Bearer somebody"}),
            (415, {"content_type": "text/plain"}),
        ):
            assert (await client.raw("POST", PING, **headers)).status_code == status, headers


async def test_bodies_are_checked() -> None:
    async with http_server() as server:
        client = await server.connect()
        for body, status, code in (
            (b"{", 400, -32700),
            (b"\xff", 400, -32700),
            (b"[]", 400, -32600),
            (b'{"jsonrpc":"2.0","id":1}', 400, -32600),
            (b'{"jsonrpc":"2.0","id":1,"method":"no/such"}', 200, -32601),
        ):
            answer = await client.raw("POST", body)
            assert (answer.status_code, answer.json()["error"]["code"]) == (status, code)
        assert (await client.raw("POST", b" " * 5_000_000)).status_code == 413
        assert (await client.raw("POST", PING)).json()["result"] == {}


async def test_sessions_begin_with_initialize_and_end_with_delete() -> None:
    async with http_server() as server:
        stranger = server.attach()
        assert (await stranger.raw("POST", PING)).status_code == 400
        assert (await stranger.raw("GET")).status_code == 400
        assert (await stranger.raw("DELETE")).status_code == 400
        assert (await stranger.raw("PUT")).status_code == 405
        client = await server.connect()
        stream = await client.listen()
        assert (await client.raw("DELETE")).status_code == 200
        await asyncio.wait_for(stream, 3)
        for method in ("POST", "GET", "DELETE"):
            assert (await client.raw(method, PING)).status_code == 404


async def test_a_failed_initialize_begins_no_session() -> None:
    async with http_server() as server:
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {}})
        answer = await server.attach().raw("POST", body.encode())
        assert answer.json()["error"]["code"] == -32602
        assert "mcp-session-id" not in answer.headers


async def test_identities_are_kept_apart_and_found_again() -> None:
    async with http_server() as server:
        ann, bea, ann_again = [await server.connect(token) for token in ("ann", "bea", "ann")]
        task = await ann.task("slow")
        assert await bea.code("tasks/get", taskId=task) == -32602
        assert (await ann_again.result("tasks/result", taskId=task))["content"]


async def test_a_thousand_tasks_at_once_are_all_there() -> None:
    async with http_server() as server:
        client = await server.connect()
        tasks = set()
        for _ in range(10):
            made = [await client.begin("tools/call", {"name": "completes", "task": {}}) for _ in range(100)]
            tasks |= {(await client.response(one, 20))["result"]["task"]["taskId"] for one in made}
            client.seen.clear()
            client.taken.clear()
        page = await client.result("tasks/list")
        found = {task["taskId"] for task in page["tasks"]}
        while "nextCursor" in page:
            page = await client.result("tasks/list", cursor=page["nextCursor"])
            found |= {task["taskId"] for task in page["tasks"]}
        assert len(tasks) == 1000
        assert found == tasks


async def test_a_hundred_waiting_results_are_all_answered() -> None:
    async with http_server() as server:
        client = await server.connect()
        tasks = [await client.task("slow") for _ in range(50)]
        waiting = [await client.begin("tasks/result", taskId=task) for task in tasks for _ in range(2)]
        for one in waiting:
            assert "result" in await client.response(one, 20)


async def test_the_process_ends_at_once_though_streams_are_open() -> None:
    async with http_server() as server:
        client = await server.connect()
        stream = await client.listen()
        await client.begin("tasks/result", taskId=await client.task("slow"))
        await asyncio.sleep(0.05)
        server.process.terminate()
        await asyncio.wait_for(server.process.wait(), 2)
        await asyncio.wait([stream])
        stream.exception()
