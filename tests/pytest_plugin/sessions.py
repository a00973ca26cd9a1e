"""pytest sessions as people run them: processes of their own, watched to their end and for what they leave behind."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import time
import uuid
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree import ElementTree as Xml

import psutil

DATA = Path(__file__).parent / "data"
STORIES = (DATA / "stories.scenario.yaml").read_text()
SLOW = (DATA / "slow.scenario.yaml").read_text()
PLUGIN = "mcp_tasks_conformance.pytest_plugin"
CONFIGURATION = "[pytest]\naddopts = --strict-markers --strict-config\nmcp_start_timeout = 60\n"
"""A busy machine may need its time to start a process."""
MARK = "MCP_TASKS_PYTEST_TEST"
AT_ONCE = 3


def reference(*options: str) -> str:
    """The command of the bundled reference."""
    return " ".join((sys.executable, "-P", "-m", "mcp_tasks_reference", *options))


@dataclass
class Ended:
    """A session that has come to its end."""

    exit_code: int
    said: str
    seconds: float
    outcomes: dict[str, str] = field(default_factory=dict)
    """By the item's name, from the JUnit report: passed, failed, error, skipped, xfailed."""
    words: dict[str, str] = field(default_factory=dict)
    """What the JUnit report says of an item that did not simply pass."""
    left: list[str] = field(default_factory=list)
    """Command lines of processes that outlived the session."""

    @property
    def line(self) -> str:
        """All that it printed, with line breaks as spaces: texts are wrapped."""
        return " ".join(self.said.split())


class Session:
    """A session that runs, in a process group of its own as a shell would put it."""

    def __init__(self, folder: Path, *arguments: str, files: Mapping[str, str] | None = None) -> None:
        self._mark = uuid.uuid4().hex
        self._folder = folder
        folder.mkdir(exist_ok=True)
        for name, text in {"pytest.ini": CONFIGURATION, **(files or {})}.items():
            (folder / name).write_text(text)
        self._report = folder / "junit.xml"
        self._report.unlink(missing_ok=True)
        self._began = time.monotonic()
        self.process = subprocess.Popen(
            [sys.executable, "-P", "-m", "pytest", "-p", PLUGIN, f"--junitxml={self._report}", *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            cwd=folder,
            env={**os.environ, MARK: self._mark, "COLUMNS": "100", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
            start_new_session=True,
        )

    def until_targets_run(self) -> None:
        """Wait until it has started a target."""
        deadline = time.monotonic() + 20
        while not any("mcp_tasks_reference" in line for line in self._alive()):
            assert self.process.poll() is None, "it ended and never started a target"
            assert time.monotonic() < deadline, "it never started a target"
            time.sleep(0.02)

    def end(self, within_s: float = 60.0) -> Ended:
        """Wait for its end."""
        try:
            said, _ = self.process.communicate(timeout=within_s)
        finally:
            self.process.kill()
        ended = Ended(self.process.returncode, said, time.monotonic() - self._began, left=self._alive())
        if self._report.exists() and self._report.stat().st_size:
            _read(self._report, ended)
        return ended

    def _alive(self) -> list[str]:
        """What carries the mark that every process of the session inherits, the session itself left out."""
        found: list[str] = []
        for process in psutil.process_iter():
            with contextlib.suppress(psutil.Error):
                ours = process.environ().get(MARK) == self._mark and process.pid != self.process.pid
                if ours and process.status() != psutil.STATUS_ZOMBIE:
                    found.append(" ".join(process.cmdline()))
        return found


def run(folder: Path, *arguments: str, files: Mapping[str, str] | None = None) -> Ended:
    """Run a session to its end."""
    return Session(folder, *arguments, files=files).end()


def run_all(folder: Path, sessions: Mapping[str, tuple[tuple[str, ...], Mapping[str, str]]]) -> dict[str, Ended]:
    """Run several, each in a folder of its own with its own files, a few at a time."""
    with ThreadPoolExecutor(AT_ONCE) as pool:
        running = {
            name: pool.submit(run, folder / str(number), *arguments, files=files)
            for number, (name, (arguments, files)) in enumerate(sessions.items())
        }
        return {name: ended.result() for name, ended in running.items()}


def told_all(folder: Path, sessions: Mapping[str, tuple[tuple[str, ...], Mapping[str, str]]]) -> dict[str, Ended]:
    """Run several that only collect or complain, one after another in one process, which is quicker."""
    for number, (_, files) in enumerate(sessions.values()):
        place = folder / str(number)
        place.mkdir()
        for name, text in {"pytest.ini": CONFIGURATION, **files}.items():
            (place / name).write_text(text)
    given = [[str(folder / str(number)), *words] for number, (words, _) in enumerate(sessions.values())]
    program = [sys.executable, "-P", str(DATA / "several.py"), PLUGIN, json.dumps(given)]
    environment = {**os.environ, "COLUMNS": "100", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    told = json.loads(subprocess.run(program, check=True, text=True, capture_output=True, env=environment).stdout)
    return {name: Ended(code, said, 0.0) for name, (code, said) in zip(sessions, told, strict=True)}


def _read(report: Path, ended: Ended) -> None:
    for case in Xml.parse(report).getroot().iter("testcase"):
        name = case.get("name")
        if name is None:  # it was under way when the session ended
            continue
        ended.outcomes[name] = "passed"
        for told in case:
            if told.tag in ("failure", "error", "skipped"):
                expected = told.attrib.get("type") == "pytest.xfail"
                ended.outcomes[name] = "xfailed" if expected else "failed" if told.tag == "failure" else told.tag
                ended.words[name] = f"{told.attrib.get('message', '')}\n{told.text or ''}"
