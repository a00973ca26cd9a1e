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
_SHARE_AGAIN = 0.5
"""So much of a plan may have to be run again."""
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
    learn_s: float = 900.0
    """How long it may take in all to get to know the target: the last guard after all the deadlines of that."""
    spare_s: float = 240.0
    """So that a few waits of a scenario may be in vain, twice, however short the plan."""
    run_s: float = 2.0
    """How much time there is in all for each scenario run beside the work of its tools, and besides."""
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

    def time_limit(self, runs: int, work_s: float, starts_s: float, at_once: int) -> float:
        """How long it may take in all to run a plan, half of it once more.

        Args:
            runs: how many scenario runs it has.
            work_s: how long the tools of all of them work.
            starts_s: how long starting targets takes.
            at_once: how many run at once.
        """
        plan_s = (runs * self.run_s + work_s) / at_once + starts_s
        trips_s = runs * _TRIPS_PER_RUN * self.round_trip_s
        return self.stretch * (self.spare_s + plan_s * (1 + _SHARE_AGAIN)) + trips_s

    def poll(self, task: Mapping[str, JsonValue]) -> float:
        """How long to wait before asking for a task again."""
        interval = task.get("pollInterval")
        if self.poll_ms_override is not None:
            return self.poll_ms_override / 1000
        if isinstance(interval, bool) or not isinstance(interval, int | float) or interval <= 0:
            return self.poll_s
        return min(max(interval / 1000, _SHORTEST_POLL_S), _LONGEST_POLL_S)
