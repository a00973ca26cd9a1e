"""How long things may take: deadlines, windows and poll intervals, stretched for slow targets and slow roads."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from mcp_tasks_conformance.events import JsonValue

_NEAR_S = 0.02
"""A round trip up to which windows need no stretching."""
_LONGEST_STRETCH = 10.0
_SHORTEST_POLL_S = 0.02
_LONGEST_POLL_S = 60.0


@dataclass(frozen=True, slots=True)
class Pace:
    """The measures of one run; all in seconds unless said."""

    start_s: float = 5.0
    """How long a target that has just been started may take to answer initialize."""
    request_s: float = 10.0
    ping_s: float = 5.0
    work_s: float = 20.0
    """How much longer than a behaviour's own duration its end may take."""
    window_s: float = 0.15
    poll_s: float = 0.1
    """The poll interval where the target names none."""
    poll_ms_override: float | None = None
    stretch: float = 1.0

    def measured(self, round_trip_s: float) -> Pace:
        """The same pace, stretched for a measured round trip."""
        factor = min(max(1.0, round_trip_s / _NEAR_S), _LONGEST_STRETCH)
        return replace(self, stretch=self.stretch * factor)

    def deadline(self, stated_ms: JsonValue, default_s: float) -> float:
        """A deadline: what the step states, else the default, stretched."""
        base = stated_ms / 1000 if isinstance(stated_ms, int | float) else default_s
        return base * self.stretch

    def window(self, stated_ms: JsonValue) -> float:
        """For how long something must not happen."""
        base = stated_ms / 1000 if isinstance(stated_ms, int | float) else self.window_s
        return base * self.stretch

    def poll(self, task: Mapping[str, JsonValue]) -> float:
        """How long to wait before asking for a task again."""
        interval = task.get("pollInterval")
        if self.poll_ms_override is not None:
            return self.poll_ms_override / 1000
        if isinstance(interval, bool) or not isinstance(interval, int | float) or interval <= 0:
            return self.poll_s
        return min(max(interval / 1000, _SHORTEST_POLL_S), _LONGEST_POLL_S)
