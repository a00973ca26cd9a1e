"""The verdict on the target: what the requirement verdicts come to, what they certify, and how many there are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from mcp_tasks_conformance.catalog.model import Level
from mcp_tasks_conformance.counting import counted
from mcp_tasks_conformance.events import ScenarioOutcome
from mcp_tasks_conformance.verdicts.model import (
    BaselineResult,
    CertificateLevel,
    Counts,
    EntryState,
    RequirementResult,
    RunVerdict,
    ScenarioResult,
    Tally,
    Verdict,
)
from mcp_tasks_conformance.verdicts.options import VerdictOptions
from mcp_tasks_conformance.verdicts.scenarios import FAILING

_SHOULDS = (Level.SHOULD, Level.SHOULD_NOT)
_TASKS = ("v1", "v2")
"""Catalogues whose rules are about tasks; those of base hold for any server."""
_JUDGED = frozenset({Verdict.SATISFIED, Verdict.WARNED, Verdict.WAIVED, Verdict.VIOLATED})


def count(requirements: Sequence[RequirementResult]) -> Counts:
    """How many requirements of each level have which verdict."""
    return Counts(
        must=_tally(row for row in requirements if row.level.binding),
        should=_tally(row for row in requirements if row.level in _SHOULDS),
        may=_tally(row for row in requirements if row.level is Level.MAY),
        quality=_tally(row for row in requirements if row.level is Level.QUALITY),
    )


def _tally(of: Iterable[RequirementResult]) -> Tally:
    rows = tuple(of)
    verdicts = Counter(row.verdict for row in rows)
    return Tally(
        proven=verdicts[Verdict.SATISFIED],
        violated=verdicts[Verdict.VIOLATED],
        warned=verdicts[Verdict.WARNED],
        inconclusive=verdicts[Verdict.INCONCLUSIVE],
        not_exercised=verdicts[Verdict.NOT_EXERCISED],
        untestable=verdicts[Verdict.UNTESTABLE],
        waived=verdicts[Verdict.WAIVED],
        seen_broken=sum(bool(row.seen_broken) for row in rows),
    )


def conclude(
    requirements: Sequence[RequirementResult],
    scenarios: Sequence[ScenarioResult],
    options: VerdictOptions,
    early: str | None,
    baseline: BaselineResult | None = None,
) -> tuple[RunVerdict, str]:
    """The verdict on a target that could be reached, with its reason in words."""
    breach = _breach(requirements, scenarios, options)
    stale = _stale(baseline)
    if breach is not None:
        return RunVerdict.VIOLATIONS, breach if stale is None else f"{breach}; {stale}"
    too_little = _too_little(requirements, scenarios, options, early)
    if too_little is not None:
        once = sum(bool(row.seen_broken) for row in requirements)
        were = "was" if once == 1 else "were"
        seen = f"; {counted(once, 'requirement')} {were} seen broken once and not confirmed" if once else ""
        return RunVerdict.COULD_NOT_TEST, f"{too_little}{seen}"
    if stale is not None:
        return RunVerdict.STALE_BASELINE, stale
    waived = sum(row.verdict is Verdict.WAIVED for row in requirements)
    if waived:
        return (
            RunVerdict.CONFORMANT,
            f"no violation outside the baseline, which waives {counted(waived, 'requirement')}",
        )
    return RunVerdict.CONFORMANT, "no violation found"


def _stale(baseline: BaselineResult | None) -> str | None:
    """The entries whose failures no longer occur, in words."""
    stale = baseline.in_state(EntryState.STALE) if baseline is not None else ()
    if not stale:
        return None
    entries = "1 entry of the baseline is" if len(stale) == 1 else f"{len(stale)} entries of the baseline are"
    return f"{entries} stale: what {'it knows' if len(stale) == 1 else 'they know'} of no longer fails"


def _breach(
    requirements: Sequence[RequirementResult], scenarios: Sequence[ScenarioResult], options: VerdictOptions
) -> str | None:
    violated = sum(row.verdict is Verdict.VIOLATED and row.counted for row in requirements)
    if violated:
        return f"{counted(violated, 'requirement')} violated"
    broken = next((scenario for scenario in scenarios if scenario.outcome in FAILING), None)
    if broken is not None:
        return f"{broken.key} {broken.outcome}"
    warned = sum(row.verdict is Verdict.WARNED and row.level in _SHOULDS and not row.counted for row in requirements)
    if options.strict and warned:
        return f"{counted(warned, 'recommendation')} broken, which --strict makes fail"
    return None


def _too_little(
    requirements: Sequence[RequirementResult],
    scenarios: Sequence[ScenarioResult],
    options: VerdictOptions,
    early: str | None,
) -> str | None:
    if early is not None:
        return f"the run ended early: {early}"
    failed = [scenario for scenario in scenarios if scenario.outcome is ScenarioOutcome.HARNESS_ERROR]
    if failed:
        more = f" and {len(failed) - 1} more" if len(failed) > 1 else ""
        return f"the harness failed in {failed[0].key}{more}: {failed[0].reason}"
    musts = [row for row in requirements if row.level.binding]
    proven = sum(row.verdict is Verdict.SATISFIED for row in musts)
    if not proven:
        return "not one MUST was proven"
    applicable = [scenario for scenario in scenarios if scenario.outcome is not ScenarioOutcome.NOT_APPLICABLE]
    if applicable and all(scenario.outcome is ScenarioOutcome.INCONCLUSIVE for scenario in applicable):
        return "every scenario that applies is inconclusive"
    planned = {requirement for scenario in scenarios for requirement in scenario.proves}
    of_tasks = [row for row in musts if row.specification in _TASKS]
    if any(row.id in planned for row in of_tasks) and all(row.verdict is not Verdict.SATISFIED for row in of_tasks):
        return "not one MUST of tasks was proven"
    open_ = sum(row.verdict is Verdict.INCONCLUSIVE for row in musts)
    judged = sum(row.verdict in _JUDGED for row in musts)
    if open_ > judged:
        return f"more MUSTs stayed inconclusive ({open_}) than were judged ({judged})"
    if proven < options.min_proven:
        return f"{counted(proven, 'MUST')} proven, fewer than the {options.min_proven} that --min-proven asks for"
    return None


def certify(requirements: Sequence[RequirementResult], verdict: RunVerdict) -> tuple[CertificateLevel, str | None]:
    """The level that a run certifies, what stands in the way of the next one, and what no tool exercised.

    A MUST that is warned of was kept by a tenable reading of its text, so it stands in nobody's way.
    """
    if verdict is not RunVerdict.CONFORMANT:
        return CertificateLevel.NONE, f"the verdict is {verdict}"
    musts = [row for row in requirements if row.level.binding and row.verdict is not Verdict.WARNED]
    missing = _missing(musts, "MUST")
    if missing is not None:
        return CertificateLevel.NONE, missing
    missing = _missing([row for row in requirements if row.level in _SHOULDS], "SHOULD")
    level = CertificateLevel.FULL if missing is None else CertificateLevel.CORE
    return level, "; ".join(filter(None, (missing, _unexercised(requirements)))) or None


def _unexercised(requirements: Iterable[RequirementResult]) -> str | None:
    """How many requirements apply and were exercised by nothing, because no tool is known for them."""
    rows = [row for row in requirements if row.verdict is Verdict.NOT_EXERCISED and row.proofs.lacking_tool]
    musts = sum(row.level.binding for row in rows)
    shoulds = sum(row.level in _SHOULDS for row in rows)
    parts = [counted(number, what) for number, what in ((musts, "MUST"), (shoulds, "SHOULD")) if number]
    return f"{' and '.join(parts)} not exercised for want of a tool" if parts else None


def _missing(rows: Sequence[RequirementResult], level: str) -> str | None:
    """What keeps rows from being satisfied; one that nothing in the run would prove is not the target's to skip."""
    counts = {
        "violated": sum(row.verdict is Verdict.VIOLATED for row in rows),
        "waived": sum(row.verdict is Verdict.WAIVED for row in rows),
        "warned": sum(row.verdict is Verdict.WARNED for row in rows),
        "inconclusive": sum(row.verdict is Verdict.INCONCLUSIVE for row in rows),
        "without a proof in this run": sum(
            row.verdict is Verdict.NOT_EXERCISED and row.proofs.skipped == 0 for row in rows
        ),
    }
    parts = [f"{number} {what}" for what, number in counts.items() if number]
    return f"{level}s: {', '.join(parts)}" if parts else None
