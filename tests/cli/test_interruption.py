"""Interrupts that come while reports are written."""

from __future__ import annotations

import os
import signal

import pytest

from mcp_tasks_conformance.cli.interruption import SIGNALS, held_back


@pytest.mark.parametrize("number", SIGNALS)
def test_an_interrupt_waits_until_what_is_written_is_written(number: signal.Signals) -> None:
    written = False
    with held_back() as came:
        os.kill(os.getpid(), number)
        written = True
    assert written
    assert came == [number]


def test_a_second_interrupt_does_not_wait() -> None:
    with held_back():
        os.kill(os.getpid(), signal.SIGINT)
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGINT)


def test_afterwards_an_interrupt_is_what_it_was() -> None:
    before = [signal.getsignal(number) for number in SIGNALS]
    with held_back():
        pass
    assert [signal.getsignal(number) for number in SIGNALS] == before
