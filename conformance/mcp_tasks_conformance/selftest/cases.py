"""What the suite is tried on: the sound reference and its faults, variants and husks, as the reference lists them."""

from __future__ import annotations

import importlib
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import Any, Literal

from mcp_tasks_conformance.catalog import library as shelves
from mcp_tasks_conformance.targets.bundled import PACKAGE

Kind = Literal["sound", "fault", "variant", "husk"]
RESTART = "quality.restart-survival"
TransportName = Literal["memory", "http", "stdio"]
TRANSPORTS: tuple[TransportName, ...] = ("memory", "http", "stdio")


@dataclass(frozen=True, slots=True)
class Case:
    """One way of being of the reference, over one transport."""

    kind: Kind
    name: str
    transport: TransportName
    sentence: str
    violates: tuple[str, ...] = ()
    """The requirements that a fault breaks."""
    consequences: tuple[str, ...] = ()
    """Further requirements that it truly breaks, or that a variant may be warned of."""

    unseen: tuple[str, ...] = ()
    """Requirements of which nothing can be seen on a fault, so that none is to be found satisfied."""

    thorough: bool = False
    """Whether load and hostile input are tried although no requirement at issue needs them."""

    durable: bool = False
    """Whether the reference keeps its tasks in a file and is restarted; over stdio nothing else is tried then."""

    @property
    def key(self) -> str:
        """The case in one word: ``fault/cancel-forgets (http)``."""
        return f"{self.kind}/{self.name} ({self.transport})"

    @property
    def options(self) -> tuple[str, ...]:
        """What stands on the reference's command line."""
        return () if self.kind == "sound" else (f"--{self.kind}", self.name)


def cases(
    *,
    pattern: str | None = None,
    full: bool = False,
    transports: Collection[str] = TRANSPORTS,
    generation: str | None = None,
    turn: int | None = None,
) -> tuple[Case, ...]:
    """The cases of a selftest.

    In memory all of them that show there; over HTTP and stdio the sound reference, every variant and husk, a tenth of
    the faults (``full``: all) and each fault that shows only there, all but the sound one with a share of the library.
    ``pattern`` keeps the cases that it names and nothing else, ``transports`` those over these, ``generation`` those
    of this one. Whose turn it is among the tenths changes with the library.
    """
    turn = int(shelves.digest()[:8], 16) if turn is None else turn
    rows = importlib.import_module(f"{PACKAGE}.catalog").describe()
    described = [row for row in rows if generation in (None, row["generation"])]
    listed: list[Case] = []
    for place, transport in enumerate(TRANSPORTS):
        if transport not in transports:
            continue
        listed += sound(transport)
        tenth = None if full or pattern is not None else turn + place
        listed += _over(transport, described, full=full, tenth=tenth)
    if pattern is not None:
        listed = [case for case in listed if fnmatchcase(case.name, pattern)]
    return tuple(listed)


def sound(transport: TransportName) -> tuple[Case, ...]:
    """The reference as it is, with everything tried on it.

    Over stdio every process takes over the tasks of a store, so what needs one is a case of its own.
    """
    as_it_is = Case("sound", "reference", transport, "the reference as it is", thorough=True)
    if transport == "memory":
        return (as_it_is,)
    if transport == "http":
        return (replace(as_it_is, durable=True),)
    return as_it_is, replace(as_it_is, name="reference-with-store", durable=True)


def _over(
    transport: TransportName, described: Iterable[Mapping[str, Any]], *, full: bool, tenth: int | None
) -> list[Case]:
    found: list[Case] = []
    for position, row in enumerate(described):
        shows: list[str] | None = row["transports"]
        if shows is not None and transport not in shows:
            continue
        at_home = transport == "memory" or (shows is not None and "memory" not in shows)
        if row["kind"] == "fault" and tenth is not None and not at_home and (position - tenth) % 10:
            continue
        found.append(
            Case(
                row["kind"],
                row["name"],
                transport,
                row["sentence"],
                tuple(row["requirements"]),
                tuple(row["consequences"]),
                tuple(row["unseen"]),
                durable=transport != "memory" and RESTART in row["requirements"],
                thorough=full or (row["kind"] == "variant" and transport == "memory"),
            )
        )
    return found
