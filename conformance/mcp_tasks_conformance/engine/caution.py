"""Which tools of an unknown target may be tried, and how: decided before anything is called."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias

from mcp_tasks_conformance.engine.discovery import Facts
from mcp_tasks_conformance.engine.tool_arguments import arguments_for
from mcp_tasks_conformance.events import JsonValue

MOST_TASK_TOOLS: Final = 24
"""So many tools that can be tasks are tried at most; a server may have a thousand."""
MOST_PLAIN_TOOLS: Final = 4
"""So many ordinary tools are tried at most, one after another until one works: they show one behaviour alone."""

DESTRUCTIVE: Final = "annotated destructive (--try-tools or a profile has it tried)"
"""Why a tool is neither tried unasked nor named in a line that is offered for a profile."""

Support: TypeAlias = Literal["required", "optional", "forbidden"]


@dataclass(frozen=True, slots=True)
class Candidate:
    """A tool that may be tried, and its arguments."""

    tool: str
    arguments: Mapping[str, JsonValue] = field(hash=False)
    support: Support
    as_task: bool
    """Whether it is called as a task: it can be one, and the target serves tool calls as tasks."""
    has_output_schema: bool = False


@dataclass(frozen=True, slots=True)
class Spared:
    """A tool that is not tried, and why."""

    candidate: Candidate
    why: str


@dataclass(frozen=True, slots=True)
class TrialPlan:
    """What to try of a target for which no profile was given."""

    as_tasks: tuple[Candidate, ...]
    """Those that can be tasks, the ones that must be first."""
    plainly: tuple[Candidate, ...]
    """Ordinary ones, of which one that works is enough."""
    spared: tuple[Spared, ...] = ()


def trial_plan(facts: Facts, *, on_this_machine: bool, try_tools: bool = False) -> TrialPlan:
    """Which tools to try.

    Unless the user says otherwise, none is that is annotated destructive, and on a target that is not on this machine
    only one that is annotated harmless. With the user's word any may be, those annotated destructive after all others.

    Args:
        facts: what the target says of itself.
        on_this_machine: whether a trial troubles nobody else.
        try_tools: whether the user lets us try them whatever is said of them.
    """
    ready: list[Candidate] = []
    destructive: list[Candidate] = []
    spared: list[Spared] = []
    for tool in facts.tools:
        candidate = candidate_of(tool, facts)
        objection = _objection(tool, on_this_machine=on_this_machine)
        if objection == DESTRUCTIVE and try_tools:
            destructive.append(candidate)
        elif objection is None or try_tools:
            ready.append(candidate)
        else:
            spared.append(Spared(candidate, objection))
    ready.sort(key=lambda candidate: candidate.support != "required")
    ready += sorted(destructive, key=lambda candidate: candidate.support != "required")
    of_tasks = [candidate for candidate in ready if candidate.support != "forbidden"]
    plain = [candidate for candidate in ready if candidate.support == "forbidden"]
    spared += _beyond(of_tasks, MOST_TASK_TOOLS, "tools that can be tasks")
    spared += _beyond(plain, MOST_PLAIN_TOOLS, "ordinary tools")
    return TrialPlan(tuple(of_tasks[:MOST_TASK_TOOLS]), tuple(plain[:MOST_PLAIN_TOOLS]), tuple(spared))


def _beyond(candidates: Sequence[Candidate], most: int, what: str) -> Iterable[Spared]:
    return [Spared(candidate, f"no more than {most} {what} are tried") for candidate in candidates[most:]]


def candidate_of(tool: Mapping[str, JsonValue], facts: Facts) -> Candidate:
    """How a tool of the list is called, as a task where it can be one and the target serves tool calls as tasks."""
    execution = tool.get("execution")
    said = execution.get("taskSupport") if isinstance(execution, Mapping) else None
    support: Support = "required" if said == "required" else "optional" if said == "optional" else "forbidden"
    return Candidate(
        tool=str(tool["name"]),
        arguments=arguments_for(tool.get("inputSchema")),
        support=support,
        as_task=support != "forbidden" and facts.declares("tasks.requests.tools.call"),
        has_output_schema=isinstance(tool.get("outputSchema"), Mapping),
    )


def _objection(tool: Mapping[str, JsonValue], *, on_this_machine: bool) -> str | None:
    annotations = tool.get("annotations")
    hints = annotations if isinstance(annotations, Mapping) else {}
    if hints.get("readOnlyHint") is True:  # the other hint means nothing then
        return None
    if hints.get("destructiveHint") is True:
        return DESTRUCTIVE
    if hints.get("destructiveHint") is False or on_this_machine:
        return None
    return "not annotated harmless, and the target is not on this machine (--try-tools or a profile has it tried)"
