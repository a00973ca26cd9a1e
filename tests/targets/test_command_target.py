"""A stdio server started by its command: reached, or told in words why not."""

from __future__ import annotations

import asyncio
import json
import re
import socket
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from mcp_tasks_conformance.targets.command import CommandTarget
from mcp_tasks_conformance.targets.errors import UnreachableTarget
from mcp_tasks_conformance.targets.process import Graces

if TYPE_CHECKING:
    from tests.targets.conftest import Inbox, Script

SHORT = Graces(end_of_input_s=0.2, terminate_s=0.2, kill_s=2.0)


async def test_messages_go_back_and_forth(script: Script, inbox: Inbox) -> None:
    instance = await CommandTarget(script("answers")).start()
    transport = await instance.open(inbox)
    await transport.send('{"id": 7}')
    assert json.loads(await inbox.next()) == {"jsonrpc": "2.0", "id": 7, "result": {"id": 7}}
    assert (instance.transport, instance.single_connection) == ("stdio", True)
    await instance.stop()
    assert instance.exit_code == 0
    assert not inbox.over.is_set()


async def test_instances_have_names_of_their_own(script: Script) -> None:
    target = CommandTarget(script("answers"))
    first, second = await target.start(), await target.start()
    assert (first.name, second.name) == ("stdio 1", "stdio 2")
    await first.stop()
    await second.stop()


async def test_closing_the_connection_ends_a_process_in_good_order(script: Script, inbox: Inbox) -> None:
    instance = await CommandTarget(script("answers")).start()
    transport = await instance.open(inbox)
    await transport.close()
    async with asyncio.timeout(5):
        await instance.gone.wait()
    assert instance.exit_code == 0
    await instance.stop()


async def test_a_process_has_one_connection(script: Script, inbox: Inbox) -> None:
    instance = await CommandTarget(script("answers")).start()
    await instance.open(inbox)
    with pytest.raises(RuntimeError):
        await instance.open(inbox)
    await instance.stop()


async def test_a_process_that_dies_at_once_is_explained(script: Script, inbox: Inbox) -> None:
    instance = await CommandTarget(script("dies_at_once")).start()
    await instance.open(inbox)
    async with asyncio.timeout(5):
        await inbox.over.wait()
    failure = await instance.why_silent("initialize")
    assert failure.problem.endswith("dies_at_once.py exited with code 3 and never answered initialize")
    assert failure.hint is not None
    assert failure.hint.startswith("run it by hand to see why: ")
    assert failure.stderr_tail == "cannot read the configuration"
    await instance.stop()


async def test_a_process_that_ends_with_code_0_is_asked_whether_it_speaks_stdio() -> None:
    instance = await CommandTarget([sys.executable, "-S", "-c", ""]).start()
    failure = await instance.why_silent("initialize")
    assert "exited with code 0" in failure.problem
    assert failure.hint is not None
    assert failure.hint.startswith("does it serve HTTP")
    await instance.stop()


async def test_a_process_that_a_signal_ended_is_explained() -> None:
    instance = await CommandTarget([sys.executable, "-S", "-c", "import os; os.abort()"]).start()
    assert "was ended by SIGABRT and never" in (await instance.why_silent("initialize")).problem
    await instance.stop()


async def test_a_process_that_listens_instead_of_speaking_is_found_out() -> None:
    code = "import socket, time; s = socket.create_server(('127.0.0.1', 0)); print('{}', flush=True); time.sleep(60)"
    instance = await CommandTarget([sys.executable, "-c", code], graces=SHORT).start()
    await instance.process.reader.readline()
    failure = await instance.why_silent("initialize")
    assert failure.problem.endswith("runs but did not answer initialize over stdio")
    assert failure.hint is not None
    assert re.match(r"it listens on 127\.0\.0\.1:\d+: ", failure.hint)
    await instance.stop()


async def test_garbage_on_stdout_is_noise(script: Script, inbox: Inbox) -> None:
    instance = await CommandTarget(script("prints_garbage")).start()
    await instance.open(inbox)
    received = [await inbox.next() for _ in range(5)]
    assert received == [
        '{"jsonrpc": "2.0", "method": "notifications/message"}',
        '{"broken": ',
        '[{"jsonrpc": "2.0"}]',
        "42",
        '{"caf\ufffd": 1}',
    ]
    assert inbox.noise[:4] == ["Welcome!", "   ", "[INFO] listening", "\x1b[32mready\x1b[0m"]
    await instance.stop()


async def test_a_line_of_five_megabytes_arrives(script: Script, inbox: Inbox) -> None:
    instance = await CommandTarget(script("writes_a_long_line")).start()
    await instance.open(inbox)
    assert len(await inbox.next()) == 5_000_012
    await instance.stop()


async def test_a_process_that_closes_its_stdout_and_lives_is_over_but_not_gone(script: Script, inbox: Inbox) -> None:
    instance = await CommandTarget(script("closes_stdout")).start()
    await instance.open(inbox)
    async with asyncio.timeout(5):
        await inbox.over.wait()
    assert not instance.gone.is_set()
    await instance.stop()
    assert instance.exit_code == 0


async def test_a_process_that_never_reads_holds_a_sender_only_until_its_deadline(script: Script, inbox: Inbox) -> None:
    instance = await CommandTarget(script("never_reads"), graces=SHORT).start()
    transport = await instance.open(inbox)
    await inbox.next()
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.1):
            await transport.send("x" * 1_000_000)
    await instance.stop()


async def test_a_connection_that_is_closed_before_the_process_is_stopped_leaves_it_able_to_end(
    script: Script, inbox: Inbox
) -> None:
    instance = await CommandTarget(script("writes_a_long_line")).start()
    transport = await instance.open(inbox)
    await transport.close()
    await instance.stop()
    assert instance.exit_code == 0


async def failure_of(target: CommandTarget) -> UnreachableTarget:
    with pytest.raises(UnreachableTarget) as caught:
        await target.start()
    return caught.value


async def test_a_command_that_is_not_found_is_named() -> None:
    failure = await failure_of(CommandTarget(["no-such-program-anywhere", "--flag"]))
    assert failure.problem == "command not found: no-such-program-anywhere"
    assert failure.hint is not None
    assert "PATH" in failure.hint
    assert failure.stderr_tail is None


async def test_a_command_line_given_as_one_word_is_recognized() -> None:
    failure = await failure_of(CommandTarget(["no-such-program --flag value"]))
    assert failure.hint == "give its words apart: no-such-program --flag value"


async def test_a_path_that_does_not_exist_is_named(tmp_path: Path) -> None:
    failure = await failure_of(CommandTarget(["./server"], cwd=tmp_path))
    assert failure.problem == f"command not found: there is no file {tmp_path}/server"


async def test_a_working_directory_that_does_not_exist_is_named(tmp_path: Path) -> None:
    failure = await failure_of(CommandTarget([sys.executable], cwd=tmp_path / "nowhere"))
    assert failure.problem == f"the working directory {tmp_path}/nowhere is no folder"


async def test_a_file_that_is_not_executable_is_named(tmp_path: Path) -> None:
    (tmp_path / "server").write_text("#!/bin/sh\n")
    failure = await failure_of(CommandTarget([f"{tmp_path}/server"]))
    assert failure.problem.endswith("server is not executable")
    assert failure.hint is not None
    assert failure.hint.startswith("chmod +x ")


async def test_a_folder_is_no_program(tmp_path: Path) -> None:
    assert (await failure_of(CommandTarget([str(tmp_path)]))).problem.endswith("is a folder")


async def test_a_script_without_interpreter_is_told(tmp_path: Path) -> None:
    server = tmp_path / "server"
    server.write_text("just text")
    server.chmod(0o755)
    assert "no program" in (await failure_of(CommandTarget([str(server)]))).problem


async def test_a_script_whose_interpreter_is_missing_is_told(tmp_path: Path) -> None:
    server = tmp_path / "server"
    server.write_text("#!/no/such/interpreter\n")
    server.chmod(0o755)
    assert "the interpreter named in the first line" in (await failure_of(CommandTarget([str(server)]))).problem


@pytest.mark.parametrize("command", [[], [""]])
async def test_an_empty_command_is_told(command: list[str]) -> None:
    assert (await failure_of(CommandTarget(command))).problem == "the command is empty"


async def test_a_word_that_no_command_can_have_is_told() -> None:
    assert "null byte" in (await failure_of(CommandTarget([sys.executable, "a\0b"]))).problem


def test_the_facts_show_the_command_without_its_secrets(tmp_path: Path) -> None:
    target = CommandTarget(["server", "--token", "abc"], env={"API_KEY": "def", "A": "b"}, cwd=tmp_path)
    assert target.facts == {
        "kind": "command",
        "transport": "stdio",
        "command": ["server", "--token", "***"],
        "env": ["A", "API_KEY"],
        "cwd": str(tmp_path),
    }


async def test_a_process_does_not_inherit_the_harness_s_sockets(script: Script) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = server.getsockname()
        instance = await CommandTarget(script("answers")).start()
    # Were it inherited, the port would still be taken.
    socket.create_server(address).close()
    await instance.stop()
