"""The runs of a scenario, one for each combination of its parameters, and the keys by which they are named."""

from __future__ import annotations

import itertools
import json
from collections.abc import Mapping

from mcp_tasks_conformance.catalog.model import Scenario


def key_of(scenario: Scenario, parameters: Mapping[str, object]) -> str:
    """The key of one run: the scenario's id, and its parameters in brackets."""
    if not parameters:
        return scenario.id
    listed = ",".join(f"{name}={_label(value)}" for name, value in parameters.items())
    return f"{scenario.id}[{listed}]"


def keys_of(scenario: Scenario) -> tuple[str, ...]:
    """The keys of all its runs, in their order."""
    combinations = itertools.product(*scenario.each.values())
    return tuple(key_of(scenario, dict(zip(scenario.each, values, strict=True))) for values in combinations)


def _label(value: object) -> str:
    if isinstance(value, Mapping) and isinstance(value.get("name"), str):
        return str(value["name"])
    return value if isinstance(value, str) else json.dumps(value)
