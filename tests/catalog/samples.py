"""Files to read in tests: a small library, a frame for steps, and what their problems say."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent, indent

from mcp_tasks_conformance.catalog import source
from mcp_tasks_conformance.catalog.library import Library, load
from mcp_tasks_conformance.catalog.model import Scenario, Suite
from mcp_tasks_conformance.catalog.problems import CatalogError, Problems
from mcp_tasks_conformance.catalog.suites import Shelf, read_suite

SMALL_LIBRARY = Path(__file__).parent / "data" / "library"
SMALL: Library = load(SMALL_LIBRARY)
SHELF = Shelf(SMALL.requirements, {"v1/Task", "v2/Task"})

HEAD = """\
suite: sample
generation: v1
party: receiver
hosts: [server]
title: A sample
scenarios:
"""
FRAME = (
    HEAD
    + """\
  - id: one
    title: One
    steps:
"""
)
"""Nine lines: the first step stands in line 10, its verb in column 9."""


def with_steps(steps: str) -> str:
    """A suite with these steps in its only scenario."""
    return FRAME + indent(dedent(steps).strip("\n"), "      ") + "\n"


def with_scenarios(scenarios: str) -> str:
    """A suite with these scenarios: the first begins in line 7, its keys in column 5."""
    return HEAD + indent(dedent(scenarios).strip("\n"), "  ") + "\n"


def read(text: str) -> Suite:
    """The suite that a text holds.

    Raises:
        CatalogError: it has problems.
    """
    problems = Problems()
    document = source.parse(text.encode(), Path("suite.yaml"), problems)
    problems.settle()
    assert document is not None
    suite = read_suite(document, SHELF, problems)
    problems.settle()
    return suite


def only_scenario(text: str) -> Scenario:
    """The only scenario of a suite."""
    (scenario,) = read(text).scenarios
    return scenario


def problems_of(text: str) -> list[str]:
    """What is wrong with a suite, a line each, without the file's name."""
    try:
        read(text)
    except CatalogError as error:
        return [str(problem).removeprefix("suite.yaml:") for problem in error.problems]
    return []
