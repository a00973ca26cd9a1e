"""Which tools of a target show which behaviours, where no profile says so."""

from __future__ import annotations

from collections.abc import Mapping

from mcp_tasks_conformance.catalog.model import Behaviour, Profile
from mcp_tasks_conformance.engine.discovery import Facts
from mcp_tasks_conformance.events import JsonValue
from mcp_tasks_conformance.peers.answers import sample

_UNKNOWN_DURATION_MS = 5_000
"""How long an unknown tool may work before we wonder."""


def present(profile: Profile, facts: Facts) -> Profile:
    """A profile without the behaviours whose tool the target does not have."""
    names = [tool.get("name") for tool in facts.tools]
    there = {name: behaviour for name, behaviour in profile.behaviours.items() if behaviour.tool in names}
    gone = {
        name: f"the target has no tool {behaviour.tool}"
        for name, behaviour in profile.behaviours.items()
        if behaviour.tool not in names
    }
    return Profile(profile.name, there, profile.claims, {**profile.missing, **gone})


def guess(facts: Facts, *, loopback: bool) -> Profile:
    """A profile from what tools/list says of each tool: its task support, its annotations and its inputSchema.

    A tool annotated destructive is never used; on a target that is not on this machine, only one that is annotated
    read-only or not destructive.
    """
    behaviours: dict[str, Behaviour] = {}
    for tool in facts.tools:
        name = tool.get("name")
        if not isinstance(name, str) or not _harmless(tool, loopback=loopback):
            continue
        arguments = sample(tool.get("inputSchema"))
        if not isinstance(arguments, Mapping):
            arguments = {}
        for behaviour in _shown(tool):
            behaviours.setdefault(behaviour, _behaviour(behaviour, name, arguments))
    return Profile("auto", behaviours)


def _behaviour(name: str, tool: str, arguments: Mapping[str, JsonValue]) -> Behaviour:
    return Behaviour(name, tool, dict(arguments), _UNKNOWN_DURATION_MS)  # type: ignore[arg-type]


def _harmless(tool: Mapping[str, JsonValue], *, loopback: bool) -> bool:
    annotations = tool.get("annotations")
    hints = annotations if isinstance(annotations, Mapping) else {}
    if hints.get("readOnlyHint") is True:
        return True
    if hints.get("destructiveHint") is True:
        return False
    return loopback or hints.get("destructiveHint") is False


def _shown(tool: Mapping[str, JsonValue]) -> tuple[str, ...]:
    execution = tool.get("execution")
    support = execution.get("taskSupport") if isinstance(execution, Mapping) else None
    if support == "required":
        return ("task-only", "completes")
    if support == "optional":
        return ("either", "completes")
    return ("plain-only",)
