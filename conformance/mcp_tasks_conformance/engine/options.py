"""What the caller asks of a run."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Literal

from mcp_tasks_conformance.catalog.model import Baseline
from mcp_tasks_conformance.engine.pace import Pace
from mcp_tasks_conformance.engine.stage import Doors
from mcp_tasks_conformance.events import JsonValue
from mcp_tasks_conformance.targets.redaction import Redactor

JOBS: Mapping[str, int] = {"http": 24, "memory": 24, "stdio": 4}
"""How many scenarios run at once unless said."""


@dataclass(frozen=True, slots=True)
class RunOptions:
    """How a run is done; what it amounts to is the verdicts' affair."""

    jobs: int | None = None
    fresh: bool = False
    """Every scenario in an instance of its own, one after another."""
    probe_sharing: bool = False
    """Whether it is to be found out first if scenarios may share an instance."""
    confirm: bool = True
    """Whether what did not pass is run again, alone, before it counts; without it only what a loss may explain is."""
    baseline: Baseline | None = None
    """Failures that are known: those are not run again."""
    doors: Doors = field(default_factory=Doors)
    pace: Pace = field(default_factory=Pace)
    automatic_timescale: bool = True
    time_limit_s: float | Literal["automatic"] | None = None
    """How long the run may last in all; none for as long as it takes."""
    durable: bool = False
    intensity: Literal["normal", "full"] = "normal"
    only: Collection[str] | None = None
    """The keys of the scenario runs that are wanted; none for all."""
    redactor: Redactor = field(default_factory=Redactor)
    """Masks secrets in all that the run tells."""
    told: Mapping[str, JsonValue] = field(default_factory=dict)
    """The options as the caller gave them, for the report; without secrets."""
