"""Arguments for a tool that nobody told us how to call, made from its inputSchema."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from mcp_tasks_conformance.events import JsonValue
from mcp_tasks_conformance.peers.answers import sample

_LARGEST: Final = 400
"""So many parts of a schema are looked at; references may lead in circles."""
_DEEPEST: Final = 12
_NAMED_OPTIONS: Final = ("allOf", "anyOf", "oneOf")


def arguments_for(schema: JsonValue) -> Mapping[str, JsonValue]:
    """Those arguments that the schema requires, each as simple as can be."""
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
                name: self.pruned(properties.get(name), depth - 1) for name in names if isinstance(name, str)
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
