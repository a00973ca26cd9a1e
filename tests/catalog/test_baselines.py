"""Baselines name failures that are known: by requirement, and by scenario where not all are meant."""

from __future__ import annotations

import re
from datetime import date
from pathlib import Path

import pytest

from mcp_tasks_conformance.catalog.baselines import Shelf, load_baseline
from mcp_tasks_conformance.catalog.library import load
from mcp_tasks_conformance.catalog.model import Baseline, Place, Waiver
from mcp_tasks_conformance.catalog.problems import CatalogError
from mcp_tasks_conformance.catalog.runs import keys_of
from tests.catalog.broken import Broken, cases
from tests.catalog.samples import SMALL

REPOSITORY = Path(__file__).parents[2]
LIBRARY = load()
WHOLE = Shelf(LIBRARY.requirements, LIBRARY.scenarios.values())
SHELF = Shelf(SMALL.requirements, SMALL.scenarios.values())
TERMINAL = "v1.cancel.terminal-rejected"
REFUSES = "v1/receiver/cancel/terminal-task-refuses"
COMPLETES, FAILS = f"{REFUSES}[ending=completes]", f"{REFUSES}[ending=fails-rpc-error]"


def loaded(folder: Path, text: str) -> Baseline:
    file = folder / "baseline.yaml"
    file.write_text(text)
    return load_baseline(file, SHELF)


def only_waiver(folder: Path, text: str) -> Waiver:
    (waiver,) = loaded(folder, text).waivers
    return waiver


@pytest.mark.parametrize("text", ["", "# nothing is known\n", "{}\n"])
def test_a_file_of_comments_is_a_baseline_that_knows_nothing(tmp_path: Path, text: str) -> None:
    assert loaded(tmp_path, text).waivers == ()


@cases("baselines")
def test_a_wrong_baseline_is_told_with_its_place(broken: Broken, tmp_path: Path) -> None:
    file = tmp_path / "baseline.yaml"
    with pytest.raises(CatalogError) as caught:
        loaded(tmp_path, broken.file)
    assert str(caught.value).splitlines() == [f"{file}:{line}" for line in broken.says]


def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(CatalogError, match="the file cannot be read"):
        load_baseline(tmp_path / "none.yaml", SHELF)


def test_an_entry_is_read_whole(tmp_path: Path) -> None:
    text = f"""
{TERMINAL}:
  scenarios: ["{COMPLETES}"]
  reason: cancels what has ended
  link: https://example.org/issues/7
  expires: "2027-06-30"
  transports: http
  sometimes: true
"""
    assert loaded(tmp_path, text) == Baseline(
        tmp_path / "baseline.yaml",
        (
            Waiver(
                requirement=TERMINAL,
                reason="cancels what has ended",
                place=Place(tmp_path / "baseline.yaml", 3, 3),
                scenarios=(COMPLETES,),
                link="https://example.org/issues/7",
                expires=date(2027, 6, 30),
                transports=("http",),
                sometimes=True,
                keys=frozenset({COMPLETES}),
            ),
        ),
    )


def test_a_requirement_may_have_several_entries(tmp_path: Path) -> None:
    text = f"{TERMINAL}:\n  - {{reason: one, scenarios: '{COMPLETES}'}}\n  - {{reason: other, scenarios: '{FAILS}'}}\n"
    assert [(w.reason, w.place.line, w.keys) for w in loaded(tmp_path, text).waivers] == [
        ("one", 2, frozenset({COMPLETES})),
        ("other", 3, frozenset({FAILS})),
    ]


def test_a_baseline_may_waive_nothing(tmp_path: Path) -> None:
    assert loaded(tmp_path, "{}\n").waivers == ()


@pytest.mark.parametrize(
    ("pattern", "keys"),
    [
        (COMPLETES, {COMPLETES}),
        (REFUSES, {COMPLETES, FAILS}),
        ("*/terminal-task-*", {COMPLETES, FAILS}),
        ("v?/receiver/cancel/*[ending=fails-*]", {FAILS}),
        (f"{REFUSES}[*]", {COMPLETES, FAILS}),
    ],
)
def test_scenarios_are_named_by_key_by_id_or_by_glob(tmp_path: Path, pattern: str, keys: set[str]) -> None:
    waiver = only_waiver(tmp_path, f"{TERMINAL}: {{reason: known, scenarios: '{pattern}'}}")
    assert waiver.keys == keys
    assert all(waiver.covers(key) for key in keys)
    assert not waiver.covers("v1/receiver/cancel/another")


def test_brackets_are_no_wildcard(tmp_path: Path) -> None:
    with pytest.raises(CatalogError, match="matches no scenario"):
        loaded(tmp_path, f"{TERMINAL}: {{reason: known, scenarios: '*[a-z]*'}}")


def test_an_entry_without_scenarios_covers_all_and_concerns_those_that_prove_it(tmp_path: Path) -> None:
    waiver = only_waiver(tmp_path, f"{TERMINAL}: {{reason: known}}")
    proving = [scenario for scenario in SMALL.scenarios.values() if TERMINAL in scenario.proves]
    assert waiver.keys == {key for scenario in proving for key in keys_of(scenario)}
    assert waiver.covers("v1/receiver/anything/else")


def test_what_no_scenario_proves_may_fail_in_any_of_them(tmp_path: Path) -> None:
    watched = next(id_ for id_ in SMALL.requirements if not any(id_ in s.proves for s in SMALL.scenarios.values()))
    waiver = only_waiver(tmp_path, f"{watched}: {{reason: known}}")
    assert waiver.keys == {key for scenario in SMALL.scenarios.values() for key in keys_of(scenario)}


def test_places_name_the_file_as_it_was_asked_for(tmp_path: Path) -> None:
    file = tmp_path / "baseline.yaml"
    file.write_text(f"{TERMINAL}: {{reason: known}}")
    (waiver,) = load_baseline(file, SHELF, Path("mine.yaml")).waivers
    assert str(waiver.place) == "mine.yaml:1:30"


@pytest.mark.parametrize("page", ["README.md", "docs/baselines.md"])
def test_the_baselines_that_the_documentation_shows_are_ones(page: str, tmp_path: Path) -> None:
    text = (REPOSITORY / page).read_text(encoding="utf-8")
    shown = [block for block in re.findall(r"```yaml\n(.*?)```", text, re.DOTALL) if "reason:" in block]
    assert len(shown) == 1
    (tmp_path / "baseline.yaml").write_text(shown[0])
    assert load_baseline(tmp_path / "baseline.yaml", WHOLE).waivers


def test_every_scenario_of_the_library_can_be_named_by_each_of_its_keys() -> None:
    for scenario in LIBRARY.scenarios.values():
        assert WHOLE.matching(scenario.id) >= set(keys_of(scenario))
        for key in keys_of(scenario):
            assert WHOLE.matching(key) == {key}


@pytest.mark.parametrize("file", sorted((REPOSITORY / "implementations").glob("*/baseline*.yaml")), ids=str)
def test_the_baselines_of_the_implementations_name_what_there_is(file: Path) -> None:
    assert load_baseline(file, WHOLE).waivers
