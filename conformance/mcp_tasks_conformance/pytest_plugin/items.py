"""The nodes of the collection: the library with its suites, files of one's own, and a run of a scenario as an item."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Protocol

import pytest

from mcp_tasks_conformance.catalog.library import root
from mcp_tasks_conformance.catalog.model import Scenario, Suite
from mcp_tasks_conformance.catalog.problems import CatalogError
from mcp_tasks_conformance.catalog.runs import keys_of
from mcp_tasks_conformance.pytest_plugin import McpTasksWarning
from mcp_tasks_conformance.pytest_plugin.addresses import ROOT, Address, any_covers
from mcp_tasks_conformance.verdicts.model import ScenarioEnding


class Desk(Protocol):
    """Whoever knows the session's library, marks its items and comes to their outcomes."""

    def add(self, file: Path) -> Suite:
        """Add a suite of one's own to the library.

        Raises:
            CatalogError: its file is broken.
        """

    def mark(self, item: ScenarioItem) -> None:
        """Give an item its marks and properties."""

    def judge(self, item: ScenarioItem) -> None:
        """Wait for an item's outcome, and raise what pytest knows it by."""


DESK = pytest.StashKey[Desk]()


class LibraryNode(pytest.Collector):
    """The product's library, or the parts of it that the command line names."""

    suites: Iterable[Suite]
    addresses: tuple[Address, ...]

    @classmethod
    def of(cls, session: pytest.Session, suites: Iterable[Suite], addresses: tuple[Address, ...]) -> LibraryNode:
        """The node beneath a session."""
        node: LibraryNode = cls.from_parent(session, name=ROOT, nodeid=ROOT)
        node.suites, node.addresses = suites, addresses
        return node

    def collect(self) -> Iterator[SuiteNode]:
        """A node for each suite."""
        for suite in self.suites:
            if any(address.covers_suite(suite.id) for address in self.addresses):
                yield SuiteNode.of(self, suite)


class SuiteNode(pytest.Collector):
    """One suite of the library."""

    suite: Suite

    @classmethod
    def of(cls, parent: LibraryNode, suite: Suite) -> SuiteNode:
        """The node beneath the library."""
        node: SuiteNode = cls.from_parent(parent, name=suite.id, nodeid=f"{ROOT}/{suite.id}")
        node.suite = suite
        return node

    def collect(self) -> Iterator[ScenarioItem]:
        """An item for each run of each scenario."""
        assert isinstance(self.parent, LibraryNode)
        for item in _items(self, self.suite, root() / self.suite.path):
            if any_covers(self.parent.addresses, self.suite.id, item.name):
                yield item


class ScenarioFile(pytest.File):
    """A suite of one's own."""

    def collect(self) -> Iterator[ScenarioItem]:
        """An item for each run of each scenario."""
        try:
            suite = self.config.stash[DESK].add(self.path)
        except CatalogError as broken:
            raise self.CollectError(str(broken)) from None
        yield from _items(self, suite, self.path, own=self.path)


class ScenarioItem(pytest.Item):
    """One run of one scenario."""

    scenario: Scenario
    key: str
    file: Path
    own: Path | None
    """The file where it is not the library's."""
    ending: ScenarioEnding | None = None
    """How it ended, once that is known."""

    def runtest(self) -> None:
        """Wait for its end, and be what it came to."""
        self.config.stash[DESK].judge(self)

    def warn_of(self, text: str) -> None:
        """Fail where warnings are errors; elsewhere the end of the session warns once of what many scenarios saw."""
        is_error = False
        with warnings.catch_warnings(record=True):
            try:
                warnings.warn_explicit(McpTasksWarning(text), None, str(self.file), self.scenario.place.line)
            except McpTasksWarning:
                is_error = True
        if is_error:
            pytest.fail(text, pytrace=False)

    def reportinfo(self) -> tuple[Path, int, str]:
        """Where the scenario stands; lines count from 0 here."""
        return self.file, self.scenario.place.line - 1, self.name


def _items(
    parent: SuiteNode | ScenarioFile, suite: Suite, file: Path, own: Path | None = None
) -> Iterator[ScenarioItem]:
    for scenario in suite.scenarios:
        for key in keys_of(scenario):
            name = key.removeprefix(f"{scenario.suite}/")
            # The node id is given whole, so that pytest knows the brackets for parameters as it does in its cache.
            item: ScenarioItem = ScenarioItem.from_parent(parent, name=name, nodeid=f"{parent.nodeid}::{name}")
            item.scenario, item.key, item.file, item.own = scenario, key, file, own
            item.config.stash[DESK].mark(item)
            yield item
