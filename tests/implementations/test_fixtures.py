"""The third-party implementations: their manifests, profiles and baselines fit together, and fit the library."""

from __future__ import annotations

from pathlib import Path

import pytest

from mcp_tasks_conformance.catalog.baselines import Shelf, load_baseline
from mcp_tasks_conformance.catalog.behaviours import BEHAVIOURS
from mcp_tasks_conformance.catalog.library import load
from mcp_tasks_conformance.catalog.manifests import implementations, load_manifest
from mcp_tasks_conformance.catalog.profiles import load_profile

FOLDERS = implementations(Path(__file__).parents[2] / "implementations")
LIBRARY = load()
SHELF = Shelf(LIBRARY.requirements, LIBRARY.scenarios.values())

pytestmark = pytest.mark.parametrize("folder", FOLDERS.values(), ids=FOLDERS)


def test_its_profile_says_of_every_behaviour_who_shows_it_or_why_nobody_does(folder: Path) -> None:
    manifest = load_manifest(folder)
    profile = load_profile(folder / manifest.profile, LIBRARY.requirements)
    assert {*profile.behaviours, *profile.missing} == set(BEHAVIOURS)


def test_its_baseline_knows_the_library_and_links_to_the_sentence_of_each_entry(folder: Path) -> None:
    manifest = load_manifest(folder)
    assert manifest.baseline is not None
    unlinked = [waiver.requirement for waiver in load_baseline(manifest.baseline, SHELF).waivers if not waiver.link]
    assert unlinked == []


def test_it_is_installed_in_exact_versions_and_listens_on_this_machine_only(folder: Path) -> None:
    manifest = load_manifest(folder)
    assert any(manifest.version in word for command in manifest.install for word in command)
    files = [*folder.glob("*.mjs"), *folder.glob("*.py"), *manifest.files]
    assert [file.name for file in files if "0.0.0.0" in file.read_text()] == []


def test_its_notes_say_what_a_reader_of_its_results_has_to_know(folder: Path) -> None:
    assert load_manifest(folder).notes
