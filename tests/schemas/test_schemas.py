"""The JSON Schemas of messages are sound, open where the specification is open, and fit whole exchanges."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from mcp_tasks_conformance.catalog import library
from mcp_tasks_conformance.wire import shapes

FILES = sorted((library.root() / "schemas/wire").glob("*/*.json"))
EXCHANGES = sorted((Path(__file__).parent / "exchanges").glob("*/*.json"))


def _read(file: Path) -> Any:
    return json.loads(file.read_text(encoding="utf-8"))


def _parts(schema: Any) -> Iterator[dict[str, Any]]:
    """A schema and all objects in it, wherever they stand."""
    if isinstance(schema, dict):
        yield schema
        for part in schema.values():
            yield from _parts(part)
    elif isinstance(schema, list):
        for part in schema:
            yield from _parts(part)


def _name(file: Path) -> str:
    return f"{file.parent.name}/{file.stem}"


@pytest.mark.parametrize("file", FILES, ids=_name)
def test_each_schema_is_json_schema_2020_12_and_named_after_its_file(file: Path) -> None:
    schema = _read(file)
    assert schema["$schema"] == Draft202012Validator.META_SCHEMA["$id"]
    Draft202012Validator.check_schema(schema)
    assert (schema["$id"], schema["title"]) == (file.name, file.stem)
    assert schema["description"].endswith(".")


@pytest.mark.parametrize("file", FILES, ids=_name)
def test_each_reference_leads_to_a_schema_of_the_same_folder(file: Path) -> None:
    for part in _parts(_read(file)):
        if "$ref" in part:
            assert (file.parent / part["$ref"]).is_file(), part["$ref"]


@pytest.mark.parametrize("file", FILES, ids=_name)
def test_no_schema_uses_a_keyword_that_json_schema_does_not_know(file: Path) -> None:
    # An unknown keyword is silently ignored: a typing error would make a schema that accepts anything.
    known = set(Draft202012Validator.VALIDATORS) | {
        *("$schema", "$id", "$comment", "title", "description", "contentEncoding", "then", "else", "default"),
    }

    def keywords(schema: Any) -> Iterator[str]:
        if not isinstance(schema, dict):
            return
        for keyword, value in schema.items():
            yield keyword
            if keyword == "properties":
                for member in value.values():
                    yield from keywords(member)
            elif keyword in {"items", "additionalProperties", "if", "then", "else", "not"}:
                yield from keywords(value)
            elif keyword in {"allOf", "anyOf", "oneOf"}:
                for each in value:
                    yield from keywords(each)

    assert set(keywords(_read(file))) <= known


@pytest.mark.parametrize("file", FILES, ids=_name)
def test_every_object_is_open(file: Path) -> None:
    for part in _parts(_read(file)):
        assert part.get("additionalProperties") is not False
        assert "unevaluatedProperties" not in part


@pytest.mark.parametrize("file", EXCHANGES, ids=lambda file: f"{file.parent.name}: {file.stem}")
def test_an_exchange_in_the_manner_of_the_specification_is_sound(file: Path) -> None:
    generation = file.parent.name
    asked: dict[object, Any] = {}
    judged = 0

    def sound(name: str | None, value: Any) -> None:
        nonlocal judged
        assert name is not None
        assert shapes.check(name, value) == ()
        judged += 1

    for message in _read(file):
        match message:
            case {"method": method, "id": id_}:
                asked[id_] = message
                sound(f"{generation}/JSONRPCRequest", message)
                sound(shapes.params_schema(generation, method), message.get("params", {}))
            case {"method": method}:
                sound(f"{generation}/JSONRPCNotification", message)
                sound(shapes.notification_schema(generation, method), message.get("params", {}))
            case {"error": _}:
                sound(f"{generation}/JSONRPCErrorResponse", message)
            case {"result": result, "id": id_}:
                request = asked[id_]
                as_task = "task" in request.get("params", {})
                sound(f"{generation}/JSONRPCResultResponse", message)
                plain = shapes.result_schema(generation, request["method"])
                sound(f"{generation}/CreateTaskResult" if as_task else plain, result)
    assert judged >= len(_read(file))
