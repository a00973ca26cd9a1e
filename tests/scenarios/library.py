"""Scenarios of the library, run on the reference as it is or as one of its deviations."""

from __future__ import annotations

from collections.abc import Mapping

from mcp_tasks_conformance.catalog.library import load
from mcp_tasks_conformance.events import ScenarioOutcome
from mcp_tasks_conformance.selftest.cases import Case, Kind, TransportName
from mcp_tasks_conformance.selftest.trial import run_case
from mcp_tasks_conformance.verdicts.model import RunResult

LIBRARY = load()


def ran(*ids: str, kind: Kind = "sound", name: str = "reference", transport: TransportName = "memory") -> RunResult:
    """What a run of some scenarios came to; ids without ``v1/receiver/``."""
    chosen = [LIBRARY.scenarios[key] for key in LIBRARY.scenarios if _id(key) in ids]
    assert {_id(scenario.id) for scenario in chosen} == set(ids)
    return run_case(Case(kind, name, transport, ""), chosen, tuple(LIBRARY.scenarios.values()))


def outcomes(result: RunResult) -> Mapping[str, ScenarioOutcome]:
    """By key, without ``v1/receiver/``."""
    return {scenario.key.removeprefix("v1/receiver/"): scenario.outcome for scenario in result.scenarios}


def _id(key: str) -> str:
    return key.removeprefix("v1/receiver/").partition("[")[0]
