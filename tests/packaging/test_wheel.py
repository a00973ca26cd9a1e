"""What is in the wheel: the library beside the code, and both programs."""

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent


@pytest.fixture(scope="module")
def names(tmp_path_factory: pytest.TempPathFactory) -> frozenset[str]:
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True, timeout=120)
    (wheel,) = folder.glob("*.whl")
    return frozenset(zipfile.ZipFile(wheel).namelist())


def shipped(folder: str, *endings: str) -> set[str]:
    files = (file for file in (ROOT / folder).rglob("*") if file.suffix in endings)
    return {f"mcp_tasks_conformance/_library/{file.relative_to(ROOT).as_posix()}" for file in files}


@pytest.mark.parametrize(("folder", "endings"), [("scenarios", (".yaml",)), ("schemas", (".json",))])
def test_every_file_of_the_library_is_inside(names: frozenset[str], folder: str, endings: tuple[str, ...]) -> None:
    files = shipped(folder, *endings)
    assert files
    assert files <= names


@pytest.mark.parametrize("package", ["mcp_tasks_conformance", "mcp_tasks_reference"])
def test_both_packages_are_inside_with_their_types(names: frozenset[str], package: str) -> None:
    assert f"{package}/__main__.py" in names
    assert f"{package}/py.typed" in names


def test_nothing_else_is_inside(names: frozenset[str]) -> None:
    roots = {name.split("/")[0] for name in names}
    assert {root.partition("-")[0] for root in roots} == {"mcp_tasks_conformance", "mcp_tasks_reference"}
    assert not [name for name in names if "/tests/" in name or name.endswith(".pyc")]
