"""The bundled reference is reached the same way over every transport."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import pytest

from mcp_tasks_conformance.targets.bundled import bundled
from mcp_tasks_conformance.targets.errors import UnreachableTarget

if TYPE_CHECKING:
    from tests.targets.conftest import Inbox

INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}},
}


@pytest.mark.parametrize("transport", ["stdio", "http", "memory"])
async def test_it_answers_initialize(
    transport: Literal["stdio", "http", "memory"], inbox: Inbox, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    # Whatever lies in the folder that the user is in must not matter.
    (tmp_path / "mcp_tasks_reference.py").write_text("raise RuntimeError\n")
    monkeypatch.chdir(tmp_path)
    instance = await bundled(transport).start()
    assert instance.transport == transport
    connection = await instance.open(inbox)
    await connection.send(json.dumps(INITIALIZE))
    assert json.loads(await inbox.next())["result"]["protocolVersion"] == "2025-11-25"
    await connection.close()
    await instance.stop()


async def test_an_option_that_it_does_not_know_is_told_with_its_own_words() -> None:
    with pytest.raises(UnreachableTarget) as caught:
        await bundled("http", ["--fault", "no-such-fault"]).start()
    assert "exited with code 2 before it accepted a connection" in caught.value.problem
    assert "no-such-fault" in (caught.value.stderr_tail or "")


def test_its_facts_name_the_options_and_no_path_of_this_machine() -> None:
    assert bundled("stdio", ["--fault", "x"]).facts == {
        "kind": "bundled reference",
        "transport": "stdio",
        "options": ["--fault", "x"],
    }
