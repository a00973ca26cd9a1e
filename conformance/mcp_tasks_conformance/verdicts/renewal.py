"""The baseline that a run would need: what it had, without what is stale, and all that failed unexpectedly."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Final

from mcp_tasks_conformance.catalog.model import Baseline, Place, Waiver
from mcp_tasks_conformance.events import by_monitor
from mcp_tasks_conformance.verdicts.model import EntryState, RunResult

UNEXPLAINED: Final = "to be explained"
_LISTED_AT_MOST: Final = 10
"""What failed in more scenarios than these, and wherever it was judged, is waived without a list of them."""


def renewed(result: RunResult, baseline: Baseline | None) -> tuple[Waiver, ...]:
    """The entries that would let this run pass.

    Entries that were not judged stay. Those that have expired stay where their failures occur, without the date.

    Args:
        result: what the run came to.
        baseline: the one that it was judged with.
    """
    kept = tuple(_kept(result, baseline)) if baseline is not None else ()
    return kept + tuple(_unexpected(result, kept))


def _kept(result: RunResult, baseline: Baseline) -> Iterator[Waiver]:
    assert result.baseline is not None
    for waiver, entry in zip(baseline.waivers, result.baseline.entries, strict=True):
        if entry.state is EntryState.EXPIRED:
            if not _is_here(waiver, result):
                yield waiver
            elif entry.occurred:
                yield replace(waiver, expires=None)
        elif entry.state is not EntryState.STALE:
            yield waiver


def _is_here(waiver: Waiver, result: RunResult) -> bool:
    return not waiver.transports or result.target.get("transport") in waiver.transports


def _unexpected(result: RunResult, kept: tuple[Waiver, ...]) -> Iterator[Waiver]:
    """An entry for each requirement that failed and is not waived, with where it did.

    What a monitor alone saw has no list: where it sees it depends on when messages happen to cross.
    """
    here = [waiver for waiver in kept if _is_here(waiver, result)]
    failing: dict[str, dict[str, None]] = {}
    by_others: dict[str, set[str]] = {}
    judged: dict[str, set[str]] = {}
    for check in result.checks:
        judged.setdefault(check.requirement, set()).add(check.scenario)
        known = any(waiver.requirement == check.requirement and waiver.covers(check.scenario) for waiver in here)
        if check.fails and not known:
            failing.setdefault(check.requirement, {})[check.scenario] = None
            if not by_monitor(check.source):
                by_others.setdefault(check.requirement, set()).add(check.scenario)
    for requirement, keys in failing.items():
        everywhere = len(keys) > _LISTED_AT_MOST and judged[requirement] == keys.keys()
        by_chance = keys.keys() != by_others.get(requirement, set())
        scenarios = () if everywhere or by_chance else tuple(keys)
        yield Waiver(requirement, UNEXPLAINED, Place(Path("-"), 1, 1), scenarios, keys=frozenset(keys))
