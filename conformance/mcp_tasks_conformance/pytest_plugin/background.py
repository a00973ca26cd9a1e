"""A run in a thread with an event loop of its own, beneath items that wait for it one after another."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import threading
from collections.abc import Callable, Collection, Iterable

from mcp_tasks_conformance.engine.run import Portions, Run
from mcp_tasks_conformance.events import (
    Event,
    Listener,
    MethodSucceeded,
    RunFinished,
    ScenarioFinished,
    ScenarioOutcome,
    TargetFailed,
)
from mcp_tasks_conformance.verdicts.fold import Fold
from mcp_tasks_conformance.verdicts.model import ScenarioEnding

_SIGNALS = (signal.SIGTERM, signal.SIGHUP)
_LOST = (ScenarioOutcome.CRASHED, ScenarioOutcome.HUNG)
MakeRun = Callable[[Listener, Portions], Run]


class NothingCame(Exception):
    """The run is over and has nothing to say of a scenario; the text says why."""


class BackgroundRun:
    """One run; what it tells is folded, and each scenario's ending is there as soon as nothing can change it."""

    def __init__(self, make_run: MakeRun, fold: Fold) -> None:
        """Prepare the run; ``ask`` starts it."""
        self._make_run = make_run
        self._fold = fold
        self._changed = threading.Condition()
        self._endings: dict[str, ScenarioEnding] = {}
        self._unsettled: set[str] = set()
        self._failed: str | None = None
        self._defect: Exception | None = None
        self._over = False
        self._asked: set[str] = set()
        self._thread: threading.Thread | None = None
        self._ready = threading.Event()
        self._taken: list[signal.Signals] = []
        self._loop: asyncio.AbstractEventLoop | None = None
        self._doing: asyncio.Task[None] | None = None
        self._portions: asyncio.Queue[Collection[str] | None] = asyncio.Queue()
        self.events: list[Event] = []
        """What the run has told of the scenarios that were asked for."""
        self.stderr_tail: str | None = None

    # -- what items do, in their own thread ----------------------------------------------------------------

    def ask(self, keys: Iterable[str], *, more_follow: bool) -> None:
        """Have these scenarios run; those that were asked for before are not run again.

        Where no more follow, the run ends with them, and endings wait for controls until then; else only until those
        that were asked for so far are done.
        """
        new = [key for key in keys if key not in self._asked]
        if new:
            self._asked.update(new)
            self._start()
            self._put(new)
            if not more_follow:
                self._put(None)

    def wait(self, key: str) -> ScenarioEnding:
        """How a scenario that was asked for ended.

        Raises:
            NothingCame: the run was over before it had anything to say of it.
            Exception: the harness itself failed.
        """
        with self._changed:
            self._changed.wait_for(lambda: self._over or key in self._endings)
            if key in self._endings:
                return self._endings[key]
        if self._defect is not None:
            raise self._defect
        raise NothingCame(self._failed or "the run was over before")

    def finish(self) -> None:
        """Nothing more is asked for: see the run to its end."""
        if self._thread is not None:
            self._put(None)
            self._thread.join()
            self._give_signals_back()

    def stop(self) -> None:
        """End the run wherever it is, and the target with it."""
        if self._thread is None:
            return
        self._ready.wait()
        if self._loop is not None and self._doing is not None:
            with contextlib.suppress(RuntimeError):  # the loop is closed: the run is over
                self._loop.call_soon_threadsafe(self._doing.cancel)
        self._thread.join()
        self._give_signals_back()

    def _start(self) -> None:
        if self._thread is not None:
            return
        self._take_signals()
        # A daemon, so that an impatient second interrupt need not wait for the target's end.
        self._thread = threading.Thread(target=self._work, name="mcp-tasks", daemon=True)
        self._thread.start()
        self._ready.wait()

    def _take_signals(self) -> None:
        """Whoever is told to end is interrupted: the session ends in good order, and the target with it."""
        if threading.current_thread() is threading.main_thread():
            for number in _SIGNALS:
                if signal.getsignal(number) is signal.SIG_DFL:
                    signal.signal(number, signal.default_int_handler)
                    self._taken.append(number)

    def _give_signals_back(self) -> None:
        while self._taken:
            signal.signal(self._taken.pop(), signal.SIG_DFL)

    def _put(self, portion: Collection[str] | None) -> None:
        assert self._loop is not None
        with contextlib.suppress(RuntimeError):  # the loop is closed: the run is over
            self._loop.call_soon_threadsafe(self._portions.put_nowait, portion)

    # -- what the run does, in its thread ------------------------------------------------------------------

    def _work(self) -> None:
        async def until_done() -> None:
            self._loop = asyncio.get_running_loop()
            self._doing = asyncio.ensure_future(self._make_run(self._tell, self._portions_as_asked()).run())
            self._ready.set()
            with contextlib.suppress(asyncio.CancelledError):
                await self._doing

        try:
            asyncio.run(until_done())
        except Exception as defect:  # told by the items that wait for it
            self._defect = defect
        finally:
            self._ready.set()
            with self._changed:
                self._over = True
                self._changed.notify_all()

    async def _portions_as_asked(self) -> Portions:
        while (portion := await self._portions.get()) is not None:
            together = set(portion)
            while not self._portions.empty():
                more = self._portions.get_nowait()
                if more is None:
                    yield together
                    return
                together.update(more)
            yield together
            self._settle(list(self._unsettled), over=True)

    def _tell(self, event: Event) -> None:
        self._fold(event)
        if not isinstance(event, ScenarioFinished) or event.key in self._asked:
            self.events.append(event)
        match event:
            case TargetFailed():
                self._failed = event.problem
            case ScenarioFinished():
                self._unsettled.add(event.key)
                self._settle([event.key])
            case MethodSucceeded():
                self._settle(list(self._unsettled))
            case RunFinished():
                self.stderr_tail = event.stderr_tail
                self._settle(list(self._unsettled), over=True)
            case _:
                pass

    def _settle(self, keys: Iterable[str], *, over: bool = False) -> None:
        """Hand out the endings that nothing can change; of a lost target the last words come only at the end."""
        settled: dict[str, ScenarioEnding] = {}
        for key in keys:
            if over or self._fold.settled(key):
                ending = self._fold.ending(key)
                if over or ending.scenario.outcome not in _LOST:
                    settled[key] = ending
        if settled:
            self._unsettled.difference_update(settled)
            with self._changed:
                self._endings.update(settled)
                self._changed.notify_all()
