"""A target that a command starts and that speaks over its stdin and stdout."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from mcp_tasks_conformance.targets.diagnosis import exit_words, run_by_hand
from mcp_tasks_conformance.targets.errors import UnreachableTarget
from mcp_tasks_conformance.targets.masking import masked_command, shown_command
from mcp_tasks_conformance.targets.process import TargetProcess, within
from mcp_tasks_conformance.targets.target import NO_HEADERS

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from mcp_tasks_conformance.events import JsonValue
    from mcp_tasks_conformance.targets.process import Graces
    from mcp_tasks_conformance.wire.stdio import StdioTransport
    from mcp_tasks_conformance.wire.transport import Sink, Transport

LAST_WORDS_S = 0.5
"""How long to wait for the exit, and for the rest of the output, of a process that seems to have died."""


class CommandTarget:
    """A stdio server: every start is a process of its own."""

    transport = "stdio"
    restartable = True

    def __init__(
        self,
        command: Sequence[str],
        *,
        env: Mapping[str, str] | None = None,
        cwd: Path | None = None,
        graces: Graces | None = None,
        facts: Mapping[str, JsonValue] | None = None,
    ) -> None:
        """Describe the target; nothing starts yet.

        Args:
            command: its words.
            env: variables besides those of the harness.
            cwd: the working directory; the harness's own unless said.
            graces: how patiently a process is ended.
            facts: what the report says of it, instead of its command.
        """
        self._command = tuple(command)
        self._env = dict(env or {})
        self._cwd = cwd
        self._graces = graces
        self._numbers = itertools.count(1)
        self.facts: Mapping[str, JsonValue] = facts or command_facts("stdio", self._command, self._env, cwd)

    async def start(self) -> StdioInstance:
        """Start the command; whether it speaks MCP shows when it is initialized.

        Raises:
            UnreachableTarget: it cannot be started.
        """
        process = await TargetProcess.start(
            self._command, speaks_stdio=True, env=self._env, cwd=self._cwd, graces=self._graces
        )
        return StdioInstance(f"stdio {next(self._numbers)}", process)


class StdioInstance:
    """A process with its one connection."""

    transport = "stdio"
    single_connection = True

    def __init__(self, name: str, process: TargetProcess) -> None:
        self.name = name
        self.process = process
        self._connection: StdioTransport | None = None

    @property
    def gone(self) -> asyncio.Event:
        """Set once the process has exited."""
        return self.process.gone

    @property
    def exit_code(self) -> int | None:
        """The exit code once it is gone, negative for a signal."""
        return self.process.exit_code

    def stderr_tail(self) -> str:
        """The last lines of its stderr."""
        return self.process.printed()

    async def open(
        self,
        sink: Sink,
        *,
        headers: Mapping[str, str] = NO_HEADERS,  # noqa: ARG002
        session_of: Transport | None = None,  # noqa: ARG002
    ) -> Transport:
        """Take the one connection."""
        from mcp_tasks_conformance.wire.stdio import StdioTransport

        if self._connection is not None:
            raise RuntimeError("a stdio process has one connection in its life")
        self._connection = StdioTransport(self.process.reader, self.process.writer, sink)
        return self._connection

    async def why_silent(self, awaited: str) -> UnreachableTarget:
        """Say whether it exited, and how, or runs and does not speak."""
        await within(LAST_WORDS_S, self.gone)
        said = await self.process.printed_all(LAST_WORDS_S) if self.gone.is_set() else self.stderr_tail()
        shown = shown_command(self.process.command)
        hint = run_by_hand(self.process.command)
        if self.gone.is_set():
            if self.exit_code == 0:
                hint = f"does it serve HTTP, or want arguments? A stdio server goes on until its input ends; {hint}"
            return UnreachableTarget(f"{shown} {exit_words(self.exit_code)} and never answered {awaited}", hint, said)
        if addresses := self.process.descendants.listening():
            hint = f"it listens on {', '.join(addresses)}: if it serves HTTP, it must be tested over HTTP"
        return UnreachableTarget(f"{shown} runs but did not answer {awaited} over stdio", hint, said)

    def memory_mb(self) -> float | None:
        """Resident memory of the process and its descendants."""
        return self.process.memory_mb()

    async def stop(self) -> None:
        """Close the connection and end the process."""
        if self._connection is None:
            await self.process.stop()
        else:
            await self.process.stop_after(self._connection.close())


def command_facts(
    transport: str, command: Sequence[str], env: Mapping[str, str], cwd: Path | None
) -> dict[str, JsonValue]:
    """What a report says of a command: its words masked, the names of the variables that were set for it."""
    return {
        "kind": "command",
        "transport": transport,
        "command": masked_command(command),
        "env": sorted(env),
        "cwd": None if cwd is None else str(cwd),
    }
