from __future__ import annotations

import asyncio
import json

import pytest

from mcp_tasks_reference.memory import create
from tests.reference.clients import MemoryClient, memory_client, memory_server
from tests.reference.virtual import virtual


async def refused(client: MemoryClient, text: str) -> tuple[int, object]:
    """The code and the id that text is refused with; the server must serve on."""
    await client.send(text)
    error = await client.next(lambda message: "error" in message)
    assert await client.result("ping") == {}
    return error["error"]["code"], error.get("id", "none")


@pytest.mark.parametrize(
    ("text", "code", "request_id"),
    [
        ("{", -32700, "none"),
        ("", -32700, "none"),
        ("NaN", -32700, "none"),
        ('{"jsonrpc":"2.0","id":1e999,"method":NaN}', -32700, "none"),
        ("\udcff", -32700, "none"),
        ("[" * 100_000, -32700, "none"),
        ("9" * 5000, -32700, "none"),
        ("[]", -32600, "none"),
        ('[{"jsonrpc":"2.0","id":1,"method":"ping"}]', -32600, "none"),
        ("1", -32600, "none"),
        ("null", -32600, "none"),
        ("{}", -32600, "none"),
        ('{"jsonrpc":"1.0","id":91,"method":"ping"}', -32600, 91),
        ('{"id":92,"method":"ping"}', -32600, 92),
        ('{"jsonrpc":"2.0","id":93,"method":1}', -32600, 93),
        ('{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600, "none"),
        ('{"jsonrpc":"2.0","id":true,"method":"ping"}', -32600, "none"),
        ('{"jsonrpc":"2.0","id":1.5,"method":"ping"}', -32600, "none"),
        ('{"jsonrpc":"2.0","id":94}', -32600, 94),
        ('{"jsonrpc":"2.0","id":95,"result":{},"error":{}}', -32600, "none"),
        ('{"jsonrpc":"2.0","id":96,"method":"no/such"}', -32601, 96),
        ('{"jsonrpc":"2.0","id":97,"method":"tasks/get","params":[1]}', -32602, 97),
        ('{"jsonrpc":"2.0","id":"98","method":"tools/call","params":{"name":"nobody"}}', -32602, "98"),
    ],
)
def test_what_is_no_message_is_refused_and_the_server_serves_on(text: str, code: int, request_id: object) -> None:
    @virtual
    async def run() -> None:
        async with memory_client() as client:
            assert await refused(client, text) == (code, request_id)

    run()


@virtual
async def test_a_deeply_nested_value_is_taken_or_refused_but_never_fatal() -> None:
    async with memory_client() as client:
        for depth in (100, 900, 5000):
            nested = "[" * depth + "]" * depth
            params = f'{{"taskId":{nested}}}'
            await client.send(f'{{"jsonrpc":"2.0","id":"deep","method":"tasks/get","params":{params}}}')
            error = await client.next(lambda message: "error" in message)
            assert error["error"]["code"] in (-32602, -32700)
            assert await client.result("ping") == {}


@virtual
async def test_nothing_but_a_ping_is_answered_before_initialize() -> None:
    async with memory_server() as server:
        client = server.attach()
        assert await client.result("ping") == {}
        assert await client.code("tools/list") == -32600
        assert await client.code("tasks/list") == -32600
        await client.initialize()
        assert (await client.result("tools/list"))["tools"]


@virtual
async def test_a_second_initialize_is_refused() -> None:
    async with memory_client() as client:
        assert await client.code("initialize", protocolVersion="2025-11-25", capabilities={}) == -32600


@virtual
async def test_an_id_that_is_being_answered_is_refused() -> None:
    async with memory_client() as client:
        request = json.dumps({"jsonrpc": "2.0", "id": "twin", "method": "tools/call", "params": {"name": "slow"}})
        await client.send(request)
        await client.send(request)
        assert (await client.response("twin"))["error"]["code"] == -32600
        assert "result" in await client.response("twin")


@virtual
async def test_notifications_and_stray_answers_are_never_answered() -> None:
    async with memory_client() as client:
        before = len(client.seen)
        await client.notify("notifications/unheard-of", something=1)
        await client.notify("notifications/cancelled", requestId={"no": "id"})
        await client.notify("notifications/cancelled")
        await client.send('{"jsonrpc":"2.0","id":12345,"result":{}}')
        await client.send('{"jsonrpc":"2.0","id":12346,"error":{"code":1,"message":"no"}}')
        await asyncio.sleep(1)
        assert len(client.seen) == before


@virtual
async def test_cancelling_a_waiting_result_ends_the_wait_and_not_the_task() -> None:
    async with memory_client() as client:
        task = await client.task("slow")
        waiting = await client.begin("tasks/result", taskId=task)
        await client.notify("notifications/cancelled", requestId=waiting)
        assert (await client.ended(task))["status"] == "completed"
        assert not [message for message in client.seen if message.get("id") == waiting]
        assert (await client.result("tasks/result", taskId=task))["content"]


@virtual
async def test_cancelling_the_answered_call_does_not_touch_its_task() -> None:
    async with memory_client() as client:
        call = await client.begin("tools/call", {"name": "slow", "task": {}})
        task = (await client.response(call))["result"]["task"]["taskId"]
        await client.notify("notifications/cancelled", requestId=call)
        assert (await client.ended(task))["status"] == "completed"


@virtual
async def test_cancelling_a_plain_call_stops_it_unanswered() -> None:
    async with memory_client() as client:
        call = await client.begin("tools/call", name="asks-elicitation")
        question = await client.request("elicitation/create")
        await client.notify("notifications/cancelled", requestId=call)
        assert (await client.request("notifications/cancelled"))["params"]["requestId"] == question["id"]
        await client.accept(question)
        await asyncio.sleep(1)
        assert not [message for message in client.seen if message.get("id") == call and "method" not in message]


@virtual
async def test_a_thousand_tasks_are_made_waited_for_and_none_is_lost() -> None:
    async with memory_client() as client:
        made = [await client.begin("tools/call", {"name": "completes", "task": {}}) for _ in range(1000)]
        tasks = [(await client.response(one))["result"]["task"]["taskId"] for one in made]
        assert len(set(tasks)) == 1000
        waiting = [await client.begin("tasks/result", taskId=task) for task in tasks]
        client.seen.clear()
        client.taken.clear()
        for one in waiting:
            assert "result" in await client.response(one)


@virtual
async def test_a_client_that_does_not_read_is_not_read_from() -> None:
    client, gate, app = MemoryClient(), asyncio.Event(), create()

    async def slowly(text: str) -> None:
        await gate.wait()
        await client.send_from_server(text)

    async with asyncio.TaskGroup() as group:
        group.create_task(app.serve(client.receive_for_server, slowly, {}))
        for number in range(3000):
            await client.send(json.dumps({"jsonrpc": "2.0", "id": number, "method": "ping"}))
        await asyncio.sleep(1)
        assert client.unread > 500
        gate.set()
        client.leave()
    assert len(client.seen) == 3000
    await app.close()
