"""From the trials of a target's tools to a profile, with what could not be exercised and the line that would."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, cast

from mcp_tasks_conformance.catalog.behaviours import BEHAVIOURS
from mcp_tasks_conformance.catalog.model import Profile, Template
from mcp_tasks_conformance.catalog.profile_layout import example, profile_line
from mcp_tasks_conformance.engine.caution import DESTRUCTIVE, Spared, TrialPlan
from mcp_tasks_conformance.engine.sightings import Sighting, behaviours_of, profile_of
from mcp_tasks_conformance.engine.stages import Stages
from mcp_tasks_conformance.engine.trials import Trials

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


async def explore(stages: Stages, plan: TrialPlan) -> Exploration:
    """Try the tools of the plan, as far as time allows."""
    trials = Trials(stages)
    await trials.try_each(plan.as_tasks)
    await trials.try_until_one_works(plan.plainly)
    known = {candidate: trials.seen(candidate) for candidate in (*plan.as_tasks, *plan.plainly)}
    sightings = tuple(seen for seen in known.values() if seen is not None)
    one_works = any("plain-only" in behaviours_of(seen) for seen in sightings)
    late = [candidate for candidate in plan.as_tasks if known[candidate] is None]
    late += [candidate for candidate in plan.plainly if known[candidate] is None and not one_works]
    over = f"the {trials.budget_s:.0f} s for trials were over"
    spared = [*plan.spared, *(Spared(candidate, over) for candidate in late)]
    unseen = [(name, _why(name, sightings, spared)) for name in BEHAVIOURS]
    offers = {name: line for name in BEHAVIOURS if (line := _offer(name, spared)) is not None}
    found = profile_of(sightings, unseen)
    profile = replace(found, offers=offers, notes=(*found.notes, *trials.notes(), *_notes(spared)))
    return Exploration(profile, sightings, tuple(spared), trials.amiss)


def _offer(name: str, spared: Sequence[Spared]) -> str | None:
    """The line of a profile that would have a behaviour exercised by a tool that was not tried."""
    if name in UNTOLD:
        return None
    wanted = {"plain-only": ("forbidden",), "task-only": ("required",), "either": ("optional",)}
    fit = wanted.get(name, ("required", "optional"))
    for one in spared:
        if one.candidate.support in fit and one.why != DESTRUCTIVE:
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
