"""A target that a command starts and that serves HTTP on a port that we choose."""

from __future__ import annotations

import asyncio
import itertools
import re
import socket
from typing import TYPE_CHECKING

from mcp_tasks_conformance.targets.command import LAST_WORDS_S, command_facts
from mcp_tasks_conformance.targets.diagnosis import exit_words, run_by_hand
from mcp_tasks_conformance.targets.errors import UnreachableTarget
from mcp_tasks_conformance.targets.http_access import WRONG_PATH, HttpAccess
from mcp_tasks_conformance.targets.masking import shown_command
from mcp_tasks_conformance.targets.process import Graces, TargetProcess, within
from mcp_tasks_conformance.targets.target import NO_HEADERS
from mcp_tasks_conformance.wire.endpoint import Endpoint

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from mcp_tasks_conformance.events import JsonValue
    from mcp_tasks_conformance.wire.transport import Sink, Transport

PORT = "{port}"
READY_S = 8.0
_PORT_IS_TAKEN = re.compile(r"(?i)address already in use|EADDRINUSE|address in use")
_TRIES = 3
HURRIED = Graces(end_of_input_s=0.0, terminate_s=0.5, kill_s=1.0)
"""For one that never served: nothing of value is lost, and somebody waits to hear why."""


class CommandHttpTarget:
    """An HTTP server: every start is a process of its own on a port of its own."""

    transport = "http"
    restartable = True

    def __init__(
        self,
        command: Sequence[str],
        *,
        url: str = "http://127.0.0.1:{port}/mcp",
        headers: Mapping[str, str] | None = None,
        env: Mapping[str, str] | None = None,
        cwd: Path | None = None,
        ready_s: float = READY_S,
        graces: Graces | None = None,
        facts: Mapping[str, JsonValue] | None = None,
    ) -> None:
        """Describe the target; nothing starts yet.

        Args:
            command: its words; ``{port}`` in them, and in the values of ``env``, becomes the port, and so does the
                variable PORT.
            url: the endpoint, with ``{port}`` for the port.
            headers: sent with every request.
            env: variables besides those of the harness.
            cwd: the working directory; the harness's own unless said.
            ready_s: how long it may take until it accepts connections.
            graces: how patiently a process is ended.
            facts: what the report says of it, instead of its command.
        """
        self._command = tuple(command)
        self._url = url
        self._headers = dict(headers or {})
        self._env = dict(env or {})
        self._cwd = cwd
        self._ready_s = ready_s
        self._graces = graces
        self._numbers = itertools.count(1)
        self.facts: Mapping[str, JsonValue] = facts or {
            **command_facts("http", self._command, self._env, cwd),
            "url": url,
            "headers": sorted(self._headers),
        }

    async def start(self) -> HttpProcessInstance:
        """Start the command and wait until it accepts connections.

        Raises:
            UnreachableTarget: it cannot be started, exits, or does not listen in time; it is ended then. Or the URL is
                none, or leaves no choice of the port.
        """
        self._check_url()
        for _ in range(_TRIES - 1):
            try:
                return await self._start_on(_free_port())
            except UnreachableTarget as failure:
                # Between our look and its start another process may have taken the port.
                if not _PORT_IS_TAKEN.search(failure.stderr_tail or ""):
                    raise
        return await self._start_on(_free_port())

    def _check_url(self) -> None:
        if PORT not in self._url:
            raise UnreachableTarget(
                f"the URL {self._url} has no {PORT}", "a server that chooses its own port: start it and test it by URL"
            )
        try:
            Endpoint.parse(self._url.replace(PORT, "1"))
        except ValueError as error:
            raise UnreachableTarget(f"{self._url}: {error}", "for instance http://127.0.0.1:{port}/mcp") from None

    async def _start_on(self, port: int) -> HttpProcessInstance:
        filled = str(port)
        process = await TargetProcess.start(
            [word.replace(PORT, filled) for word in self._command],
            speaks_stdio=False,
            env={"PORT": filled, **{name: value.replace(PORT, filled) for name, value in self._env.items()}},
            cwd=self._cwd,
            graces=self._graces,
        )
        url = self._url.replace(PORT, filled)
        try:
            await self._ready(process, url)
        except BaseException:
            await process.stop(HURRIED)
            raise
        return HttpProcessInstance(f"http {next(self._numbers)}", process, url, self._headers)

    async def _ready(self, process: TargetProcess, url: str) -> None:
        """Knock, ever less often, until somebody opens, the process exits or the time is up."""
        endpoint = Endpoint.parse(url)
        pause = 0.005
        try:
            async with asyncio.timeout(self._ready_s):
                while not await _accepts(endpoint.host, endpoint.port):
                    if await within(pause, process.gone):
                        raise await _exited(process, "before it accepted a connection")
                    pause = min(pause * 1.5, 0.1)
        except TimeoutError:
            place = f"{endpoint.host}:{endpoint.port}"
            hint = f"is the port in its command, as {PORT}, or read from the variable PORT?"
            if addresses := process.descendants.listening():
                hint = f"it listens on {', '.join(addresses)} instead; {hint}"
            raise UnreachableTarget(
                f"{shown_command(process.command)} did not listen on {place} within {self._ready_s:g} s",
                hint,
                process.printed(),
            ) from None


class HttpProcessInstance:
    """A process that serves any number of sessions over HTTP."""

    transport = "http"
    single_connection = False

    def __init__(self, name: str, process: TargetProcess, url: str, headers: Mapping[str, str]) -> None:
        self.name = name
        self.process = process
        self.url = url
        self._access = HttpAccess(url, headers)

    @property
    def gone(self) -> asyncio.Event:
        """Set once the process has exited."""
        return self.process.gone

    @property
    def exit_code(self) -> int | None:
        """The exit code once it is gone, negative for a signal."""
        return self.process.exit_code

    def stderr_tail(self) -> str:
        """The last lines of its stderr and stdout."""
        return self.process.printed()

    async def open(
        self, sink: Sink, *, headers: Mapping[str, str] = NO_HEADERS, session_of: Transport | None = None
    ) -> Transport:
        """Open another connection, or join a session."""
        return self._access.open(sink, headers, session_of)

    async def why_silent(self, awaited: str) -> UnreachableTarget:
        """Say whether it exited, and how, or listens and does not answer."""
        if await within(LAST_WORDS_S, self.gone):
            return await _exited(self.process, f"and never answered {awaited}")
        shown = shown_command(self.process.command)
        return UnreachableTarget(
            f"{shown} listens but did not answer {awaited} at {self.url}", WRONG_PATH, self.stderr_tail()
        )

    def memory_mb(self) -> float | None:
        """Resident memory of the process and its descendants."""
        return self.process.memory_mb()

    async def stop(self) -> None:
        """Close all connections and end the process."""
        await self.process.stop_after(self._access.close())


async def _exited(process: TargetProcess, when: str) -> UnreachableTarget:
    said = await process.printed_all(LAST_WORDS_S)
    hint = run_by_hand(process.command)
    if process.exit_code == 0:
        hint = f"the command has to stay in the foreground as long as it serves; {hint}"
    problem = f"{shown_command(process.command)} {exit_words(process.exit_code)} {when}"
    return UnreachableTarget(problem, hint, said)


async def _accepts(host: str, port: int) -> bool:
    try:
        _, writer = await asyncio.open_connection(host, port)
    except OSError:
        return False
    # A port that nobody listens on may meet itself: both ends are then one socket of ours.
    met_itself = writer.get_extra_info("sockname") == writer.get_extra_info("peername")
    writer.transport.abort()
    return not met_itself


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
