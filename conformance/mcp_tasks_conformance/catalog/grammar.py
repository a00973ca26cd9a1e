"""The grammar of a step: what may stand in its places, and how a verb says what it takes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from mcp_tasks_conformance.catalog.offers import ANY, Offer


class Kind(StrEnum):
    """What may stand in a place of a step."""

    METHOD = "method"
    """A method name, or a reference to one."""
    NAME = "name"
    """A new name to bind: lower-case words joined by underscores."""
    CONNECTION = "connection"
    """The name of a connection: ``main`` or one that an earlier ``connect`` made (``connect`` itself makes it)."""
    REF = "reference"
    TEXT = "text"
    FLAG = "flag"
    MS = "milliseconds"
    COUNT = "count"
    STIMULUS = "stimulus"
    """JSON that we send: references, no matchers."""
    PATTERN = "pattern"
    """JSON that must match: references and matchers."""
    VALUES = "values"
    """A list of stimulus values, or one reference to a list."""
    PATHS = "paths"
    """A list of dotted paths, ``result.task.ttl``."""
    BINDINGS = "bindings"
    """New names, each with a stimulus template: ``{ids: $job.taskId}``."""
    STEPS = "steps"
    BRANCHES = "branches"
    """A list of lists of steps."""


@dataclass(frozen=True, slots=True)
class Key:
    """One key of a verb."""

    kind: Kind
    meaning: str
    required: bool = False
    choices: tuple[str, ...] = ()
    """The only texts that may stand here; a reference may too."""
    many: bool = False
    """Whether a list of the choices may stand here as well."""
    of: str | None = None
    """For a reference: the verb that must have given what it names."""
    task: bool = False
    """For a reference: whether it names a task, by what holds its taskId or by that itself."""
    whole: bool = False
    """For a reference: whether it names all that a step gave, and no part of it."""
    known: bool = False
    """Whether it must be known before the run: written out, or a parameter."""
    beside: str | None = None
    """The key without which this one means nothing."""


@dataclass(frozen=True, slots=True)
class Group:
    """Keys of a verb of which only so many may be there at once."""

    keys: tuple[str, ...]
    at_least: int = 0
    at_most: int = 1


@dataclass(frozen=True, slots=True)
class Verb:
    """One verb. With a subject, its keys stand beside it in the step; a record verb has them all in its mapping."""

    name: str
    meaning: str
    subject: Key | None = None
    keys: Mapping[str, Key] = field(default_factory=dict)
    judges: bool = True
    """Whether ``expect`` or ``proves`` may stand on it."""
    judged_by_itself: bool = False
    """Whether ``proves`` without ``expect`` is a check: the verb's own condition is what is judged."""
    gives: str | None = None
    """What ``as`` binds, in words; none where nothing can be bound."""
    offers: Offer = ANY
    """What references find in it."""
    members: tuple[str, ...] | None = None
    """The members of what ``expect`` is matched with; empty where any may be; none where there is nothing to match."""
    groups: tuple[Group, ...] = ()
    must_bind: bool = False
    generations: tuple[str, ...] = ("v1", "v2")
    sides: tuple[str, ...] = ("server", "client")
    """Which hosts of the party under test it can be used against."""
    transports: tuple[str, ...] = ()
    """The transports that it needs; empty for any."""
    on_connection: bool = True
    """Whether it happens on a connection, so that ``via`` means something."""
