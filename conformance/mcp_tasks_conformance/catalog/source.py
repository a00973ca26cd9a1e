"""YAML files as values that know where they stand.

Only what every YAML reader understands alike is taken: a plain word that some read as a boolean, a date or an octal
number is a problem, not a guess.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TypeAlias

import yaml

from mcp_tasks_conformance.catalog.bounded_files import contents
from mcp_tasks_conformance.catalog.model import Place
from mcp_tasks_conformance.catalog.problems import Problems
from mcp_tasks_conformance.events import JsonValue

Scalar: TypeAlias = "None | bool | int | float | str"
Data: TypeAlias = "Scalar | tuple[Value, ...] | dict[str, Member]"

_UNPRINTABLE = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_MOST_VALUES = 100_000
"""Aliases may repeat a value, but not without end."""


@dataclass(frozen=True, slots=True)
class Value:
    """Anything in a file, with the place where it begins."""

    data: Data
    place: Place


@dataclass(frozen=True, slots=True)
class Member:
    """One key of a mapping with its value."""

    place: Place
    """Where the key stands."""
    value: Value


_Loader: type[yaml.SafeLoader | yaml.CSafeLoader] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""libyaml where PyYAML was built with it: ten times as fast."""


class _Composer(_Loader):  # type: ignore[misc, valid-type]
    """Makes the graph of nodes and leaves it to us what their texts mean: only explicit tags remain."""

    def resolve(self, kind: type[yaml.Node], value: str, implicit: object) -> str:  # noqa: ARG002
        return ""

    def descend_resolver(self, current_node: yaml.Node, current_index: object) -> None:
        pass

    def ascend_resolver(self) -> None:
        pass


def read(path: Path, problems: Problems, shown: Path | None = None, empty: Data = None) -> Value | None:
    """Read a file that holds one YAML document.

    Args:
        path: the file.
        problems: where problems go.
        shown: the path that places name instead of ``path``.
        empty: the value of a file with nothing in it but comments; none where such a file is a problem.

    Returns:
        Its value; none where there is no value to go on with.
    """
    shown = shown or path
    try:
        raw = contents(path)
    except OSError as error:
        problems.add(Place(shown, 1, 1), f"the file cannot be read: {error.strerror or error}")
        return None
    return parse(raw, shown, problems, empty)


def parse(raw: bytes, shown: Path, problems: Problems, empty: Data = None) -> Value | None:
    """As ``read``, from a file's bytes."""
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        place = _place_at(raw[: error.start].decode("utf-8-sig", "replace"), shown)
        problems.add(place, f"the file is not UTF-8: byte 0x{raw[error.start]:02x}", "save it as UTF-8")
        return None
    return _Reading(shown, problems).document(text, empty)


def _place_at(before: str, path: Path) -> Place:
    return Place(path, before.count("\n") + 1, len(before) - (before.rfind("\n") + 1) + 1)


class _Reading:
    """One file on its way from text to values."""

    def __init__(self, path: Path, problems: Problems) -> None:
        self._path = path
        self._problems = problems
        self._done: dict[int, tuple[Value, int]] = {}
        """Collections by the identity of their node, with how many values they hold: aliases share them."""
        self._open: set[int] = set()

    def document(self, text: str, empty: Data) -> Value | None:
        stray = _UNPRINTABLE.search(text)
        if stray is not None:
            place = _place_at(text[: stray.start()], self._path)
            problem = f"character U+{ord(stray[0]):04X} may not stand in YAML"
            self._problems.add(place, problem, "write it as an escape in double quotes")
            return None
        loader = _Composer(text)
        try:
            node = loader.get_single_node()
            if node is None and empty is not None:
                return Value(empty, Place(self._path, 1, 1))
            if node is None:
                self._problems.add(Place(self._path, 1, 1), "the file is empty")
                return None
            value, size = self._value(node)
        except yaml.MarkedYAMLError as error:
            self._syntax(error, text)
            return None
        except RecursionError:
            self._problems.add(Place(self._path, 1, 1), "the file is nested too deeply")
            return None
        finally:
            loader.dispose()
        if size > _MOST_VALUES:
            self._problems.add(value.place, f"its aliases make it larger than {_MOST_VALUES} values")
            return None
        return value

    def _syntax(self, error: yaml.MarkedYAMLError, text: str) -> None:
        mark = error.problem_mark or error.context_mark
        place = Place(self._path, mark.line + 1, mark.column + 1) if mark else Place(self._path, 1, 1)
        lines = text.splitlines()
        line = lines[place.line - 1] if place.line <= len(lines) else ""
        if line[place.column - 1 : place.column] == "\t" or "\t" in line[: len(line) - len(line.lstrip())]:
            self._problems.add(place, "a tab where YAML takes only spaces", "indent with spaces")
        elif "another document" in (error.problem or ""):
            self._problems.add(place, "a second document begins here", "one file holds one document")
        else:
            parts = [part for part in (error.context, error.problem) if part]
            begun = error.context_mark.line + 1 if error.context_mark else place.line
            hint = None if begun == place.line else f"it begins in line {begun}"
            self._problems.add(place, "not YAML: " + ", ".join(parts), hint)

    def _value(self, node: yaml.Node) -> tuple[Value, int]:
        mark = node.start_mark
        place = Place(self._path, mark.line + 1, mark.column + 1)
        if node.tag not in ("", "!"):
            tag = node.tag.replace("tag:yaml.org,2002:", "!!")
            self._problems.add(place, f"the tag `{tag}` has no meaning here", "leave it out")
        if isinstance(node, yaml.ScalarNode):
            return Value(self._scalar(node, place), place), 1
        known = self._done.get(id(node))
        if known is not None:
            return known
        if id(node) in self._open:
            self._problems.add(place, "this value holds itself through an alias")
            return Value(None, place), 1
        self._open.add(id(node))
        size = 1
        data: Data
        if isinstance(node, yaml.SequenceNode):
            items: list[Value] = []
            for item in node.value:
                value, weight = self._value(item)
                items.append(value)
                size += weight
            data = tuple(items)
        else:
            data, weight = self._members(node)
            size += weight
        self._open.discard(id(node))
        done = Value(data, place), size
        self._done[id(node)] = done
        return done

    def _members(self, node: yaml.Node) -> tuple[dict[str, Member], int]:
        members: dict[str, Member] = {}
        size = 0
        for key, content in node.value:
            mark = key.start_mark
            place = Place(self._path, mark.line + 1, mark.column + 1)
            value, weight = self._value(content)
            size += weight
            name = self._key(key, place)
            if name is None:
                continue
            if name in members:
                self._problems.add(
                    place, f"the key `{name}` stands here twice", f"first in line {members[name].place.line}"
                )
                continue
            members[name] = Member(place, value)
        return members, size

    def _key(self, node: yaml.Node, place: Place) -> str | None:
        if not isinstance(node, yaml.ScalarNode):
            self._problems.add(place, "a key is text, not a list or mapping")
            return None
        if node.value == "<<" and not node.style:
            self._problems.add(place, "merge keys (`<<`) are not part of YAML 1.2", "write the keys out")
            return None
        name = self._scalar(node, place)
        if not isinstance(name, str):
            self._problems.add(place, f"the key `{node.value}` is not text", "put it in quotes")
            return None
        return name

    def _scalar(self, node: yaml.ScalarNode, place: Place) -> Scalar:
        if node.style:
            return str(node.value)
        value, complaint, hint = _plain(node.value)
        if complaint is not None:
            self._problems.add(place, complaint, hint)
        return value


_BOOLEANS_IN_DISGUISE = frozenset({"on", "off", "yes", "no"})
_NULLS = frozenset({"", "~", "null", "Null", "NULL"})
_BOOLEANS: Mapping[str, bool] = {
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_INTEGER = re.compile(r"[-+]?(?:0|[1-9][0-9]*)")
_FLOAT = re.compile(r"[-+]?(?:(?:0|[1-9][0-9]*)\.[0-9]*|\.[0-9]+)(?:[eE][-+][0-9]+)?")
_UNCERTAIN = re.compile(
    r"""[-+]?0b[01_]+ | [-+]?0[xo]?[0-9a-fA-F_]+ | [-+]?[0-9][0-9_]*(?:\.[0-9_]*)?(?:[eE][-+]?[0-9]+)?
      | [-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)? | [-+]?\.(?:inf|Inf|INF) | \.(?:nan|NaN|NAN)
      | [-+]?\.[0-9_]+(?:[eE][-+]?[0-9]+)?
      | [0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:[Tt \t].*)? | = | <<""",
    re.VERBOSE,
)
"""What YAML 1.1 and YAML 1.2 read in two ways, or what JSON has no value for."""


@lru_cache(maxsize=4096)
def _plain(text: str) -> tuple[Scalar, str | None, str | None]:
    """The meaning of a text without quotes; a complaint and a hint where readers differ."""
    if text in _NULLS:
        return None, None, None
    if text in _BOOLEANS:
        return _BOOLEANS[text], None, None
    if text.lower() in _BOOLEANS_IN_DISGUISE:
        return text, f"`{text}` is a boolean to some YAML readers", f'write "{text}" in quotes, or true or false'
    if text[0] not in "-+.=<0123456789":
        return text, None, None
    if _INTEGER.fullmatch(text) and len(text) < 1000:
        return int(text), None, None
    if _FLOAT.fullmatch(text) and math.isfinite(number := float(text)):
        return number, None, None
    if _UNCERTAIN.fullmatch(text):
        return text, f"`{text}` is not the same to all YAML readers", "put it in quotes, or write a plain number"
    return text, None, None


def plain(value: Value) -> JsonValue:
    """The value as JSON, without its places."""
    data = value.data
    if isinstance(data, dict):
        return {name: plain(member.value) for name, member in data.items()}
    if isinstance(data, tuple):
        return [plain(item) for item in data]
    return data


def kind_of(value: Value) -> str:
    """What a value is, in words."""
    data = value.data
    if data is None:
        return "nothing"
    if isinstance(data, bool):
        return f"`{str(data).lower()}`"
    if isinstance(data, int | float):
        return f"the number {data}"
    if isinstance(data, str):
        return f"`{data}`" if len(data) <= 40 else f"`{data[:39]}…`"
    return "a list" if isinstance(data, tuple) else "a mapping"
