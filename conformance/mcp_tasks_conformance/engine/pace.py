"""How long things may take: deadlines, windows and poll intervals, stretched for slow targets and slow roads."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from mcp_tasks_conformance.events import JsonValue

_TRIPS_IN_WINDOW = 3
_TRIPS_TO_DEADLINE = 20
"""As many answers may queue before ours on a target that gives one at a time."""
_TRIPS_PER_RUN = 2
"""Where many scenarios run at once, so much of the run's time each takes."""
_MOST_STRETCH = 10
"""No deadline grows to more than so many times its length, but that three round trips fit in besides."""
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
    spare_s: float = 60.0
    run_s: float = 1.0
    """How much time there is in all for each scenario run, and besides."""
    stretch: float = 1.0
    """What the caller multiplies all waits with."""
    round_trip_s: float = 0.0
    """How long an answer takes at best."""

    def measured(self, round_trip_s: float) -> Pace:
        """The same pace for a target so far away, or so slow."""
        return replace(self, round_trip_s=round_trip_s)

    def deadline(self, stated_ms: JsonValue, default_s: float) -> float:
        """A deadline: what the step states, else the default; later where answers take long."""
        base = self._base(stated_ms, default_s)
        least, most = _TRIPS_IN_WINDOW * self.round_trip_s, _TRIPS_TO_DEADLINE * self.round_trip_s
        return base + min(most, max(least, base * (_MOST_STRETCH - 1)))

    def window(self, stated_ms: JsonValue) -> float:
        """For how long something must not happen: what would happen at once has arrived by then."""
        return self._base(stated_ms, self.window_s) + _TRIPS_IN_WINDOW * self.round_trip_s

    def _base(self, stated_ms: JsonValue, default_s: float) -> float:
        return self.stretch * (stated_ms / 1000 if isinstance(stated_ms, int | float) else default_s)

    def time_limit(self, runs: int, starts_s: float) -> float:
        """How long a run may last in all that has so many scenario runs and spends so long on starting targets."""
        trips_s = runs * _TRIPS_PER_RUN * self.round_trip_s
        return self.stretch * (self.spare_s + runs * self.run_s + starts_s) + trips_s

    def poll(self, task: Mapping[str, JsonValue]) -> float:
        """How long to wait before asking for a task again."""
        interval = task.get("pollInterval")
        if self.poll_ms_override is not None:
            return self.poll_ms_override / 1000
        if isinstance(interval, bool) or not isinstance(interval, int | float) or interval <= 0:
            return self.poll_s
        return min(max(interval / 1000, _SHORTEST_POLL_S), _LONGEST_POLL_S)
