"""What an item carries for selection and for reports: marks by level and area, requirements, labels for Allure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import pytest

from mcp_tasks_conformance.catalog.model import Level, Requirement, Scenario
from mcp_tasks_conformance.pytest_plugin.items import ScenarioItem
from mcp_tasks_conformance.pytest_plugin.options import LEVEL_MARKS, MARK

REVISIONS: Mapping[str, str] = {"v1": "2025-11-25"}
_SEVERITIES: Mapping[str, str] = {"MUST": "critical", "SHOULD": "normal", "MAY": "minor", "QUALITY": "trivial"}
"""By the first word of the level, strongest first."""


class Marks:
    """Marks items."""

    def __init__(self, config: pytest.Config, requirements: Mapping[str, Requirement]) -> None:
        self._config = config
        self._requirements = requirements
        self._areas: set[str] = set()
        self._allure = allure_asked_for(config)

    def __call__(self, item: ScenarioItem) -> None:
        """Give an item all that it carries."""
        scenario = item.scenario
        proven = [self._requirements[requirement] for requirement in scenario.proves]
        levels = _levels(proven)
        for mark in (MARK[0], *(LEVEL_MARKS[level][0] for level in levels), self._area(scenario)):
            item.add_marker(mark)
        item.extra_keyword_matches.update(scenario.proves)
        place = f"{scenario.place.path}:{scenario.place.line}"
        item.user_properties += [
            ("scenario", item.key),
            ("place", place),
            ("requirements", ", ".join(scenario.proves)),
            ("levels", ", ".join(levels)),
        ]
        if self._allure:
            for mark_decorator in _allure(scenario, proven, levels):
                item.add_marker(mark_decorator)

    def _area(self, scenario: Scenario) -> str:
        """The mark of the scenario's area, registered."""
        area = area_of(scenario)
        mark = f"mcp_area_{area.replace('-', '_')}"
        if area not in self._areas:
            self._areas.add(area)
            self._config.addinivalue_line("markers", f"{mark}: a scenario of the area {area}")
        return mark


def area_of(scenario: Scenario) -> str:
    """What a scenario is about: the name of its suite."""
    return scenario.suite.rpartition("/")[2]


def allure_asked_for(config: pytest.Config) -> bool:
    """Whether allure-pytest is there and writes results."""
    return config.pluginmanager.hasplugin("allure_pytest") and bool(config.getoption("allure_report_dir", None))


def _levels(requirements: Sequence[Requirement]) -> list[str]:
    """The first words of the levels, strongest first."""
    found = {Level(requirement.level).split()[0] for requirement in requirements}
    return [level for level in LEVEL_MARKS if level in found]


def _allure(
    scenario: Scenario, requirements: Sequence[Requirement], levels: Sequence[str]
) -> Iterator[pytest.MarkDecorator]:
    """Labels, links and description in the form that allure-pytest reads from marks."""
    labels = [
        ("epic", f"MCP Tasks {REVISIONS.get(scenario.generation, scenario.generation)}"),
        ("feature", area_of(scenario)),
        *(("story", requirement.id) for requirement in requirements),
        ("severity", _SEVERITIES[levels[0]] if levels else "trivial"),
    ]
    for kind, value in labels:
        yield pytest.mark.allure_label(value, label_type=kind)
    for requirement in requirements:
        if requirement.link is not None:
            yield pytest.mark.allure_link(requirement.link, link_type="link", name=requirement.id)
    rules = "\n".join(f"- {requirement.id} ({requirement.level}): {requirement.rule}" for requirement in requirements)
    yield pytest.mark.allure_description(f"{scenario.title}\n\n{rules}")
