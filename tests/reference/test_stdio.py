from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path

from tests.reference.clients import stdio_client


async def test_a_task_lives_over_stdio() -> None:
    async with stdio_client() as client:
        task = await client.task("asks-elicitation")
        await client.accept(await client.request("elicitation/create"))
        assert (await client.result("tasks/result", taskId=task))["content"]
        assert client.noise == []


async def test_a_line_of_a_megabyte_is_read_whole() -> None:
    async with stdio_client() as client:
        assert await client.code("tasks/get", taskId="x" * 1_000_000) == -32602


async def test_a_line_that_is_too_long_is_refused_and_skipped() -> None:
    async with stdio_client() as client:
        await client.send("x" * 5_000_000)
        refusal = await client.next(lambda message: "error" in message)
        assert refusal["error"]["code"] == -32600
        assert await client.result("ping") == {}


async def test_blank_lines_and_bytes_that_are_no_text_are_survived() -> None:
    async with stdio_client() as client:
        await client.send_raw(b"\n  \r\n")
        await client.send_raw(b'{"jsonrpc":"2.0","id":1,"method":"\xff\xfe"}\n')
        assert (await client.next(lambda message: "error" in message))["error"]["code"] == -32700
        assert await client.result("ping") == {}


async def test_a_message_comes_in_pieces_and_several_at_once() -> None:
    async with stdio_client() as client:
        ping = json.dumps({"jsonrpc": "2.0", "id": "a", "method": "ping"}).encode()
        await client.send_raw(ping[:10])
        await asyncio.sleep(0.01)
        await client.send_raw(ping[10:] + b"\n" + ping.replace(b'"a"', b'"b"') + b"\r\n")
        await client.response("a")
        await client.response("b")


async def test_the_server_ends_with_its_input() -> None:
    async with stdio_client() as client:
        await client.begin("tasks/result", taskId=await client.task("slow"))
        assert client.process.stdin is not None
        client.process.stdin.close()
        assert await asyncio.wait_for(client.process.wait(), 3) == 0


async def test_what_came_before_the_end_of_input_is_answered() -> None:
    agreed = {"protocolVersion": "2025-11-25", "capabilities": {}}
    messages = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": agreed},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "completes"}},
    ]
    answered = await _through_a_pipe("".join(json.dumps(message) + "\n" for message in messages))
    assert [json.loads(line)["id"] for line in answered.splitlines()] == [1, 2]


async def _through_a_pipe(text: str) -> str:
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "mcp_tasks_reference", "--stdio", stdin=pipe, stdout=pipe
    )
    out, _ = await asyncio.wait_for(process.communicate(text.encode()), 10)
    return out.decode()


async def test_files_serve_as_input_and_output(tmp_path: Path) -> None:
    asked, answered = tmp_path / "asked", tmp_path / "answered"
    asked.write_text('{"jsonrpc":"2.0","id":1,"method":"ping"}\n')
    for source, expected in ((asked, [{"jsonrpc": "2.0", "id": 1, "result": {}}]), (Path("/dev/null"), [])):
        with source.open("rb") as stdin, answered.open("wb") as stdout:
            process = await asyncio.create_subprocess_exec(
                sys.executable, "-m", "mcp_tasks_reference", "--stdio", stdin=stdin, stdout=stdout
            )
            assert await asyncio.wait_for(process.wait(), 5) == 0
        assert [json.loads(line) for line in answered.read_text().splitlines()] == expected


async def test_a_thousand_tasks_at_once_are_all_there() -> None:
    async with stdio_client() as client:
        made = [await client.begin("tools/call", {"name": "completes", "task": {}}) for _ in range(1000)]
        tasks = {(await client.response(one, 20))["result"]["task"]["taskId"] for one in made}
        assert len(tasks) == 1000
        found, cursor = set(), None
        while True:
            page = await client.result("tasks/list", {} if cursor is None else {"cursor": cursor})
            found |= {task["taskId"] for task in page["tasks"]}
            cursor = page.get("nextCursor")
            if cursor is None:
                break
        assert found == tasks


async def test_wrong_flags_end_in_a_usage_error_that_helps() -> None:
    for flags, words in (
        (["--stdio", "--fault", "get-nestd"], "did you mean get-nested"),
        (["--stdio", "--variant", "no-lst"], "did you mean no-list"),
        (["--stdio", "--husk", "ded"], "did you mean dead"),
        (["--stdio", "--husk", "dead", "--fault", "get-nested"], "beside it --fault means nothing"),
        (["--stdio", "--husk", "dead", "--max-tasks", "3"], "beside it --max-tasks means nothing"),
        (["--stdio", "--max-tasks", "0"], "must be at least 1"),
        (["--stdio", "--store", "/no/such/folder/tasks.db"], "cannot be used"),
        (["--http", "1", "--host", "203.0.113.1"], "cannot be listened on"),
        ([], "--stdio"),
    ):
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            *("-m", "mcp_tasks_reference", *flags),
            stdin=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.PIPE,
        )
        _, complaint = await process.communicate()
        assert process.returncode == 2
        assert words in complaint.decode()


async def test_tasks_of_a_durable_store_survive_a_kill(tmp_path: Path) -> None:
    store = ("--store", f"{tmp_path}/tasks.db")
    async with stdio_client(*store) as client:
        done = await client.task("structured")
        result = await client.result("tasks/result", taskId=done)
        failed = await client.task("fails-rpc-error")
        error = (await client.call("tasks/result", taskId=failed))["error"]
        at_work = await client.task("slow")
        shown = [await client.get(task) for task in (done, failed)]
        client.process.kill()
        await client.process.wait()
    async with stdio_client(*store) as client:
        assert [await client.get(task) for task in (done, failed)] == shown
        assert await client.result("tasks/result", taskId=done) == result
        assert (await client.call("tasks/result", taskId=failed))["error"] == error
        interrupted = await client.get(at_work)
        assert interrupted["status"] == "failed"
        assert "restarted" in interrupted["statusMessage"]
        assert [task["taskId"] for task in (await client.result("tasks/list"))["tasks"]] == [done, failed, at_work]


async def test_tasks_of_a_durable_store_expire_after_a_restart(tmp_path: Path) -> None:
    store = ("--store", f"{tmp_path}/tasks.db")
    async with stdio_client(*store) as client:
        task = await client.task("completes", ttl=600)
    async with stdio_client(*store) as client:
        await asyncio.sleep(0.7)
        assert await client.code("tasks/get", taskId=task) == -32602
        assert (await client.result("tasks/list"))["tasks"] == []


async def test_a_process_that_is_never_spoken_to_says_nothing_and_ends_quietly() -> None:
    async with stdio_client(initialize=False) as client:
        pass
    assert client.process.returncode == 0
    assert client.seen == []
