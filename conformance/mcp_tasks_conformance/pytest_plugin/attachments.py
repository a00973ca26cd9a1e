"""What allure-pytest shows of an item beside its labels: title, parameters and the transcript."""

from __future__ import annotations

import importlib
import json

from mcp_tasks_conformance.verdicts.document import seen_document
from mcp_tasks_conformance.verdicts.model import ScenarioEnding


def attach(ending: ScenarioEnding) -> None:
    """Give it to the test that allure-pytest takes for the running one."""
    allure = importlib.import_module("allure")  # a dependency of allure-pytest, and not of ours
    allure.dynamic.title(ending.scenario.title)
    for name, value in ending.scenario.parameters.items():
        allure.dynamic.parameter(name, value)
    if ending.transcript:
        text = json.dumps([seen_document(seen) for seen in ending.transcript], ensure_ascii=False, indent=1)
        allure.attach(text, "transcript", allure.attachment_type.JSON)
