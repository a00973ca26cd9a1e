"""The schemas for editors: in step with the loaders, whose rules they show while one types."""

from __future__ import annotations

import json
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from mcp_tasks_conformance.catalog import (
    baselines,
    editor_schema,
    library,
    manifests,
    needs,
    profiles,
    requirements,
    source,
    suites,
)
from mcp_tasks_conformance.catalog.behaviours import BEHAVIOURS
from mcp_tasks_conformance.catalog.judgements import ITEM_KEYS
from mcp_tasks_conformance.catalog.matchers import MATCHERS
from mcp_tasks_conformance.catalog.problems import Problems
from mcp_tasks_conformance.catalog.verbs import VERBS
from tests.catalog.broken import Broken, cases
from tests.catalog.samples import SMALL_LIBRARY, with_scenarios, with_steps

UNKNOWN = ("unknown key", "unknown verb", "takes no key", "unknown matcher", "is judged on has no")
FILES = ("suite", "requirements", "profile", "manifest", "baseline")
REPOSITORY = Path(__file__).parents[2]


@cache
def schema(name: str) -> dict[str, Any]:
    file = library.root() / "schemas" / "files" / f"{name}.schema.json"
    return dict(json.loads(file.read_text(encoding="utf-8")))


def flaws(name: str, text: str) -> list[str]:
    problems = Problems()
    document = source.parse(text.encode(), Path("file.yaml"), problems)
    value = source.plain(document) if document is not None else None
    return [f"{error.json_path}: {error.message}" for error in Draft202012Validator(schema(name)).iter_errors(value)]


def files(kind: str) -> list[Path]:
    folders = (library.root() / "scenarios", SMALL_LIBRARY / "scenarios")
    listed = [file for folder in folders for file in sorted(folder.rglob("*.yaml"))]
    named = {
        "requirements": [file for file in listed if file.name == library.CATALOGUE],
        "profile": [file for file in listed if file.parent.name == library.PROFILES],
        "manifest": sorted((REPOSITORY / "implementations").glob(f"*/{manifests.FILE}")),
        "baseline": sorted((REPOSITORY / "implementations").glob("*/baseline*.yaml")),
    }
    named["suite"] = [file for file in listed if file not in named["requirements"] + named["profile"]]
    return named[kind]


@pytest.mark.parametrize("name", FILES)
def test_a_schema_is_one(name: str) -> None:
    Draft202012Validator.check_schema(schema(name))


def test_the_schema_of_suites_is_made_from_the_verbs() -> None:
    shown = editor_schema.schema_file().read_text(encoding="utf-8")
    assert shown == editor_schema.schema_text(), "run python -m mcp_tasks_conformance.catalog.editor_schema"


def test_the_module_writes_the_file(tmp_path: Path) -> None:
    file = tmp_path / "suite.schema.json"
    subprocess.run([sys.executable, "-m", editor_schema.__name__, file], check=True, cwd=tmp_path)
    assert file.read_text(encoding="utf-8") == editor_schema.schema_text()


@pytest.mark.parametrize(
    ("name", "file"), [pytest.param(name, file, id=f"{name}:{file.stem}") for name in FILES for file in files(name)]
)
def test_every_file_of_the_library_and_of_the_samples_is_valid(name: str, file: Path) -> None:
    assert flaws(name, file.read_text(encoding="utf-8")) == []


@cases("steps")
def test_steps_are_noticed(broken: Broken) -> None:
    assert bool(flaws("suite", with_steps(broken.file))) is broken.editor


@cases("scenarios")
def test_scenarios_are_noticed(broken: Broken) -> None:
    assert bool(flaws("suite", with_scenarios(broken.file))) is broken.editor


@cases("suites")
def test_suites_are_noticed(broken: Broken) -> None:
    assert bool(flaws("suite", broken.file)) is broken.editor


@cases("requirements")
def test_catalogues_are_noticed(broken: Broken) -> None:
    assert bool(flaws("requirements", broken.file)) is broken.editor


@cases("profiles")
def test_profiles_are_noticed(broken: Broken) -> None:
    assert bool(flaws("profile", broken.file)) is broken.editor


@cases("manifests")
def test_manifests_are_noticed(broken: Broken) -> None:
    assert bool(flaws("manifest", broken.file)) is broken.editor


@cases("baselines")
def test_baselines_are_noticed(broken: Broken) -> None:
    assert bool(flaws("baseline", broken.file)) is broken.editor


@pytest.mark.parametrize(
    "table", ["steps", "scenarios", "suites", "requirements", "profiles", "manifests", "baselines"]
)
def test_an_editor_notices_every_name_that_the_loader_does_not_know(table: str) -> None:
    unknown = [
        broken for broken in cases(table).args[1] if any(phrase in line for line in broken.says for phrase in UNKNOWN)
    ]
    assert unknown
    assert all(broken.editor for broken in unknown)


def test_schemas_and_loaders_know_the_same_keys() -> None:
    suite, rows, profile, manifest, baseline = (schema(name) for name in FILES)
    start = manifest["properties"]["start"]["properties"]
    assert set(suite["properties"]) == set(suites.SUITE_KEYS)
    assert set(suite["$defs"]["scenario"]["properties"]) == set(suites.SCENARIO_KEYS)
    assert set(suite["$defs"]["needs"]["properties"]) == set(needs.KEYS)
    assert set(suite["$defs"]["matcher"]["properties"]) == set(MATCHERS)
    assert set(suite["$defs"]["judgement"]["properties"]) == set(ITEM_KEYS)
    assert [item["$ref"] for item in suite["$defs"]["step"]["anyOf"]] == [f"#/$defs/{name}" for name in VERBS]
    assert set(rows["properties"]) == set(requirements.FILE_KEYS)
    assert set(rows["$defs"]["rule"]["properties"]) == set(requirements.ROW_KEYS)
    assert set(rows["$defs"]["quality"]["properties"]) == set(requirements.QUALITY_KEYS)
    assert set(profile["properties"]) == set(profiles.FILE_KEYS)
    assert set(profile["$defs"]["counts"]["properties"]) == set(profiles.BEHAVIOUR_KEYS)
    assert set(manifest["properties"]) == set(manifests.FILE_KEYS)
    assert set(start) == set(manifests.START_KEYS)
    assert set(start["http"]["anyOf"][1]["properties"]) == set(manifests.HTTP_KEYS)
    assert set(start["stdio"]["anyOf"][1]["properties"]) == set(manifests.STDIO_KEYS)
    assert set(baseline["$defs"]["entry"]["properties"]) == set(baselines.ENTRY_KEYS)


def test_enumerations_of_the_schemas_are_the_loaders() -> None:
    rows = schema("requirements")
    rule = rows["$defs"]["rule"]["properties"]
    assert set(rows["properties"]["specification"]["enum"]) == set(requirements.SPECIFICATIONS)
    assert rule["level"]["enum"] == [level.value for level in requirements.LEVELS]
    assert rule["party"]["enum"] == list(requirements.PARTIES)
    assert rule["observe"]["enum"] == list(requirements.OBSERVE)
    assert schema("profile")["properties"]["behaviours"]["propertyNames"]["enum"] == list(BEHAVIOURS)
    assert schema("baseline")["$defs"]["transport"]["enum"] == list(baselines.TRANSPORTS)


def test_suites_of_the_library_and_of_the_samples_name_the_schema_that_editors_take() -> None:
    for file in files("suite"):
        first = file.read_text(encoding="utf-8").splitlines()[0]
        mark, _, relative = first.partition("$schema=")
        assert mark == "# yaml-language-server: ", file
        named = (file.parent / relative).resolve()
        assert named.is_file(), file
        assert named.name == editor_schema.schema_file().name, file
