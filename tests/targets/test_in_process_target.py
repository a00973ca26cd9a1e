"""An application in this process: made by its import string, or told in words why not."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from mcp_tasks_conformance.targets.errors import UnreachableTarget
from mcp_tasks_conformance.targets.in_process import InProcessTarget

if TYPE_CHECKING:
    from tests.targets.conftest import Inbox

APPLICATION = """
import argparse


class Echo:
    def __init__(self, options):
        self.options = options

    async def serve(self, receive, send, headers):
        while (text := await receive()) is not None:
            await send(f"{text} {headers} {self.options}")

    async def close(self):
        raise OSError("a target may fail as it likes")


def create(options):
    return Echo(tuple(options))


def parses(options):
    return argparse.ArgumentParser().parse_args(options)


def makes_nothing(options):
    return None


VALUE = 1
"""


@pytest.fixture
def modules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "echo_application.py").write_text(APPLICATION)
    (tmp_path / "imports_nothing_known.py").write_text("import no_such_module_anywhere\n")
    (tmp_path / "fails_when_imported.py").write_text("raise RuntimeError('no configuration')\n")
    (tmp_path / "exits_when_imported.py").write_text("raise SystemExit(2)\n")
    return tmp_path


@pytest.mark.usefixtures("modules")
async def test_an_application_gets_messages_headers_and_options(inbox: Inbox) -> None:
    instance = await InProcessTarget("echo_application:create", ["--fault", "x"]).start()
    transport = await instance.open(inbox, headers={"A": "b"})
    await transport.send("hello")
    assert await inbox.next() == "hello {'A': 'b'} ('--fault', 'x')"
    await transport.close()
    await instance.stop()
    await instance.stop()


@pytest.mark.parametrize(
    ("factory", "problem"),
    [
        ("no_such_module_anywhere:create", "there is no module no_such_module_anywhere"),
        ("echo_application.deeper:create", "there is no module echo_application.deeper"),
        (
            "imports_nothing_known:create",
            "importing imports_nothing_known failed: ModuleNotFoundError: No module named 'no_such_module_anywhere'",
        ),
        ("fails_when_imported:create", "importing fails_when_imported failed: RuntimeError: no configuration"),
        ("exits_when_imported:create", "importing exits_when_imported failed: SystemExit: 2"),
        ("echo_application:creat", "the module echo_application has no creat"),
        ("echo_application:VALUE", "the module echo_application has a value, no function, VALUE"),
        ("echo_application:makes_nothing", "echo_application:makes_nothing gave a NoneType, which is no application"),
        (
            "echo_application:parses",
            "echo_application:parses could not make an application of the options ['--odd']: SystemExit: 2",
        ),
        ("echo_application", "'echo_application' is no import string"),
        (":create", "':create' is no import string"),
    ],
)
@pytest.mark.usefixtures("modules")
async def test_what_cannot_be_made_is_told(factory: str, problem: str) -> None:
    with pytest.raises(UnreachableTarget) as caught:
        await InProcessTarget(factory, ["--odd"]).start()
    assert caught.value.problem == problem
    assert caught.value.stderr_tail is None


@pytest.mark.usefixtures("modules")
async def test_every_start_makes_another_application() -> None:
    target = InProcessTarget("echo_application:create")
    first, second = await target.start(), await target.start()
    assert (first.name, second.name) == ("memory 1", "memory 2")
    assert first._app is not second._app


class NeverCloses:
    async def serve(
        self,
        receive: Callable[[], Awaitable[str | None]],
        send: Callable[[str], Awaitable[None]],
        headers: Mapping[str, str],
    ) -> None: ...

    async def close(self) -> None:
        await asyncio.Event().wait()


def never_closes(options: Sequence[str]) -> NeverCloses:
    return NeverCloses()


async def test_an_application_that_never_closes_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mcp_tasks_conformance.targets.in_process.CLOSE_S", 0.05)
    instance = await InProcessTarget(f"{__name__}:never_closes").start()
    async with asyncio.timeout(1):
        await instance.stop()
