"""An HTTP server started by its command: reached as soon as it listens, or told in words why not."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from mcp_tasks_conformance.targets.errors import UnreachableTarget
from mcp_tasks_conformance.targets.http_command import CommandHttpTarget

if TYPE_CHECKING:
    from tests.targets.conftest import Inbox, Script


async def failure_of(target: CommandHttpTarget) -> UnreachableTarget:
    with pytest.raises(UnreachableTarget) as caught:
        await target.start()
    return caught.value


@pytest.mark.parametrize("arguments", [(), ("--port", "{port}")])
async def test_the_port_comes_from_the_environment_or_the_placeholder(
    script: Script, inbox: Inbox, arguments: tuple[str, ...]
) -> None:
    instance = await CommandHttpTarget(script("serves_http", *arguments)).start()
    transport = await instance.open(inbox)
    await transport.send('{"jsonrpc": "2.0", "id": 1, "method": "ping"}')
    assert json.loads(await inbox.next()) == {"jsonrpc": "2.0", "id": 1, "result": {"x-echo": None, "x-b": None}}
    assert (instance.transport, instance.single_connection) == ("http", False)
    await transport.close()
    await instance.stop()
    assert instance.gone.is_set()


async def test_the_placeholder_works_in_variables_too() -> None:
    code = "import os; print(os.environ['ADDRESS'] == ':' + os.environ['PORT'])"
    target = CommandHttpTarget([sys.executable, "-S", "-c", code], env={"ADDRESS": ":{port}"})
    assert (await failure_of(target)).stderr_tail == "True"


async def test_a_server_that_takes_its_time_is_waited_for(script: Script) -> None:
    instance = await CommandHttpTarget(script("serves_http", "--delay", "0.3")).start()
    assert instance.stderr_tail() == "this server prints on stdout"
    await instance.stop()


async def test_several_servers_run_at_the_same_time(script: Script) -> None:
    target = CommandHttpTarget(script("serves_http"))
    async with asyncio.TaskGroup() as starting:
        tasks = [starting.create_task(target.start()) for _ in range(3)]
    instances = [task.result() for task in tasks]
    assert len({instance.url for instance in instances}) == 3
    async with asyncio.TaskGroup() as stopping:
        for instance in instances:
            stopping.create_task(instance.stop())


async def test_a_server_that_exits_is_noticed_at_once(script: Script) -> None:
    began = asyncio.get_running_loop().time()
    failure = await failure_of(CommandHttpTarget(script("dies_at_once")))
    assert failure.problem.endswith("exited with code 3 before it accepted a connection")
    assert failure.stderr_tail == "cannot read the configuration"
    assert asyncio.get_running_loop().time() - began < 3


async def test_a_server_that_puts_itself_into_the_background_is_told_not_to() -> None:
    failure = await failure_of(CommandHttpTarget([sys.executable, "-S", "-c", ""]))
    assert failure.hint is not None
    assert failure.hint.startswith("the command has to stay in the foreground")


async def test_a_server_that_listens_elsewhere_is_found_out(script: Script) -> None:
    failure = await failure_of(CommandHttpTarget(script("serves_http", "--elsewhere"), ready_s=1.0))
    assert "did not listen on 127.0.0.1:" in failure.problem
    assert failure.hint is not None
    assert failure.hint.startswith("it listens on 127.0.0.1:")


async def test_a_server_that_never_listens_is_ended_at_the_deadline(script: Script) -> None:
    failure = await failure_of(CommandHttpTarget(script("never_reads"), ready_s=0.3))
    assert failure.problem.endswith("within 0.3 s")
    assert failure.hint == "is the port in its command, as {port}, or read from the variable PORT?"


async def test_a_start_that_is_cancelled_leaves_nothing(script: Script) -> None:
    starting = asyncio.create_task(CommandHttpTarget(script("serves_http", "--delay", "30")).start())
    await asyncio.sleep(0.1)
    starting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await starting


async def test_another_port_is_tried_where_the_first_was_taken_meanwhile(script: Script, tmp_path: Path) -> None:
    instance = await CommandHttpTarget(script("serves_http", "--taken", str(tmp_path / "taken"))).start()
    await instance.stop()


async def test_a_server_that_dies_later_is_explained(script: Script) -> None:
    instance = await CommandHttpTarget(script("serves_http")).start()
    os.kill(instance.process.pid, 9)
    failure = await instance.why_silent("ping")
    assert failure.problem.endswith("was ended by SIGKILL and never answered ping")
    await instance.stop()


async def test_a_server_that_does_not_answer_is_explained(script: Script) -> None:
    instance = await CommandHttpTarget(script("serves_http")).start()
    failure = await instance.why_silent("initialize")
    assert failure.problem.endswith(f"listens but did not answer initialize at {instance.url}")
    assert failure.hint is not None
    assert "/mcp" in failure.hint
    await instance.stop()


@pytest.mark.parametrize(
    ("url", "problem"),
    [
        ("http://127.0.0.1:3000/mcp", "the URL http://127.0.0.1:3000/mcp has no {port}"),
        ("http://127.0.0.1:{port}mcp", "http://127.0.0.1:{port}mcp: not a URL"),
    ],
)
async def test_a_url_that_cannot_be_filled_in_is_told(url: str, problem: str) -> None:
    assert (await failure_of(CommandHttpTarget(["server"], url=url))).problem.startswith(problem)


async def test_a_server_that_never_listens_and_will_not_end_is_ended_soon_after_the_deadline(script: Script) -> None:
    began = asyncio.get_running_loop().time()
    await failure_of(CommandHttpTarget(script("will_not_end"), ready_s=0.3))
    assert asyncio.get_running_loop().time() - began < 2


async def test_a_header_that_cannot_be_sent_is_told(script: Script, inbox: Inbox) -> None:
    instance = await CommandHttpTarget(script("serves_http"), headers={"A": "b\nc"}).start()
    with pytest.raises(UnreachableTarget):
        await instance.open(inbox)
    await instance.stop()


async def test_a_connection_of_its_own_headers_replaces_those_of_the_target(script: Script, inbox: Inbox) -> None:
    instance = await CommandHttpTarget(script("serves_http"), headers={"X-Echo": "target", "X-B": "kept"}).start()
    transport = await instance.open(inbox, headers={"x-echo": "own"})
    await transport.send('{"jsonrpc": "2.0", "id": 1, "method": "ping"}')
    assert json.loads(await inbox.next())["result"] == {"x-echo": "own", "x-b": "kept"}
    await instance.stop()


def test_the_facts_show_the_template_and_the_names_of_headers() -> None:
    facts = CommandHttpTarget(["server", "{port}"], headers={"Authorization": "Bearer abc"}).facts
    assert facts["url"] == "http://127.0.0.1:{port}/mcp"
    assert facts["headers"] == ["Authorization"]
    assert facts["command"] == ["server", "{port}"]
