from __future__ import annotations

import asyncio
import json

import pytest

from tests.reference.clients import RELATED, memory_client, memory_server
from tests.reference.virtual import virtual


@virtual
async def test_a_task_that_asks_shows_it_and_goes_on_with_the_answer() -> None:
    async with memory_client() as client:
        task = await client.task("asks-elicitation")
        question = await client.request("elicitation/create")
        assert question["params"]["_meta"][RELATED] == {"taskId": task}
        assert (await client.get(task))["status"] == "input_required"
        await client.accept(question, "Ann")
        assert (await client.result("tasks/result", taskId=task))["content"][0]["text"] == "Hello, Ann"


@virtual
async def test_sampling_works_the_same_way() -> None:
    async with memory_client() as client:
        task = await client.task("asks-sampling")
        question = await client.request("sampling/createMessage")
        assert question["params"]["_meta"][RELATED] == {"taskId": task}
        await client.reply(question, role="assistant", model="m", content={"type": "text", "text": "You are kind."})
        assert "You are kind." in (await client.result("tasks/result", taskId=task))["content"][0]["text"]


@virtual
async def test_an_unanswered_question_is_asked_again_on_each_later_result() -> None:
    async with memory_client() as client:
        task = await client.task("asks-elicitation")
        asked = [await client.request("elicitation/create")]
        for _ in range(2):
            await client.begin("tasks/result", taskId=task)
            asked.append(await client.request("elicitation/create"))
        assert len({question["id"] for question in asked}) == 3
        assert len({str(question["params"]) for question in asked}) == 1


@virtual
async def test_the_first_answer_counts_and_the_other_copies_are_withdrawn() -> None:
    async with memory_client() as client:
        task = await client.task("asks-elicitation")
        first = await client.request("elicitation/create")
        waiting = await client.begin("tasks/result", taskId=task)
        second = await client.request("elicitation/create")
        await client.accept(second, "Bea")
        withdrawn = (await client.request("notifications/cancelled"))["params"]
        assert withdrawn["requestId"] == first["id"]
        assert withdrawn["_meta"][RELATED] == {"taskId": task}
        await client.accept(first, "Ann")
        assert (await client.response(waiting))["result"]["content"][0]["text"] == "Hello, Bea"


@virtual
async def test_several_questions_are_open_at_once_until_all_are_answered() -> None:
    async with memory_client() as client:
        task = await client.task("asks-many")
        asked = [await client.request("elicitation/create") for _ in range(3)]
        for question in (asked[2], asked[0]):
            await client.accept(question)
            assert (await client.get(task))["status"] == "input_required"
        await client.accept(asked[1])
        assert (await client.ended(task))["status"] == "completed"


@virtual
async def test_questions_are_asked_again_in_their_order() -> None:
    async with memory_client() as client:
        task = await client.task("asks-many")
        first = [(await client.request("elicitation/create"))["params"]["message"] for _ in range(3)]
        await client.begin("tasks/result", taskId=task)
        again = [(await client.request("elicitation/create"))["params"]["message"] for _ in range(3)]
        assert again == first


@pytest.mark.parametrize("action", ["decline", "cancel"])
def test_a_refusal_is_an_answer(action: str) -> None:
    @virtual
    async def run() -> None:
        async with memory_client() as client:
            task = await client.task("asks-elicitation")
            await client.reply(await client.request("elicitation/create"), action=action)
            assert (await client.ended(task))["status"] == "completed"

    run()


@virtual
async def test_an_error_is_an_answer() -> None:
    async with memory_client() as client:
        task = await client.task("asks-elicitation")
        question = await client.request("elicitation/create")
        error = {"code": -1, "message": "Broken"}
        await client.send(json.dumps({"jsonrpc": "2.0", "id": question["id"], "error": error}))
        shown = await client.ended(task)
        assert shown["status"] == "failed"
        assert "Broken" in shown["statusMessage"]


@virtual
async def test_an_answer_that_does_not_fit_the_form_fails_the_task() -> None:
    async with memory_client() as client:
        task = await client.task("asks-elicitation")
        await client.reply(await client.request("elicitation/create"), action="accept", content={"name": 7})
        assert (await client.ended(task))["status"] == "failed"


@pytest.mark.parametrize("tool", ["asks-elicitation", "asks-sampling"])
@pytest.mark.parametrize("capabilities", [{}, {"elicitation": {"url": {}}}])
def test_nothing_is_asked_that_the_client_did_not_declare(tool: str, capabilities: dict[str, object]) -> None:
    @virtual
    async def run() -> None:
        async with memory_client(capabilities=capabilities) as client:
            shown = await client.ended(await client.task(tool))
            assert shown["status"] == "failed"
            assert "did not declare" in shown["statusMessage"]
            assert not [message for message in client.seen if "method" in message and "id" in message]

    run()


@virtual
async def test_an_overflowing_queue_fails_the_task_and_the_server_serves_on() -> None:
    async with memory_client("--max-queue", "5") as client:
        task = await client.task("floods")
        shown = await client.ended(task)
        assert shown["status"] == "failed"
        assert "queue is full" in shown["statusMessage"]
        assert len(client.of("elicitation/create")) == 5
        assert await client.result("ping") == {}


@virtual
async def test_an_overflowing_plain_call_fails_too() -> None:
    async with memory_client("--max-queue", "5") as client:
        response = await client.call("tools/call", name="floods")
        assert "queue is full" in response["error"]["message"]
        assert len(client.of("notifications/cancelled")) == 5


@virtual
async def test_a_cancelled_tasks_questions_are_withdrawn_and_never_asked_again() -> None:
    async with memory_client() as client:
        task = await client.task("asks-many")
        asked = [await client.request("elicitation/create") for _ in range(3)]
        await client.result("tasks/cancel", taskId=task)
        assert {params["requestId"] for params in client.of("notifications/cancelled")} == {one["id"] for one in asked}
        await client.call("tasks/result", taskId=task)
        for question in asked:
            await client.accept(question)
        await asyncio.sleep(1)
        assert len(client.of("elicitation/create")) == 3
        assert (await client.get(task))["status"] == "cancelled"


@virtual
async def test_a_question_outlives_its_connection() -> None:
    async with memory_server() as server:
        first = await server.connect(token="ann")
        task = await first.task("asks-elicitation")
        await first.request("elicitation/create")
        first.leave()
        second = await server.connect(token="ann")
        waiting = await second.begin("tasks/result", taskId=task)
        await second.accept(await second.request("elicitation/create"))
        assert "result" in await second.response(waiting)


@virtual
async def test_a_plain_call_asks_within_its_own_request() -> None:
    async with memory_client() as client:
        call = await client.begin("tools/call", name="asks-elicitation")
        question = await client.request("elicitation/create")
        assert "_meta" not in question["params"]
        await client.accept(question)
        assert (await client.response(call))["result"]["content"][0]["text"] == "Hello, Ann"
