"""The catalogues of requirements, from scenarios/*/requirements.yaml."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, get_args

from mcp_tasks_conformance.catalog.model import Level, Requirement
from mcp_tasks_conformance.catalog.problems import Problems, suggestion
from mcp_tasks_conformance.catalog.records import Record, text
from mcp_tasks_conformance.catalog.source import Value

Specification = Literal["base", "v1", "v2", "quality"]
RequirementGeneration = Literal["v1", "v2", "both"]
RequirementParty = Literal["server", "client", "receiver", "requestor", "both"]
Observe = Literal["wire", "timing", "context", "internal", "driver"]

SPECIFICATIONS: dict[str, Specification] = {
    "base": "base",
    "2025-11-25": "v1",
    "2026-07-28": "v2",
    "quality": "quality",
}
"""What a catalogue says that it restates, and how its ids begin."""

GENERATIONS: tuple[RequirementGeneration, ...] = get_args(RequirementGeneration)
PARTIES: tuple[RequirementParty, ...] = get_args(RequirementParty)
OBSERVE: tuple[Observe, ...] = get_args(Observe)
LEVELS = tuple(level for level in Level if level is not Level.QUALITY)

FILE_KEYS = ("specification", "generation", "extension", "pages", "requirements")
ROW_KEYS = ("id", "generation", "level", "party", "section", "observe", "rule", "ambiguity", "why", "source")
QUALITY_KEYS = ("id", "generation", "rule", "ambiguity", "source")
_ID = re.compile(r"[a-z0-9]+(?:\.[a-z0-9]+(?:-[a-z0-9]+)*)+")


@dataclass(frozen=True, slots=True)
class _Heading:
    """What holds for all rows of a file."""

    specification: Specification
    generation: RequirementGeneration | None
    pages: dict[str, str]
    prefix: str
    """How ids begin; empty where the file does not say what it restates."""


def read_requirements(document: Value, problems: Problems, known: dict[str, Requirement]) -> None:
    """Read one catalogue and add its rows to the known ones, by id."""
    file = Record(document, "a catalogue", problems, FILE_KEYS, ("specification", "requirements"))
    named = file.choice("specification", SPECIFICATIONS, "base")
    pages: dict[str, str] = {}
    for name, member in file.members("pages"):
        address = text(member.value, f"page `{name}`", problems) or ""
        if address and not address.startswith("https://"):
            problems.add(member.value.place, f"page `{name}` is not an https address")
        pages[name] = address
    generation = file.choice("generation", GENERATIONS, "both") if "generation" in file else None
    prefix = f"{SPECIFICATIONS[named]}." if file.holds("specification", named) else ""
    heading = _Heading(SPECIFICATIONS[named], generation, pages, prefix)
    for value in file.items("requirements"):
        row = _row(value, heading, problems)
        if row.id in known:
            problems.add(row.place, f"`{row.id}` is there already", f"at {known[row.id].place}")
        elif row.id:
            known[row.id] = row


def _row(value: Value, heading: _Heading, problems: Problems) -> Requirement:
    quality = heading.specification == "quality"
    keys = QUALITY_KEYS if quality else ROW_KEYS
    required = ["id", "rule"] + (["source"] if quality else ["level", "party", "section", "observe"])
    if heading.generation is None:
        required.append("generation")
    row = Record(value, "a requirement", problems, keys, required)
    unsaid: Observe = "timing" if quality else "wire"
    observe = row.choice("observe", OBSERVE, unsaid)
    if observe == "internal" and "why" not in row:
        problems.add(row.place_of("observe"), "`observe: internal` needs a `why`", "say why no peer can see a breach")
    return Requirement(
        id=_id(row, heading.prefix),
        generation=_generation(row, heading),
        level=Level.QUALITY if quality else row.choice("level", LEVELS, Level.MUST),
        party=row.choice("party", PARTIES, "receiver"),
        rule=row.text("rule").strip(),
        observe=observe,
        place=row.place,
        specification=heading.specification,
        link=_link(row, heading.pages),
        ambiguity=_stripped(row.optional_text("ambiguity")),
        why=_stripped(row.optional_text("why")),
        source=_stripped(row.optional_text("source")),
    )


def _id(row: Record, prefix: str) -> str:
    named = row.text("id")
    if named and not _ID.fullmatch(named):
        row.problems.add(
            row.place_of("id"), f"`{named}` is no requirement id", "words in lower case, joined by dots and hyphens"
        )
    elif named and not named.startswith(prefix):
        row.problems.add(row.place_of("id"), f"the id `{named}` does not begin with `{prefix}`")
    return named


def _generation(row: Record, heading: _Heading) -> RequirementGeneration:
    own = row.choice("generation", GENERATIONS, heading.generation or "both")
    if heading.generation is not None and own != heading.generation:
        row.problems.add(row.place_of("generation"), f"the whole file is of generation {heading.generation}")
    return own


def _link(row: Record, pages: dict[str, str]) -> str | None:
    section = row.optional_text("section")
    if section is None:
        return None
    page, hash_mark, anchor = section.partition("#")
    if page not in pages:
        row.problems.add(row.place_of("section"), f"there is no page `{page}`", suggestion(page, pages))
        return None
    if hash_mark and not anchor:
        row.problems.add(row.place_of("section"), f"`{section}` has no anchor after its #")
    return pages[page] + hash_mark + anchor


def _stripped(value: str | None) -> str | None:
    return value.strip() if value else None
