"""Arguments for a tool that nobody told us how to call, made from its inputSchema."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from mcp_tasks_conformance.events import JsonValue
from mcp_tasks_conformance.peers.answers import sample

_LARGEST: Final = 400
"""So many parts of a schema are looked at; references may lead in circles."""
_DEEPEST: Final = 12
_NAMED_OPTIONS: Final = ("allOf", "anyOf", "oneOf")
_WORK_S: Final = 0.6
"""What a tool is asked to last that asks how long to: enough to be seen at work, and soon over."""
_ROUNDS: Final = 2
"""What it is asked to do so often that asks how often to: enough to be seen to go on."""
_WORDS: Final = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")
_SECONDS: Final = frozenset({"second", "seconds", "sec", "secs"})
_MILLISECONDS: Final = frozenset({"millisecond", "milliseconds", "millis", "msec", "ms"})
_LENGTHS: Final = frozenset({"delay", "duration", "interval", "pause", "period", "sleep", "time", "wait"})
_REPEATS: Final = frozenset({"count", "iterations", "repeats", "repetitions", "rounds", "steps", "ticks"})


def arguments_for(schema: JsonValue) -> Mapping[str, JsonValue]:
    """Those arguments that the schema requires, each as simple as can be.

    A number is the least that is allowed, yet one that is evidently the time that the work takes, in seconds or
    milliseconds, or how often something is done, is large enough for the work to be seen.
    """
    if not isinstance(schema, Mapping):
        return {}
    pruned = _Pruning(schema).pruned({**schema, "type": "object"}, _DEEPEST)
    made = sample({key: value for key, value in pruned.items() if key not in ("default", "const", "enum")})
    return made if isinstance(made, Mapping) else {}


class _Pruning:
    """Leaves of a schema what a value must have, with what it refers to in itself put in the place of references."""

    def __init__(self, root: Mapping[str, JsonValue]) -> None:
        self._root = root
        self._left = _LARGEST

    def pruned(self, schema: JsonValue, depth: int) -> dict[str, JsonValue]:
        self._left -= 1
        if depth == 0 or self._left <= 0 or not isinstance(schema, Mapping):
            return {}
        reference = schema.get("$ref")
        if isinstance(reference, str):
            found = self._at(reference)
            beside = {key: value for key, value in schema.items() if key != "$ref"}
            return self.pruned({**found, **beside}, depth - 1) if isinstance(found, Mapping) else {}
        option = self._first_option(schema)
        if option is not None:
            beside = {key: value for key, value in schema.items() if key not in _NAMED_OPTIONS}
            return self.pruned({**option, **beside}, depth - 1)
        kept = dict(schema)
        required, properties = schema.get("required"), schema.get("properties")
        if isinstance(properties, Mapping):
            kept["type"] = "object"
            names = required if isinstance(required, Sequence) and not isinstance(required, str) else ()
            kept["required"] = [name for name in names if isinstance(name, str)]
            kept["properties"] = {
                name: _lasting(name, self.pruned(properties.get(name), depth - 1))
                for name in names
                if isinstance(name, str)
            }
        if "items" in schema:
            kept["items"] = self.pruned(schema["items"], depth - 1)
        return kept

    @staticmethod
    def _first_option(schema: Mapping[str, JsonValue]) -> Mapping[str, JsonValue] | None:
        """The first alternative of a schema that says nothing of the value itself; one that names constants is left."""
        if any(key in schema for key in ("type", "default", "const", "enum", "properties")):
            return None
        for key in _NAMED_OPTIONS:
            options = schema.get(key)
            if isinstance(options, Sequence) and not isinstance(options, str) and options:
                first = options[0]
                return first if isinstance(first, Mapping) and "const" not in first else None
        return None

    def _at(self, pointer: str) -> JsonValue:
        found: JsonValue = self._root
        for part in pointer.removeprefix("#").strip("/").split("/"):
            if not isinstance(found, Mapping):
                return None
            found = found.get(part.replace("~1", "/").replace("~0", "~"))
        return found


def _lasting(name: str, schema: dict[str, JsonValue]) -> dict[str, JsonValue]:
    """The schema of a member, with the least number raised where that makes the tool's work last for a moment."""
    wanted = _wanted(name, schema)
    if wanted is None or not {"default", "const", "enum", "multipleOf", "exclusiveMaximum"}.isdisjoint(schema):
        return schema
    low, high, above = schema.get("minimum"), schema.get("maximum"), schema.get("exclusiveMinimum")
    if isinstance(high, int | float):
        wanted = min(wanted, high)
    if any(isinstance(bound, int | float) and bound >= wanted for bound in (low, above)):
        return schema
    return {**schema, "minimum": wanted}


def _wanted(name: str, schema: Mapping[str, JsonValue]) -> int | float | None:
    """What to ask for in a number: for a time in a unit that is told, or for a number of rounds; else nothing."""
    kind = schema.get("type")
    if kind not in ("integer", "number"):
        return None
    words = [word.lower() for word in _WORDS.findall(name)]
    units = _units(words)
    if not units and _LENGTHS.intersection(words):
        units = _units([word.lower() for word in _WORDS.findall(str(schema.get("description", "")))])
    if units == {"ms"}:
        return round(_WORK_S * 1000)
    if units == {"s"}:
        return 1 if kind == "integer" else _WORK_S
    return _ROUNDS if words and words[-1] in _REPEATS else None


def _units(words: Sequence[str]) -> set[str]:
    """The units of time that are named; a mere s only at the end of something longer."""
    units = {"s"} if words[1:] and words[-1] == "s" else set()
    return units | {unit for unit, names in (("s", _SECONDS), ("ms", _MILLISECONDS)) if names.intersection(words)}
