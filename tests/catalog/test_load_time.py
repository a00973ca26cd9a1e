"""Starting is quick: the library is read with libyaml and nothing heavy is imported for it."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tests.catalog.samples import SMALL_LIBRARY

COPIES = 36
BUDGET_S = 0.3
MEASURE = """
import json, sys, time
from pathlib import Path
from mcp_tasks_conformance.catalog import library
loaded = library.load(Path(sys.argv[1]))
heavy = {"difflib", "httpx", "jsonschema", "rich", "starlette", "uvicorn", "asyncio"} & set(sys.modules)
print(json.dumps({"scenarios": len(loaded.scenarios), "cpu_s": time.process_time(), "heavy": sorted(heavy)}))
"""


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> dict[str, object]:
    """What a fresh interpreter takes to load a library of 150 scenarios, its own start and all imports included."""
    folder = Path(shutil.copytree(SMALL_LIBRARY, tmp_path_factory.mktemp("large") / "library"))
    suite = folder / "scenarios/v1/receiver/everything.yaml"
    text = suite.read_text(encoding="utf-8")
    for number in range(COPIES):
        named = text.replace("suite: everything", f"suite: everything-{number}")
        suite.with_name(f"everything-{number}.yaml").write_text(named, encoding="utf-8")
    runs = [
        subprocess.run([sys.executable, "-c", MEASURE, folder], check=True, capture_output=True, text=True)
        for _ in range(3)
    ]
    return min((dict(json.loads(run.stdout)) for run in runs), key=lambda run: float(run["cpu_s"]))


@pytest.mark.skipif(not hasattr(yaml, "CSafeLoader"), reason="PyYAML was built without libyaml")
def test_a_library_of_150_scenarios_is_there_in_time(measured: dict[str, object]) -> None:
    assert isinstance(measured["scenarios"], int)
    assert measured["scenarios"] >= 150
    assert isinstance(measured["cpu_s"], float)
    assert measured["cpu_s"] < BUDGET_S


def test_nothing_heavy_is_imported_to_load_it(measured: dict[str, object]) -> None:
    assert measured["heavy"] == []
