"""What allure-pytest writes of a session, where it is installed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from mcp_tasks_conformance.catalog.library import load
from tests.pytest_plugin.sessions import STORIES, reference, run

pytest.importorskip("allure_pytest")

STATUSES = {
    "passed": "passed",
    "warned": "passed",
    "failed": "failed",
    "inconclusive": "skipped",
    "not applicable": "skipped",
}
"""Of an item in Allure, by the outcome of its scenario."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where a session against a faulty reference has written its results."""
    folder = tmp_path_factory.mktemp("allure")
    faulty = reference("--stdio", "--fault", "cancel-ended-accepted")
    options = ("-p", "allure_pytest", "--alluredir=allure", "--mcp-results=results.json")
    ended = run(folder, ".", *options, "--mcp-command", faulty, files={"stories.scenario.yaml": STORIES})
    assert ended.exit_code == 1
    return folder


@pytest.fixture(scope="module")
def tests(folder: Path) -> dict[str, dict[str, Any]]:
    """By the name of the item."""
    read = [json.loads(file.read_text()) for file in (folder / "allure").glob("*-result.json")]
    return {_name(test): test for test in read}


def _name(test: dict[str, Any]) -> str:
    parameters = ",".join(f"{one['name']}={one['value'].strip(chr(39))}" for one in test.get("parameters", []))
    name = str(test["fullName"].partition("#")[2])
    return f"{name}[{parameters}]" if parameters else name


def _labels(test: dict[str, Any], kind: str) -> set[str]:
    return {label["value"] for label in test["labels"] if label["name"] == kind}


def test_every_item_has_epic_feature_story_severity_and_a_title(tests: dict[str, dict[str, Any]]) -> None:
    refuses = tests["refuses[ending=completes]"]
    assert refuses["name"] == "A task that has ended refuses cancellation"
    assert _labels(refuses, "epic") == {"MCP Tasks 2025-11-25"}
    assert _labels(refuses, "feature") == {"stories"}
    assert _labels(refuses, "story") == {"v1.cancel.terminal-rejected"}
    assert _labels(refuses, "severity") == {"critical"}
    assert _labels(tests["recommends"], "severity") == {"normal"}
    assert len({test["historyId"] for test in tests.values()}) == len(tests) == 6


def test_an_item_links_to_what_the_specification_says(tests: dict[str, dict[str, Any]]) -> None:
    requirement = load().requirements["v1.cancel.terminal-rejected"]
    links = [(link["name"], link["url"]) for link in tests["refuses[ending=completes]"]["links"]]
    assert links == [(requirement.id, requirement.link)]
    assert requirement.rule in tests["refuses[ending=completes]"]["description"]


def test_the_transcript_is_attached(tests: dict[str, dict[str, Any]], folder: Path) -> None:
    (attachment,) = tests["refuses[ending=completes]"]["attachments"]
    assert attachment["type"] == "application/json"
    transcript = json.loads((folder / "allure" / attachment["source"]).read_text())
    assert any('"tasks/cancel"' in entry["text"] for entry in transcript if entry["direction"] == "sent")


def test_it_agrees_with_the_results(tests: dict[str, dict[str, Any]], folder: Path) -> None:
    results = json.loads((folder / "results.json").read_text())
    outcomes = {row["key"].rpartition("/")[2]: row["outcome"] for row in results["scenarios"]}
    assert {name: test["status"] for name, test in tests.items()} == {
        name: STATUSES[outcome] for name, outcome in outcomes.items()
    }
