"""What each xdist worker found out, brought together again."""

from __future__ import annotations

import pickle
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from mcp_tasks_conformance.catalog.model import Baseline
from mcp_tasks_conformance.counting import counted
from mcp_tasks_conformance.events import (
    Event,
    MethodSucceeded,
    RunFinished,
    RunStarted,
    ScenarioFinished,
    TargetFailed,
)


@dataclass(frozen=True, slots=True)
class Share:
    """What one process of the session has to tell."""

    events: Sequence[Event] = ()
    baseline: Baseline | None = None
    problem: str | None = None
    """Why the process could not begin, or none."""

    def packed(self) -> bytes:
        """As bytes, for the way from a worker to its controller."""
        return pickle.dumps(self)


def unpacked(packed: bytes) -> Share:
    """The share that our own worker packed."""
    share = pickle.loads(packed)  # noqa: S301  nobody else writes to the channel of a worker that we have started
    assert isinstance(share, Share)
    return share


def together(shares: Iterable[Share]) -> Iterator[Event]:
    """One run's events from those of all shares; nothing where no share began a run."""
    events = [event for share in shares for event in share.events]
    begun = [event for event in events if isinstance(event, RunStarted)]
    failed = [event for event in events if isinstance(event, TargetFailed)]
    ended = [event for event in events if isinstance(event, RunFinished)]
    told = [event for event in events if isinstance(event, ScenarioFinished | MethodSucceeded)]
    yield from begun[:1]
    yield from told
    yield from failed[:1]
    if begun or failed:
        yield _end(begun, told, ended)


def _end(begun: Sequence[RunStarted], told: Sequence[Event], ended: Sequence[RunFinished]) -> RunFinished:
    planned = {one.key for one in begun[0].planned} if begun else set()
    lost = planned - {event.key for event in told if isinstance(event, ScenarioFinished)}
    reasons = [event.reason for event in ended if event.reason is not None]
    if lost:
        reasons.append(f"{counted(len(lost), 'scenario')} did not come to {'its' if len(lost) == 1 else 'their'} end")
    tails = [event.stderr_tail for event in ended if event.stderr_tail is not None]
    totals = [total for event in ended if isinstance(total := event.timing.get("total_ms"), int | float)]
    timing = {"total_ms": max(totals)} if totals else {}
    notes = tuple(dict.fromkeys(note for event in ended for note in event.notes))
    return RunFinished(next(iter(reasons), None), next(iter(tails), None), timing, notes)
