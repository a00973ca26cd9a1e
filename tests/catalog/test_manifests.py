"""Manifests say how an implementation is installed, started and tested."""

from __future__ import annotations

from pathlib import Path

import pytest

from mcp_tasks_conformance.catalog.manifests import implementations, load_manifest
from mcp_tasks_conformance.catalog.model import Manifest, Start
from mcp_tasks_conformance.catalog.problems import CatalogError
from tests.catalog.broken import Broken, cases

REPOSITORY = Path(__file__).parents[2]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "sample"
    folder.mkdir()
    return folder


@cases("manifests")
def test_a_wrong_manifest_is_told_with_its_place(broken: Broken, folder: Path) -> None:
    file = folder / "manifest.yaml"
    file.write_text(broken.file)
    with pytest.raises(CatalogError) as caught:
        load_manifest(folder)
    assert str(caught.value).splitlines() == [f"{file}:{line}" for line in broken.says]


def test_a_manifest_is_read_whole(folder: Path) -> None:
    (folder / "profile.yaml").write_text("")
    (folder / "manifest.yaml").write_text(
        """
        implementation: sample
        version: 1.2.3
        language: typescript
        install:
          - npm ci
          - [node, "build it.js"]
        start:
          stdio: node index.js 'a word'
          http: {command: [node, index.js, --http], env: {PORT: "{port}"}, path: /tasks}
        profile: profile.yaml
        baseline: baseline.yaml
        jobs: 2
        fresh: true
        durable: true
        identities: {alice: "Authorization: Bearer a", bob: "X-Key: b"}
        notes: |
          It has one tool.
        """
    )
    manifest = load_manifest(folder)
    assert manifest == Manifest(
        name="sample",
        version="1.2.3",
        language="typescript",
        folder=folder,
        install=(("npm", "ci"), ("node", "build it.js")),
        start={
            "stdio": Start(("node", "index.js", "a word")),
            "http": Start(("node", "index.js", "--http"), {"PORT": "{port}"}, "/tasks"),
        },
        profile="profile.yaml",
        baseline=folder / "baseline.yaml",
        jobs=2,
        fresh=True,
        durable=True,
        identities={"alice": "Authorization: Bearer a", "bob": "X-Key: b"},
        notes="It has one tool.\n",
    )
    assert manifest.transports == ("stdio", "http")


def test_what_a_manifest_does_not_say_has_a_meaning(folder: Path) -> None:
    (folder / "manifest.yaml").write_text(
        "{implementation: sample, version: v1, language: go, start: {http: 'serve {port}'}}"
    )
    manifest = load_manifest(folder)
    assert manifest.start == {"http": Start(("serve", "{port}"), {}, "/mcp")}
    assert (manifest.install, manifest.profile, manifest.baseline) == ((), "auto", None)
    assert (manifest.jobs, manifest.fresh, manifest.durable, manifest.notes) == (None, False, False, None)
    assert manifest.identities == {}


def test_implementations_are_the_folders_with_a_manifest(tmp_path: Path) -> None:
    for name in ("b", "a", "empty"):
        (tmp_path / name).mkdir()
    for name in ("b", "a"):
        (tmp_path / name / "manifest.yaml").write_text("")
    assert list(implementations(tmp_path).items()) == [("a", tmp_path / "a"), ("b", tmp_path / "b")]


def test_the_manifests_of_the_project_are_sound() -> None:
    for folder in implementations(REPOSITORY / "implementations").values():
        load_manifest(folder)
