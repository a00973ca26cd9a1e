"""What the caller asks of the verdicts: which breaches count, how much must be proven, what is kept."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, date, datetime
from fnmatch import fnmatchcase
from typing import Literal, TypeAlias

from mcp_tasks_conformance.catalog.model import Baseline, Level, Requirement
from mcp_tasks_conformance.events import Outcome

KeptTranscripts: TypeAlias = Literal["all", "failing", "none"]


class UnmatchedPattern(Exception):
    """A pattern that names requirements names none, so that it would silently guard nothing."""

    def __init__(self, option: str, pattern: str) -> None:
        super().__init__(
            f"{option} {pattern}: no requirement has such an id; `list --requirements` shows those there are"
        )
        self.option = option
        self.pattern = pattern


@dataclass(frozen=True, slots=True)
class VerdictOptions:
    """How strictly a run is judged."""

    strict: bool = False
    """Broken recommendations fail the run; a warning of what binds is a permitted reading, and never does."""
    min_proven: int = 0
    """How many MUSTs must be proven; fewer, and the target counts as not tested."""
    fail_on: tuple[str, ...] = ()
    """Ids or globs of requirements that bind although their level does not say so."""
    claims: tuple[str, ...] = ()
    """The same, as the target's profile claims them."""
    transcripts: KeptTranscripts = "all"
    baseline: Baseline | None = None
    """The failures that are known and do not count."""
    today: date | None = None
    """The day by which entries of the baseline expire; the present one (UTC) where none is given."""

    @property
    def day(self) -> date:
        """The day on which the run is judged."""
        return self.today or datetime.now(UTC).date()

    def check(self, requirements: Iterable[Requirement]) -> None:
        """See that every pattern names something.

        Raises:
            UnmatchedPattern: one does not.
        """
        ids = [requirement.id for requirement in requirements]
        for option, patterns in (("--fail-on", self.fail_on), ("claims", self.claims)):
            for pattern in patterns:
                if not any(fnmatchcase(id_, pattern) for id_ in ids):
                    raise UnmatchedPattern(option, pattern)

    def binds(self, requirement: Requirement) -> bool:
        """Whether a breach of the requirement is a violation for the run; a MAY cannot be broken."""
        if requirement.level is Level.MAY:
            return False
        named = any(fnmatchcase(requirement.id, pattern) for pattern in (*self.fail_on, *self.claims))
        return requirement.level.binding or named

    def weigh(self, requirement: Requirement, outcome: Outcome) -> Outcome:
        """What the outcome of a check amounts to at the requirement's level.

        A quality row keeps its failures: it is reported apart, and whether it counts is another question.
        """
        lesser = not self.binds(requirement) and requirement.level is not Level.QUALITY
        return Outcome.WARN if outcome is Outcome.FAIL and lesser else outcome

    def fails(self, requirement: Requirement, outcome: Outcome) -> bool:
        """Whether a check of that outcome makes the run fail, unless it is waived."""
        weighed = self.weigh(requirement, outcome)
        if weighed is Outcome.FAIL:
            return self.binds(requirement)
        recommended = requirement.level in (Level.SHOULD, Level.SHOULD_NOT) and not self.binds(requirement)
        return self.strict and weighed is Outcome.WARN and recommended
