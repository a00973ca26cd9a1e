"""Trial calls, several at once, and second looks at what was left in doubt; whatever the target does, they end.

The calls are watched by the same monitors as scenarios, but what these find is no check of the run: a check counts
only where it can be shown again, alone, in a fresh instance, and be known to a baseline by its scenario. What a tool
does in its trial it does again in the scenarios that use it. What the monitors found amiss is told all the same, so
that nothing is lost that only a tool showed which no scenario uses.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterable
from dataclasses import dataclass, field, replace
from typing import Final

from mcp_tasks_conformance.engine.caution import Candidate
from mcp_tasks_conformance.engine.company import Company
from mcp_tasks_conformance.engine.sightings import Ending, Sighting, in_doubt, told_by_both
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


@dataclass(slots=True)
class Trials:
    """The trials of one target."""

    stages: Stages
    amiss: dict[str, str] = field(default_factory=dict)
    """What monitors found to be broken: by the requirement, in words."""
    _seen: dict[Candidate, Sighting] = field(default_factory=dict)
    _tasks: set[str] = field(default_factory=set)
    """The tasks that any of the trials has made."""
    _number: int = 0

    @property
    def budget_s(self) -> float:
        """How long one round may take on this target."""
        return self.stages.pace.deadline(None, BUDGET_S * (AT_ONCE / self._at_once))

    @property
    def _at_once(self) -> int:
        return AT_ONCE if self.stages.sharing.company is Company.TOGETHER else 1

    def seen(self, candidate: Candidate) -> Sighting | None:
        """What is known of a tool; none where there was no time for it."""
        seen, plainly = self._seen.get(candidate), self._seen.get(replace(candidate, as_task=False))
        return seen if seen is None or plainly is None or not candidate.as_task else told_by_both(seen, plainly)

    async def try_each(self, candidates: Iterable[Candidate]) -> None:
        """Several at once; whoever was lost beside the one that ended the target is tried again, alone.

        What a target did not do well in a task is looked at once more by a plain call, which no defect of its tasks
        can spoil, where the tool can be called so.
        """
        listed = list(candidates)
        await self._in_time(self._together(listed))
        lost = [candidate for candidate in listed if candidate in self._seen and self._seen[candidate].lost]
        await self._in_time(self._in_turn(lost))
        first_looks = (self._seen[candidate] for candidate in listed if candidate in self._seen)
        doubtful = [replace(seen.candidate, as_task=False) for seen in first_looks if in_doubt(seen)]
        await self._in_time(self._together(doubtful[:MOST_SECOND_LOOKS]))

    async def try_until_one_works(self, candidates: Iterable[Candidate]) -> None:
        """One after another, for tools of which one that works is enough."""

        async def until_one_works() -> None:
            for candidate in candidates:
                seen = await self._try_one(candidate)
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
            await self._try_one(candidate)

    async def _try_one(self, candidate: Candidate) -> Sighting:
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
                stage.lost = stage.lost or seen.lost or stage.instance.gone.is_set()
        except (UnreachableTarget, HandshakeRefused, NoAnswer, ConnectionGone) as gone:
            seen = Sighting(candidate, Ending.OTHER, f"could not be called ({gone})", lost=True)
            found = []
        for check in found:
            if check.outcome is Outcome.FAIL:
                said = f"in the trial of {candidate.tool}: expected {check.expected}, found {check.observed}"
                self.amiss.setdefault(check.requirement, said)
        self._seen[candidate] = seen
        return seen
