"""How long a run may last unless somebody says so: ample for a target that answers, and an end of all others."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from mcp_tasks_conformance.catalog.model import Profile
from mcp_tasks_conformance.engine.company import Company
from mcp_tasks_conformance.engine.options import RunOptions
from mcp_tasks_conformance.engine.planning import PlannedRun
from mcp_tasks_conformance.engine.stages import Stages

STOP_S: Final = 1.0
"""So long after its limit the target has to stop; then it is ended by force."""
_MOST_AT_ONCE: Final = 4
"""More at once go no faster: they share a target and a machine."""
_CALLS: Final = 2
"""So often a scenario calls each tool that it needs."""
_SHARE_STARTED: Final = 0.25
"""So many of the scenario runs get a target that is started for them, unless all of them do."""


def automatic_limit_s(
    planned: Iterable[PlannedRun], profile: Profile, stages: Stages, options: RunOptions, start_s: float
) -> float:
    """How long a plan may take in all.

    Args:
        planned: the plan.
        profile: the tools, and how long they work.
        stages: where it runs.
        options: how it is run.
        start_s: how long the target took to start and to introduce itself.
    """
    runs = [one for one in planned if one.skip is None]
    durations_ms = {name: behaviour.duration_ms for name, behaviour in profile.behaviours.items()}
    work_ms = sum(durations_ms.get(name, 0.0) for one in runs for name in one.behaviours)
    apart = options.fresh or stages.sharing.company is Company.APART
    in_turn = options.fresh or stages.sharing.company is Company.IN_TURN
    starts = len(runs) * (1.0 if apart else _SHARE_STARTED) if stages.restartable else 0.0
    return stages.pace.time_limit(
        len(runs),
        work_ms * _CALLS / 1000,
        starts * start_s,
        1 if in_turn else min(options.jobs or stages.most_at_once, _MOST_AT_ONCE),
    )
