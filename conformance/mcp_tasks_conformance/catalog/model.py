"""What the library holds once it is loaded: requirements, suites, scenarios, steps. Pure data."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date
from enum import StrEnum
from pathlib import Path
from typing import Literal, TypeAlias


class Level(StrEnum):
    """How strongly the text asks; quality rows are asked by no text."""

    MUST = "MUST"
    MUST_NOT = "MUST NOT"
    SHOULD = "SHOULD"
    SHOULD_NOT = "SHOULD NOT"
    MAY = "MAY"
    QUALITY = "QUALITY"

    @property
    def binding(self) -> bool:
        """Whether a breach is a violation (MUST and MUST NOT)."""
        return self in (Level.MUST, Level.MUST_NOT)


@dataclass(frozen=True, slots=True)
class Place:
    """Where something stands in a file; line and column count from 1."""

    path: Path
    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.path}:{self.line}:{self.column}"


@dataclass(frozen=True, slots=True)
class Requirement:
    """One normative statement, in our own words."""

    id: str
    generation: Literal["v1", "v2", "both"]
    level: Level
    party: Literal["server", "client", "receiver", "requestor", "both"]
    rule: str
    observe: Literal["wire", "timing", "context", "internal", "driver"]
    place: Place
    specification: Literal["base", "v1", "v2", "quality"]
    link: str | None = None
    """The page and anchor that hold the sentence; none for quality rows, which have a source."""
    ambiguity: str | None = None
    why: str | None = None
    source: str | None = None

    @property
    def testable(self) -> bool:
        """Whether any peer can see a breach."""
        return self.observe != "internal"


@dataclass(frozen=True, slots=True)
class Ref:
    """A reference such as ``$job.taskId``: a name and the keys or indices that lead from it."""

    name: str
    path: tuple[str | int, ...]
    place: Place

    def __str__(self) -> str:
        return "$" + ".".join([self.name, *map(_step_text, self.path)])


def _step_text(step: str | int) -> str:
    plain = isinstance(step, int) or not re.search(r'[.\s]|^"|^-?[0-9]+$', step)
    return str(step) if plain else f'"{step}"'


@dataclass(frozen=True, slots=True)
class Matcher:
    """A matcher such as ``{$at_least: 3}``."""

    name: str
    argument: Template
    place: Place


Template: TypeAlias = "None | bool | int | float | str | Ref | Matcher | tuple[Template, ...] | Mapping[str, Template]"
"""JSON in which strings that begin with ``$`` have become references and one-key ``$`` objects matchers."""


@dataclass(frozen=True, slots=True)
class Expectation:
    """What one message is judged on: a template that must match, and what follows where it does not."""

    that: Template
    proves: tuple[str, ...]
    place: Place
    because: str | None = None
    else_warn: Template | None = None
    """A permitted but lesser reading: where ``that`` does not match and this does, the check warns."""
    else_not_applicable: Template | None = None
    """Where this matches instead, the target made a choice that leaves nothing to judge here."""
    has_else_warn: bool = False
    has_else_not_applicable: bool = False


@dataclass(frozen=True, slots=True)
class Step:
    """One thing that happens: a verb with its subject and keys (see verbs for what each takes)."""

    verb: str
    subject: Argument
    keys: Mapping[str, Argument]
    expect: tuple[Expectation, ...]
    proves: tuple[str, ...]
    """The requirements proven by the step as such (all ids of its expectations included)."""
    place: Place
    via: str = "main"
    gives: str | None = None
    """The name that ``as:`` binds."""
    control: str | None = None
    because: str | None = None


Argument: TypeAlias = "Template | Ref | tuple[Step, ...] | tuple[tuple[Step, ...], ...]"


def every_step(steps: Iterable[object]) -> Iterator[Step]:
    """The steps among these things in order, each followed by those within it, in branches too."""
    for step in steps:
        if isinstance(step, Step):
            yield step
            yield from every_step((step.subject, *step.keys.values()))
        elif isinstance(step, tuple):
            yield from every_step(step)


@dataclass(frozen=True, slots=True)
class Needs:
    """What a scenario presupposes; where it is not met the scenario does not apply."""

    capabilities: tuple[str, ...] = ()
    """Dotted capabilities that the party under test declares: ``tasks.cancel``."""
    lacks: tuple[str, ...] = ()
    """Dotted capabilities that it must not declare."""
    behaviours: tuple[str | Ref, ...] = ()
    transports: tuple[str, ...] = ()
    """Any of ``stdio``, ``http``, ``memory``; empty for all."""
    identities: int = 0
    """How many identities (credentials) the run must have."""
    connections: int = 1
    """How many connections to one instance must be possible (stdio has one)."""
    sessions: bool = False
    """Whether the target must tell the sessions of its clients apart."""
    anonymous: bool = False
    """Whether connections without credentials must be let in."""
    own_process: bool = False
    """Whether the harness must have started the target itself."""
    durable: bool = False
    intensity: Literal["normal", "full"] = "normal"


Sharing: TypeAlias = Literal["parallel", "exclusive", "own_process"]


@dataclass(frozen=True, slots=True)
class Scenario:
    """One story with one purpose."""

    id: str
    """The whole id: ``v1/receiver/cancel/terminal-task-refuses``."""
    title: str
    steps: tuple[Step, ...]
    needs: Needs
    place: Place
    generation: Literal["v1", "v2"]
    party: Literal["receiver", "requestor", "server", "client"]
    hosts: tuple[Literal["server", "client"], ...]
    sharing: Sharing
    suite: str
    each: Mapping[str, tuple[Template, ...]] = field(default_factory=dict)
    client: Mapping[str, Template] | Ref = field(default_factory=dict)
    """The capabilities that our side declares on the main connection; empty for the harness's default."""
    main: bool = True
    """Whether the main connection is opened before the first step."""
    listen: bool = True
    """Whether the main connection has a listening stream, over HTTP."""

    @property
    def proves(self) -> tuple[str, ...]:
        """Every requirement that a step of this scenario proves, nested steps included, in order, once."""
        return tuple(dict.fromkeys(requirement for step in every_step(self.steps) for requirement in step.proves))


@dataclass(frozen=True, slots=True)
class Suite:
    """One file of scenarios."""

    id: str
    title: str
    path: Path
    generation: Literal["v1", "v2"]
    party: Literal["receiver", "requestor", "server", "client"]
    scenarios: tuple[Scenario, ...]


@dataclass(frozen=True, slots=True)
class Behaviour:
    """How a profile makes a target show a behaviour: a tool and its arguments."""

    name: str
    tool: str
    arguments: Mapping[str, Template]
    duration_ms: int
    """How long the work lasts; deadlines that wait for its end add this."""
    read: Mapping[str, Template] | None = None
    """For ``counts``: the arguments of the plain call that reads the counter."""
    place: Place | None = field(default=None, compare=False)
    """Where a file says so."""


@dataclass(frozen=True, slots=True)
class Profile:
    """Behaviours mapped to the tools of one target, and the quality rules that it claims."""

    name: str
    behaviours: Mapping[str, Behaviour]
    claims: tuple[str, ...] = ()
    missing: Mapping[str, str] = field(default_factory=dict)
    """Behaviours that this target cannot show, and why."""
    unseen: Mapping[str, str] = field(default_factory=dict)
    """Behaviours that no tool was seen to show where the tools were tried, and what was seen."""
    offers: Mapping[str, str] = field(default_factory=dict)
    """For behaviours that no tool is known for: the line of a profile that would name one."""
    otherwise: Mapping[str, str] = field(default_factory=dict)
    """Behaviours whose tool was seen to do something else, and what."""
    notes: tuple[str, ...] = ()
    """What its user should hear of it: tools that the target does not have, trials that showed something amiss."""


@dataclass(frozen=True, slots=True)
class Waiver:
    """An entry of a baseline: known failures of one requirement, which do not count."""

    requirement: str
    reason: str
    place: Place
    scenarios: tuple[str, ...] = ()
    """Keys, ids or globs as the file has them; empty for every scenario."""
    link: str | None = None
    expires: date | None = None
    """The last day on which it counts."""
    transports: tuple[str, ...] = ()
    """The transports over which it holds; empty for all."""
    sometimes: bool = False
    """Whether it occurs by chance: a run that does not show it says nothing."""
    keys: frozenset[str] = frozenset()
    """The scenario runs of the library that it names; where it names none, those that are to prove the requirement, and
    every one where only monitors judge it."""

    def covers(self, key: str) -> bool:
        """Whether it is about what happens in the scenario run with that key."""
        return not self.scenarios or key in self.keys


@dataclass(frozen=True, slots=True)
class Baseline:
    """The failures of a target that are known."""

    path: Path
    waivers: tuple[Waiver, ...] = ()


@dataclass(frozen=True, slots=True)
class Start:
    """How an implementation is started on one transport."""

    command: tuple[str, ...]
    """Its words; over HTTP ``{port}`` in them and in ``env`` stands for the port."""
    env: Mapping[str, str] = field(default_factory=dict)
    path: str = "/mcp"
    """The path of the endpoint, over HTTP."""


@dataclass(frozen=True, slots=True)
class Manifest:
    """A third-party implementation: what it is, how to install and start it, what to test it with."""

    name: str
    version: str
    language: str
    folder: Path
    """Where commands run and files are found."""
    install: tuple[tuple[str, ...], ...]
    start: Mapping[str, Start]
    """By transport: ``stdio``, ``http``."""
    profile: str
    """A file in the folder, or the name of a built-in profile."""
    files: tuple[Path, ...] = ()
    """Files of other folders that it is installed with."""
    baseline: Path | None = None
    jobs: int | None = None
    """How many scenarios may run at once; none for the harness's own choice."""
    fresh: bool = False
    """Whether each scenario gets an instance of its own."""
    durable: bool = False
    """Whether tasks outlive the process."""
    identities: Mapping[str, str] = field(default_factory=dict)
    """By name the header that it knows a requestor by over HTTP: ``Authorization: Bearer alice``."""
    notes: str | None = None

    @property
    def transports(self) -> tuple[str, ...]:
        """The transports it can be started on."""
        return tuple(self.start)
