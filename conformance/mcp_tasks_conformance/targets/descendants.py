"""A process and all that came of it, wherever it went: what there is to end, and to measure."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import uuid
from typing import TYPE_CHECKING

import psutil

if TYPE_CHECKING:
    from collections.abc import Iterator

MARKER = "MCP_TASKS_CONFORMANCE_TARGET"
"""The environment variable by which descendants are known that left the process group and lost their parents."""


class Descendants:
    """The processes of one target; make it before the first one starts, so that only later ones are looked at."""

    def __init__(self) -> None:
        self.marker = uuid.uuid4().hex
        self._before = frozenset(psutil.pids())
        self._root: int | None = None

    def rooted(self, root: int) -> None:
        """Say which process, the leader of a group of its own, all the others come from."""
        self._root = root

    def living(self) -> list[psutil.Process]:
        """All that have not ended: the root, its group, its children, and whatever carries the marker."""
        found: dict[int, psutil.Process] = {}
        for pid in psutil.pids():
            if pid not in self._before:
                with contextlib.suppress(psutil.Error, ProcessLookupError):
                    process = psutil.Process(pid)
                    if self._is_ours(process, found) and process.status() != psutil.STATUS_ZOMBIE:
                        found[pid] = process
        return list(found.values())

    def send(self, number: signal.Signals) -> None:
        """Send a signal to the whole group at once and to everything outside it."""
        group_told = False
        for process in self.living():
            with contextlib.suppress(psutil.Error, ProcessLookupError):
                group = os.getpgid(process.pid)
                if group != self._root:
                    process.send_signal(number)
                elif not group_told:
                    os.killpg(group, number)
                    group_told = True

    async def ended(self, within_s: float) -> bool:
        """Wait until none is left and say whether that came to pass. Nothing but asking tells that strangers ended."""
        loop = asyncio.get_running_loop()
        deadline = loop.time() + within_s
        for pause in _pauses():
            if not self.living():
                return True
            left = deadline - loop.time()
            if left <= 0:
                return False
            await asyncio.sleep(min(pause, left))
        raise AssertionError("pauses never end")

    def memory_mb(self) -> float:
        """Their resident memory in all."""
        total = 0
        for process in self.living():
            with contextlib.suppress(psutil.Error):
                total += process.memory_info().rss
        return total / 2**20

    def listening(self) -> list[str]:
        """The TCP addresses that they listen on, where the system tells."""
        pids = {process.pid for process in self.living()}
        try:
            connections = psutil.net_connections(kind="tcp")
        except psutil.Error:
            return []
        ours = (c.laddr for c in connections if c.pid in pids and c.status == psutil.CONN_LISTEN and c.laddr)
        return sorted({f"[{a.ip}]:{a.port}" if ":" in a.ip else f"{a.ip}:{a.port}" for a in ours})

    def _is_ours(self, process: psutil.Process, found: dict[int, psutil.Process]) -> bool:
        if process.pid == self._root or os.getpgid(process.pid) == self._root or process.ppid() in found:
            return True
        return process.environ().get(MARKER) == self.marker


def _pauses() -> Iterator[float]:
    pause = 0.002
    while True:
        yield pause
        pause = min(pause * 2, 0.05)
