"""Tests that wait for nothing but timers, under a loop whose clock jumps to the next one."""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Callable, Coroutine
from typing import Any

from mcp_tasks_conformance.selftest.virtual_time import VirtualTimeLoop


def run_virtually(work: Coroutine[Any, Any, Any]) -> Any:
    """Run to the end in no time."""
    with asyncio.Runner(loop_factory=VirtualTimeLoop) as runner:
        return runner.run(work)


def virtual(test: Callable[..., Coroutine[Any, Any, None]]) -> Callable[..., None]:
    """Make a coroutine function a test under virtual time."""

    @functools.wraps(test)
    def run(*arguments: Any, **named: Any) -> None:
        run_virtually(test(*arguments, **named))

    return run
