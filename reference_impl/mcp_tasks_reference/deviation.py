"""Servers that differ from the sound one: broken ones, and permitted ones that a careless suite would fail."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import ModuleType
from typing import TypeVar

_MARK = "__fault__"

Mixin = TypeVar("Mixin", bound=type)


@dataclass(frozen=True, slots=True)
class Fault:
    """One way to be wrong: a mixin that overrides a method of a component."""

    name: str
    requirements: tuple[str, ...]
    """What it is about: a judge without faults of its own finds these broken."""
    sentence: str
    mixin: type
    consequences: tuple[str, ...] = ()
    """Further requirements that it breaks in truth."""
    unseen: tuple[str, ...] = ()
    """Requirements of which nothing can be seen on it, so that a judge who finds them satisfied has been fooled."""
    transports: tuple[str, ...] | None = None
    """Where it shows; everywhere unless said."""
    settings: Mapping[str, object] = field(default_factory=dict)
    generation: str = "v1"


@dataclass(frozen=True, slots=True)
class Variant:
    """One freedom that the specification leaves, taken."""

    name: str
    sentence: str
    settings: Mapping[str, object] = field(default_factory=dict)
    mixins: tuple[type, ...] = ()
    consequences: tuple[str, ...] = ()
    """What it costs of what no text demands: ids of quality rows."""
    transports: tuple[str, ...] | None = None
    generation: str = "v1"


def broken(
    name: str,
    *requirements: str,
    says: str,
    also: Sequence[str] = (),
    unseen: Sequence[str] = (),
    only: Sequence[str] | None = None,
    **settings: object,
) -> Callable[[Mixin], Mixin]:
    """Make a mixin a fault.

    Args:
        name: What it is asked for by.
        requirements: Ids of the requirements it is about.
        says: What the server does, in a sentence.
        also: Ids of further requirements that it breaks in truth.
        unseen: Ids of requirements of which nothing can be seen on it.
        only: The transports on which it shows, where not all.
        settings: Settings that the fault needs.
    """

    def attach(mixin: Mixin) -> Mixin:
        transports = None if only is None else tuple(only)
        fault = Fault(name, requirements, says, mixin, tuple(also), tuple(unseen), transports, settings)
        setattr(mixin, _MARK, fault)
        return mixin

    return attach


def faults_in(module: ModuleType) -> list[Fault]:
    """The faults of a module, in the order they stand in."""
    values = [vars(value).get(_MARK) for value in vars(module).values() if isinstance(value, type)]
    return [value for value in values if isinstance(value, Fault)]
