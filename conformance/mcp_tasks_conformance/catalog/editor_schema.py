"""The JSON Schema of suite files for editors, made from the verbs. Run as a module, it rewrites the file
(or writes the one that it is given).

The loader does not use it: it dispatches on the verb, knows names and requirements, and words its messages. The schema
knows what an editor can: verbs, keys, matchers and kinds.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, TypeAlias

from mcp_tasks_conformance.catalog import matchers, needs, suites
from mcp_tasks_conformance.catalog.behaviours import BEHAVIOURS
from mcp_tasks_conformance.catalog.grammar import Key, Kind, Verb
from mcp_tasks_conformance.catalog.judgements import ITEM_KEYS
from mcp_tasks_conformance.catalog.library import root
from mcp_tasks_conformance.catalog.names import NAME
from mcp_tasks_conformance.catalog.templates import REFERENCE
from mcp_tasks_conformance.catalog.verbs import COMMON_KEYS, VERBS

Schema: TypeAlias = dict[str, Any]

_REFERENCE: Schema = {"$ref": "#/$defs/reference"}
_STIMULUS: Schema = {"$ref": "#/$defs/stimulus"}
_PATTERN: Schema = {"$ref": "#/$defs/pattern"}
_NAME: Schema = {"type": "string", "pattern": f"^{NAME.pattern}$"}
_KEBAB: Schema = {"type": "string", "pattern": f"^{suites.KEBAB.pattern}$"}
_TEXT: Schema = {"type": "string", "minLength": 1}
_MEMBER_NAMES: Schema = {"pattern": r"^([^$]|\$\$|$)"}
_STEPS: Schema = {"type": "array", "items": {"$ref": "#/$defs/step"}, "minItems": 1}


def suite_schema() -> Schema:
    """The whole schema."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A suite of scenarios",
        "description": "Made from the verbs by mcp_tasks_conformance.catalog.editor_schema; not to be edited by hand.",
        **_record(_suite_properties(), suites.SUITE_REQUIRED),
        "$defs": {
            "reference": {"type": "string", "pattern": f"^{REFERENCE}$"},
            "text": {"type": "string", "pattern": rf"^([^$][\s\S]*|\$\$[\s\S]*|{REFERENCE})?$"},
            "stimulus": _template("stimulus"),
            "pattern": _any(_template("pattern"), {"$ref": "#/$defs/matcher"}),
            "matcher": _matcher(_PATTERN),
            "requirements": _one_or_more({"type": "string", "pattern": r"^(base|v1|v2|quality)\.[a-z0-9.-]+$"}),
            "needs": _record(_needs_properties()),
            "scenario": _record(_scenario_properties(), suites.SCENARIO_REQUIRED),
            "step": {"anyOf": [{"$ref": f"#/$defs/{name}"} for name in VERBS]},
            **{name: _verb(verb) for name, verb in VERBS.items()},
            **{name: schema for verb in VERBS.values() for name, schema in _judging_schemas(verb).items()},
        },
    }


def _record(properties: Mapping[str, Schema], required: Iterable[str] = ()) -> Schema:
    schema: Schema = {"type": "object"}
    listed = list(required)
    if listed:
        schema["required"] = listed
    return {**schema, "properties": dict(properties), "additionalProperties": False}


def _any(*schemas: Schema) -> Schema:
    return {"anyOf": list(schemas)}


def _one_or_more(schema: Schema) -> Schema:
    return _any(schema, {"type": "array", "items": schema, "minItems": 1})


def _suite_properties() -> dict[str, Schema]:
    return {
        "suite": {**_KEBAB, "description": "Last but one part of every scenario's id."},
        "generation": {"enum": list(suites.GENERATIONS)},
        "party": {"enum": [party for parties in suites.PARTIES.values() for party in parties]},
        "title": _TEXT,
        "scenarios": {"type": "array", "items": {"$ref": "#/$defs/scenario"}, "minItems": 1},
        "hosts": {**_one_or_more({"enum": list(suites.HOSTS)}), "description": "Who may play the party."},
        **_shared_properties(),
    }


def _scenario_properties() -> dict[str, Schema]:
    return {
        "id": {**_KEBAB, "description": "Last part of the scenario's id, stable for ever."},
        "title": _TEXT,
        "steps": _STEPS,
        **_shared_properties(),
        "each": {
            "description": "Parameters: one run for each combination of their values.",
            "type": "object",
            "propertyNames": _NAME,
            "additionalProperties": {"type": "array", "items": _STIMULUS, "minItems": 1},
        },
        "main": {"type": "boolean", "description": "Whether the main connection is opened before the first step."},
        "listen": {"type": "boolean", "description": "Whether the main connection has a listening stream, over HTTP."},
    }


def _shared_properties() -> dict[str, Schema]:
    return {
        "needs": {"$ref": "#/$defs/needs"},
        "sharing": {"enum": list(suites.SHARING)},
        "client": {
            "description": "The capabilities that our side declares on the main connection.",
            **_any(
                {
                    "type": "object",
                    "propertyNames": _MEMBER_NAMES,
                    "additionalProperties": _STIMULUS,
                    "minProperties": 1,
                },
                _REFERENCE,
            ),
        },
    }


def _needs_properties() -> dict[str, Schema]:
    dotted = _one_or_more({"type": "string", "pattern": r"^[^.$][^.]*(\.[^.]+)*$"})
    known = {
        "capabilities": dotted,
        "lacks": dotted,
        "behaviour": _one_or_more(_any({"enum": list(BEHAVIOURS)}, _REFERENCE)),
        "transports": _one_or_more({"enum": list(needs.TRANSPORTS)}),
        "identities": {"type": "integer", "minimum": 0},
        "connections": {"type": "integer", "minimum": 1},
        "intensity": {"enum": list(needs.INTENSITIES)},
    }
    return {name: known.get(name, {"type": "boolean"}) for name in needs.KEYS}


def _template(name: str) -> Schema:
    """JSON in which a text that begins with a dollar sign is a reference."""
    here = {"$ref": f"#/$defs/{name}"}
    return _any(
        {"type": ["null", "boolean", "number"]},
        {"$ref": "#/$defs/text"},
        {"type": "array", "items": here},
        {"type": "object", "propertyNames": _MEMBER_NAMES, "additionalProperties": here},
    )


def _matcher(pattern: Schema) -> Schema:
    """An object with one matcher; ``pattern`` is what its own patterns are, where they stand in its place."""
    arguments: dict[str, Schema] = {
        "$absent": _any({"const": True}, _REFERENCE),
        "$type": _any(_one_or_more({"enum": list(matchers.TYPES)}), _REFERENCE),
        "$in": _any({"type": "array", "items": _STIMULUS, "minItems": 1}, _REFERENCE),
        "$matches": {"$ref": "#/$defs/text"},
        "$at_least": _any({"type": "number"}, _REFERENCE),
        "$at_most": _any({"type": "number"}, _REFERENCE),
        "$timestamp": _any({"enum": list(matchers.TIMESTAMPS)}, _REFERENCE),
        "$same_as": _STIMULUS,
        "$schema": _any({"type": "string", "pattern": "^v[12]/[A-Za-z0-9]+$"}, _REFERENCE),
        "$any_of": {"type": "array", "items": pattern, "minItems": 1},
        "$all_of": {"type": "array", "items": pattern, "minItems": 1},
        "$not": pattern,
        "$only_keys": _any({"type": "array", "items": {"$ref": "#/$defs/text"}}, _REFERENCE),
        "$each": _PATTERN,
        "$includes": _PATTERN,
        "$size": _any({"type": "integer", "minimum": 0}, {"$ref": "#/$defs/matcher"}, _REFERENCE),
        "$related_task": {"$ref": "#/$defs/text"},
    }
    described = {name: {"description": meaning, **arguments[name]} for name, meaning in matchers.MATCHERS.items()}
    return {**_record(described), "minProperties": 1, "maxProperties": 1}


def _judging_schemas(verb: Verb) -> dict[str, Schema]:
    """What a verb with these members is judged on: the pattern, one judgement, the whole of ``expect``."""
    pattern, judgement, expect = (f"{kind}{_suffix(verb)}" for kind in ("matched", "judgement", "expect"))
    here: Schema = {"$ref": f"#/$defs/{pattern}"}
    members = _record(dict.fromkeys(verb.members, _PATTERN)) if verb.members else _template("pattern")
    properties: dict[str, Schema] = {
        "that": here,
        "proves": {"$ref": "#/$defs/requirements"},
        "because": _TEXT,
        "else_warn": here,
        "else_not_applicable": here,
    }
    return {
        pattern: _any(_REFERENCE, members, _matcher(here)),
        judgement: _record({name: properties[name] for name in ITEM_KEYS}, ("that",)),
        expect: _any(
            {"allOf": [{"not": {"type": "array"}}, here]},
            _list_of({"$ref": f"#/$defs/{judgement}"}),
        ),
    }


def _suffix(verb: Verb) -> str:
    return "".join(f"_{member}" for member in verb.members or ())


def _list_of(schema: Schema) -> Schema:
    return {"type": "array", "items": schema, "minItems": 1}


def _verb(verb: Verb) -> Schema:
    judging = {name: _described(COMMON_KEYS[name], schema) for name, schema in _judging(verb).items()}
    keys = {name: _described(key, _key(key)) for name, key in verb.keys.items()}
    required = [name for name, key in verb.keys.items() if key.required]
    if verb.members is not None and verb.gives is None:
        required.append("expect")
    if verb.subject is not None:
        subject = _described(verb.subject, _key(verb.subject))
        required = [verb.name, *required, *(["as"] if verb.must_bind else [])]
        schema = {**_record({verb.name: subject, **keys, **judging}, required), **_groups(verb)}
        if "expect" in judging and not verb.judged_by_itself and verb.gives is not None:
            schema["dependentRequired"] = {"proves": ["expect"]}
    else:
        inner = {**_record({**keys, **judging}, required), **_groups(verb)}
        schema = _record({verb.name: inner, **judging}, [verb.name])
    return {"description": verb.meaning, **schema}


def _described(key: Key, schema: Schema) -> Schema:
    return {"description": key.meaning, **schema}


def _judging(verb: Verb) -> dict[str, Schema]:
    common: dict[str, Schema] = {}
    if verb.on_connection and verb.name != "connect":
        common["via"] = _NAME
    if verb.gives is not None:
        common["as"] = _NAME
    if verb.judges:
        if verb.members is not None:
            common["expect"] = {"$ref": f"#/$defs/expect{_suffix(verb)}"}
        common |= {"proves": {"$ref": "#/$defs/requirements"}, "because": _TEXT, "control": _TEXT}
    return common


def _groups(verb: Verb) -> Schema:
    constraints: list[Schema] = []
    for group in verb.groups:
        if group.at_least:
            constraints.append(_any(*({"required": [name]} for name in group.keys)))
        if group.at_most < len(group.keys):
            pairs = [(a, b) for index, a in enumerate(group.keys) for b in group.keys[index + 1 :]]
            constraints += [{"not": {"required": [a, b]}} for a, b in pairs]
    beside = {name: [key.beside] for name, key in verb.keys.items() if key.beside is not None}
    schema: Schema = {"allOf": constraints} if constraints else {}
    return {**schema, **({"dependentRequired": beside} if beside else {})}


def _key(key: Key) -> Schema:
    if key.choices:
        choices: Schema = {"enum": list(key.choices)}
        listed = [_list_of(_any(choices, _REFERENCE))] if key.many else []
        return _any(choices, *listed, _REFERENCE)
    return _KINDS[key.kind]


_WHOLE = _any({"type": "integer", "minimum": 1}, _REFERENCE)
_KINDS: Mapping[Kind, Schema] = {
    Kind.METHOD: _TEXT,
    Kind.TEXT: _TEXT,
    Kind.NAME: _NAME,
    Kind.CONNECTION: _NAME,
    Kind.REF: _REFERENCE,
    Kind.FLAG: _any({"type": "boolean"}, _REFERENCE),
    Kind.MS: _WHOLE,
    Kind.COUNT: _WHOLE,
    Kind.STIMULUS: _STIMULUS,
    Kind.PATTERN: _PATTERN,
    Kind.VALUES: _any(_list_of(_STIMULUS), _REFERENCE),
    Kind.PATHS: _list_of({"type": "string", "pattern": r"^[^.$][^.]*(\.[^.]+)*$"}),
    Kind.BINDINGS: {"type": "object", "propertyNames": _NAME, "additionalProperties": _STIMULUS, "minProperties": 1},
    Kind.STEPS: _STEPS,
    Kind.BRANCHES: {"type": "array", "items": _STEPS, "minItems": 2},
}


def schema_file() -> Path:
    """Where the schema is kept."""
    return root() / "schemas" / "files" / "suite.schema.json"


def schema_text() -> str:
    """The schema as its file holds it."""
    return json.dumps(suite_schema(), indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    (Path(sys.argv[1]) if sys.argv[1:] else schema_file()).write_text(schema_text(), encoding="utf-8")
