"""The library: the requirements, suites and schemas that come with the product, loaded, checked and linked."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from mcp_tasks_conformance.catalog import source
from mcp_tasks_conformance.catalog.model import Place, Requirement, Scenario, Suite
from mcp_tasks_conformance.catalog.problems import Problems
from mcp_tasks_conformance.catalog.requirements import read_requirements
from mcp_tasks_conformance.catalog.suites import Shelf, read_suite

CATALOGUE = "requirements.yaml"
PROFILES = "profiles"


@dataclass(frozen=True, slots=True)
class Library:
    """All requirements and suites, by id."""

    requirements: Mapping[str, Requirement]
    suites: Mapping[str, Suite]
    scenarios: Mapping[str, Scenario]
    own: tuple[str, ...] = ()
    """The suites in the files that were asked for by name."""


@cache
def root() -> Path:
    """The folder that holds ``scenarios`` and ``schemas``.

    A wheel carries them inside the package; a checkout, also when installed in editable mode, has them at its top.
    """
    package = Path(__file__).resolve().parent.parent
    packaged = package / "_library"
    return packaged if packaged.is_dir() else package.parent.parent


def digest(folder: Path | None = None) -> str:
    """A fingerprint (SHA-256) of all scenarios and schemas: two runs with the same one tested the same."""
    folder = folder or root()
    found = hashlib.sha256()
    for file in _files(folder, ("scenarios", "schemas"), (".yaml", ".json")):
        name = file.relative_to(folder).as_posix().encode()
        content = file.read_bytes()
        found.update(b"%d %d " % (len(name), len(content)) + name + content)
    return found.hexdigest()


def load(folder: Path | None = None, own: Iterable[Path] = ()) -> Library:
    """Load the library, and suites of one's own beside it.

    Args:
        folder: the library's folder; the product's own where absent.
        own: further suite files, which may prove the library's requirements.

    Raises:
        CatalogError: files are not as they have to be; it names every problem of every file.
    """
    folder = folder or root()
    problems = Problems()
    requirements: dict[str, Requirement] = {}
    suite_files: list[Path] = []
    for file in _files(folder, ("scenarios",), (".yaml", ".yml")):
        if file.name == CATALOGUE:
            document = source.read(file, problems, file.relative_to(folder))
            if document is not None:
                read_requirements(document, problems, requirements)
        elif file.parent.name != PROFILES:
            suite_files.append(file)
    shelf = Shelf(requirements, schema_names(folder))
    suites: dict[str, Suite] = {}
    for file in suite_files:
        _suite(file, file.relative_to(folder), shelf, suites, problems)
    return _completed(Library(requirements, suites, {}), folder, own, shelf, problems)


def add(library: Library, own: Iterable[Path]) -> Library:
    """The product's library with further suites of one's own beside it.

    Raises:
        CatalogError: the files are not as they have to be; it names every problem of every file.
    """
    shelf = Shelf(library.requirements, schema_names())
    return _completed(library, root(), own, shelf, Problems())


def _completed(library: Library, folder: Path, own: Iterable[Path], shelf: Shelf, problems: Problems) -> Library:
    suites = dict(library.suites)
    asked_for = dict.fromkeys(library.own)
    read = {folder / suite.path: suite.id for suite in suites.values()}
    for file in own:
        known = read.get(file.resolve())
        suite_id = known or _suite(file, file, shelf, suites, problems, folder)
        if suite_id is not None:
            asked_for[suite_id] = None
            read[file.resolve()] = suite_id  # one that is named twice is read once
    scenarios = _scenarios(suites.values(), problems)
    problems.settle()
    return Library(library.requirements, suites, scenarios, tuple(asked_for))


def schema_names(folder: Path | None = None) -> frozenset[str]:
    """The names of the wire schemas: ``v1/Task`` is schemas/wire/v1/Task.json."""
    wire = (folder or root()) / "schemas" / "wire"
    return frozenset(f"{file.parent.name}/{file.stem}" for file in wire.glob("*/*.json"))


def _files(folder: Path, under: Iterable[str], endings: tuple[str, ...]) -> list[Path]:
    found = (file for name in under for file in (folder / name).rglob("*") if file.suffix in endings)
    return sorted(file for file in found if file.is_file())


def _suite(
    file: Path,
    shown: Path,
    shelf: Shelf,
    suites: dict[str, Suite],
    problems: Problems,
    folder: Path | None = None,
) -> str | None:
    """Read a suite, of one's own where the folder of the library is said."""
    before = len(problems)
    document = source.read(file, problems, shown)
    if document is None:
        return None
    suite = read_suite(document, shelf, problems)
    there = suites.get(suite.id)
    if there is not None:
        home = folder / there.path if folder is not None and not there.path.is_absolute() else None
        if home is None or not home.is_file():
            problems.add(document.place, f"the suite `{suite.id}` is there already", f"in {there.path}")
            return None
        if file.read_bytes() == home.read_bytes():  # a checkout's, beside an installed product
            return suite.id
        hint = f"in {home}, which differs; to try a change of it, give it another name: `suite: my-...`"
        problems.add(document.place, f"the suite `{suite.id}` is there already", hint)
        return None
    suites[suite.id] = suite
    home = Path("scenarios", f"{suite.id}.yaml")
    if folder is None and shown != home and len(problems) == before:
        problems.add(Place(shown, 1, 1), f"the file of the suite `{suite.id}` is {home.as_posix()}", "move it there")
    return suite.id


def _scenarios(suites: Iterable[Suite], problems: Problems) -> dict[str, Scenario]:
    scenarios: dict[str, Scenario] = {}
    for suite in suites:
        for scenario in suite.scenarios:
            there = scenarios.get(scenario.id)
            if there is not None:
                problems.add(scenario.place, f"the scenario `{scenario.id}` is there already", f"at {there.place}")
            scenarios[scenario.id] = scenario
    return scenarios
