"""A profile as the text of its file, with a commented line for each behaviour that it has no tool for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, cast

from mcp_tasks_conformance.catalog.behaviours import BEHAVIOURS, CONTRACT
from mcp_tasks_conformance.catalog.model import Behaviour, Profile
from mcp_tasks_conformance.catalog.yaml_text import quoted, text
from mcp_tasks_conformance.events import JsonValue

_HEAD = """\
# Which tools show which behaviours (docs/behaviours.md). Lines without # were found by calling the tools once.
# For a deeper verdict, complete lines with #: put the name and the arguments of a tool of yours, and remove the #.
"""
_TAIL = """\
# Quality rules that this server claims, which then fail a run like a MUST (`list --requirements` shows them):
# claims: [quality.get-prompt, quality.no-leak]
"""


_MOST_CANDIDATES: Final = 50


def profile_text(profile: Profile, candidates: Sequence[tuple[str, Mapping[str, JsonValue]]] = ()) -> str:
    """The text of a profile, fit to be completed by hand.

    Args:
        profile: what is known.
        candidates: tools that nothing is known of, and arguments that fit them.
    """
    return _HEAD + "\n".join([*_lines(profile), *_candidates(candidates)]) + "\n" + _TAIL


def _candidates(candidates: Sequence[tuple[str, Mapping[str, JsonValue]]]) -> Iterator[str]:
    if candidates:
        yield "# Tools that were not tried, for lines with #:"
    for tool, arguments in candidates[:_MOST_CANDIDATES]:
        said = f", arguments: {quoted(dict(arguments))}" if arguments else ""
        yield f"#   tool: {text(tool)}{said}"
    if len(candidates) > _MOST_CANDIDATES:
        yield f"#   and {len(candidates) - _MOST_CANDIDATES} more"


def _lines(profile: Profile) -> Iterator[str]:
    yield f"profile: {text(profile.name)}"
    empty = " {}  # in the place of {} comes the first line" if not profile.behaviours else ""
    yield f"behaviours:{empty}"
    for name in BEHAVIOURS:
        behaviour = profile.behaviours.get(name)
        if behaviour is not None:
            yield f"  {profile_line(behaviour)}"
            continue
        why = profile.missing.get(name) or profile.unseen.get(name)
        yield f"  # {CONTRACT[name]}{f' ({_one_line(why)})' if why else ''}"
        yield f"  # {profile.offers.get(name) or profile_line(example(name))}"


def _one_line(words: str) -> str:
    return quoted(words)[1:-1].replace('\\"', '"')


def profile_line(behaviour: Behaviour) -> str:
    """The line of a profile that names the tool of one behaviour."""
    members = [f"tool: {text(behaviour.tool)}"]
    if behaviour.arguments:
        members.append(f"arguments: {quoted(cast(JsonValue, behaviour.arguments))}")
    members.append(f"duration_ms: {behaviour.duration_ms}")
    if behaviour.read is not None:
        members.append(f"read: {quoted(cast(JsonValue, behaviour.read))}")
    return f"{behaviour.name}: {{{', '.join(members)}}}"


def example(name: str, tool: str = "TOOL") -> Behaviour:
    """A behaviour of a tool that is still to be named."""
    return Behaviour(name, tool, {}, 1000, {"read": True} if name == "counts" else None)
