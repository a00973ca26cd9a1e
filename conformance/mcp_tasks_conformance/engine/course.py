"""The order in which scenarios run: together where they may, alone where they must, again where they did not pass."""

from __future__ import annotations

import asyncio
import itertools
from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from mcp_tasks_conformance.counting import counted
from mcp_tasks_conformance.engine.attempt import ANSWERS, LOST, AttemptResult
from mcp_tasks_conformance.engine.company import Company
from mcp_tasks_conformance.engine.doubts import Doubt
from mcp_tasks_conformance.engine.options import RunOptions
from mcp_tasks_conformance.engine.planning import PlannedRun
from mcp_tasks_conformance.engine.stage import Stage
from mcp_tasks_conformance.engine.stages import Stages
from mcp_tasks_conformance.engine.telling import Teller
from mcp_tasks_conformance.events import JsonValue, Outcome, ScenarioOutcome
from mcp_tasks_conformance.peers.exchange import ConnectionGone, NoAnswer
from mcp_tasks_conformance.peers.handshake import HandshakeRefused
from mcp_tasks_conformance.targets.errors import UnreachableTarget
from mcp_tasks_conformance.verdicts.baseline import Waiving
from mcp_tasks_conformance.wire.transcript import Transcript

HOPELESS = 3
"""So many attempts in a row that end the target, each alone, and the run is over: where no scenario has been told to
its end before, and where the target cannot be started again and does not answer any more."""
_LOST_OFTEN = f"the target was lost in {HOPELESS} scenarios in a row"
MOST_INSTANCES = 3
"""So many instances run at once where each attempt has one of its own."""
PHASES = ("parallel", "exclusive", "own_process")
_SOUND = (ScenarioOutcome.PASSED, ScenarioOutcome.WARNED, ScenarioOutcome.NOT_APPLICABLE, ScenarioOutcome.HARNESS_ERROR)
_LOST_WORDS = {ScenarioOutcome.HUNG: "fell silent", ScenarioOutcome.CRASHED: "ended, or lost a session,"}
_TOLD_TO_THE_END = (ScenarioOutcome.PASSED, ScenarioOutcome.WARNED, ScenarioOutcome.FAILED)

Perform = Callable[[PlannedRun, Stage, int], Awaitable[AttemptResult]]
"""Runs a scenario on a stage; the number is the attempt's, another one for each."""


@dataclass(slots=True)
class _Losses:
    """How often the target was lost in a row."""

    told: bool = False
    """Whether any scenario has been told to its end: then losses are those scenarios' own."""
    in_a_row: int = 0

    def note(self, outcome: ScenarioOutcome) -> None:
        self.told = self.told or outcome in _TOLD_TO_THE_END
        self.in_a_row = self.in_a_row + 1 if outcome in LOST else 0

    @property
    def many(self) -> bool:
        return self.in_a_row >= HOPELESS


@dataclass(slots=True)
class Course:
    """Runs the scenarios of a plan that apply."""

    stages: Stages
    options: RunOptions
    transport: str
    restartable: bool
    teller: Teller
    perform: Perform
    timing: dict[str, JsonValue]
    """Takes the milliseconds that each phase took."""
    waiving: Waiving | None = None
    """The failures that are known."""
    _doubts: list[Doubt] = field(default_factory=list)
    _losses: _Losses = field(default_factory=_Losses)
    _replaced: dict[Stage, Doubt] = field(default_factory=dict)
    """By what was lost and is not told as a loss: the first scenario that saw it."""
    _given_up: str | None = None
    """Why nothing more is run."""
    _numbers: Iterator[int] = field(default_factory=lambda: itertools.count(1))
    _spent_s: dict[str, float] = field(default_factory=lambda: defaultdict(float))
    _unreachable: UnreachableTarget | None = None
    _running: asyncio.Task[Any] | None = None
    _cancelled_before: int = 0

    async def run(self, planned: Iterable[PlannedRun]) -> str | None:
        """Run them all, and say why the run ended early, or nothing where it did not; more may follow then."""
        self._running = asyncio.current_task()
        self._cancelled_before = self._running.cancelling() if self._running is not None else 0
        listed: dict[str, list[PlannedRun]] = {phase: [] for phase in PHASES}
        for one in planned:
            if one.skip is not None:
                self.teller.skipped(one)
            elif one.undecided is not None:
                self.teller.undecided(one)
            else:
                listed[self._phase_of(one)].append(one)
        for phase in PHASES:
            began = asyncio.get_running_loop().time()
            waiting = iter(listed[phase])
            while True:
                await self._together(phase, waiting, len(listed[phase]))
                if not self._stops:
                    break
                # Those that ran beside the one that ends the target look alike; alone each shows what is its own.
                self._losses.in_a_row = 0
                await self._again()
                if self._given_up is not None:
                    return self._early_end
            self._clock(f"{phase}_ms", began)
        began = asyncio.get_running_loop().time()
        await self._again()
        self._clock("again_ms", began)
        return self._early_end

    def notes(self) -> Iterator[str]:
        """What became of the target beside what its scenarios tell, for people."""
        for outcome, did in _LOST_WORDS.items():
            lost = [doubt for doubt in self._replaced.values() if doubt.before.outcome is outcome]
            if lost:
                first = f"the first in {lost[0].planned.key}: {lost[0].before.reason}"
                yield f"{counted(len(lost), 'instance')} of the target {did} and had to be replaced; {first}"

    def break_off(self, reason: str) -> None:
        """There is no time to run anything again: what was seen once and cannot be confirmed does not count."""
        for doubt in self._doubts:
            if self.teller.told(doubt.planned):
                continue
            if doubt.before.outcome in LOST:
                self._replaced.setdefault(doubt.stage, doubt)
            if doubt.before.outcome is ScenarioOutcome.INCONCLUSIVE or self._is_waived(doubt):
                self.teller.finished(doubt.planned, doubt.before, attempts=1)
            else:
                why = f"{reason}, before it could be run again: {doubt.before.reason}"
                self.teller.not_run(doubt.planned, why, unconfirmed=_broken(doubt.before))

    async def show(self, planned: PlannedRun) -> None:
        """Run a scenario for what it shows of the target alone; nothing is told of it."""
        try:
            async with self.stages.shared(planned.capabilities) as stage:
                result = await self.perform(planned, stage, next(self._numbers))
                stage.lost = stage.lost or result.outcome in LOST or stage.instance.gone.is_set()
        except UnreachableTarget:
            return

    def _clock(self, name: str, began: float) -> None:
        self._spent_s[name] += asyncio.get_running_loop().time() - began
        self.timing[name] = round(self._spent_s[name] * 1000)

    @property
    def _early_end(self) -> str | None:
        if self._unreachable is not None:
            return _not_again(self._unreachable)
        return self._given_up

    async def _is_hopeless(self) -> bool:
        """Whether so many losses in a row mean that there is nothing left to run scenarios on."""
        if self._losses.many and not self._losses.told:
            self._given_up = f"{_LOST_OFTEN} before any had come to its end"
        elif self._losses.many and not self.restartable:
            if await self._answers():
                self._losses.in_a_row = 0
            else:
                self._given_up = f"{_LOST_OFTEN} and does not come back"
        return self._given_up is not None

    async def _answers(self) -> bool:
        """Whether the target lets us in, and answers."""
        try:
            async with self.stages.fresh() as stage:
                connection = await stage.open(Transcript(), next(self._numbers))
                await stage.release(connection)
        except (UnreachableTarget, HandshakeRefused, NoAnswer, ConnectionGone):
            return False
        return True

    @property
    def _stops(self) -> bool:
        """Whether the target was lost so often that each loss has to be looked at alone."""
        return self._losses.many and (not self._losses.told or not self.restartable)

    @property
    def _interrupted(self) -> bool:
        """Whether the run is cancelled: a scenario that breaks off at that very moment hides it from its worker."""
        return self._running is not None and self._running.cancelling() > self._cancelled_before

    def _phase_of(self, planned: PlannedRun) -> str:
        scenario = planned.scenario
        # Over stdio a process is initialized once: a scenario that does it by itself needs one that nobody has used.
        initializes = self.transport == "stdio" and not scenario.main
        return "own_process" if self._apart or initializes else scenario.sharing

    @property
    def _apart(self) -> bool:
        return self.options.fresh or self.stages.sharing.company is Company.APART

    @property
    def _in_turn(self) -> bool:
        return self.options.fresh or self.stages.sharing.company is Company.IN_TURN

    async def _together(self, phase: str, waiting: Iterable[PlannedRun], number: int) -> None:
        jobs = 1 if phase == "exclusive" or self._in_turn else self.options.jobs or self.stages.most_at_once
        if phase == "own_process":
            jobs = min(jobs, MOST_INSTANCES)

        async def worker() -> None:
            for planned in waiting:
                if phase == "own_process":
                    await self._alone(planned)
                else:
                    await self._in_company(planned)
                if self._stops or self._interrupted:
                    return

        async with asyncio.TaskGroup() as group:
            for _ in range(min(jobs, number)):
                group.create_task(worker())

    async def _in_company(self, planned: PlannedRun) -> None:
        self.teller.started(planned, 1)
        try:
            async with self.stages.shared(planned.capabilities) as stage:
                number = next(self._numbers)
                result = await self.perform(planned, stage, number)
                stage.lost = stage.lost or result.outcome in LOST or stage.instance.gone.is_set()
        except UnreachableTarget as unreachable:
            self._not_run(planned, unreachable)
            return
        self._losses.note(result.outcome)
        vain = stage.patience.vain(number)
        if result.outcome in _SOUND or not (self.options.confirm or stage.lost):
            self.teller.finished(planned, result, attempts=1)
        else:
            self._doubts.append(Doubt(planned, result, stage, vain))

    async def _alone(self, planned: PlannedRun) -> None:
        self.teller.started(planned, 1)
        try:
            async with self.stages.fresh() as stage:
                result = await self.perform(planned, stage, next(self._numbers))
        except UnreachableTarget as unreachable:
            self._not_run(planned, unreachable)
            return
        self._losses.note(result.outcome)
        if result.outcome in LOST:
            self._doubts.append(Doubt(planned, result, stage))
        else:
            self.teller.finished(planned, result, attempts=1)

    async def _again(self) -> None:
        """What did not pass is run once more, alone in an instance of its own, before it counts."""
        doubts = list(self._doubts)
        waiting = iter(doubts)
        results: dict[str, AttemptResult] = {}

        async def once_more(doubt: Doubt) -> None:
            self.teller.started(doubt.planned, 2)
            try:
                async with self.stages.fresh(another_follows=doubt is not doubts[-1]) as stage:
                    result = await self.perform(doubt.planned, stage, next(self._numbers))
            except UnreachableTarget as unreachable:
                self._not_run(doubt.planned, unreachable)
            else:
                self._losses.note(result.outcome)
                results[doubt.planned.key] = result

        def unknown() -> Iterator[Doubt]:
            for doubt in waiting:
                if self._is_known(doubt) or self._is_waived(doubt):
                    self.teller.finished(doubt.planned, doubt.before, attempts=1)
                else:
                    yield doubt

        while not await self._is_hopeless() and (at_once := list(itertools.islice(unknown(), self._jobs_again))):
            async with asyncio.TaskGroup() as group:
                for doubt in at_once:
                    group.create_task(once_more(doubt))
        self._doubts = [doubt for doubt in self._doubts if doubt not in doubts]
        for stage in dict.fromkeys(doubt.stage for doubt in doubts):
            self._conclude(stage, [doubt for doubt in doubts if doubt.stage is stage], results)

    def _is_known(self, doubt: Doubt) -> bool:
        """Whether it waited in vain, and for nothing but what others alone have waited for in vain as well."""
        alone = self.stages.patience_alone
        return doubt.explained and all(alone.lost(vain.awaited) is not None for vain in doubt.vain)

    def _is_waived(self, doubt: Doubt) -> bool:
        """Whether all that failed is known to the baseline and the rest was judged: failing again would change nothing.

        Not where the target was lost: what becomes of that explains others, and may explain this.
        """
        before, failed = doubt.before, {c.requirement for c in doubt.before.checks if c.outcome is Outcome.FAIL}
        whole = before.outcome is ScenarioOutcome.FAILED and not before.inconclusive and not doubt.stage.lost
        waiving = self.waiving
        return whole and waiving is not None and all(waiving.waives(doubt.planned.key, one) for one in failed)

    @property
    def _jobs_again(self) -> int:
        """Instances of their own do not meet, but a target behind a URL has only the one."""
        if self._in_turn or not self.restartable:
            return 1
        return min(self.options.jobs or self.stages.most_at_once, MOST_INSTANCES)

    def _conclude(self, stage: Stage, doubts: Sequence[Doubt], results: Mapping[str, AttemptResult]) -> None:
        """Tell of what was on one stage: if one of them ends the target once more, that explains the others."""
        again = [(doubt, results[doubt.planned.key]) for doubt in doubts if doubt.planned.key in results]
        explained = any(result.outcome in LOST for _, result in again)
        for doubt, result in again:
            was_lost = doubt.before.outcome in LOST
            # What only found its preconditions wanting the first time had bad luck: it showed nothing of the target.
            seen_otherwise = result.outcome in _SOUND and doubt.before.outcome is not ScenarioOutcome.INCONCLUSIVE
            flaky = seen_otherwise and not (explained if was_lost else stage.lost)
            if flaky and was_lost:
                self._replaced.setdefault(doubt.stage, doubt)
            if flaky:
                result = replace(result, reason=_seen_first(doubt.before))
            unconfirmed = (ANSWERS,) if flaky and was_lost else ()
            self.teller.finished(doubt.planned, result, attempts=2, flaky=flaky, unconfirmed=unconfirmed)

    def _not_run(self, planned: PlannedRun, unreachable: UnreachableTarget) -> None:
        self._unreachable = self._unreachable or unreachable
        self._losses.in_a_row += 1
        self.teller.not_run(planned, _not_again(unreachable))


def _broken(before: AttemptResult) -> tuple[str, ...]:
    """The requirements that an attempt saw broken."""
    failed = (check.requirement for check in before.checks if check.outcome is Outcome.FAIL)
    return tuple(dict.fromkeys((*failed, *((ANSWERS,) if before.outcome in LOST else ()))))


def _seen_first(before: AttemptResult) -> str:
    """What an attempt showed that did not show again: nobody would learn of it otherwise."""
    broken = next((check for check in before.checks if check.outcome is Outcome.FAIL), None)
    if broken is None or before.outcome in LOST:
        return f"{before.outcome} at first: {before.reason}"
    return f"failed at first: {broken.requirement}, received {broken.observed}, expected {broken.expected}"


def _not_again(unreachable: UnreachableTarget) -> str:
    return f"the target could not be started again: {unreachable.problem}"
