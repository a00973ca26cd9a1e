"""What a run comes to: requirements with their verdicts, scenarios, checks, the verdict on the target. Pure data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from mcp_tasks_conformance.catalog.model import Level
from mcp_tasks_conformance.counting import plural
from mcp_tasks_conformance.events import JsonValue, Outcome, ScenarioOutcome, Seen


class Verdict(StrEnum):
    """What a run says about one requirement."""

    VIOLATED = "violated"
    WARNED = "warned"
    """A broken recommendation, or a lesser reading that the text permits."""
    WAIVED = "waived"
    """It came out badly, and the baseline knows every case of it."""
    SATISFIED = "satisfied"
    """Every planned proof passed."""
    INCONCLUSIVE = "inconclusive"
    """It applies, and an attempt at a proof came to nothing."""
    NOT_EXERCISED = "not exercised"
    """Nothing could exercise it."""
    UNTESTABLE = "untestable"
    """No peer can see a breach."""


class RunVerdict(StrEnum):
    """What a run says about its target."""

    CONFORMANT = "conformant"
    VIOLATIONS = "violations"
    STALE_BASELINE = "stale-baseline"
    """No violation, but the baseline knows of failures that no longer occur."""
    COULD_NOT_TEST = "could-not-test"


class CertificateLevel(StrEnum):
    """What a run certifies: every applicable MUST satisfied, or every SHOULD too."""

    NONE = "none"
    CORE = "core"
    FULL = "full"


EXIT_CODES: Mapping[RunVerdict, int] = {
    RunVerdict.CONFORMANT: 0,
    RunVerdict.VIOLATIONS: 1,
    RunVerdict.STALE_BASELINE: 1,
    RunVerdict.COULD_NOT_TEST: 3,
}
"""Exit codes of a run; 2 is left to wrong usage, which never gets as far as a result."""


@dataclass(frozen=True, slots=True)
class JudgedCheck:
    """A check with its scenario and with the weight of its requirement's level."""

    scenario: str
    """Key of the scenario."""
    requirement: str
    source: str
    outcome: Outcome
    """A breach of what does not bind is a warning here."""
    expected: str
    observed: str
    messages: tuple[int, ...] = ()
    because: str | None = None
    control: str | None = None
    sent: str | None = None
    """The text of the request that led to what was judged; kept where the outcome is not a pass."""
    came: str | None = None
    """The text of the message that came where something that was expected did not."""
    dropped: str | None = None
    """Why the check does not count, or none."""
    fails: bool = False
    """Whether it is one of those that make the run fail."""
    waived: str | None = None
    """Why it does not make the run fail, as the baseline has it, or none."""


@dataclass(frozen=True, slots=True)
class Proofs:
    """How far a requirement is proven. A proof is a scenario run that was to prove it, or a monitor that judged it."""

    passed: int = 0
    planned: int = 0
    skipped: int = 0
    """Proofs that do not apply to this target, or that found nothing to judge."""
    lacking_tool: int = 0
    """Those of the skipped for which no tool is known that behaves as they ask."""


@dataclass(frozen=True, slots=True)
class RequirementResult:
    """One requirement of the run, with all that a report says about it."""

    id: str
    generation: str
    specification: str
    level: Level
    party: str
    rule: str
    verdict: Verdict
    proofs: Proofs
    counted: bool
    """Whether a breach is a violation for the run."""
    link: str | None = None
    ambiguity: str | None = None
    reason: str | None = None
    """Why it is inconclusive, not exercised, untestable or waived; of a warning, which reading permits it."""
    observed: str | None = None
    """What the target did where that decided the verdict, or where the text can be read in several ways."""
    seen_broken: tuple[str, ...] = ()
    """Where it is inconclusive, keys of the scenario runs in which it was seen broken once and not confirmed."""


@dataclass(frozen=True, slots=True)
class ScenarioResult:
    """One scenario run of the plan and how it ended."""

    key: str
    scenario: str
    title: str
    parameters: Mapping[str, JsonValue]
    proves: tuple[str, ...]
    place: str
    outcome: ScenarioOutcome
    reason: str | None = None
    came: str | None = None
    """The text of the message that came last, where the reason is that something did not come."""
    duration_ms: int = 0
    attempts: int = 0
    flaky: bool = False


@dataclass(frozen=True, slots=True)
class ScenarioEnding:
    """One scenario run by itself: how it ended, with its checks and what was said in it."""

    scenario: ScenarioResult
    checks: tuple[JudgedCheck, ...]
    transcript: tuple[Seen, ...]


@dataclass(frozen=True, slots=True)
class Tally:
    """How many requirements of one kind have which verdict."""

    proven: int = 0
    violated: int = 0
    warned: int = 0
    inconclusive: int = 0
    not_exercised: int = 0
    untestable: int = 0
    waived: int = 0
    seen_broken: int = 0
    """Those of the inconclusive that were seen broken once, which nothing confirmed."""

    @property
    def applicable(self) -> int:
        """Those that the run could judge or tried to."""
        return self.proven + self.violated + self.warned + self.inconclusive + self.waived


@dataclass(frozen=True, slots=True)
class Counts:
    """Tallies by level; MUST stands for MUST NOT too, SHOULD for SHOULD NOT."""

    must: Tally = Tally()
    should: Tally = Tally()
    may: Tally = Tally()
    quality: Tally = Tally()

    @property
    def summary(self) -> str:
        """The line that says how much of what binds is proven; its parts add up to what applies."""
        must = self.must
        applicable = f"{must.applicable} applicable {plural(must.applicable, 'MUST')}"
        line = f"{must.proven} of {applicable} proven, {must.violated} violated"
        if must.waived:
            line += f", {must.waived} waived"
        if must.warned:
            line += f", {must.warned} warned"
        once = f" ({must.seen_broken} of them seen broken once and not confirmed)" if must.seen_broken else ""
        return f"{line}, {must.inconclusive} inconclusive{once}"


class EntryState(StrEnum):
    """What a run says about one entry of its baseline."""

    IN_USE = "in use"
    STALE = "stale"
    """None of its failures occurred where they were looked for."""
    EXPIRED = "expired"
    """Its last day is past: it is as good as absent."""
    NOT_JUDGED = "not judged"
    """None of its failures occurred, and not all that it is about was judged."""
    NOT_SEEN = "not seen"
    """They occur by chance, and did not in this run: it proves nothing of the requirement."""


@dataclass(frozen=True, slots=True)
class EntryResult:
    """One entry of the baseline and what became of it."""

    requirement: str
    reason: str
    place: str
    """File and line."""
    state: EntryState
    scenarios: tuple[str, ...] = ()
    """As the file names them; empty for every scenario."""
    link: str | None = None
    expires: str | None = None
    """The last day on which it counts."""
    transports: tuple[str, ...] = ()
    occurred: tuple[str, ...] = ()
    """Keys of the scenario runs in which its requirement came out badly."""


@dataclass(frozen=True, slots=True)
class BaselineResult:
    """The baseline of a run."""

    file: str
    entries: tuple[EntryResult, ...]

    def in_state(self, state: EntryState) -> tuple[EntryResult, ...]:
        """The entries of one state."""
        return tuple(entry for entry in self.entries if entry.state is state)


@dataclass(frozen=True, slots=True)
class Failure:
    """Why the target could not be tested at all."""

    problem: str
    hint: str | None = None


@dataclass(frozen=True, slots=True)
class RunResult:
    """A whole run, enough to render every report from."""

    suite: Mapping[str, JsonValue]
    target: Mapping[str, JsonValue]
    options: Mapping[str, JsonValue]
    verdict: RunVerdict
    reason: str
    """Why this verdict, in words."""
    level: CertificateLevel
    level_reason: str | None
    """What stands in the way of the next level; none where there is no next."""
    generations: Mapping[str, JsonValue]
    counts: Counts
    requirements: tuple[RequirementResult, ...]
    scenarios: tuple[ScenarioResult, ...]
    checks: tuple[JudgedCheck, ...]
    dropped: tuple[JudgedCheck, ...]
    """Checks whose control never held."""
    transcripts: Mapping[str, tuple[Seen, ...]]
    timing: Mapping[str, JsonValue] = field(default_factory=dict)
    baseline: BaselineResult | None = None
    failure: Failure | None = None
    stderr_tail: str | None = None
    ended_early: str | None = None
    """Why the run ended before its plan was done, or none."""
    complete: bool = True
    """Whether the plan was done to its end."""

    @property
    def exit_code(self) -> int:
        """What the process answers to its caller."""
        return EXIT_CODES[self.verdict]
