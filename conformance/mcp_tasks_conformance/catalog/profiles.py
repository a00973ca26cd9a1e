"""Profiles: which tool of a target shows which behaviour."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import cast

from mcp_tasks_conformance.catalog import source
from mcp_tasks_conformance.catalog.behaviours import BEHAVIOURS
from mcp_tasks_conformance.catalog.library import PROFILES, root
from mcp_tasks_conformance.catalog.model import Behaviour, Place, Profile, Template
from mcp_tasks_conformance.catalog.problems import Problems, suggestion
from mcp_tasks_conformance.catalog.records import Record, text
from mcp_tasks_conformance.catalog.source import Member, kind_of

FILE_KEYS = ("profile", "behaviours", "claims", "missing")
BEHAVIOUR_KEYS = ("tool", "arguments", "duration_ms", "read")
LARGEST_BYTES = 1_000_000
"""A profile has seventeen lines; who gives a file a thousand times as long has given the wrong one."""


def built_in_profiles(folder: Path | None = None) -> Mapping[str, Path]:
    """The files of the profiles that come with the product, by name."""
    files = ((folder or root()) / "scenarios" / PROFILES).glob("*.yaml")
    return {file.stem: file for file in sorted(files)}


def load_profile(file: Path, requirements: Collection[str]) -> Profile:
    """Load a profile.

    Args:
        file: its file.
        requirements: the ids that it may claim.

    Raises:
        CatalogError: the file is not as it has to be.
    """
    problems = Problems()
    _check_size(file, problems)
    document = source.read(file, problems)
    problems.settle()
    assert document is not None
    record = Record(document, "a profile", problems, FILE_KEYS, ("profile", "behaviours"))
    behaviours = {name: _behaviour(name, member, problems) for name, member in record.members("behaviours")}
    missing = {name: _reason(name, member, behaviours, problems) for name, member in record.members("missing")}
    profile = Profile(record.text("profile"), behaviours, _claims(record, requirements), missing)
    problems.settle()
    return profile


def _check_size(file: Path, problems: Problems) -> None:
    """Refuse at once what would take long to read."""
    size = file.stat().st_size if file.is_file() else 0
    if size > LARGEST_BYTES:
        most = f"a profile has no more than {LARGEST_BYTES:,}"
        problems.add(Place(file, 1, 1), f"the file has {size:,} bytes; {most}", "is it the right file?")
        problems.settle()


def _behaviour(name: str, member: Member, problems: Problems) -> Behaviour:
    _check_name(name, member, problems)
    record = Record(member.value, f"the behaviour `{name}`", problems, BEHAVIOUR_KEYS, ("tool",))
    if "duration_ms" not in record:
        hint = "about how many milliseconds its work lasts: 100 for a quick tool; `profile` measures it"
        problems.add(record.place, f"the behaviour `{name}` has no `duration_ms`", hint)
    if name == "counts" and "read" not in record:
        problems.add(record.place, "the behaviour `counts` has no `read`", "the arguments that read the counter")
    if name != "counts" and "read" in record:
        problems.add(record.place_of("read"), f"`read` is for the behaviour `counts`, not for `{name}`")
    return Behaviour(
        name=name,
        tool=record.text("tool"),
        arguments=_arguments(record, "arguments") or {},
        duration_ms=record.count("duration_ms", default=1, least=1),
        read=_arguments(record, "read"),
        place=member.place,
    )


def _arguments(record: Record, name: str) -> Mapping[str, Template] | None:
    value = record.value(name)
    if value is None:
        return None
    if not isinstance(value.data, dict):
        record.problems.add(value.place, f"`{name}` is a mapping of the tool's arguments, not {kind_of(value)}")
    return cast("Mapping[str, Template]", source.plain(value))


def _reason(name: str, member: Member, behaviours: Collection[str], problems: Problems) -> str:
    _check_name(name, member, problems)
    if name in behaviours:
        problems.add(member.place, f"the behaviour `{name}` has a tool and is missing all the same")
    return text(member.value, f"the reason why `{name}` is missing", problems) or ""


def _check_name(name: str, member: Member, problems: Problems) -> None:
    if name not in BEHAVIOURS:
        problems.add(member.place, f"unknown behaviour `{name}`", suggestion(name, BEHAVIOURS))


def _claims(record: Record, requirements: Collection[str]) -> tuple[str, ...]:
    claims = record.texts("claims")
    for item in record.one_or_more("claims") if claims else ():
        claim = item.data
        if isinstance(claim, str) and not (claim.startswith("quality.") and claim in requirements):
            known = [name for name in requirements if name.startswith("quality.")]
            record.problems.add(item.place, f"`{claim}` is no quality rule", suggestion(claim, known))
    return claims
