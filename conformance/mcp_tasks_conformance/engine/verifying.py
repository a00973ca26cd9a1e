"""Whether the tools of a profile behave as it says: each is called once before anything is judged by it.

A tool that does something else leaves the scenarios that use it inconclusive: what it did tells of the profile, not of
the target's tasks. Lest a target that spoils what its tools do in tasks is spared that way, a tool that can be called
plainly is judged by what it does there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, cast

from mcp_tasks_conformance.catalog.model import Behaviour, Profile
from mcp_tasks_conformance.engine.caution import Candidate, candidate_of
from mcp_tasks_conformance.engine.discovery import Facts
from mcp_tasks_conformance.engine.exploring import UNTOLD
from mcp_tasks_conformance.engine.sightings import Ending, Sighting, asking_shown
from mcp_tasks_conformance.engine.stages import Stages
from mcp_tasks_conformance.engine.trials import Trials
from mcp_tasks_conformance.events import JsonValue

_WANTED: Final[Mapping[str, Ending]] = {"fails-tool-error": Ending.TOOL_ERROR, "fails-rpc-error": Ending.RPC_ERROR}
_SUPPORT: Final[Mapping[str, str]] = {"plain-only": "forbidden", "task-only": "required", "either": "optional"}


@dataclass(frozen=True, slots=True)
class Claimed:
    """A profile that has still to be seen to be right."""

    profile: Profile


async def verified(stages: Stages, claimed: Claimed, facts: Facts) -> Profile:
    """The profile, with what was seen of tools that do not behave as it says."""
    profile = claimed.profile
    otherwise = {}
    watched: dict[Candidate, list[Behaviour]] = {}
    for behaviour in profile.behaviours.values():
        candidate = _candidate(behaviour, facts)
        if candidate is None:
            continue  # the list of tools could not be read, and nobody knows how to call it
        wanted = _SUPPORT.get(behaviour.name, candidate.support)
        if wanted != candidate.support:
            otherwise[behaviour.name] = f"is listed with taskSupport {candidate.support}"
        elif behaviour.name not in UNTOLD:
            watched.setdefault(candidate, []).append(behaviour)
    trials = Trials(stages)
    await trials.try_each(watched)
    for candidate, behaviours in watched.items():
        seen = trials.seen(candidate)
        for behaviour in behaviours:
            instead = _contradiction(behaviour, seen)
            if instead is not None:
                otherwise[behaviour.name] = instead
    told = {name: f"the tool {profile.behaviours[name].tool} {did}" for name, did in otherwise.items()}
    notes = []
    for words in dict.fromkeys(told.values()):
        names = [name for name, did in told.items() if did == words]
        notes.append(f"{_place(profile.behaviours[names[0]])}{words}, which is not {' or '.join(names)}")
    return replace(profile, otherwise=told, notes=(*profile.notes, *notes, *trials.notes()))


def _candidate(behaviour: Behaviour, facts: Facts) -> Candidate | None:
    tool = facts.tool(behaviour.tool)
    if tool is None:
        return None
    arguments = cast("Mapping[str, JsonValue]", behaviour.arguments)
    return replace(candidate_of(tool, facts), arguments=arguments)


def _place(behaviour: Behaviour) -> str:
    return f"{behaviour.place.path}:{behaviour.place.line}: " if behaviour.place is not None else ""


def _contradiction(behaviour: Behaviour, seen: Sighting | None) -> str | None:
    """What a tool was seen to do that cannot be the behaviour; of what is only not seen nothing is held."""
    if seen is None or seen.lost:
        return None
    name = behaviour.name
    if seen.given_up:
        return seen.said
    if name == "task-only":
        return None  # whatever it does, if it does it as a task only
    if name.startswith("asks-"):
        settled = seen.ending is not Ending.OTHER or bool(seen.asks)
        return _asked(seen) if settled and asking_shown(seen.asks) != name else None
    if seen.asks:
        return _asked(seen)
    wanted = _WANTED.get(name, Ending.CONTENT)
    if seen.ending not in (wanted, Ending.OTHER):
        return seen.said
    if name == "structured" and seen.ending is Ending.CONTENT and not seen.structured:
        return "gave no structuredContent"
    return None


def _asked(seen: Sighting) -> str:
    methods = _counted([ask.method for ask in seen.asks])
    return f"asked for {methods}" if methods else f"asked for nothing and {seen.said}"


def _counted(methods: Sequence[str]) -> str:
    return " and ".join(f"{method} {_times(methods.count(method))}" for method in dict.fromkeys(methods))


def _times(number: int) -> str:
    return "once" if number == 1 else f"{number} times"
