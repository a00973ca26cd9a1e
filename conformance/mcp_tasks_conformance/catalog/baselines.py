"""Baselines: the failures of a target that are known, each with its reason."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from datetime import date
from pathlib import Path

from mcp_tasks_conformance.catalog import source
from mcp_tasks_conformance.catalog.model import Baseline, Scenario, Waiver
from mcp_tasks_conformance.catalog.problems import Problems, suggestion
from mcp_tasks_conformance.catalog.records import Record, text
from mcp_tasks_conformance.catalog.runs import keys_of
from mcp_tasks_conformance.catalog.source import Value, kind_of

ENTRY_KEYS = ("scenarios", "reason", "link", "expires", "transports", "sometimes")
TRANSPORTS = ("stdio", "http", "memory")
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_ADDRESS = re.compile(r"https?://[^\s<>\"]+")


class Shelf:
    """What entries may name: requirements, and the runs of scenarios."""

    def __init__(self, requirements: Collection[str], scenarios: Iterable[Scenario]) -> None:
        self.requirements = requirements
        self._runs: dict[str, tuple[str, ...]] = {}
        """Keys by the scenario's id."""
        self._proving: dict[str, set[str]] = {}
        for scenario in scenarios:
            keys = keys_of(scenario)
            self._runs[scenario.id] = keys
            for requirement in scenario.proves:
                self._proving.setdefault(requirement, set()).update(keys)

    def matching(self, pattern: str) -> frozenset[str]:
        """The runs that a key, an id (for all its runs) or a glob names; only ``*`` and ``?`` are wild."""
        wild = re.compile("".join({"*": ".*", "?": "."}.get(part, re.escape(part)) for part in pattern))
        return frozenset(
            key
            for id_, keys in self._runs.items()
            for key in keys
            if wild.fullmatch(key) or ("[" not in pattern and wild.fullmatch(id_))
        )

    def concerning(self, requirement: str) -> frozenset[str]:
        """The runs that are to prove a requirement; all where none is, because then only monitors judge it."""
        proving = self._proving.get(requirement)
        return frozenset(proving or (key for keys in self._runs.values() for key in keys))

    def nearest(self, pattern: str) -> str | None:
        """A hint for a pattern that names nothing."""
        keys = self._runs.get(pattern.partition("[")[0])
        return suggestion(pattern, keys if keys is not None and "[" in pattern else self._runs, ())


def load_baseline(file: Path, shelf: Shelf, shown: Path | None = None) -> Baseline:
    """Load a baseline.

    Args:
        file: its file.
        shelf: what its entries may name.
        shown: the path that places name instead of ``file``.

    Raises:
        CatalogError: the file is not as it has to be.
    """
    problems = Problems()
    document = source.read(file, problems, shown, empty={})
    problems.settle()
    assert document is not None
    return read_baseline(document, shown or file, shelf)


def read_baseline(document: Value, path: Path, shelf: Shelf) -> Baseline:
    """As ``load_baseline``, from the value that a file holds."""
    problems = Problems()
    if not isinstance(document.data, dict):
        problems.add(document.place, f"a baseline is a mapping of requirements to entries, not {kind_of(document)}")
        problems.settle()
    waivers = tuple(_waivers(document, shelf, problems))
    problems.settle()
    return Baseline(path, waivers)


def _waivers(document: Value, shelf: Shelf, problems: Problems) -> Iterator[Waiver]:
    assert isinstance(document.data, dict)
    for requirement, member in document.data.items():
        if requirement not in shelf.requirements:
            problems.add(
                member.place, f"unknown requirement `{requirement}`", suggestion(requirement, shelf.requirements, ())
            )
        entries = member.value.data if isinstance(member.value.data, tuple) else (member.value,)
        if not entries:
            problems.add(member.value.place, f"`{requirement}` has an empty list of entries")
        for entry in entries:
            yield _waiver(requirement, entry, shelf, problems)


def _waiver(requirement: str, entry: Value, shelf: Shelf, problems: Problems) -> Waiver:
    record = Record(entry, f"an entry of `{requirement}`", problems, ENTRY_KEYS, ("reason",))
    matching = _matching(record, shelf)
    return Waiver(
        requirement=requirement,
        reason=record.text("reason").strip(),
        place=entry.place,
        scenarios=tuple(matching),
        link=_link(record),
        expires=_date(record),
        transports=record.choices("transports", TRANSPORTS),
        sometimes=record.flag("sometimes"),
        keys=frozenset().union(*matching.values()) if matching else shelf.concerning(requirement),
    )


def _matching(record: Record, shelf: Shelf) -> Mapping[str, frozenset[str]]:
    """The patterns of an entry, with the runs that each names."""
    found: dict[str, frozenset[str]] = {}
    for item in record.one_or_more("scenarios"):
        pattern = text(item, "`scenarios`", record.problems)
        if pattern is None:
            continue
        found[pattern] = shelf.matching(pattern)
        if not found[pattern]:
            record.problems.add(item.place, f"`{pattern}` matches no scenario", shelf.nearest(pattern))
    return found


def _link(record: Record) -> str | None:
    link = record.optional_text("link")
    if link is not None and not _ADDRESS.fullmatch(link):
        record.problems.add(record.place_of("link"), f"`{link}` is no address", "it begins with https://")
    return link


def _date(record: Record) -> date | None:
    said = record.optional_text("expires")
    if said is None:
        return None
    try:
        if _DATE.fullmatch(said):
            return date.fromisoformat(said)
    except ValueError:
        pass
    record.problems.add(record.place_of("expires"), f"`{said}` is no date", 'for instance "2027-06-30", in quotes')
    return None
