from __future__ import annotations

import asyncio
from datetime import datetime

import pytest

from tests.reference.clients import RELATED, memory_client, memory_server
from tests.reference.virtual import virtual


@virtual
async def test_a_task_is_made_worked_on_and_its_result_fetched() -> None:
    async with memory_client() as client:
        created = await client.result("tools/call", {"name": "completes", "task": {"ttl": 7000}})
        task = created["task"]
        assert task["status"] == "working"
        assert task["ttl"] == 7000
        assert created["_meta"][RELATED] == {"taskId": task["taskId"]}
        result = await client.result("tasks/result", taskId=task["taskId"])
        assert result["content"]
        assert result["_meta"][RELATED] == {"taskId": task["taskId"]}
        assert (await client.get(task["taskId"]))["status"] == "completed"


@virtual
async def test_the_answer_to_the_call_precedes_everything_else_of_the_task() -> None:
    async with memory_client() as client:
        await client.task("asks-elicitation")
        await client.request("elicitation/create")
        kinds = [message.get("method", "response") for message in client.seen[1:]]
        assert kinds == ["response", "notifications/tasks/status", "elicitation/create"]


@virtual
async def test_a_waiting_result_wakes_at_the_moment_of_the_end() -> None:
    async with memory_client() as client:
        began = asyncio.get_running_loop().time()
        task = await client.task("slow")
        await client.result("tasks/result", taskId=task)
        assert asyncio.get_running_loop().time() - began == pytest.approx(0.6)


@virtual
async def test_a_result_can_be_fetched_again_and_by_several_at_once() -> None:
    async with memory_client() as client:
        task = await client.task("slow")
        waiting = [await client.begin("tasks/result", taskId=task) for _ in range(5)]
        results = [(await client.response(one))["result"] for one in waiting]
        again = await client.result("tasks/result", taskId=task)
        assert all(result == again for result in results)


@virtual
async def test_get_answers_while_a_result_waits() -> None:
    async with memory_client() as client:
        task = await client.task("slow")
        waiting = await client.begin("tasks/result", taskId=task)
        assert (await client.get(task))["status"] == "working"
        assert "result" in await client.response(waiting)


@virtual
async def test_a_tool_that_says_it_failed_ends_failed_and_its_result_is_kept() -> None:
    async with memory_client() as client:
        task = await client.task("fails-tool-error")
        result = await client.result("tasks/result", taskId=task)
        shown = await client.get(task)
        assert result["isError"] is True
        assert shown["status"] == "failed"
        assert "paper" in shown["statusMessage"]


@virtual
async def test_a_json_rpc_error_ends_failed_and_is_answered_as_it_was() -> None:
    async with memory_client() as client:
        plain = (await client.call("tools/call", name="fails-rpc-error"))["error"]
        task = await client.task("fails-rpc-error")
        assert (await client.call("tasks/result", taskId=task))["error"] == plain
        assert (await client.get(task))["status"] == "failed"


@virtual
async def test_cancelling_ends_the_task_before_the_answer_and_for_good() -> None:
    async with memory_client() as client:
        task = await client.task("ignores-cancel")
        cancelled = await client.result("tasks/cancel", taskId=task)
        assert cancelled["status"] == "cancelled"
        await asyncio.sleep(2)
        assert await client.get(task) == cancelled


@virtual
async def test_cancelling_stops_the_work() -> None:
    async with memory_client() as client:
        task = await client.task("counts")
        await asyncio.sleep(0.1)
        await client.result("tasks/cancel", taskId=task)
        read = {"name": "counts", "arguments": {"read": True}}
        before = await client.result("tools/call", read)
        await asyncio.sleep(1)
        assert int(before["content"][0]["text"]) > 0
        assert await client.result("tools/call", read) == before


@virtual
async def test_a_waiting_result_of_a_cancelled_task_is_answered_with_an_error() -> None:
    async with memory_client() as client:
        task = await client.task("slow")
        waiting = await client.begin("tasks/result", taskId=task)
        await client.result("tasks/cancel", taskId=task)
        assert (await client.response(waiting))["error"]["code"] == -32602
        assert await client.code("tasks/result", taskId=task) == -32602


@pytest.mark.parametrize("tool", ["completes", "fails-tool-error", "fails-rpc-error"])
def test_cancelling_an_ended_task_is_refused_and_changes_nothing(tool: str) -> None:
    @virtual
    async def run() -> None:
        async with memory_client() as client:
            task = await client.task(tool)
            ended = await client.ended(task)
            assert await client.code("tasks/cancel", taskId=task) == -32602
            assert await client.get(task) == ended

    run()


@virtual
async def test_cancelling_twice_is_refused_the_second_time() -> None:
    async with memory_client() as client:
        task = await client.task("slow")
        await client.result("tasks/cancel", taskId=task)
        assert await client.code("tasks/cancel", taskId=task) == -32602


@virtual
async def test_status_changes_are_told_with_the_whole_task() -> None:
    async with memory_client() as client:
        task = await client.task("asks-elicitation")
        await client.accept(await client.request("elicitation/create"))
        shown = await client.ended(task)
        told = client.of("notifications/tasks/status")
        assert [params["status"] for params in told] == ["input_required", "working", "completed"]
        assert told[-1] == shown


@virtual
async def test_every_change_moves_last_updated_at_on() -> None:
    async with memory_client() as client:
        task = await client.task("asks-many")
        for _ in range(3):
            await client.accept(await client.request("elicitation/create"))
        await client.ended(task)
        moments = [datetime.fromisoformat(told["lastUpdatedAt"]) for told in client.of("notifications/tasks/status")]
        assert moments == sorted(set(moments))


@virtual
async def test_progress_keeps_its_token_names_the_task_and_ends_with_it() -> None:
    async with memory_client() as client:
        task = await client.task("reports-progress", _meta={"progressToken": "mine"})
        await client.ended(task)
        await asyncio.sleep(1)
        told = client.of("notifications/progress")
        assert [params["progress"] for params in told] == [1, 2, 3, 4]
        assert {params["progressToken"] for params in told} == {"mine"}
        assert {params["_meta"][RELATED]["taskId"] for params in told} == {task}


@virtual
async def test_no_token_no_progress() -> None:
    async with memory_client() as client:
        await client.ended(await client.task("reports-progress"))
        assert client.of("notifications/progress") == []


@virtual
async def test_log_messages_name_the_task_and_heed_the_level() -> None:
    async with memory_client() as client:
        task = await client.task("logs")
        await client.ended(task)
        assert {params["_meta"][RELATED]["taskId"] for params in client.of("notifications/message")} == {task}
        count = len(client.of("notifications/message"))
        await client.result("logging/setLevel", level="error")
        await client.ended(await client.task("logs"))
        assert len(client.of("notifications/message")) == count


@virtual
async def test_a_task_is_gone_after_its_ttl() -> None:
    async with memory_client() as client:
        task = await client.task("completes", ttl=2000)
        await asyncio.sleep(1.9)
        await client.get(task)
        await asyncio.sleep(0.2)
        for method in ("tasks/get", "tasks/result", "tasks/cancel"):
            assert await client.code(method, taskId=task) == -32602
        assert (await client.result("tasks/list"))["tasks"] == []


@virtual
async def test_a_task_that_expires_at_work_is_stopped_and_those_who_wait_are_told() -> None:
    async with memory_client() as client:
        task = await client.task("asks-elicitation", ttl=1000)
        waiting = await client.begin("tasks/result", taskId=task)
        assert (await client.response(waiting))["error"]["code"] == -32602


@pytest.mark.parametrize(
    ("asked", "granted"),
    [(0, 500), (0.5, 500), (1234.5, 1235), (10**15, 3_600_000), (1e300, 3_600_000), (2000, 2000)],
)
def test_ttl_is_kept_within_limits_and_told(asked: float, granted: int) -> None:
    @virtual
    async def run() -> None:
        async with memory_client() as client:
            created = await client.result("tools/call", {"name": "completes", "task": {"ttl": asked}})
            assert created["task"]["ttl"] == granted
            assert (await client.get(created["task"]["taskId"]))["ttl"] == granted

    run()


@virtual
async def test_a_task_that_names_no_ttl_gets_one() -> None:
    async with memory_client() as client:
        created = await client.result("tools/call", {"name": "completes", "task": {}})
        assert created["task"]["ttl"] == 60_000


@pytest.mark.parametrize(
    "task", [{"ttl": None}, {"ttl": -1}, {"ttl": "1000"}, {"ttl": True}, {"ttl": [1]}, None, 1, []]
)
def test_a_ttl_of_another_kind_is_refused(task: object) -> None:
    @virtual
    async def run() -> None:
        async with memory_client() as client:
            assert await client.code("tools/call", {"name": "completes", "task": task}) == -32602

    run()


@virtual
async def test_a_requestor_may_have_so_many_tasks_and_no_more() -> None:
    async with memory_client("--max-tasks", "3") as client:
        tasks = [await client.task("completes", ttl=1000) for _ in range(3)]
        assert await client.code("tools/call", {"name": "completes", "task": {}}) == -32000
        await client.ended(tasks[0])
        await asyncio.sleep(1)
        await client.task("completes")


@virtual
async def test_the_list_holds_every_task_over_all_its_pages() -> None:
    async with memory_client("--page-size", "3") as client:
        tasks = [await client.task("completes") for _ in range(8)]
        await client.ended(tasks[-1])
        found, page, pages = [], await client.result("tasks/list"), 1
        found += page["tasks"]
        while "nextCursor" in page:
            page = await client.result("tasks/list", cursor=page["nextCursor"])
            found += page["tasks"]
            pages += 1
        assert [task["taskId"] for task in found] == tasks
        assert pages == 3
        assert found[0] == await client.get(tasks[0])


@pytest.mark.parametrize("cursor", ["", "x", "AAAA", "é", None, 1, {}])
def test_a_cursor_that_was_never_issued_is_refused(cursor: object) -> None:
    @virtual
    async def run() -> None:
        async with memory_client() as client:
            assert await client.code("tasks/list", {"cursor": cursor}) == -32602

    run()


@pytest.mark.parametrize("method", ["tasks/get", "tasks/result", "tasks/cancel"])
@pytest.mark.parametrize(
    "params",
    [None, {}, {"taskId": None}, {"taskId": 1}, {"taskId": ["x"]}, {"taskId": ""}, {"taskId": "x" * 1_000_000},
     {"taskId": "\ud800"}, {"taskId": "nobody"}, {"task_id": "nobody"}],
)  # fmt: skip
def test_an_id_that_names_no_task_is_refused(method: str, params: object) -> None:
    @virtual
    async def run() -> None:
        async with memory_client() as client:
            assert await client.code(method, params or {}) == -32602

    run()


@virtual
async def test_the_param_names_the_task_whatever_the_metadata_says() -> None:
    async with memory_client() as client:
        one, other = await client.task("completes"), await client.task("slow")
        shown = await client.result("tasks/get", taskId=one, _meta={RELATED: {"taskId": other}})
        assert shown["taskId"] == one


@virtual
async def test_tools_hold_to_their_task_support() -> None:
    async with memory_client() as client:
        assert await client.code("tools/call", {"name": "plain-only", "task": {}}) == -32601
        assert await client.code("tools/call", {"name": "task-only"}) == -32601
        assert "task" in await client.result("tools/call", {"name": "task-only", "task": {}})
        plain = await client.result("tools/call", name="either")
        as_task = await client.result("tasks/result", taskId=await client.task("either"))
        assert plain == {name: value for name, value in as_task.items() if name != "_meta"}


@virtual
async def test_wrong_arguments_are_refused_before_a_task_is_made() -> None:
    async with memory_client() as client:
        call = {"name": "completes", "arguments": {"speed": 3}}
        assert await client.code("tools/call", call) == -32602
        assert await client.code("tools/call", {**call, "task": {}}) == -32602
        assert (await client.result("tasks/list"))["tasks"] == []


@virtual
async def test_an_older_version_has_no_tasks_and_ignores_the_wish_for_one() -> None:
    async with memory_server() as server:
        client = server.attach()
        agreed = await client.initialize(version="2025-06-18")
        assert agreed["protocolVersion"] == "2025-06-18"
        assert "tasks" not in agreed["capabilities"]
        assert "content" in await client.result("tools/call", {"name": "task-only", "task": {"ttl": "soon"}})
        assert await client.code("tasks/get", taskId="x") == -32601
        assert all("execution" not in tool for tool in (await client.result("tools/list"))["tools"])


@virtual
async def test_a_server_without_tasks_ignores_the_wish_for_one() -> None:
    async with memory_client("--no-tasks") as client:
        assert "content" in await client.result("tools/call", {"name": "task-only", "task": {"ttl": "soon"}})
        assert await client.code("tasks/get", taskId="x") == -32601


@virtual
async def test_an_unknown_version_is_answered_with_the_latest() -> None:
    async with memory_server() as server:
        assert (await server.attach().initialize(version="2019-01-01"))["protocolVersion"] == "2025-11-25"
