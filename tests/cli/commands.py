"""The command line as people run it: a process of its own, watched to its end and for what it leaves behind."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import subprocess
import sys
import time
import uuid
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil

DATA = Path(__file__).parent / "data"
MARK = "MCP_TASKS_CLI_TEST"
COMMAND = (sys.executable, "-P", "-m", "mcp_tasks_conformance")


def script(name: str, *arguments: str) -> str:
    """The command, as --command takes it, that runs a program of data/."""
    words = (sys.executable, "-S", "-E", str(DATA / f"{name}.py"), *arguments)
    return " ".join(words)


@dataclass
class Ran:
    """A command that has come to its end."""

    exit_code: int
    out: str
    err: str
    seconds: float
    results: dict[str, Any] | None
    left: list[str] = field(default_factory=list)
    """Command lines of processes that outlived it."""

    @property
    def said(self) -> str:
        """What it printed, with line breaks as spaces: texts are wrapped to the terminal."""
        return " ".join((self.out + self.err).split())


class Running:
    """A command that runs, in a process group of its own as a shell would put it."""

    def __init__(self, folder: Path, *arguments: str, results: bool = True) -> None:
        self._mark = uuid.uuid4().hex
        self._results = folder / f"{self._mark}.json"
        self._said = folder / f"{self._mark}.txt"
        words = [*COMMAND, *arguments]
        if results:
            words += ["--results", str(self._results)]
        self._began = time.monotonic()
        with self._said.open("w") as out:
            self.process = subprocess.Popen(
                words,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=subprocess.PIPE,
                text=True,
                cwd=folder,
                env={**os.environ, MARK: self._mark, "COLUMNS": "80"},
                start_new_session=True,
            )

    def targets(self) -> list[psutil.Process]:
        """The processes that it has started."""
        return psutil.Process(self.process.pid).children(recursive=True)

    def until_it_says(self, words: str) -> None:
        """Wait until it has printed these words."""
        deadline = time.monotonic() + 10
        while words not in self._said.read_text():
            assert time.monotonic() < deadline, f"it never said {words!r}"
            assert self.process.poll() is None, f"it ended and never said {words!r}"
            time.sleep(0.01)

    def end(self, within_s: float = 30.0) -> Ran:
        """Wait for its end."""
        try:
            _, err = self.process.communicate(timeout=within_s)
        finally:
            self.process.kill()
        seconds = time.monotonic() - self._began
        results = json.loads(self._results.read_text()) if self._results.exists() else None
        return Ran(self.process.returncode, self._said.read_text(), err, seconds, results, self._left())

    def _left(self) -> list[str]:
        """What still carries the mark that every process of the command inherits."""
        left: list[str] = []
        for process in psutil.process_iter():
            with contextlib.suppress(psutil.Error):
                if process.status() != psutil.STATUS_ZOMBIE and process.environ().get(MARK) == self._mark:
                    left.append(" ".join(process.cmdline()))
        return left


def run(folder: Path, *arguments: str, results: bool = True) -> Ran:
    """Run a command to its end."""
    return Running(folder, *arguments, results=results).end()


async def run_all(folder: Path, commands: dict[str, tuple[str, ...]]) -> dict[str, Ran]:
    """Run several commands at the same time."""
    running = {name: Running(folder, *arguments) for name, arguments in commands.items()}
    ends = await asyncio.gather(*(asyncio.to_thread(one.end) for one in running.values()))
    return dict(zip(running, ends, strict=True))
