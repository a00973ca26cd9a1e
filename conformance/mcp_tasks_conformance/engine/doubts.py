"""First attempts at scenarios that do not count before they are confirmed."""

from __future__ import annotations

from dataclasses import dataclass

from mcp_tasks_conformance.engine.attempt import AttemptResult
from mcp_tasks_conformance.engine.patience import Vain
from mcp_tasks_conformance.engine.planning import PlannedRun
from mcp_tasks_conformance.engine.stage import Stage
from mcp_tasks_conformance.events import Outcome, ScenarioOutcome


@dataclass(frozen=True, slots=True, eq=False)
class Doubt:
    """A first attempt that does not count: the scenario is run again, alone."""

    planned: PlannedRun
    before: AttemptResult
    stage: Stage
    vain: tuple[Vain, ...] = ()
    """What it waited for in vain."""

    @property
    def explained(self) -> bool:
        """Whether what it came to comes of what it waited for in vain, and of nothing else."""
        sources = {vain.source for vain in self.vain}
        if self.before.outcome is ScenarioOutcome.INCONCLUSIVE:
            return (self.before.reason or "").startswith(tuple(sources))
        failed = {check.source for check in self.before.checks if check.outcome is Outcome.FAIL}
        return self.before.outcome is ScenarioOutcome.FAILED and failed <= sources
