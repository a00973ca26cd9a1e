"""The part of a session that collects: which scenarios become items."""

from __future__ import annotations

import os
from collections.abc import Generator
from pathlib import Path

import pytest

from mcp_tasks_conformance.catalog import library as shelves
from mcp_tasks_conformance.catalog.model import Suite
from mcp_tasks_conformance.catalog.runs import keys_of
from mcp_tasks_conformance.pytest_plugin import addresses
from mcp_tasks_conformance.pytest_plugin.addresses import Address
from mcp_tasks_conformance.pytest_plugin.items import LibraryNode, ScenarioFile
from mcp_tasks_conformance.pytest_plugin.preparation import Preparation

ENDINGS = (".scenario.yaml", ".scenario.yml")


class Gathering:
    """Collects the library, or what the command line names of it, and the suite files that pytest comes across."""

    def __init__(self, config: pytest.Config, preparation: Preparation) -> None:
        self.library = preparation.library
        self._shipped = preparation.library
        self._added: dict[Path, str] = {}
        self._addresses = tuple(addresses.parse(text) for text in _wanted(config))
        for address in self._addresses:
            self._check(address)

    @property
    def wants_library(self) -> bool:
        """Whether anything of the library is collected."""
        return bool(self._addresses)

    def add(self, file: Path) -> Suite:
        """Add a suite of one's own to the library; its file is known by its path from here.

        Raises:
            CatalogError: its file is broken.
        """
        if file not in self._added:
            before = self.library.own
            self.library = shelves.add(self.library, [Path(os.path.relpath(file))])
            self._added[file] = next(id_ for id_ in self.library.own if id_ not in before)
        return self.library.suites[self._added[file]]

    def whole(self, keys: set[str]) -> bool:
        """Whether these are all runs of the library's scenarios, or more."""
        return keys.issuperset(key for one in self._shipped.scenarios.values() for key in keys_of(one))

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection(self, session: pytest.Session) -> None:
        """Leave to pytest only those arguments that are paths."""
        here = session.config.invocation_params.dir
        session.config.args = [text for text in session.config.args if not addresses.is_address(text, here)]

    @pytest.hookimpl(wrapper=True)
    def pytest_make_collect_report(
        self, collector: pytest.Collector
    ) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
        """Put the library beneath the session, after what lies in files."""
        report = yield
        if isinstance(collector, pytest.Session) and report.passed and self.wants_library:
            suites = tuple(self._shipped.suites.values())
            report.result.append(LibraryNode.of(collector, suites, self._addresses))
        return report

    def pytest_collect_file(self, file_path: Path, parent: pytest.Collector) -> ScenarioFile | None:
        """Collect suites of one's own."""
        if not file_path.name.endswith(ENDINGS):
            return None
        node: ScenarioFile = ScenarioFile.from_parent(parent, path=file_path)
        return node

    def _check(self, address: Address) -> None:
        named = (
            (one.suite, key.removeprefix(f"{one.suite}/"))
            for one in self._shipped.scenarios.values()
            for key in keys_of(one)
        )
        if not any(address.covers(suite, name) for suite, name in named):
            raise pytest.UsageError(
                f"not found: {address.text}; `pytest --collect-only -q {addresses.ROOT}` lists what there is"
            )


def _wanted(config: pytest.Config) -> list[str]:
    """What the command line names of the library: all of it where no path is named either."""
    here = config.invocation_params.dir
    if config.args_source is not pytest.Config.ArgsSource.ARGS:
        return [addresses.ROOT]
    return [text for text in config.args if addresses.is_address(text, here)]
