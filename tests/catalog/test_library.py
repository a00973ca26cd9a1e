"""The library as a whole: found, loaded, linked, and told apart by its digest."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from mcp_tasks_conformance.catalog import library
from mcp_tasks_conformance.catalog.problems import CatalogError
from tests.catalog.samples import SMALL, SMALL_LIBRARY, with_steps


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A copy of the small library."""
    return Path(shutil.copytree(SMALL_LIBRARY, tmp_path / "library"))


def problems_of(folder: Path, *own: Path) -> list[str]:
    with pytest.raises(CatalogError) as caught:
        library.load(folder, own)
    return [str(problem) for problem in caught.value.problems]


def test_the_library_is_where_scenarios_and_schemas_are() -> None:
    root = library.root()
    assert (root / "scenarios/v1/requirements.yaml").is_file()
    assert (root / "schemas/files/suite.schema.json").is_file()


def test_requirements_suites_and_scenarios_are_found_by_id() -> None:
    assert set(SMALL.suites) == {
        "v1/receiver/cancel",
        "v1/receiver/everything",
        "v1/requestor/driven",
        "v2/server/created",
    }
    assert {requirement.specification for requirement in SMALL.requirements.values()} == {"base", "v1", "v2", "quality"}
    assert SMALL.scenarios["v1/requestor/driven/polls"] is SMALL.suites["v1/requestor/driven"].scenarios[0]
    assert SMALL.own == ()


def test_the_problems_of_all_files_are_told_at_once(folder: Path) -> None:
    cancel = folder / "scenarios/v1/receiver/cancel.yaml"
    cancel.write_text(
        cancel.read_text().replace("tasks/cancel", "[tasks/cancel]").replace("title: Canc", "titel: Canc")
    )
    base = folder / "scenarios/base/requirements.yaml"
    base.write_text(base.read_text().replace("level: MUST,", "level: MST,", 1))
    (folder / "scenarios/v1/receiver/broken.yaml").write_text("")
    assert problems_of(folder) == [
        "scenarios/base/requirements.yaml:6:49: `level` cannot be `MST` (did you mean `MUST`?)",
        "scenarios/v1/receiver/broken.yaml:1:1: the file is empty",
        "scenarios/v1/receiver/cancel.yaml:2:1: a suite has no `title`",
        "scenarios/v1/receiver/cancel.yaml:6:1: unknown key `titel` in a suite (did you mean `title`?)",
        "scenarios/v1/receiver/cancel.yaml:16:15: `send` is the name of a method, not a list",
    ]


def test_a_scenario_stands_once(folder: Path) -> None:
    cancel = folder / "scenarios/v1/receiver/cancel.yaml"
    cancel.write_text(cancel.read_text() + "  - {id: terminal-task-refuses, title: Again, steps: [{send: ping}]}\n")
    (told,) = problems_of(folder)
    assert told == (
        "scenarios/v1/receiver/cancel.yaml:24:5: the scenario `v1/receiver/cancel/terminal-task-refuses` is there "
        "already (at scenarios/v1/receiver/cancel.yaml:9:5)"
    )


def test_a_suite_lies_where_its_id_says(folder: Path) -> None:
    (folder / "scenarios/v1/receiver/cancel.yaml").rename(folder / "scenarios/v1/receiver/cancelling.yaml")
    (told,) = problems_of(folder)
    assert told == (
        "scenarios/v1/receiver/cancelling.yaml:1:1: the file of the suite `v1/receiver/cancel` is "
        "scenarios/v1/receiver/cancel.yaml (move it there)"
    )


def test_a_suite_stands_once(folder: Path) -> None:
    shutil.copy(folder / "scenarios/v1/receiver/cancel.yaml", folder / "scenarios/v1/receiver/dancel.yaml")
    (told,) = problems_of(folder)
    assert told == (
        "scenarios/v1/receiver/dancel.yaml:2:1: the suite `v1/receiver/cancel` is there already "
        "(in scenarios/v1/receiver/cancel.yaml)"
    )


def test_a_requirement_stands_once_in_all_catalogues(folder: Path) -> None:
    shutil.copytree(folder / "scenarios/quality", folder / "scenarios/zzz")
    assert [line.split(": ", 1)[1] for line in problems_of(folder)] == [
        "`quality.session-isolation` is there already (at scenarios/quality/requirements.yaml:3:5)",
        "`quality.get-prompt` is there already (at scenarios/quality/requirements.yaml:4:5)",
    ]


def test_profiles_are_no_suites(folder: Path) -> None:
    (folder / "scenarios/profiles").mkdir()
    (folder / "scenarios/profiles/reference.yaml").write_text("profile: reference\nbehaviours: {}\n")
    assert library.load(folder).suites.keys() == SMALL.suites.keys()


class TestOwnSuites:
    def test_a_suite_of_ones_own_proves_requirements_of_the_library(self, folder: Path, tmp_path: Path) -> None:
        own = tmp_path / "mine.yaml"
        own.write_text(with_steps("- send: ping\n  expect: {result: {}}\n  proves: base.answers"))
        loaded = library.load(folder, [own])
        assert loaded.own == ("v1/receiver/sample",)
        assert loaded.scenarios["v1/receiver/sample/one"].proves == ("base.answers",)
        assert loaded.scenarios["v1/receiver/sample/one"].place.path == own

    def test_suites_can_be_added_to_the_loaded_library_one_after_another(self, tmp_path: Path) -> None:
        files = [tmp_path / "a.yaml", tmp_path / "b.yaml"]
        step = with_steps("- send: ping\n  expect: {result: {}}\n  proves: base.answers")
        files[0].write_text(step)
        files[1].write_text(step.replace("suite: sample", "suite: another"))
        loaded = library.load()
        added = library.add(library.add(loaded, files[:1]), files[1:])
        assert added == library.load(own=files)
        assert loaded.own == ()
        copy = Path(shutil.copy(files[0], tmp_path / "copy.yaml"))
        with pytest.raises(CatalogError, match="the suite `v1/receiver/sample` is there already"):
            library.add(added, [copy])

    def test_its_problems_name_the_file_as_it_was_given(self, folder: Path, tmp_path: Path) -> None:
        own = tmp_path / "mine.yaml"
        own.write_text(with_steps("- sned: ping"))
        assert problems_of(folder, own) == [f"{own}:10:9: unknown verb `sned` (did you mean `send`?)"]

    def test_one_that_is_not_there_is_told(self, folder: Path, tmp_path: Path) -> None:
        own = tmp_path / "none.yaml"
        assert problems_of(folder, own) == [f"{own}:1:1: the file cannot be read: No such file or directory"]

    def test_a_file_of_the_library_is_not_read_twice(self, folder: Path) -> None:
        loaded = library.load(folder, [folder / "scenarios/v1/receiver/../receiver/cancel.yaml"])
        assert loaded.own == ("v1/receiver/cancel",)
        assert loaded.scenarios.keys() == SMALL.scenarios.keys()

    def test_it_cannot_take_the_place_of_the_librarys(self, folder: Path, tmp_path: Path) -> None:
        own = tmp_path / "mine.yaml"
        shipped = folder / "scenarios/v1/receiver/cancel.yaml"
        own.write_text(shipped.read_text() + "# changed\n")
        hint = f"in {shipped}, which differs; to try a change of it, give it another name: `suite: my-...`"
        assert problems_of(folder, own) == [f"{own}:2:1: the suite `v1/receiver/cancel` is there already ({hint})"]

    def test_one_that_is_named_twice_is_read_once(self, folder: Path, tmp_path: Path) -> None:
        own = tmp_path / "mine.yaml"
        own.write_text(with_steps("- send: ping\n  expect: {result: {}}"))
        again = tmp_path / "." / ".." / tmp_path.name / "mine.yaml"
        assert library.load(folder, [own, again]).own == library.load(folder, [own]).own

    def test_an_equal_copy_is_the_suite_of_the_library(self, folder: Path, tmp_path: Path) -> None:
        copy = Path(shutil.copy(folder / "scenarios/v1/receiver/cancel.yaml", tmp_path / "checkout.yaml"))
        loaded = library.load(folder, [copy])
        assert loaded.own == ("v1/receiver/cancel",)
        assert loaded.suites == SMALL.suites


class TestDigest:
    def test_equal_files_have_equal_digests(self, folder: Path) -> None:
        assert library.digest(folder) == library.digest(SMALL_LIBRARY)
        assert len(library.digest(folder)) == 64

    @pytest.mark.parametrize("file", ["scenarios/v1/receiver/cancel.yaml", "schemas/wire/v1/Task.json"])
    def test_a_changed_file_changes_it(self, folder: Path, file: str) -> None:
        (folder / file).write_bytes((folder / file).read_bytes() + b"\n")
        assert library.digest(folder) != library.digest(SMALL_LIBRARY)

    def test_a_renamed_file_changes_it(self, folder: Path) -> None:
        (folder / "schemas/wire/v1/Task.json").rename(folder / "schemas/wire/v1/Tasks.json")
        assert library.digest(folder) != library.digest(SMALL_LIBRARY)

    def test_what_is_neither_scenario_nor_schema_does_not_count(self, folder: Path) -> None:
        (folder / "README.md").write_text("read me")
        (folder / "scenarios/.cancel.yaml.swp").write_text("an editor's")
        assert library.digest(folder) == library.digest(SMALL_LIBRARY)
