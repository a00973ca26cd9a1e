"""Small programs as targets, and the proof that none of them outlives its test."""

from __future__ import annotations

import asyncio
import contextlib
import sys
import time
import uuid
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TypeAlias

import psutil
import pytest

from mcp_tasks_conformance.events import JsonValue, SeenKind

DATA = Path(__file__).parent / "data"
Script: TypeAlias = Callable[..., tuple[str, ...]]


class Inbox:
    """A sink of which a test awaits one message after the other."""

    def __init__(self) -> None:
        self.messages: asyncio.Queue[str] = asyncio.Queue()
        self.noise: list[str] = []
        self.over = asyncio.Event()

    def received(self, stream: str, text: str) -> None:
        self.messages.put_nowait(text)

    def noted(self, stream: str, kind: SeenKind, detail: Mapping[str, JsonValue], text: str = "") -> None:
        if kind is SeenKind.NOISE:
            self.noise.append(text)

    def closed(self, reason: str) -> None:
        self.over.set()

    async def next(self) -> str:
        async with asyncio.timeout(5):
            return await self.messages.get()


@pytest.fixture
def inbox() -> Inbox:
    return Inbox()


@pytest.fixture
def script() -> Script:
    """The command that runs one of the programs in data/."""

    def command(name: str, *arguments: str) -> tuple[str, ...]:
        return (sys.executable, "-S", "-E", str(DATA / f"{name}.py"), *arguments)

    return command


@pytest.fixture(autouse=True)
def no_process_is_left(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    mark = uuid.uuid4().hex
    monkeypatch.setenv("TARGETS_TEST", mark)
    began = time.monotonic()
    yield
    left = [" ".join(process.cmdline()) for process in psutil.process_iter() if _carries(process, mark)]
    assert left == []
    assert time.monotonic() - began < 10


def _carries(process: psutil.Process, mark: str) -> bool:
    with contextlib.suppress(psutil.Error):
        return process.status() != psutil.STATUS_ZOMBIE and process.environ().get("TARGETS_TEST") == mark
    return False
