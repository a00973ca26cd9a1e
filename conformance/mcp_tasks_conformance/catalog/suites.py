"""Suite files: the scenarios of one subject, read and linked to the requirements that they prove."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Literal, get_args

from mcp_tasks_conformance.catalog.judgements import Ground
from mcp_tasks_conformance.catalog.model import Needs, Ref, Requirement, Scenario, Sharing, Suite, Template
from mcp_tasks_conformance.catalog.names import BUILT_IN_NAMES, Scope
from mcp_tasks_conformance.catalog.needs import implied, joined, read_needs
from mcp_tasks_conformance.catalog.problems import Problems
from mcp_tasks_conformance.catalog.records import Record
from mcp_tasks_conformance.catalog.source import Value, kind_of
from mcp_tasks_conformance.catalog.steps import Steps
from mcp_tasks_conformance.catalog.templates import references

Generation = Literal["v1", "v2"]
Party = Literal["receiver", "requestor", "server", "client"]
Host = Literal["server", "client"]

GENERATIONS: tuple[Generation, ...] = get_args(Generation)
HOSTS: tuple[Host, ...] = get_args(Host)
PARTIES: Mapping[str, tuple[Party, ...]] = {"v1": ("receiver", "requestor"), "v2": ("server", "client")}
"""Each generation's own words for who is under test."""
SHARING: tuple[Sharing, ...] = get_args(Sharing)

SUITE_KEYS = ("suite", "generation", "party", "title", "scenarios", "hosts", "needs", "sharing", "client")
SUITE_REQUIRED = SUITE_KEYS[:5]
SCENARIO_KEYS = ("id", "title", "steps", "needs", "sharing", "client", "each", "main", "listen")
SCENARIO_REQUIRED = SCENARIO_KEYS[:3]

KEBAB = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")


@dataclass(frozen=True, slots=True)
class Shelf:
    """What suites are linked to."""

    requirements: Mapping[str, Requirement]
    schemas: Collection[str]


@dataclass(frozen=True, slots=True)
class _Head:
    """What holds for all scenarios of a suite."""

    id: str
    generation: Generation
    party: Party
    hosts: tuple[Host, ...]
    needs: Needs
    sharing: Sharing
    client: Mapping[str, Template] | Ref


def read_suite(document: Value, shelf: Shelf, problems: Problems) -> Suite:
    """Read a suite; problems are noted, and what they leave of it is of no use."""
    file = Record(document, "a suite", problems, SUITE_KEYS, SUITE_REQUIRED)
    generation = file.choice("generation", GENERATIONS, "v1")
    parties = PARTIES[generation]
    party = file.choice("party", parties, parties[0])
    hosts = _hosts(file, party)
    known_generation, known_party = file.holds("generation", generation), file.holds("party", party)
    ground = Ground(
        generation=generation if known_generation else "",
        party=party if known_generation and known_party else "",
        hosts=hosts if known_generation and known_party else (),
        requirements=shelf.requirements,
        schemas=shelf.schemas,
    )
    steps = Steps(ground, problems)
    nothing = Scope(problems)
    needs = file.value("needs")
    head = _Head(
        id=_kebab(file, "suite"),
        generation=generation,
        party=party,
        hosts=hosts,
        needs=read_needs(needs, nothing, steps.templates, problems) if needs else Needs(),
        sharing=file.choice("sharing", SHARING, "parallel"),
        client=_client(file, nothing, steps),
    )
    return Suite(
        id=f"{generation}/{party}/{head.id}",
        title=file.text("title"),
        path=document.place.path,
        generation=generation,
        party=party,
        scenarios=tuple(_Reading(head, value, steps, problems).scenario() for value in file.items("scenarios")),
    )


def _hosts(file: Record, party: Party) -> tuple[Host, ...]:
    own: tuple[Host, ...] = HOSTS if party not in HOSTS else ("server",) if party == "server" else ("client",)
    if "hosts" not in file:
        return own
    hosts = file.choices("hosts", HOSTS)
    for host in hosts:
        if host not in own:
            file.problems.add(file.place_of("hosts"), f"the party is the {party}, so `{host}` cannot host it")
    if len(set(hosts)) != len(hosts):
        file.problems.add(file.place_of("hosts"), "`hosts` names one twice")
    return hosts or own


def _kebab(record: Record, name: str) -> str:
    read = record.text(name)
    if read and not KEBAB.fullmatch(read):
        record.problems.add(record.place_of(name), f"`{read}` is no id", "lower-case words joined by hyphens")
    return read


def _client(record: Record, scope: Scope, steps: Steps) -> Mapping[str, Template] | Ref:
    value = record.value("client")
    if value is None:
        return {}
    if value.data == {}:
        hint = "to declare none: `main: false` and a first step `connect: main` with `capabilities: {}`"
        record.problems.add(value.place, "an empty `client` declares nothing of its own", hint)
    template = steps.templates.stimulus(value, scope)
    for ref in references(template):
        if ref.name in BUILT_IN_NAMES:
            record.problems.add(ref.place, f"`client` refers to parameters only, not to `{ref}`")
    values = scope.values_of(template) if isinstance(template, Ref) else (template,)
    for one in values or ():
        if not isinstance(one, Mapping):
            shown = kind_of(value) if one is template else f"the value {one!r} of {template}"
            record.problems.add(value.place, f"`client` is a mapping of capabilities, not {shown}")
    return template if isinstance(template, Mapping | Ref) else {}


class _Reading:
    """One scenario on its way from the file."""

    def __init__(self, head: _Head, value: Value, steps: Steps, problems: Problems) -> None:
        self._head = head
        self._steps = steps
        self._problems = problems
        self._record = Record(value, "a scenario", problems, SCENARIO_KEYS, SCENARIO_REQUIRED)
        self._scope = Scope(problems)

    def scenario(self) -> Scenario:
        record, head = self._record, self._head
        each = self._each()
        main = record.flag("main", default=True)
        client = _client(record, self._scope, self._steps) or head.client
        if main:
            self._scope.open("main", record.place)
        elif "client" in record:
            place = record.place_of("client")
            self._problems.add(place, "`client` is for the main connection, which `main: false` leaves closed")
        listen = record.flag("listen", default=True)
        if not main and "listen" in record:
            place = record.place_of("listen")
            self._problems.add(place, "`listen` is for the main connection, which `main: false` leaves closed")
        needs = record.value("needs")
        own = read_needs(needs, self._scope, self._steps.templates, self._problems) if needs else Needs()
        listed = record.value("steps")
        steps = self._steps.read(listed, "`steps`", self._scope) if listed else ()
        for name, place in self._scope.unused().items():
            self._problems.add(place, f"no step uses the parameter `{name}`", "every round would be the same")
        implies = implied(steps, generation=head.generation, hosts=head.hosts, main=main, each=each)
        sharing = record.choice("sharing", SHARING, head.sharing)
        if implies.own_process and sharing != "own_process":
            hint = "it is the process of others too"
            self._problems.add(record.place, "a scenario with `restart` has `sharing: own_process`", hint)
        return Scenario(
            id=f"{head.generation}/{head.party}/{head.id}/{_kebab(record, 'id')}",
            title=record.text("title"),
            steps=steps,
            needs=self._needs(own, implies),
            place=record.place,
            generation=head.generation,
            party=head.party,
            hosts=head.hosts,
            sharing=sharing,
            suite=f"{head.generation}/{head.party}/{head.id}",
            each=each,
            client=client,
            main=main,
            listen=listen,
        )

    def _needs(self, own: Needs, from_steps: Needs) -> Needs:
        place = self._record.place_of("needs")
        stated = joined(self._head.needs, own)
        if stated is None:
            self._problems.add(place, "no transport meets the needs of suite and scenario both")
            return own
        whole = joined(stated, from_steps)
        if whole is None:
            self._problems.add(place, "the steps need HTTP, which `transports` rules out")
            return stated
        for name in whole.capabilities:
            if name in whole.lacks:
                self._problems.add(place, f"the scenario needs the capability `{name}` and needs it to be absent")
        return whole

    def _each(self) -> dict[str, tuple[Template, ...]]:
        parameters: dict[str, tuple[Template, ...]] = {}
        for name, member in self._record.members("each"):
            listed = member.value
            if listed.data == ():
                self._problems.add(listed.place, f"the parameter `{name}` has no values")
                continue
            if not isinstance(listed.data, tuple):
                self._problems.add(listed.place, f"the parameter `{name}` has a list of values, not {kind_of(listed)}")
                continue
            values = tuple(self._value(item) for item in listed.data)
            self._check_labels(name, listed.data, values)
            parameters[name] = values
        for name, member in self._record.members("each"):
            if self._scope.name(Value(name, member.place)) is not None:
                self._scope.bind(name, member.place, "each", parameters.get(name))
        return parameters

    def _value(self, written: Value) -> Template:
        """A parameter's value: it is known, and the same, before anything runs."""
        value = self._steps.templates.stimulus(written, Scope(self._problems))
        for ref in references(value):
            if ref.name in BUILT_IN_NAMES:
                self._problems.add(ref.place, f"a parameter's value is written out, not taken from `{ref}`")
        return value

    def _check_labels(self, name: str, written: tuple[Value, ...], values: tuple[Template, ...]) -> None:
        """Every run's key tells its values apart."""
        seen: set[str] = set()
        for item, value in zip(written, values, strict=True):
            found = label(value)
            if found is None:
                hint = "a number, text, true, false or null; or a mapping with a `name`"
                self._problems.add(item.place, f"this value of `{name}` has no name for the run's key", hint)
            elif found in seen:
                self._problems.add(item.place, f"two values of `{name}` are called `{found}`")
            else:
                seen.add(found)


def label(value: Template) -> str | None:
    """How a parameter's value is called in the key of a run: ``[ending=completes]``."""
    if isinstance(value, Mapping):
        name = value.get("name")
        return name if isinstance(name, str) and name else None
    if isinstance(value, str):
        return value or None
    if isinstance(value, bool):
        return str(value).lower()
    if value is None:
        return "null"
    return str(value) if isinstance(value, int | float) else None
