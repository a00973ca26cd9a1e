"""Implementations are installed into a cache, once for each state of their fixture."""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from mcp_tasks_conformance.catalog.manifests import load_manifest
from mcp_tasks_conformance.targets.errors import UnreachableTarget
from mcp_tasks_conformance.targets.installation import install


@pytest.fixture
def sample(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An implementation whose fixture lies in another one's folder."""
    monkeypatch.setenv("MCP_TASKS_CONFORMANCE_CACHE", str(tmp_path / "cache"))
    (tmp_path / "newest").mkdir()
    (tmp_path / "newest" / "server.py").write_text("first")
    folder = tmp_path / "sample"
    folder.mkdir()
    write_manifest(folder, "open('built', 'a').write('once')")
    (folder / "baseline.yaml").write_text("{}")
    return folder


def write_manifest(folder: Path, script: str) -> None:
    (folder / "manifest.yaml").write_text(
        f"implementation: {folder.name}\nversion: '1'\nlanguage: Python\nfiles: [../newest/server.py]\n"
        f'install: [[{sys.executable}, -c, "{script}"]]\nstart: {{stdio: python3 server.py}}\nbaseline: baseline.yaml\n'
    )


def quietly(_line: str) -> None:
    pass


def test_the_fixture_and_the_files_of_others_are_installed_once(sample: Path) -> None:
    told: list[str] = []
    first = install(load_manifest(sample), told.append)
    again = install(load_manifest(sample), told.append)
    assert (first, len(told)) == (again, 1)
    assert (first / "server.py").read_text() == "first"
    assert (first / "built").read_text() == "once"


def test_a_change_of_the_fixture_is_installed_anew(sample: Path) -> None:
    first = install(load_manifest(sample), quietly)
    (sample.parent / "newest" / "server.py").write_text("second")
    second = install(load_manifest(sample), quietly)
    assert first != second
    assert (second / "server.py").read_text() == "second"


def test_a_change_of_the_baseline_needs_no_new_installation(sample: Path) -> None:
    first = install(load_manifest(sample), quietly)
    (sample / "baseline.yaml").write_text("base.answers: {reason: known}\n")
    assert install(load_manifest(sample), quietly) == first


def test_a_failing_command_is_told_with_its_output_and_tried_again(sample: Path) -> None:
    write_manifest(sample, "import sys; sys.exit('no such package')")
    for _ in range(2):
        with pytest.raises(UnreachableTarget, match="ended with exit code 1") as caught:
            install(load_manifest(sample), quietly)
        assert caught.value.stderr_tail == "no such package"


def test_two_at_once_install_once(sample: Path) -> None:
    write_manifest(sample, "import time; time.sleep(0.3); open('built', 'a').write('once')")
    manifest = load_manifest(sample)
    with ThreadPoolExecutor(2) as both:
        first, second = both.map(lambda _: install(manifest, quietly), range(2))
    assert first == second
    assert (first / "built").read_text() == "once"
