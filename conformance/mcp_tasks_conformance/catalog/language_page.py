"""The part of docs/scenario-language.md that lists verbs and matchers, made from them. Run as a module, it renews the
page that it is given.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import ModuleType
from typing import Final

from mcp_tasks_conformance.catalog.behaviours import BEHAVIOURS
from mcp_tasks_conformance.catalog.grammar import Group, Key, Kind, Verb
from mcp_tasks_conformance.catalog.matchers import MATCHERS
from mcp_tasks_conformance.catalog.verbs import (
    COMMON_KEYS,
    comparing,
    driving,
    flow,
    processes,
    requests,
    tasks,
    waiting,
)

BEGIN: Final = (
    "<!-- made from the verbs by `python -m mcp_tasks_conformance.catalog.language_page docs/scenario-language.md`; "
    "do not edit from here -->"
)
END: Final = "<!-- to here -->"
_PARTS: Final[Mapping[str, ModuleType]] = {
    "Messages and connections": requests,
    "Tasks": tasks,
    "What the target sends of itself": waiting,
    "Order": flow,
    "Judging what earlier steps gave": comparing,
    "The target's process": processes,
    "Clients under test": driving,
}
_KINDS: Final[Mapping[Kind, str]] = {
    Kind.METHOD: "a method",
    Kind.NAME: "a new name",
    Kind.CONNECTION: "a connection",
    Kind.REF: "a reference",
    Kind.TEXT: "text",
    Kind.FLAG: "true or false",
    Kind.MS: "milliseconds",
    Kind.COUNT: "a number",
    Kind.STIMULUS: "JSON",
    Kind.PATTERN: "a pattern",
    Kind.VALUES: "a list of values",
    Kind.PATHS: "a list of dotted paths",
    Kind.BINDINGS: "new names with their values",
    Kind.STEPS: "steps",
    Kind.BRANCHES: "a list of lists of steps",
}


def renewed(page: str) -> str:
    """The page with its list of verbs and matchers made anew.

    Raises:
        ValueError: it has no place for that.
    """
    before, begin, rest = page.partition(f"{BEGIN}\n")
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"the page has no lines {BEGIN!r} and {END!r}")
    return f"{before}{begin}{_listed()}{end}{after}"


def _listed() -> str:
    lines = ["", "### Keys of every step", ""]
    lines += [f"- `{name}` ({_KINDS[key.kind]}): {key.meaning}" for name, key in COMMON_KEYS.items()]
    for title, module in _PARTS.items():
        lines += ["", f"### {title}", ""]
        for verb in module.VERBS:
            lines += _verb(verb)
    lines += ["", "### Matchers", ""]
    lines += [f"- `{name}` {meaning}" for name, meaning in MATCHERS.items()]
    return "\n".join(lines) + "\n\n"


def _verb(verb: Verb) -> Iterator[str]:
    notes = "".join(f" {note}" for note in _notes(verb))
    yield f"- **{_head(verb)}** {verb.meaning}{notes}"
    for name, key in verb.keys.items():
        required = ", required" if key.required else ""
        beside = f", beside `{key.beside}`" if key.beside is not None else ""
        yield f"  - `{name}` ({_taken(key)}{required}{beside}): {key.meaning}"


def _head(verb: Verb) -> str:
    """The verb, with what stands behind it where it has a subject."""
    if verb.subject is None:
        return f"`{verb.name}`"
    subject = verb.subject.meaning.rstrip(".")
    return f"`{verb.name}:` {subject[0].lower()}{subject[1:]} ({_taken(verb.subject)})"


def _taken(key: Key) -> str:
    """What may stand there, in words."""
    if key.choices == BEHAVIOURS:
        return "a [behaviour](behaviours.md)"
    if not key.choices:
        return _KINDS[key.kind]
    if key.kind is Kind.STIMULUS and not key.many:
        return f"{' or '.join(f'`{choice}`' for choice in key.choices)}, or a reference"
    several = ", or a list of them" if key.many else ""
    return f"{', '.join(f'`{choice}`' for choice in key.choices)}{several}"


def _notes(verb: Verb) -> Iterator[str]:
    if verb.gives is not None:
        yield f"Gives {verb.gives}{', which needs a name (`as`)' if verb.must_bind else ''}."
    if verb.judged_by_itself:
        yield "`proves` alone judges it."
    if not verb.judges:
        yield "It is not judged."
    for group in verb.groups:
        yield _group(group)
    if verb.generations != ("v1", "v2"):
        yield f"Only in {' and '.join(verb.generations)}."
    if verb.transports:
        yield f"Only over {' and '.join(verb.transports)}."


def _group(group: Group) -> str:
    keys = ", ".join(f"`{key}`" for key in group.keys)
    if not group.at_least:
        return f"At most one of {keys}."
    return f"One of {keys}." if group.at_most == 1 else f"At least one of {keys}."


if __name__ == "__main__":
    file = Path(sys.argv[1])
    file.write_text(renewed(file.read_text(encoding="utf-8")), encoding="utf-8")
