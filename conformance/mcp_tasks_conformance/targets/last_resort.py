"""No process of a target outlives the harness, even where nothing could be ended in good order.

Whoever starts a process ends it; this is for what is left when the interpreter exits or a signal ends it. A harness
that is killed outright can end nothing: its stdio targets see the end of their input then.
"""

from __future__ import annotations

import atexit
import os
import signal
import threading
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import FrameType

    from mcp_tasks_conformance.targets.descendants import Descendants

PATIENCE_S = 1.0
PAUSE_S = 0.01
_SIGNALS = (signal.SIGTERM, signal.SIGHUP)

_watched: set[Descendants] = set()


def watch(processes: Descendants) -> None:
    """End these too when the harness is ended."""
    _install()
    _watched.add(processes)


def forget(processes: Descendants) -> None:
    """They have ended."""
    _watched.discard(processes)


def end_all() -> None:
    """End everything that is still watched, politely first, then by force."""
    watched = tuple(_watched)
    for processes in watched:
        processes.send(signal.SIGTERM)
    deadline = time.monotonic() + PATIENCE_S
    while any(processes.living() for processes in watched) and time.monotonic() < deadline:
        time.sleep(PAUSE_S)
    for processes in watched:
        processes.send(signal.SIGKILL)
    _watched.clear()


def _install() -> None:
    """Take signals over only where nobody has a handler; one who comes later replaces ours."""
    if threading.current_thread() is threading.main_thread():
        for number in _SIGNALS:
            if signal.getsignal(number) is signal.SIG_DFL:
                signal.signal(number, _end_all_and_die)


def _end_all_and_die(number: int, _frame: FrameType | None) -> None:
    end_all()
    signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)


atexit.register(end_all)
# A forked worker inherits the set but not the duty.
os.register_at_fork(after_in_child=_watched.clear)
