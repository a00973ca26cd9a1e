"""Trial calls, several at once, and second looks at what was left in doubt; whatever the target does, they end.

The calls are watched by the same monitors as scenarios, but what these find is no check of the run: a check counts
only where it can be shown again, alone, in a fresh instance, and be known to a baseline by its scenario. What a tool
does in its trial it does again in the scenarios that use it. What the monitors found amiss is told all the same, so
that nothing is lost that only a tool showed which no scenario uses.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Final

from mcp_tasks_conformance.engine.caution import Candidate
from mcp_tasks_conformance.engine.company import Company
from mcp_tasks_conformance.engine.pulse import exit_words
from mcp_tasks_conformance.engine.sightings import Ending, Sighting, in_doubt, told_by_both
from mcp_tasks_conformance.engine.stage import Stage
from mcp_tasks_conformance.engine.stages import Stages
from mcp_tasks_conformance.engine.trial_call import TrialCall
from mcp_tasks_conformance.events import Outcome
from mcp_tasks_conformance.peers.exchange import ConnectionGone, NoAnswer
from mcp_tasks_conformance.peers.handshake import DEFAULT_CAPABILITIES, HandshakeRefused
from mcp_tasks_conformance.targets.errors import UnreachableTarget
from mcp_tasks_conformance.wire.transcript import Transcript

AT_ONCE: Final = 4
"""So many trials run at once, each on a connection of its own."""
BUDGET_S: Final = 20.0
"""How long one round of trials may take; longer where they run one after another."""
MOST_SECOND_LOOKS: Final = 8
MOST_TOLD: Final = 5


@dataclass(slots=True)
class Trials:
    """The trials of one target."""

    stages: Stages
    amiss: dict[str, str] = field(default_factory=dict)
    """What monitors found to be broken: by the requirement, in words."""
    _seen: dict[Candidate, Sighting] = field(default_factory=dict)
    _did: dict[Candidate, str] = field(default_factory=dict)
    """What the calls that ended or silenced the target did to it, in words."""
    _tasks: set[str] = field(default_factory=set)
    """The tasks that any of the trials has made."""
    _number: int = 0

    @property
    def budget_s(self) -> float:
        """How long one round may take on this target."""
        return self.stages.pace.deadline(None, BUDGET_S * (AT_ONCE / self._at_once))

    @property
    def _at_once(self) -> int:
        return min(AT_ONCE, self.stages.most_at_once) if self.stages.sharing.company is Company.TOGETHER else 1

    def seen(self, candidate: Candidate) -> Sighting | None:
        """What is known of a tool; none where there was no time for it."""
        seen, plainly = self._seen.get(candidate), self._seen.get(replace(candidate, as_task=False))
        return seen if seen is None or plainly is None or not candidate.as_task else told_by_both(seen, plainly)

    def notes(self) -> Iterator[str]:
        """Which tools ended the target or silenced it, for people."""
        for candidate, did in list(self._did.items())[:MOST_TOLD]:
            way = "as a task" if candidate.as_task else "plainly"
            yield f"the tool {candidate.tool}, called {way} in its trial, {did}"
        if len(self._did) > MOST_TOLD:
            yield f"{len(self._did) - MOST_TOLD} more trial calls ended the target or silenced it"

    async def try_each(self, candidates: Iterable[Candidate]) -> None:
        """Several at once; whoever was lost beside the one that ended the target is tried again, alone.

        What a target did not do well in a task is looked at once more by a plain call, which no defect of its tasks
        can spoil, where the tool can be called so.
        """
        listed = list(candidates)
        await self._in_time(self._together(listed))
        ended = [
            candidate for candidate in listed if (seen := self._seen.get(candidate)) and (seen.lost or seen.silent)
        ]
        await self._in_time(self._in_turn(ended))
        first_looks = (self._seen[candidate] for candidate in listed if candidate in self._seen)
        doubtful = [replace(seen.candidate, as_task=False) for seen in first_looks if in_doubt(seen)]
        await self._in_time(self._together(doubtful[:MOST_SECOND_LOOKS]))

    async def try_until_one_works(self, candidates: Iterable[Candidate]) -> None:
        """One after another, for tools of which one that works is enough."""

        async def until_one_works() -> None:
            for candidate in candidates:
                seen = await self._try_one(candidate, alone=True)
                if seen.ending is Ending.CONTENT and not seen.asks:
                    return

        await self._in_time(until_one_works())

    async def _in_time(self, trying: Coroutine[None, None, None]) -> None:
        try:
            async with asyncio.timeout(self.budget_s):
                await trying
        except TimeoutError:
            return  # what was not tried by then is told as such

    async def _together(self, candidates: list[Candidate]) -> None:
        waiting = iter(candidates)

        async def worker() -> None:
            for candidate in waiting:
                await self._try_one(candidate)

        async with asyncio.TaskGroup() as group:
            for _ in range(self._at_once):
                group.create_task(worker())

    async def _in_turn(self, candidates: list[Candidate]) -> None:
        for candidate in candidates:
            await self._try_one(candidate, alone=True)

    async def _try_one(self, candidate: Candidate, *, alone: bool = False) -> Sighting:
        did: str | None = None
        self._number += 1
        number = -self._number  # attempts at scenarios count upwards
        try:
            async with self.stages.shared(DEFAULT_CAPABILITIES) as stage:
                connection = await stage.open(Transcript(), number)
                try:
                    call = TrialCall(connection, candidate, stage.pace, f"trial-{self._number}", self._tasks)
                    seen = await call.watched()
                finally:
                    await stage.release(connection)
                    found = stage.settle(number)
                if alone or stage.single or self._at_once == 1:  # else it may have been another
                    did = await _done_to(stage, seen)
                stage.lost = stage.lost or seen.lost or seen.silent or stage.instance.gone.is_set()
        except (UnreachableTarget, HandshakeRefused, NoAnswer, ConnectionGone) as gone:
            seen = Sighting(candidate, Ending.OTHER, f"could not be called ({gone})", lost=True)
            found = []
        for check in found:
            if check.outcome is Outcome.FAIL:
                said = f"in the trial of {candidate.tool}: expected {check.expected}, found {check.observed}"
                self.amiss.setdefault(check.requirement, said)
        self._seen[candidate] = seen
        self._did.pop(candidate, None)
        if did is not None:
            self._did[candidate] = did
        return seen


async def _done_to(stage: Stage, seen: Sighting) -> str | None:
    """What a call did to the target, in words; none where that lives on."""
    if seen.lost:
        return f"{seen.said}{await exit_words(stage.instance)}"
    if stage.instance.gone.is_set():
        return f"{seen.said}, and the target ended{await exit_words(stage.instance)}"
    return f"{seen.said}; the target answered nothing any more, ping neither" if seen.silent else None
