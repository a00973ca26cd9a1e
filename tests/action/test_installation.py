"""The steps that install the suite: from the action's own checkout, into an environment of its own."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.action.workflow import ACTION, ONE_SCENARIO, run_action

HERE = "\n".join(folder for folder in sys.path if folder.endswith("-packages"))
"""Where the packages are that this test runs with."""


def packages_of(temporary: Path) -> Path:
    """Where the suite's own environment has its packages."""
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    return temporary / "mcp-tasks-conformance" / "lib" / version / "site-packages"


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository with modules whose names the installation uses too."""
    root = tmp_path / "repository"
    root.mkdir()
    for name in ("pip", "venv", "ensurepip", "mcp_tasks_conformance"):
        (root / f"{name}.py").write_text("raise SystemExit('taken from the repository')")
    return root


def test_it_is_installed_from_the_checkout_and_judges(repository: Path) -> None:
    asked: dict[str, str] = {}

    def setup_python(inputs: Mapping[str, str]) -> dict[str, str]:
        asked.update(inputs)
        return {"python-path": sys.executable}

    # No index is asked: what the suite needs is found where this test runs.
    packages = packages_of(repository.parent / "repository-temp")
    packages.mkdir(parents=True)
    (packages / "found_here.pth").write_text(HERE)
    job = run_action(
        repository,
        {"command": f"{sys.executable} -m mcp_tasks_reference --stdio", "args": ONE_SCENARIO},
        actions={"actions/setup-python": setup_python},
        environment={"PIP_NO_INDEX": "1", "PIP_NO_BUILD_ISOLATION": "0"},
    )
    assert job.exit_code == 0, job.log
    assert job.outputs["verdict"] == "conformant"
    assert asked == {"python-version": "3.13", "update-environment": "false"}
    assert (packages / "mcp_tasks_conformance" / "_library" / "scenarios").is_dir()
    assert "taken from the repository" not in job.log
    assert job.environment == job.path == ""


def test_nothing_is_judged_where_it_cannot_be_installed(repository: Path) -> None:
    job = run_action(
        repository,
        {"command": "x"},
        actions={"actions/setup-python": lambda _: {"python-path": "/nowhere/python"}},
    )
    assert job.exit_code == 127
    assert job.outputs["verdict"] == job.outputs["exit-code"] == ""


def test_what_others_wrote_is_pinned() -> None:
    for step in ACTION["runs"]["steps"]:
        if "uses" in step:
            assert len(step["uses"].partition("@")[2]) == 40
