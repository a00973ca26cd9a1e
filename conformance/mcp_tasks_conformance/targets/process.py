"""One process of a target: its pipes, its last words, its end and that of everything it started."""

from __future__ import annotations

import asyncio
import asyncio.subprocess
import contextlib
import os
import signal
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mcp_tasks_conformance.targets import last_resort
from mcp_tasks_conformance.targets.descendants import MARKER, Descendants
from mcp_tasks_conformance.targets.diagnosis import why_not_started
from mcp_tasks_conformance.targets.output import OutputTail

if TYPE_CHECKING:
    from collections.abc import Awaitable, Mapping, Sequence
    from pathlib import Path

READ_LIMIT = 64 * 1024
"""Half of what may wait in a pipe's reader before the pipe itself fills up and slows the target down: each answer of
one that talks all the time has to wait until we have read what lies before it."""

LAST_OUTPUT_S = 0.2
"""How long the last output of a process that has ended may take to be read."""


@dataclass(frozen=True, slots=True)
class Graces:
    """How long a process may take over each stage of its end, in seconds."""

    end_of_input_s: float = 2.0
    terminate_s: float = 2.0
    kill_s: float = 2.0


AT_ONCE = Graces(end_of_input_s=0.0, terminate_s=0.0)
"""No patience at all."""


class TargetProcess:
    """A running process, the leader of a session and process group of its own."""

    def __init__(self, command: tuple[str, ...], pipes: _Pipes, descendants: Descendants, graces: Graces) -> None:
        """Use ``start``."""
        self.command = command
        self.descendants = descendants
        self._pipes = pipes
        self._graces = graces
        self._stopping = asyncio.Lock()
        self._stopped = False

    @classmethod
    async def start(
        cls,
        command: Sequence[str],
        *,
        speaks_stdio: bool,
        env: Mapping[str, str] | None = None,
        cwd: Path | None = None,
        graces: Graces | None = None,
    ) -> TargetProcess:
        """Start a command.

        Args:
            command: its words.
            speaks_stdio: whether stdin and stdout carry messages; else stdin is empty and stdout is read like stderr.
            env: variables besides those of the harness.
            cwd: the working directory; the harness's own unless said.
            graces: how patiently it is ended.

        Raises:
            UnreachableTarget: it cannot be started.
        """
        loop = asyncio.get_running_loop()
        descendants = Descendants()
        pipes = _Pipes(loop, speaks_stdio=speaks_stdio)
        pipe = asyncio.subprocess.PIPE
        try:
            await loop.subprocess_exec(
                lambda: pipes,
                *command,
                stdin=pipe if speaks_stdio else asyncio.subprocess.DEVNULL,
                stdout=pipe,
                stderr=pipe if speaks_stdio else asyncio.subprocess.STDOUT,
                env={**os.environ, **(env or {}), MARKER: descendants.marker},
                cwd=cwd,
                start_new_session=True,
            )
        except (OSError, ValueError, TypeError) as error:
            raise why_not_started(command, cwd, error) from error
        descendants.rooted(pipes.pid)
        last_resort.watch(descendants)
        return cls(tuple(command), pipes, descendants, graces or Graces())

    @property
    def pid(self) -> int:
        """The process id."""
        return self._pipes.pid

    @property
    def gone(self) -> asyncio.Event:
        """Set once the process has exited; what it wrote before may still be on its way."""
        return self._pipes.gone

    @property
    def exit_code(self) -> int | None:
        """The exit code once it is gone, negative for a signal."""
        return self._pipes.exit_code

    @property
    def reader(self) -> asyncio.StreamReader:
        """Its stdout, where it speaks stdio."""
        assert self._pipes.stdout is not None
        return self._pipes.stdout

    @property
    def writer(self) -> asyncio.StreamWriter:
        """Its stdin, where it speaks stdio."""
        assert self._pipes.stdin is not None
        return self._pipes.stdin

    def printed(self) -> str:
        """The last that it printed for people."""
        return self._pipes.tail.text()

    async def printed_all(self, within_s: float) -> str:
        """The same, once its output has ended or the time is up."""
        await within(within_s, self._pipes.tail_ended)
        return self.printed()

    def memory_mb(self) -> float | None:
        """Resident memory of it and its descendants; None once it is gone."""
        return None if self.gone.is_set() else self.descendants.memory_mb()

    async def stop(self, graces: Graces | None = None) -> None:
        """End it: close its input, then SIGTERM, then SIGKILL, with everything it started; cancelled, SIGKILL at once.

        Safe to call twice, and at the same time.

        Args:
            graces: how patiently this time.
        """
        graces = graces or self._graces
        async with self._stopping:
            if self._stopped:
                return
            try:
                await self._end_in_good_order(graces)
            finally:
                try:
                    await self._end_by_force(graces)
                finally:
                    self._pipes.release()
                    self._stopped = self.gone.is_set()
                    if self._stopped:
                        last_resort.forget(self.descendants)

    async def stop_after(self, closing: Awaitable[None]) -> None:
        """The same once its connections are closed; who is cancelled over that has no patience with it either."""
        graces: Graces | None = AT_ONCE
        try:
            await closing
            graces = None
        finally:
            await self.stop(graces)

    async def _end_in_good_order(self, graces: Graces) -> None:
        self._pipes.discard_output()
        if self._pipes.stdin is not None:
            self._pipes.stdin.close()
            await within(graces.end_of_input_s, self.gone)
        if not self.gone.is_set() or self.descendants.living():
            self.descendants.send(signal.SIGTERM)
            await self._all_ended(graces.terminate_s)
        await within(LAST_OUTPUT_S, self._pipes.tail_ended)

    async def _end_by_force(self, graces: Graces) -> None:
        deadline = asyncio.get_running_loop().time() + graces.kill_s
        while not self.gone.is_set() or self.descendants.living():
            # Again and again: a process may have been born between looking and killing.
            self.descendants.send(signal.SIGKILL)
            left = deadline - asyncio.get_running_loop().time()
            if left <= 0 or await self._all_ended(min(left, 0.2)):
                return

    async def _all_ended(self, within_s: float) -> bool:
        deadline = asyncio.get_running_loop().time() + within_s
        if not await within(within_s, self.gone):
            return False
        return await self.descendants.ended(max(0.0, deadline - asyncio.get_running_loop().time()))


class _Pipes(asyncio.subprocess.SubprocessStreamProtocol):
    """The process's pipes as they fill: stdout to its reader, what is for people to the tail, whether read or not."""

    def __init__(self, loop: asyncio.AbstractEventLoop, *, speaks_stdio: bool) -> None:
        super().__init__(limit=READ_LIMIT, loop=loop)
        self.gone = asyncio.Event()
        self.exit_code: int | None = None
        self.tail = OutputTail()
        self.tail_ended = asyncio.Event()
        self._tail_fd = 2 if speaks_stdio else 1
        self._discards = False
        self._subprocess: asyncio.SubprocessTransport | None = None
        self.pid = 0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        assert isinstance(transport, asyncio.SubprocessTransport)
        self._subprocess = transport
        self.pid = transport.get_pid()

    def pipe_data_received(self, fd: int, data: bytes | str) -> None:
        assert isinstance(data, bytes)
        if fd == self._tail_fd:
            self.tail.add(data)
        elif not self._discards:
            super().pipe_data_received(fd, data)

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:
        super().pipe_connection_lost(fd, exc)
        if fd == self._tail_fd:
            self.tail_ended.set()

    def process_exited(self) -> None:
        assert self._subprocess is not None
        self.exit_code = self._subprocess.get_returncode()
        self.gone.set()
        super().process_exited()

    def discard_output(self) -> None:
        """Read on but keep nothing, so that a process that still writes can come to its end."""
        self._discards = True
        stdout = self._subprocess.get_pipe_transport(1) if self._subprocess else None
        if isinstance(stdout, asyncio.ReadTransport) and not stdout.is_closing():
            stdout.resume_reading()

    def release(self) -> None:
        """Close what is still open; a descendant that could not be ended may hold the other ends."""
        if self._subprocess is not None:
            self._subprocess.close()


async def within(deadline_s: float, event: asyncio.Event) -> bool:
    """Wait for an event for so long at most, and say whether it came."""
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(deadline_s):
            await event.wait()
    return event.is_set()
