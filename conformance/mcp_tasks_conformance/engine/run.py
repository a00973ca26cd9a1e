"""A whole run: reach the target, plan, run every scenario, tell it all as events."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable, Mapping, Sequence

from mcp_tasks_conformance import __version__
from mcp_tasks_conformance.catalog import library as shelves
from mcp_tasks_conformance.catalog.model import Profile, Scenario
from mcp_tasks_conformance.engine.attempt import Attempt, AttemptResult, run_attempt
from mcp_tasks_conformance.engine.discovery import Facts, discover
from mcp_tasks_conformance.engine.ledger import Ledger
from mcp_tasks_conformance.engine.options import JOBS, RunOptions
from mcp_tasks_conformance.engine.planning import Circumstances, PlannedRun, plan
from mcp_tasks_conformance.engine.scope import Scope, unknown_id
from mcp_tasks_conformance.engine.stage import Doors, Stage
from mcp_tasks_conformance.engine.stages import Stages
from mcp_tasks_conformance.events import (
    Check,
    JsonValue,
    Listener,
    Outcome,
    RunFinished,
    RunStarted,
    ScenarioFinished,
    ScenarioOutcome,
    ScenarioStarted,
    TargetFailed,
)
from mcp_tasks_conformance.monitors.observation import Monitor
from mcp_tasks_conformance.monitors.registry import monitors_for
from mcp_tasks_conformance.peers.exchange import ConnectionGone, NoAnswer
from mcp_tasks_conformance.peers.handshake import DEFAULT_CAPABILITIES, HandshakeRefused
from mcp_tasks_conformance.targets.errors import UnreachableTarget
from mcp_tasks_conformance.targets.pool import InstancePool
from mcp_tasks_conformance.targets.target import Target

HOPELESS = 3
"""So many scenarios in a row that end the target, before any has passed, and the rest is not run."""
_SOUND = (ScenarioOutcome.PASSED, ScenarioOutcome.WARNED, ScenarioOutcome.NOT_APPLICABLE, ScenarioOutcome.HARNESS_ERROR)
_LOST = (ScenarioOutcome.CRASHED, ScenarioOutcome.HUNG)

ChooseProfile = Callable[[Facts], Profile]


class Run:
    """One run of scenarios against one target. Use it once."""

    def __init__(
        self,
        scenarios: Sequence[Scenario],
        target: Target,
        choose_profile: ChooseProfile,
        options: RunOptions,
        tell: Listener,
    ) -> None:
        """``choose_profile`` maps behaviours to tools once the target's tools are known."""
        self._scenarios = scenarios
        self._target = target
        self._choose_profile = choose_profile
        self._options = options
        self._tell = tell
        self._ledger = Ledger("v1", tell)
        self._numbers = itertools.count(1)
        self._finished: set[str] = set()
        self._passed_any = False
        self._lost_in_a_row = 0
        self._planned: tuple[PlannedRun, ...] = ()
        self._profile = Profile("none", {})
        self._facts_for_scenarios: Mapping[str, JsonValue] = {}

    # -- the run ---------------------------------------------------------------------------------------------

    async def run(self) -> None:
        """Do it all. Cancelled, it still tells what was not run and that it is over, and stops the target.

        Never raises for what a target does.
        """
        loop = asyncio.get_running_loop()
        started = loop.time()
        reason: str | None = "the run ended early"
        timing: dict[str, JsonValue] = {}
        stages: Stages | None = None
        try:
            async with InstancePool(self._target) as pool:
                stages = Stages(self._target, pool, self._monitors, self._options.doors, self._options.pace)
                await self._reach(stages)
                timing["start_ms"] = round((loop.time() - started) * 1000)
                reason = await self._run_all(stages, timing)
        except UnreachableTarget as unreachable:
            self._tell_failure(unreachable)
            reason = unreachable.problem
        except asyncio.CancelledError:
            reason = "interrupted"
            raise
        finally:
            self._tell_rest(reason or "the run ended early")
            timing["total_ms"] = round((loop.time() - started) * 1000)
            if stages is not None and stages.peak_memory_mb is not None:
                timing["target_memory_mb"] = round(stages.peak_memory_mb)
            self._tell(RunFinished(reason, stages.last_stderr if stages is not None else None, timing))

    def _monitors(self) -> Sequence[Monitor]:
        return monitors_for("v1", "server")

    async def _reach(self, stages: Stages) -> None:
        """Start the target, learn what it is, plan.

        Raises:
            UnreachableTarget: there is nothing to talk to, or it has no tasks.
        """
        async with stages.shared(DEFAULT_CAPABILITIES) as stage:
            facts = await self._facts(stage, stages)
            stderr = stage.instance.stderr_tail()
        if self._options.automatic_timescale:
            stages.pace = stages.pace.measured(facts.round_trip_s)
        self._profile = self._choose_profile(facts)
        self._facts_for_scenarios = facts.for_scenarios()
        circumstances = Circumstances(
            self._target.transport,
            self._target.restartable,
            len(self._options.doors.identities),
            stages.doors.anonymous,
            self._options.durable,
            self._options.intensity,
        )
        self._planned = plan(self._scenarios, facts, self._profile, circumstances)
        if not _has_tasks(facts):
            raise UnreachableTarget(
                "no tasks here: the server declares no `tasks` capability and none of its tools takes part in tasks",
                f"it agreed on revision {facts.protocol_version}; tasks are part of 2025-11-25",
                stderr,
            )
        self._tell(self._told_plan(facts))

    async def _facts(self, stage: Stage, stages: Stages) -> Facts:
        try:
            return await discover(stage)
        except HandshakeRefused as refused:
            first = next(iter(stages.doors.identities), None)
            http = refused.reply.http or {}
            if http.get("status") in (401, 403) and first is not None and stages.doors.default_identity is None:
                stages.doors = Doors(stages.doors.headers, stages.doors.identities, first)
                stage.doors = stages.doors
                return await self._facts(stage, stages)
            hint = "give credentials with --header or --identity" if http.get("status") in (401, 403) else None
            raise UnreachableTarget(str(refused), hint, stage.instance.stderr_tail()) from refused
        except (NoAnswer, ConnectionGone):
            raise await stage.instance.why_silent("initialize") from None

    def _told_plan(self, facts: Facts) -> RunStarted:
        target: dict[str, JsonValue] = {
            "name": facts.server_info.get("name"),
            "version": facts.server_info.get("version"),
            "protocol": facts.protocol_version,
            "transport": self._target.transport,
            "capabilities": facts.capabilities,
            "tools": len(facts.tools),
            "profile": self._profile.name,
            **self._target.facts,
        }
        if facts.problem is not None:
            target["problem"] = facts.problem
        root = str(shelves.root())
        return RunStarted(
            target,
            self._options.told,
            {"version": __version__, "digest": shelves.digest()},
            {"detected": ["v1"], "run": ["v1"]},
            tuple(planned.told(root) for planned in self._planned),
            ("server", "receiver", "both"),
            tuple(dict.fromkeys(r for monitor in self._monitors() for r in monitor.proves)),
        )

    # -- phases ----------------------------------------------------------------------------------------------

    async def _run_all(self, stages: Stages, timing: dict[str, JsonValue]) -> str | None:
        loop = asyncio.get_running_loop()
        again: list[tuple[PlannedRun, AttemptResult, bool]] = []
        sharing: dict[str, list[PlannedRun]] = {"parallel": [], "exclusive": [], "own_process": []}
        for planned in self._planned:
            if planned.skip is not None:
                self._finish_skipped(planned)
            else:
                sharing["own_process" if self._options.fresh else planned.scenario.sharing].append(planned)
        for phase in ("parallel", "exclusive", "own_process"):
            began = loop.time()
            await self._phase(phase, sharing[phase], stages, again)
            timing[f"{phase}_ms"] = round((loop.time() - began) * 1000)
            if self._hopeless:
                break
        began = loop.time()
        await self._second_attempts(stages, again)
        timing["again_ms"] = round((loop.time() - began) * 1000)
        if self._hopeless:
            return f"the target was lost in {self._lost_in_a_row} scenarios in a row before any had passed"
        return None

    @property
    def _hopeless(self) -> bool:
        return self._lost_in_a_row >= HOPELESS and not self._passed_any

    async def _phase(
        self,
        phase: str,
        runs: Sequence[PlannedRun],
        stages: Stages,
        again: list[tuple[PlannedRun, AttemptResult, bool]],
    ) -> None:
        jobs = 1 if phase == "exclusive" or self._options.fresh else self._options.jobs or JOBS[self._target.transport]
        waiting = iter(runs)

        async def worker() -> None:
            for planned in waiting:
                if self._hopeless:
                    return
                if phase == "own_process":
                    await self._alone(planned, stages, 1, again)
                else:
                    await self._in_company(planned, stages, again)

        async with asyncio.TaskGroup() as group:
            for _ in range(min(jobs, len(runs))):
                group.create_task(worker())

    async def _in_company(
        self, planned: PlannedRun, stages: Stages, again: list[tuple[PlannedRun, AttemptResult, bool]]
    ) -> None:
        self._tell(ScenarioStarted(planned.key, 1))
        try:
            async with stages.shared(planned.capabilities) as stage:
                result = await self._attempt(planned, stage)
                if result.outcome in _LOST:
                    stage.spoiled = True
                discarded = not stage.alive
        except UnreachableTarget as unreachable:
            self._finish_unreachable(planned, unreachable)
            return
        if result.outcome in _SOUND:
            self._finish(planned, result, attempts=1)
        else:
            again.append((planned, result, discarded))
            if result.outcome in _LOST:
                self._lost_in_a_row += 1

    async def _alone(
        self,
        planned: PlannedRun,
        stages: Stages,
        attempt: int,
        again: list[tuple[PlannedRun, AttemptResult, bool]] | None,
        *,
        another_follows: bool = False,
    ) -> AttemptResult | None:
        self._tell(ScenarioStarted(planned.key, attempt))
        try:
            async with stages.fresh(another_follows=another_follows) as stage:
                result = await self._attempt(planned, stage)
        except UnreachableTarget as unreachable:
            self._finish_unreachable(planned, unreachable)
            return None
        if again is None:
            return result
        if result.outcome in _LOST:
            again.append((planned, result, False))
            self._lost_in_a_row += 1
        else:
            self._finish(planned, result, attempts=1)
        return result

    async def _second_attempts(self, stages: Stages, again: Sequence[tuple[PlannedRun, AttemptResult, bool]]) -> None:
        """What did not pass is run once more, alone, before it counts."""
        for position, (planned, before, discarded) in enumerate(again, 1):
            if self._hopeless and before.outcome not in _LOST:
                continue
            if self._hopeless:
                self._finish(planned, before, attempts=1)
                continue
            result = await self._alone(planned, stages, 2, None, another_follows=position < len(again))
            if result is None:
                continue
            flaky = result.outcome in _SOUND and not discarded
            self._lost_in_a_row = self._lost_in_a_row + 1 if result.outcome in _LOST else 0
            self._finish(planned, result, attempts=2, flaky=flaky)

    async def _attempt(self, planned: PlannedRun, stage: Stage) -> AttemptResult:
        behaviours: dict[str, JsonValue] = {
            name: {"tool": b.tool, "arguments": b.arguments, "duration_ms": b.duration_ms, "read": b.read}  # type: ignore[dict-item]
            for name, b in self._profile.behaviours.items()
        }
        scope = Scope(
            {**planned.parameters, "behaviours": behaviours, "target": self._facts_for_scenarios},
            computed={"unknown_id": unknown_id},
        )
        attempt = Attempt(
            planned.scenario, next(self._numbers), stage, self._profile, self._ledger, planned.capabilities
        )
        return await run_attempt(attempt, scope)

    # -- telling ---------------------------------------------------------------------------------------------

    def _finish(self, planned: PlannedRun, result: AttemptResult, *, attempts: int, flaky: bool = False) -> None:
        checks = result.checks
        if result.outcome in _LOST:
            last = len(result.transcript) - 1
            expected = "an answer to every request, from a target that lives on"
            checks += (
                Check(
                    "base.answers", "engine", Outcome.FAIL, expected, result.reason or "", (last,) if last >= 0 else ()
                ),
            )
        if result.outcome is ScenarioOutcome.PASSED:
            self._passed_any = True
        self._finished.add(planned.key)
        self._tell(
            ScenarioFinished(
                planned.key,
                result.outcome,
                result.reason,
                result.duration,
                checks,
                result.transcript,
                attempts,
                flaky,
                result.inconclusive,
            )
        )

    def _finish_unfit(self, planned: PlannedRun, outcome: ScenarioOutcome, reason: str | None) -> None:
        self._finished.add(planned.key)
        missed = planned.scenario.proves if outcome is not ScenarioOutcome.NOT_APPLICABLE else ()
        self._tell(ScenarioFinished(planned.key, outcome, reason, 0.0, (), (), 0, False, missed))

    def _finish_skipped(self, planned: PlannedRun) -> None:
        self._finish_unfit(planned, ScenarioOutcome.NOT_APPLICABLE, planned.skip)

    def _finish_unreachable(self, planned: PlannedRun, unreachable: UnreachableTarget) -> None:
        self._lost_in_a_row += 1
        self._finish_unfit(planned, ScenarioOutcome.NOT_RUN, f"the target did not start again: {unreachable.problem}")

    def _tell_rest(self, reason: str) -> None:
        for planned in self._planned:
            if planned.key not in self._finished:
                self._finish_unfit(planned, ScenarioOutcome.NOT_RUN, reason)

    def _tell_failure(self, unreachable: UnreachableTarget) -> None:
        self._planned = ()
        self._tell(
            TargetFailed(
                unreachable.problem,
                unreachable.hint,
                unreachable.stderr_tail,
                {"transport": self._target.transport, **self._target.facts},
                self._options.told,
                {"version": __version__, "digest": shelves.digest()},
            )
        )


def _has_tasks(facts: Facts) -> bool:
    if "tasks" in facts.capabilities:
        return True
    for tool in facts.tools:
        execution = tool.get("execution")
        if isinstance(execution, Mapping) and execution.get("taskSupport") in ("required", "optional"):
            return True
    return False
