"""What a scenario presupposes: as its file says, and as its steps imply."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from mcp_tasks_conformance.catalog.behaviours import BEHAVIOURS
from mcp_tasks_conformance.catalog.model import Argument, Needs, Ref, Step, Template
from mcp_tasks_conformance.catalog.names import Scope
from mcp_tasks_conformance.catalog.problems import Problems, suggestion
from mcp_tasks_conformance.catalog.records import Record
from mcp_tasks_conformance.catalog.source import Value, kind_of
from mcp_tasks_conformance.catalog.templates import Templates, references
from mcp_tasks_conformance.catalog.verbs import VERBS
from mcp_tasks_conformance.catalog.verbs.keys import IDENTITIES

KEYS = (
    "capabilities",
    "lacks",
    "behaviour",
    "transports",
    "identities",
    "connections",
    "sessions",
    "anonymous",
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
        sessions=record.flag("sessions"),
        anonymous=record.flag("anonymous"),
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
        sessions=first.sessions or second.sessions,
        anonymous=first.anonymous or second.anonymous,
        own_process=first.own_process or second.own_process,
        durable=first.durable or second.durable,
        intensity="full" if "full" in (first.intensity, second.intensity) else "normal",
    )


def implied(
    steps: tuple[Step, ...],
    *,
    generation: str,
    hosts: tuple[str, ...],
    main: bool,
    each: Mapping[str, tuple[Template, ...]],
) -> Needs:
    """What the steps of a scenario presuppose by themselves."""
    found = _Implied(dict(each), set(each))
    found.steps(steps)
    task_calls = generation == "v1" and "server" in hosts and "start_task" in found.verbs
    return Needs(
        capabilities=(TASK_CALLS,) if task_calls else (),
        behaviours=tuple(found.behaviours.values()),
        transports=("http",) if found.http else (),
        identities=found.identities,
        connections=max(1, main + found.connections),
        own_process="restart" in found.verbs,
    )


class _Implied:
    """Gathers what steps imply."""

    def __init__(self, values: dict[str, tuple[Template, ...]], parameters: set[str]) -> None:
        self._values = values
        """What names can be, where that is known: parameters, and the items of lists that are written out."""
        self._parameters = parameters
        self.verbs: set[str] = set()
        self.behaviours: dict[str, str | Ref] = {}
        self.http = False
        self.identities = 0
        self.connections = 0

    def steps(self, steps: tuple[Step, ...], rounds: int = 1) -> None:
        for step in steps:
            self._step(step, rounds)

    def _step(self, step: Step, rounds: int) -> None:
        self.verbs.add(step.verb)
        self.http = self.http or "http" in VERBS[step.verb].transports
        self.http = self.http or "session_of" in step.keys or step.keys.get("how") == "end_session"
        if step.verb == "connect":
            self.connections += rounds
            for identity in self._known(step.keys.get("identity")):
                if identity in IDENTITIES:
                    self.identities = max(self.identities, IDENTITIES.index(identity) + 1)
        if step.verb in ("start_task", "call_tool"):
            self._behaviour(step.keys.get("behaviour"))
        for expectation in step.expect:
            self._references(expectation.that, expectation.else_warn, expectation.else_not_applicable)
        if step.verb == "repeat":
            over = step.keys.get("over", step.keys.get("times"))
            rounds *= over if isinstance(over, int) else len(over) if isinstance(over, tuple) else 1
            if isinstance(over, tuple) and isinstance(item := step.keys.get("item"), str):
                self._values[item] = over  # type: ignore[assignment]
        for argument in (step.subject, *step.keys.values()):
            self._argument(argument, rounds)

    def _argument(self, argument: object, rounds: int) -> None:
        if isinstance(argument, Step):
            self._step(argument, rounds)
        elif isinstance(argument, tuple):
            for item in argument:
                self._argument(item, rounds)
        else:
            self._references(argument)

    def _references(self, *templates: object) -> None:
        for template in templates:
            for ref in references(template):
                if ref.name == "behaviours" and ref.path:
                    self._add(str(ref.path[0]))

    def _behaviour(self, argument: Argument) -> None:
        if isinstance(argument, Ref) and argument.name not in self._parameters:
            for value in self._values.get(argument.name, ()):
                self._behaviour(value)
        elif isinstance(argument, str | Ref):
            self._add(argument)

    def _add(self, behaviour: str | Ref) -> None:
        self.behaviours.setdefault(str(behaviour), behaviour)

    def _known(self, argument: Argument) -> tuple[object, ...]:
        """What an argument can be: itself, or the values of the parameter that it refers to."""
        if not isinstance(argument, Ref):
            return (argument,)
        values: tuple[object, ...] = self._values.get(argument.name, ())
        for step in argument.path:
            values = tuple(value[step] for value in values if isinstance(value, Mapping) and step in value)
        return values
