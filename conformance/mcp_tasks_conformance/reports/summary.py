"""The first and the last lines of the terminal report: what was tested, and what it came to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final

from mcp_tasks_conformance.counting import counted
from mcp_tasks_conformance.events import JsonValue, PlannedScenario, ScenarioOutcome
from mcp_tasks_conformance.reports.page import Page
from mcp_tasks_conformance.reports.profile import write_profile
from mcp_tasks_conformance.reports.target import target_line
from mcp_tasks_conformance.reports.text import brief
from mcp_tasks_conformance.verdicts.model import CertificateLevel, RunResult, RunVerdict, Verdict

_LONGEST_REASON: Final = 300
_STYLES: Final[Mapping[RunVerdict, str]] = {
    RunVerdict.CONFORMANT: "green",
    RunVerdict.VIOLATIONS: "red",
    RunVerdict.STALE_BASELINE: "red",
    RunVerdict.COULD_NOT_TEST: "yellow",
}
_TOLD: Final = (
    ScenarioOutcome.FAILED,
    ScenarioOutcome.CRASHED,
    ScenarioOutcome.HUNG,
    ScenarioOutcome.WAIVED,
    ScenarioOutcome.INCONCLUSIVE,
    ScenarioOutcome.NOT_RUN,
    ScenarioOutcome.HARNESS_ERROR,
)


def write_target(page: Page, target: Mapping[str, JsonValue]) -> None:
    """Who is under test, as far as it is known."""
    page.field("Target", target_line(target), 0, "bold")
    write_profile(page, target)


def write_plan(page: Page, generations: Mapping[str, JsonValue], planned: Sequence[PlannedScenario]) -> None:
    """How many scenarios there are for it; which of them do not apply is certain at the end only."""
    run = generations.get("run")
    named = " and ".join(map(str, run)) if isinstance(run, Sequence) and not isinstance(run, str) else ""
    of = f" of generation {named}" if named else ""
    page.field("Scenarios", f"{len(planned)}{of}", 0)


def write_verdict(page: Page, result: RunResult) -> None:
    """How many scenarios ended how, how much is proven, and the verdict."""
    page.blank()
    if result.scenarios:
        page.text(_scenarios(result))
    if result.requirements:
        page.text(result.counts.summary, style="bold")
    page.text(f"Verdict: {_worded(result)}", style=f"bold {_STYLES[result.verdict]}")


def _worded(result: RunResult) -> str:
    """The verdict, and in brackets what there is to say about it."""
    if result.verdict is not RunVerdict.CONFORMANT:
        said_already = result.failure is not None
        return f"{result.verdict}" if said_already else f"{result.verdict} ({brief(result.reason, _LONGEST_REASON)})"
    level = "no level" if result.level is CertificateLevel.NONE else f"level {result.level}"
    missing = f" ({result.level_reason})" if result.level_reason is not None else ""
    known = " outside the baseline" if any(row.verdict is Verdict.WAIVED for row in result.requirements) else ""
    return f"{result.verdict}{known}, {level}{missing}"


def _scenarios(result: RunResult) -> str:
    """The outcomes of all scenarios in one sentence; its parts add up."""
    number = Counter(scenario.outcome for scenario in result.scenarios)
    total = result.timing.get("total_ms")
    lasted = f" in {total / 1000:.1f} s" if isinstance(total, int | float) else ""
    passed = number[ScenarioOutcome.PASSED] + number[ScenarioOutcome.WARNED]  # what is warned of stands with its rule
    parts = [f"{passed} passed"] if passed else []
    parts += [f"{number[outcome]} {outcome}" for outcome in _TOLD if number[outcome]]
    apart = number[ScenarioOutcome.NOT_APPLICABLE]
    parts += [f"{apart} {'does' if apart == 1 else 'do'} not apply"] if apart else []
    return f"{counted(len(result.scenarios), 'scenario')}{lasted}: {', '.join(parts)}"
