"""The verdict on each requirement of a run."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from mcp_tasks_conformance.catalog.model import Requirement
from mcp_tasks_conformance.events import Outcome, PlannedScenario, RunStarted
from mcp_tasks_conformance.verdicts.ledger import Noted
from mcp_tasks_conformance.verdicts.model import EntryResult, Proofs, RequirementResult, Verdict
from mcp_tasks_conformance.verdicts.obstacles import decisive
from mcp_tasks_conformance.verdicts.options import VerdictOptions
from mcp_tasks_conformance.verdicts.proofs import NOTHING_CAME, Evidence, State

NOTHING_PROVES_IT: Final = "nothing in this run proves it"
OPEN_TO_CHANCE: Final = frozenset({Verdict.SATISFIED, Verdict.INCONCLUSIVE})
"""Verdicts of which a run in which nothing was broken says nothing where it is known to be broken by chance."""
_REASONS_SHOWN: Final = 4


@dataclass(frozen=True, slots=True)
class RunScope:
    """Which requirements a run is about: those of the generations that ran and of the parties that the target is."""

    generations: frozenset[str]
    parties: frozenset[str]

    @classmethod
    def of(cls, started: RunStarted) -> RunScope:
        """The scope as the event tells it; what it leaves open is told by the ids of the planned scenarios."""
        run = started.generations.get("run")
        told = [str(name) for name in run] if isinstance(run, Sequence) and not isinstance(run, str) else []
        return cls(
            frozenset(told or _id_parts(started.planned, 0)),
            frozenset(started.parties or _id_parts(started.planned, 1)),
        )

    def holds(self, requirement: Requirement) -> bool:
        """Whether the run is about this requirement."""
        generation = requirement.generation == "both" or requirement.generation in self.generations
        return generation and (requirement.party == "both" or requirement.party in self.parties)


def _id_parts(planned: Iterable[PlannedScenario], position: int) -> set[str]:
    """The generations (0) or parties (1) that scenario ids name: ``v1/receiver/cancel/...``."""
    parts = (scenario.scenario.split("/") for scenario in planned)
    return {part[position] for part in parts if len(part) > position}


def judge(
    requirement: Requirement, evidence: Evidence | None, options: VerdictOptions, unseen: EntryResult | None = None
) -> RequirementResult:
    """The verdict on one requirement; ``unseen`` is an entry that knows it broken by chance, which it was not here."""
    proofs = evidence.proofs if evidence is not None else ()
    kept = evidence.kept if evidence is not None else ()
    states = [proof.state for proof in proofs]
    counted = Proofs(
        passed=states.count(State.PASSED),
        planned=len(states) - states.count(State.SKIPPED),
        skipped=states.count(State.SKIPPED),
        lacking_tool=sum(proof.lacks_tool for proof in proofs),
    )
    waived = [note for note in kept if note.waiver is not None]
    decisive = _decisive(requirement, [note for note in kept if note.waiver is None], options)
    verdict = Verdict.WAIVED if waived and decisive is None else _verdict(requirement, counted, decisive, options)
    reason: str | None
    if unseen is not None and verdict in OPEN_TO_CHANCE:
        verdict, reason = Verdict.WAIVED, f"{unseen.reason.removesuffix('.')} (by chance; not seen in this run)"
    elif verdict is Verdict.WAIVED:
        reason = _because(waived)
    else:
        reason = _reason(requirement, verdict, evidence, decisive)
    shown = decisive or next(iter(waived), None)
    return RequirementResult(
        id=requirement.id,
        generation=requirement.generation,
        specification=requirement.specification,
        level=requirement.level,
        party=requirement.party,
        rule=requirement.rule,
        verdict=verdict,
        proofs=counted,
        counted=options.binds(requirement),
        link=requirement.link,
        ambiguity=requirement.ambiguity,
        reason=reason,
        observed=shown.check.observed if shown is not None else _reading(requirement, verdict, kept),
    )


def _because(waived: Iterable[Noted]) -> str:
    """The reasons that the baseline gives, each once."""
    return "; ".join(dict.fromkeys(note.waiver.reason for note in waived if note.waiver is not None))


def _decisive(requirement: Requirement, kept: Sequence[Noted], options: VerdictOptions) -> Noted | None:
    """The first of the worst checks, where it is worse than a pass."""
    for outcome in (Outcome.FAIL, Outcome.WARN):
        for note in kept:
            if options.weigh(requirement, note.check.outcome) is outcome:
                return note
    return None


def _verdict(requirement: Requirement, proofs: Proofs, decisive: Noted | None, options: VerdictOptions) -> Verdict:
    if decisive is not None:
        failed = options.weigh(requirement, decisive.check.outcome) is Outcome.FAIL
        return Verdict.VIOLATED if failed else Verdict.WARNED
    if proofs.planned == 0:
        return Verdict.NOT_EXERCISED if requirement.testable else Verdict.UNTESTABLE
    return Verdict.SATISFIED if proofs.passed == proofs.planned else Verdict.INCONCLUSIVE


def _reason(
    requirement: Requirement, verdict: Verdict, evidence: Evidence | None, decisive: Noted | None
) -> str | None:
    match verdict:
        case Verdict.UNTESTABLE:
            return requirement.why or "no peer can see a breach"
        case Verdict.NOT_EXERCISED:
            return _joined(evidence, State.SKIPPED) or NOTHING_PROVES_IT
        case Verdict.INCONCLUSIVE:
            return _joined(evidence, State.OPEN)
        case Verdict.WARNED if decisive is not None and decisive.check.outcome is Outcome.WARN:
            return decisive.check.because or requirement.ambiguity
        case _:
            return None


def _joined(evidence: Evidence | None, state: State) -> str | None:
    """The reasons of the proofs in that state, each once; of those that were skipped the decisive ones."""
    proofs = evidence.proofs if evidence is not None else ()
    reasons = list(dict.fromkeys(proof.reason for proof in proofs if proof.state is state and proof.reason))
    if len(reasons) > 1 and NOTHING_CAME in reasons:  # what kept scenarios from running says more
        reasons.remove(NOTHING_CAME)
    if state is State.SKIPPED:
        reasons = list(decisive(reasons))
    more = len(reasons) - _REASONS_SHOWN
    shown = reasons[:_REASONS_SHOWN] + ([f"and {more} more"] if more > 0 else [])
    return "; ".join([*(reason.removesuffix(".") for reason in shown[:-1]), *shown[-1:]]) or None


def _reading(requirement: Requirement, verdict: Verdict, kept: Sequence[Noted]) -> str | None:
    """Which reading of an ambiguous rule the target took."""
    if verdict is Verdict.SATISFIED and requirement.ambiguity and kept:
        return kept[0].check.observed
    return None
