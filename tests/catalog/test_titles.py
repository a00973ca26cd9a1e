"""What people read of the library's scenarios."""

from __future__ import annotations

import re

from mcp_tasks_conformance.catalog.library import load

_MODAL = re.compile(r"\b(should|must|shall|may|ought)\b", re.IGNORECASE)


def test_titles_state_what_is_so() -> None:
    scenarios = load().scenarios.values()
    assert [scenario.title for scenario in scenarios if _MODAL.search(scenario.title)] == []


def test_titles_tell_the_scenarios_of_a_suite_apart() -> None:
    for suite in load().suites.values():
        titles = [scenario.title for scenario in suite.scenarios]
        assert len(set(titles)) == len(titles), suite.id
