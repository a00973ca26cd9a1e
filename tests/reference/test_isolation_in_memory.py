from __future__ import annotations

import pytest

from tests.reference.clients import memory_server
from tests.reference.virtual import virtual

METHODS = ["tasks/get", "tasks/result", "tasks/cancel"]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("tokens", [("ann", "bea"), ("ann", None), (None, "ann"), (None, None)])
def test_anothers_task_is_refused_like_one_that_does_not_exist(method: str, tokens: tuple[str | None, ...]) -> None:
    @virtual
    async def run() -> None:
        async with memory_server() as server:
            owner, other = await server.connect(tokens[0]), await server.connect(tokens[1])
            task = await owner.task("slow")
            missing = task[:-1] + ("0" if task[-1] != "0" else "1")
            foreign = (await other.call(method, taskId=task))["error"]
            unknown = (await other.call(method, taskId=missing))["error"]
            assert foreign["code"] == unknown["code"] == -32602
            assert foreign["message"].replace(task, "") == unknown["message"].replace(missing, "")
            assert (await owner.get(task))["status"] == "working"

    run()


@virtual
async def test_a_list_shows_ones_own_tasks_only() -> None:
    async with memory_server() as server:
        ann, bea = await server.connect("ann"), await server.connect("bea")
        task = await ann.task("completes")
        assert [one["taskId"] for one in (await ann.result("tasks/list"))["tasks"]] == [task]
        assert (await bea.result("tasks/list"))["tasks"] == []


@virtual
async def test_a_cursor_is_good_for_whom_it_was_issued_to_only() -> None:
    async with memory_server("--page-size", "1") as server:
        ann, bea = await server.connect("ann"), await server.connect("bea")
        for client in (ann, bea):
            await client.task("completes")
            await client.task("completes")
        cursor = (await ann.result("tasks/list"))["nextCursor"]
        assert await bea.code("tasks/list", cursor=cursor) == -32602
        assert len((await ann.result("tasks/list", cursor=cursor))["tasks"]) == 1


@virtual
async def test_a_task_is_found_from_another_connection_of_the_same_identity() -> None:
    async with memory_server() as server:
        first = await server.connect("ann")
        task = await first.task("slow")
        first.leave()
        second = await server.connect("ann")
        assert (await second.result("tasks/result", taskId=task))["content"]


@virtual
async def test_what_a_task_tells_reaches_its_own_session_only() -> None:
    async with memory_server() as server:
        ann, bea, other_ann = [await server.connect(token) for token in ("ann", "bea", "ann")]
        task = await ann.task("reports-progress", _meta={"progressToken": 1})
        await ann.ended(task)
        assert ann.of("notifications/progress")
        for client in (bea, other_ann):
            assert not [message for message in client.seen if "method" in message]


@virtual
async def test_a_single_tenant_server_shares_all_tasks() -> None:
    async with memory_server("--single-tenant") as server:
        ann, bea = await server.connect("ann"), await server.connect(None)
        task = await ann.task("completes")
        assert (await bea.get(task))["taskId"] == task
