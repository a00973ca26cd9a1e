"""Trying the tools of a target for which no profile was given, one careful call each, and what that comes to.

The calls are watched by the same monitors as scenarios, but what these find is no check of the run: a check counts
only where it can be shown again, alone, in a fresh instance, and be known to a baseline by its scenario. What a tool
does in its trial it does again in the scenarios that use it. What the monitors found amiss is told all the same, so
that nothing is lost that only a tool showed which no scenario uses.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Final, cast

from mcp_tasks_conformance.catalog.behaviours import BEHAVIOURS
from mcp_tasks_conformance.catalog.model import Profile, Template
from mcp_tasks_conformance.catalog.profile_layout import example, profile_line
from mcp_tasks_conformance.engine.caution import MOST_PLAIN_TOOLS, Candidate, Spared, TrialPlan
from mcp_tasks_conformance.engine.company import Company
from mcp_tasks_conformance.engine.sightings import Ending, Sighting, behaviours_of, profile_of
from mcp_tasks_conformance.engine.stages import Stages
from mcp_tasks_conformance.engine.trial_call import TrialCall
from mcp_tasks_conformance.events import Outcome
from mcp_tasks_conformance.peers.exchange import ConnectionGone, NoAnswer
from mcp_tasks_conformance.peers.handshake import DEFAULT_CAPABILITIES, HandshakeRefused
from mcp_tasks_conformance.targets.errors import UnreachableTarget
from mcp_tasks_conformance.wire.transcript import Transcript

AT_ONCE: Final = 4
"""So many trials run at once, each on a connection of its own."""
BUDGET_S: Final = 30.0
"""How long all trials may take together."""
UNTOLD: Final = ("floods", "ignores-cancel", "counts")
"""Behaviours that watching one call cannot tell."""
_MOST_TOLD: Final = 5


@dataclass(frozen=True, slots=True)
class Exploration:
    """What the trials came to."""

    profile: Profile
    sightings: tuple[Sighting, ...]
    spared: tuple[Spared, ...]
    amiss: Mapping[str, str]
    """What monitors found to be broken in the trials: by the requirement, in words."""


@dataclass(slots=True)
class _Trials:
    """The trials under way."""

    stages: Stages
    sightings: dict[Candidate, Sighting] = field(default_factory=dict)
    amiss: dict[str, str] = field(default_factory=dict)
    number: int = 0

    async def try_each(self, candidates: Iterable[Candidate]) -> None:
        """Several at once; whoever was lost beside the one that ended the target is tried again, alone."""
        waiting = iter(candidates)

        async def worker() -> None:
            for candidate in waiting:
                await self.try_one(candidate)

        async with asyncio.TaskGroup() as group:
            for _ in range(AT_ONCE if self.stages.sharing.company is Company.TOGETHER else 1):
                group.create_task(worker())
        for seen in [seen for seen in self.sightings.values() if seen.lost]:
            await self.try_one(seen.candidate)

    async def try_plainly(self, candidates: Iterable[Candidate]) -> None:
        """Where not one tool came to its end as a task, see by a plain call which of them would succeed."""
        if any(seen.ending is not Ending.OTHER for seen in self.sightings.values()):
            return
        calm = [c for c in candidates if c.support == "optional" and c.as_task and not self.sightings[c].asks]
        for candidate in calm[:MOST_PLAIN_TOOLS]:
            seen = await self.try_one(replace(candidate, as_task=False))
            if seen.ending is Ending.CONTENT and not seen.asks:
                return

    async def try_one(self, candidate: Candidate) -> Sighting:
        self.number += 1
        number = -self.number  # attempts at scenarios count upwards
        try:
            async with self.stages.shared(DEFAULT_CAPABILITIES) as stage:
                connection = await stage.open(Transcript(), number)
                try:
                    call = TrialCall(connection, candidate, stage.pace, f"trial-{self.number}")
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
        self.sightings[candidate] = seen
        return seen


async def explore(stages: Stages, plan: TrialPlan) -> Exploration:
    """Try the tools of the plan, as far as time allows."""
    trials = _Trials(stages)
    budget = stages.pace.deadline(None, BUDGET_S)
    spared = list(plan.spared)
    try:
        async with asyncio.timeout(budget):
            await trials.try_each(plan.as_tasks)
            await trials.try_plainly(plan.as_tasks)
            for candidate in plan.plainly:
                if "plain-only" in behaviours_of(await trials.try_one(candidate)):
                    break
    except TimeoutError:
        left = [candidate for candidate in (*plan.as_tasks, *plan.plainly) if candidate not in trials.sightings]
        spared += [Spared(candidate, f"the {budget:.0f} s for trials were over") for candidate in left]
    order = {candidate.tool: place for place, candidate in enumerate((*plan.as_tasks, *plan.plainly))}
    sightings = tuple(sorted(trials.sightings.values(), key=lambda seen: order[seen.candidate.tool]))
    missing = [(name, _why(name, sightings, spared)) for name in BEHAVIOURS]
    offers = {name: line for name in BEHAVIOURS if (line := _offer(name, spared)) is not None}
    found = profile_of(sightings, missing)
    profile = replace(found, offers=offers, notes=(*found.notes, *_notes(spared)))
    return Exploration(profile, sightings, tuple(spared), trials.amiss)


async def tried(stages: Stages, candidates: Iterable[Candidate]) -> Mapping[Candidate, Sighting]:
    """What is seen of these tools, as far as time allows."""
    trials = _Trials(stages)
    with suppress(TimeoutError):
        async with asyncio.timeout(stages.pace.deadline(None, BUDGET_S)):
            await trials.try_each(candidates)
    return trials.sightings


def _offer(name: str, spared: Sequence[Spared]) -> str | None:
    """The line of a profile that would have a behaviour exercised by a tool that was not tried."""
    if name in UNTOLD:
        return None
    wanted = {"plain-only": ("forbidden",), "task-only": ("required",), "either": ("optional",)}
    fit = wanted.get(name, ("required", "optional"))
    for one in spared:
        if one.candidate.support in fit:
            arguments = cast("dict[str, Template]", dict(one.candidate.arguments))
            return profile_line(replace(example(name, one.candidate.tool), arguments=arguments))
    return None


def _notes(spared: Sequence[Spared]) -> Iterator[str]:
    """Which tools were not tried, by the reason."""
    for why in dict.fromkeys(one.why for one in spared):
        tools = [one.candidate.tool for one in spared if one.why == why]
        more = f" and {len(tools) - _MOST_TOLD} more" if len(tools) > _MOST_TOLD else ""
        yield f"not tried: {', '.join(tools[:_MOST_TOLD])}{more}: {why}"


def _why(name: str, sightings: Sequence[Sighting], spared: Sequence[Spared]) -> str:
    """Why no tool is known for a behaviour."""
    if name in UNTOLD:
        return "one call cannot tell"
    plain = name == "plain-only"
    tried = sum((seen.candidate.support == "forbidden") is plain for seen in sightings)
    untried = sum((one.candidate.support == "forbidden") is plain for one in spared)
    kind = "ordinary tool" if plain else "tool that can be a task"
    if not tried and not untried:
        return f"there is no {kind}"
    said = f"none of {tried} tried did so" if tried else f"no {kind} was tried"
    return f"{said}, {untried} not tried" if untried else said
