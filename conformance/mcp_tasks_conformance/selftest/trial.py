"""One case: the whole library run against it, and what of that was right and wrong."""

from __future__ import annotations

import asyncio
import traceback
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal
from zlib import crc32

from mcp_tasks_conformance.catalog.library import Library, load
from mcp_tasks_conformance.catalog.model import Profile, Scenario
from mcp_tasks_conformance.catalog.profiles import built_in_profiles, load_profile
from mcp_tasks_conformance.engine.options import RunOptions
from mcp_tasks_conformance.engine.pace import Pace
from mcp_tasks_conformance.engine.run import Run
from mcp_tasks_conformance.engine.stage import Doors
from mcp_tasks_conformance.events import Outcome, ScenarioOutcome
from mcp_tasks_conformance.selftest.cases import Case
from mcp_tasks_conformance.selftest.virtual_time import VirtualTimeLoop
from mcp_tasks_conformance.targets.bundled import BUNDLED_IDENTITIES, bundled
from mcp_tasks_conformance.verdicts.fold import Fold
from mcp_tasks_conformance.verdicts.model import RunResult, Verdict

SHARES = 6
"""Into so many shares the library is parted over real transports."""
IMPATIENT = Pace(request_s=4.0, work_s=8.0)
"""How long what is broken on purpose is waited for: most of what it owes never comes."""
_BROKEN = (ScenarioOutcome.FAILED, ScenarioOutcome.CRASHED, ScenarioOutcome.HUNG)


@dataclass(frozen=True, slots=True)
class CaseResult:
    """What a trial showed."""

    case: Case
    caught_by: tuple[str, ...] = ()
    """Scenario keys and monitors whose checks name the fault's requirement."""
    missed: tuple[str, ...] = ()
    """What should have been seen and was not."""
    alarms: tuple[str, ...] = ()
    """What was reported and should not have been."""
    seconds: float = 0.0
    tries: int = 1

    @property
    def good(self) -> bool:
        """Whether nothing was missed and nothing reported in vain."""
        return not self.missed and not self.alarms


def prepare() -> None:
    """Load what every trial needs, which else the first one does."""
    _profile()


@cache
def _library() -> Library:
    return load()


@cache
def _profile() -> Profile:
    return load_profile(built_in_profiles()["reference"], _library().requirements)


def try_case(case: Case) -> CaseResult:
    """Run the library against a case; in memory under virtual time. A run of ours that fails is an alarm."""
    try:
        return _tried(case, tuple(_library().scenarios.values()))
    except Exception as defect:
        where = traceback.extract_tb(defect.__traceback__)[-1]
        return CaseResult(case, alarms=(f"the harness failed: {defect!r} ({where.filename}:{where.lineno})",))


def _tried(case: Case, library: Sequence[Scenario]) -> CaseResult:
    """What a run showed, where need be a second one with more of the library, confirmed as runs of users are.

    The first need not have had what brings a fault to light; and what it reported once and unconfirmed, of a busy
    machine or of a process that an earlier scenario had troubled, no user would be told.
    """
    share = portion(case, library)
    # Faults and husks fail what they fail, however often.
    first = judged(case, run_case(case, share, confirm=case.kind in ("sound", "variant")))
    if first.good or case.kind != "fault" or case.transport == "memory":
        return first
    second = judged(case, run_case(case, library if first.missed else share, confirm=True))
    return replace(second, seconds=first.seconds + second.seconds, tries=2)


def portion(case: Case, scenarios: Sequence[Scenario]) -> Sequence[Scenario]:
    """The scenarios that a case is tried with: all in memory, and all where it is ``thorough``.

    Over HTTP and stdio time is real, so each variant, fault and husk is tried with what proves the requirements at
    issue and with a share of the rest, another one for each; husks with all that no memory can show of them, too.
    """
    if case.transport == "memory" or case.thorough:
        return scenarios
    issue = set(case.violates)
    return [
        scenario
        for scenario in scenarios
        if issue.intersection(scenario.proves)
        or (case.kind == "husk" and scenario.needs.transports and "memory" not in scenario.needs.transports)
        or crc32(f"{case.name} {scenario.id}".encode()) % SHARES == 0
    ]


def run_case(
    case: Case, scenarios: Sequence[Scenario], reserve: Sequence[Scenario] = (), *, confirm: bool = True
) -> RunResult:
    """The result of a run against a case.

    Args:
        case: what it is against.
        scenarios: what is run.
        reserve: may lend the controls that the scenarios lack.
        confirm: as in RunOptions.
    """
    fold = Fold(_library().requirements.values())
    identities = BUNDLED_IDENTITIES if case.transport != "stdio" else {}
    profile = _profile()

    def choose(_: object) -> Profile:
        return profile

    if case.durable and case.transport == "stdio":
        scenarios = [scenario for scenario in scenarios if scenario.needs.durable]
    with TemporaryDirectory() as folder:
        options = (*case.options, "--store", str(Path(folder, "tasks.sqlite"))) if case.durable else case.options
        run = Run(
            scenarios,
            bundled(case.transport, options),
            choose,
            RunOptions(
                confirm=confirm,
                pace=Pace() if case.kind in ("sound", "variant") else IMPATIENT,
                doors=Doors(identities=identities),
                durable=case.durable,
                intensity=_intensity(case),
            ),
            fold,
            reserve=reserve,
        )
        with asyncio.Runner(loop_factory=VirtualTimeLoop if case.transport == "memory" else None) as runner:
            runner.run(run.run())
    return fold.result()


def _intensity(case: Case) -> Literal["normal", "full"]:
    """Full where the case asks for it, or where a scenario that proves what the case breaks is hard on its target."""
    hard = {r for s in _library().scenarios.values() if s.needs.intensity == "full" for r in s.proves}
    return "full" if case.thorough or hard.intersection(case.violates) else "normal"


def judged(case: Case, result: RunResult) -> CaseResult:
    """What of a result was right and wrong for the case."""
    seconds = float(str(result.timing.get("total_ms", 0))) / 1000
    ours = [f"{s.key}: {s.reason}" for s in result.scenarios if s.outcome is ScenarioOutcome.HARNESS_ERROR]
    if case.kind == "husk":
        return CaseResult(case, alarms=(*ours, *_undeserved(result)), seconds=seconds)
    blamed = {r.id: r for r in result.requirements if r.verdict in (Verdict.VIOLATED, Verdict.WARNED)}
    allowed = {*case.violates, *case.consequences}
    alarms = [*ours]
    alarms += [f"{id_} {r.verdict}: {_first_check(result, id_)}" for id_, r in blamed.items() if id_ not in allowed]
    if case.transport == "memory":  # elsewhere only a share of what might be fooled is run
        found = {r.id for r in result.requirements if r.verdict is Verdict.SATISFIED}
        alarms += [f"{id_} satisfied: nothing of it can be seen here" for id_ in case.unseen if id_ in found]
    if case.kind != "fault":
        alarms += _unsound(result)
    if case.kind == "sound":
        alarms += [
            f"{s.key} inconclusive: {s.reason}" for s in result.scenarios if s.outcome is ScenarioOutcome.INCONCLUSIVE
        ]
    missed = [f"{requirement} not seen" for requirement in case.violates if requirement not in blamed]
    caught = dict.fromkeys(
        f"{check.scenario} ({check.source})"
        for check in result.checks
        if check.outcome is not Outcome.PASS and check.requirement in case.violates
    )
    return CaseResult(case, tuple(caught), tuple(missed), tuple(alarms), seconds)


def _first_check(result: RunResult, requirement: str) -> str:
    for check in result.checks:
        if check.requirement == requirement and check.outcome is not Outcome.PASS:
            return f"{check.scenario} ({check.source}): expected {check.expected}, found {check.observed}"
    return "no check says why"


def _unsound(result: RunResult) -> list[str]:
    """What a sound target must not meet with: scenarios broken or flaky, or no verdict at all."""
    found = [f"{s.key} {s.outcome}: {s.reason}" for s in result.scenarios if s.outcome in _BROKEN]
    found += [f"{s.key} is flaky" for s in result.scenarios if s.flaky]
    if result.exit_code != 0 and not found:
        found.append(f"the run ends {result.verdict}: {result.reason}")
    return found


def _undeserved(result: RunResult) -> tuple[str, ...]:
    """Credit that a husk got."""
    passed = [check for check in result.checks if check.outcome is Outcome.PASS]
    found = [f"{check.requirement} passed in {check.scenario} ({check.source})" for check in passed]
    if result.exit_code not in (1, 3):
        found.append(f"the run ends with exit code {result.exit_code}")
    return tuple(found)
