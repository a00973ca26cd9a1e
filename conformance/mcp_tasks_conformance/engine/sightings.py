"""What trial calls showed, and which behaviours that comes to (docs/behaviours.md has the contract of each)."""

from __future__ import annotations

import math
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum, auto
from typing import Final, cast

from mcp_tasks_conformance.catalog.behaviours import BEHAVIOURS
from mcp_tasks_conformance.catalog.model import Behaviour, Profile, Template
from mcp_tasks_conformance.engine.caution import Candidate

SLOW_S: Final = 0.4
"""How long a slow tool works at least."""
_LATE_S: Final = 0.5
_QUICK_S: Final = 0.25
"""Whoever is faster is as good as any other."""
_QUICK_OCTAVES: Final = 2
"""So much slower than that, by doubling, a tool may be to be preferred for its being another."""
MOST_ASKS: Final = 6
"""So often a tool may ask in a trial; one that asks on and on is left alone."""
MANY: Final = 3
"""So many elicitations at once make a tool one that asks many."""
_ELICITATION = "elicitation/create"
_SAMPLING = "sampling/createMessage"


class Ending(Enum):
    """How a trial call ended."""

    CONTENT = auto()
    TOOL_ERROR = auto()
    RPC_ERROR = auto()
    OTHER = auto()
    """In no way that a behaviour asks for, or not at all: ``said`` has the words."""


@dataclass(frozen=True, slots=True)
class Ask:
    """A request that a tool made of us."""

    method: str
    message: str
    open_before: int
    """How many of its requests were open when it came."""


@dataclass(frozen=True, slots=True)
class Sighting:
    """What one trial call showed. Times are in seconds since it was sent."""

    candidate: Candidate
    ending: Ending
    said: str
    """How it ended, in words that continue "the tool ..."."""
    lasted_s: float = 0.0
    working_until_s: float = 0.0
    """When it was last seen at work, or in wait for an answer."""
    answered_s: float = 0.0
    """When the call was answered, with a task where it made one."""
    structured: bool = False
    asks: tuple[Ask, ...] = ()
    progress: tuple[float, ...] = ()
    """When it was reported."""
    logs: int = 0
    made_task: bool = False
    told_plainly: bool = False
    """Whether it was called as a task first, and what is said is of the plain call that followed."""
    given_up: bool = False
    """Whether its task ended as cancelled with no result, although nobody had asked for that."""
    lost: bool = False
    """Whether the target or the connection was lost over it."""
    silent: bool = False
    """Whether the target answered nothing any more, ping neither."""

    @property
    def quiet(self) -> bool:
        """Whether it did nothing but its work."""
        return not self.progress and not self.logs


def in_doubt(seen: Sighting) -> bool:
    """Whether what a tool did in a task may be the task's doing, and a plain call can tell."""
    candidate = seen.candidate
    as_expected = seen.ending is Ending.CONTENT and (seen.structured or not candidate.has_output_schema)
    endless = len(seen.asks) > MOST_ASKS
    return candidate.as_task and candidate.support == "optional" and not as_expected and not endless and not seen.lost


def told_by_both(in_task: Sighting, plainly: Sighting) -> Sighting:
    """What a tool does, where it was called as a task and plainly: what the plain call tells, if it tells anything.

    Of work that succeeds plainly nothing is seen in tasks that are given up, and they are no sign of another tool.
    """
    if plainly.lost or (plainly.ending is Ending.OTHER and not plainly.asks):
        return in_task
    works = plainly.lasted_s
    told = replace(plainly, candidate=in_task.candidate, made_task=in_task.made_task, working_until_s=works)
    told = replace(told, told_plainly=True)
    given_up = in_task.given_up and (plainly.ending is Ending.CONTENT or bool(plainly.asks))
    return replace(told, given_up=True, said=in_task.said, told_plainly=False) if given_up else told


def behaviours_of(seen: Sighting) -> tuple[str, ...]:
    """The behaviours that a tool has shown; those that watching cannot tell are never among them."""
    found = set(_of_ending(seen))
    if seen.candidate.support == "forbidden":
        found &= {"plain-only"}
    else:
        found.discard("plain-only")
    return tuple(name for name in BEHAVIOURS if name in found)


def _of_ending(seen: Sighting) -> Iterator[str]:
    if seen.candidate.support == "required" and seen.ending is not Ending.OTHER:
        yield "task-only"
    if seen.asks:
        asking = asking_shown(seen.asks)
        if seen.ending is Ending.CONTENT and asking is not None:
            yield asking
    elif seen.ending is Ending.TOOL_ERROR:
        yield "fails-tool-error"
    elif seen.ending is Ending.RPC_ERROR:
        yield "fails-rpc-error"
    elif seen.ending is Ending.CONTENT:
        yield "plain-only"
        yield "completes"
        if seen.candidate.support != "required":
            yield "either"
        if seen.structured and seen.candidate.has_output_schema:
            yield "structured"
        if seen.lasted_s >= SLOW_S and (_seen_at_work(seen) or _answered_late(seen)):
            yield "slow"
        if len(seen.progress) > 1 and seen.progress[-1] > seen.progress[0]:
            yield "reports-progress"
        if seen.logs:
            yield "logs"


def _seen_at_work(seen: Sighting) -> bool:
    return seen.working_until_s * 2 >= seen.lasted_s


def _answered_late(seen: Sighting) -> bool:
    """Whether a task was told of only when its work was half over: a slow tool, of a target that should not wait."""
    return seen.made_task and seen.answered_s * 2 >= seen.lasted_s >= _LATE_S


def asking_shown(asks: Sequence[Ask]) -> str | None:
    """The behaviour that such questions are, or none."""
    methods = [ask.method for ask in asks]
    at_once = max((ask.open_before for ask in asks), default=0) + 1
    if methods == [_ELICITATION]:
        return "asks-elicitation"
    if methods == [_SAMPLING]:
        return "asks-sampling"
    if methods == [_ELICITATION] * 2:
        return "asks-twice"
    messages = [ask.message for ask in asks]
    if methods == [_ELICITATION] * MANY and at_once == MANY and messages == sorted(set(messages)):
        return "asks-many"
    return None


def duration_ms(name: str, seen: Sighting) -> int:
    """How long the work may be said to last: a little longer than it did.

    A slow tool must still be at work when half of that is over.
    """
    lasted_ms = seen.lasted_s * 1000
    if name == "slow":
        at_work_ms = max(seen.working_until_s, seen.answered_s) * 1000
        return max(math.ceil(min(lasted_ms * 1.1, at_work_ms * 2)), math.ceil(lasted_ms))
    return math.ceil((lasted_ms * 1.5 + 20) / 10) * 10


def profile_of(sightings: Sequence[Sighting], unseen: Iterable[tuple[str, str]] = ()) -> Profile:
    """The profile that the sightings come to: for each behaviour the best of the tools that showed it."""
    shown = _best(sightings)
    notes: tuple[str, ...] = ()
    if not any(seen.candidate.support != "forbidden" for name, seen in shown.items() if name != "task-only"):
        taken = _taken_on_trust(sightings)
        if taken is not None:
            # A target that breaks every task is not spared by it: what its task tool should do is asked of it.
            kind = "task-only" if taken.candidate.support == "required" else "either"
            shown |= {"completes": taken, kind: taken}
            if not taken.given_up:
                trust = f"{taken.candidate.tool}, which {taken.said}, is used all the same"
                notes = (f"no tool that can be a task succeeded when tried; {trust}",)
    otherwise = {name: f"the tool {seen.candidate.tool} {seen.said}" for name, seen in shown.items() if seen.given_up}
    notes += tuple(dict.fromkeys(otherwise.values()))
    behaviours = {name: _behaviour(name, seen) for name, seen in shown.items()}
    left = {name: why for name, why in unseen if name not in behaviours}
    return Profile("auto", behaviours, unseen=left, notes=notes, otherwise=otherwise)


def _best(sightings: Sequence[Sighting]) -> dict[str, Sighting]:
    """For each behaviour one of the tools that showed it: different ones as far as they go, to tell results apart.

    Those whose results are compared choose first, then whichever has the fewest to choose from; that a tool may be
    called both ways goes with any behaviour.
    """
    able = {name: [seen for seen in sightings if name in behaviours_of(seen)] for name in BEHAVIOURS}
    shown: dict[str, Sighting] = {}
    taken: set[Candidate] = set()
    compared = ("structured", "completes")
    for name in sorted(able, key=lambda name: (name not in compared, name == "either", len(able[name]))):
        if able[name]:
            best = shown[name] = min(able[name], key=lambda seen: _rank(name, seen, taken))
            taken.add(best.candidate)
    return {name: shown[name] for name in BEHAVIOURS if name in shown}


def _taken_on_trust(sightings: Sequence[Sighting]) -> Sighting | None:
    """The tool that comes closest to a task which succeeds, where none was seen to."""
    able = [seen for seen in sightings if seen.candidate.support != "forbidden" and not seen.lost]
    return min(able, key=lambda seen: (not seen.made_task, bool(seen.asks), seen.lasted_s), default=None)


def _rank(name: str, seen: Sighting, taken: Container[Candidate]) -> tuple[bool, bool, bool, bool, bool, bool, int]:
    """Smaller is better; tools of about the same speed stand in their order, so that every run takes the same.

    One that no behaviour has taken yet is better, unless it takes long.
    """
    noisy = not seen.quiet and name not in ("reports-progress", "logs")
    octaves = math.ceil(math.log2(max(seen.lasted_s, _QUICK_S) / _QUICK_S))
    late = name == "slow" and not _seen_at_work(seen)
    odd = name == "task-only" and (bool(seen.asks) or seen.ending is not Ending.CONTENT)
    unfit = not seen.candidate.as_task or seen.given_up
    lengthy, used = octaves > _QUICK_OCTAVES, seen.candidate in taken
    only = seen.candidate.support == "required"
    return (unfit, odd, late or noisy, lengthy, used, only, octaves)


def _behaviour(name: str, seen: Sighting) -> Behaviour:
    arguments = cast("dict[str, Template]", dict(seen.candidate.arguments))
    return Behaviour(name, seen.candidate.tool, arguments, duration_ms(name, seen))
