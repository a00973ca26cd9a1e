"""What a scenario presupposes: as its file says, and as its steps imply."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from mcp_tasks_conformance.catalog.behaviours import BEHAVIOURS
from mcp_tasks_conformance.catalog.model import Argument, Matcher, Needs, Ref, Step, Template
from mcp_tasks_conformance.catalog.names import Scope
from mcp_tasks_conformance.catalog.problems import Problems, suggestion
from mcp_tasks_conformance.catalog.records import Record
from mcp_tasks_conformance.catalog.source import Value, kind_of
from mcp_tasks_conformance.catalog.templates import Templates
from mcp_tasks_conformance.catalog.verbs import IDENTITIES, VERBS

KEYS = (
    "capabilities",
    "lacks",
    "behaviour",
    "transports",
    "identities",
    "connections",
    "own_process",
    "durable",
    "intensity",
)
TRANSPORTS = ("stdio", "http", "memory")
INTENSITIES: tuple[Literal["normal", "full"], ...] = ("normal", "full")
TASK_CALLS = "tasks.requests.tools.call"
"""The capability without which start_task cannot be asked of a v1 server."""


def read_needs(value: Value, scope: Scope, templates: Templates, problems: Problems) -> Needs:
    """Read a ``needs`` mapping.

    Args:
        value: the mapping.
        scope: the parameters that a behaviour may refer to.
        templates: reads references.
        problems: where problems go.
    """
    record = Record(value, "`needs`", problems, KEYS)
    behaviours = (_behaviour(item, scope, templates, problems) for item in record.one_or_more("behaviour"))
    return Needs(
        capabilities=_dotted(record, "capabilities"),
        lacks=_dotted(record, "lacks"),
        behaviours=tuple(behaviour for behaviour in behaviours if behaviour is not None),
        transports=record.choices("transports", TRANSPORTS),
        identities=record.count("identities", default=0),
        connections=record.count("connections", default=1, least=1),
        own_process=record.flag("own_process"),
        durable=record.flag("durable"),
        intensity=record.choice("intensity", INTENSITIES, INTENSITIES[0]),
    )


def _dotted(record: Record, name: str) -> tuple[str, ...]:
    read = record.texts(name)
    for item in record.one_or_more(name) if name in record else ():
        if isinstance(item.data, str) and (item.data.startswith("$") or not all(item.data.split("."))):
            record.problems.add(item.place, f"{kind_of(item)} is no dotted capability", "as in `tasks.cancel`")
    return read


def _behaviour(value: Value, scope: Scope, templates: Templates, problems: Problems) -> str | Ref | None:
    ref = templates.reference(value, scope)
    names: tuple[Template, ...] | None = (ref,) if ref is None else scope.values_of(ref)
    if ref is None:
        names = (value.data,) if isinstance(value.data, str) else None
    if names is None:
        if ref is None or ref.name in scope:
            hint = "write it out, or take it from a parameter"
            problems.add(value.place, f"`behaviour` is the name of a behaviour, not {kind_of(value)}", hint)
        return None
    for name in names:
        if name not in BEHAVIOURS:
            problems.add(value.place, f"unknown behaviour `{name}`", suggestion(name, BEHAVIOURS))
    return ref or str(value.data)


def joined(first: Needs, second: Needs) -> Needs | None:
    """The needs of both; none where no transport would do for both."""
    transports = first.transports or second.transports
    if first.transports and second.transports:
        transports = tuple(name for name in first.transports if name in second.transports)
        if not transports:
            return None
    behaviours = {str(behaviour): behaviour for behaviour in (*second.behaviours, *first.behaviours)}
    return Needs(
        capabilities=tuple(dict.fromkeys((*first.capabilities, *second.capabilities))),
        lacks=tuple(dict.fromkeys((*first.lacks, *second.lacks))),
        behaviours=tuple(behaviours.values()),
        transports=transports,
        identities=max(first.identities, second.identities),
        connections=max(first.connections, second.connections),
        own_process=first.own_process or second.own_process,
        durable=first.durable or second.durable,
        intensity="full" if "full" in (first.intensity, second.intensity) else "normal",
    )
