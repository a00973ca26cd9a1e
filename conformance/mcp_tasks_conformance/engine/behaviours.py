"""Which behaviours of a profile a target can show, by the tools that it lists."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from mcp_tasks_conformance.catalog.behaviours import BEHAVIOURS
from mcp_tasks_conformance.catalog.model import Behaviour, Profile
from mcp_tasks_conformance.catalog.problems import suggestion
from mcp_tasks_conformance.catalog.profile_layout import example, profile_line
from mcp_tasks_conformance.engine.discovery import Facts
from mcp_tasks_conformance.events import JsonValue
from mcp_tasks_conformance.targets.errors import UnreachableTarget

NAMES_NONE = "the profile names no tool for it"


def not_shown(profile: Profile) -> list[JsonValue]:
    """The behaviours that no tool is known for: why, and the line of a profile that would name one."""
    return [
        {
            "behaviour": name,
            "reason": profile.missing.get(name) or profile.unseen.get(name, NAMES_NONE),
            "line": profile.offers.get(name, profile_line(example(name))),
        }
        for name in BEHAVIOURS
        if name not in profile.behaviours
    ]


def present(profile: Profile, facts: Facts) -> Profile:
    """A profile without the behaviours whose tool the target does not list; its notes tell of those.

    Where the list of tools could not be read, the profile is believed.

    Raises:
        UnreachableTarget: the target has none of the tools.
    """
    if facts.problem is not None:
        note = f"the profile {profile.name} is believed as it is: {facts.problem}"
        return replace(profile, notes=(*profile.notes, note))
    names = [str(tool["name"]) for tool in facts.tools]
    there = {name: behaviour for name, behaviour in profile.behaviours.items() if behaviour.tool in names}
    gone = {name: behaviour for name, behaviour in profile.behaviours.items() if behaviour.tool not in names}
    notes = tuple(_absences(gone, names))
    if gone and not there:
        listed = f"the target lists {len(names)}" + (f": {', '.join(names[:5])}" if names else "")
        more = ", ..." if len(names) > 5 else ""
        raise UnreachableTarget(f"none of the tools of the profile {profile.name} is there; {listed}{more}", notes[0])
    missing = {name: f"the target has no tool {behaviour.tool}" for name, behaviour in gone.items()}
    return replace(profile, behaviours=there, missing={**profile.missing, **missing}, notes=(*profile.notes, *notes))


def _absences(gone: dict[str, Behaviour], names: list[str]) -> Iterator[str]:
    """A line for each tool that is not there: where the profile names it, and what it takes away."""
    for tool in dict.fromkeys(behaviour.tool for behaviour in gone.values()):
        of_it = [behaviour for behaviour in gone.values() if behaviour.tool == tool]
        place = of_it[0].place
        where = f"{place.path}:{place.line}: " if place is not None else ""
        near = suggestion(tool, names, [])
        lost = ", ".join(behaviour.name for behaviour in of_it)
        yield f"{where}the target has no tool {tool}{f' ({near})' if near else ''}; not exercised for that: {lost}"
