"""A whole run: reach the target, plan, run every scenario, tell it all as events."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Collection, Mapping, Sequence
from contextlib import aclosing
from dataclasses import replace
from datetime import UTC, datetime

from mcp_tasks_conformance import __version__
from mcp_tasks_conformance.catalog import library as shelves
from mcp_tasks_conformance.catalog.model import Profile, Scenario
from mcp_tasks_conformance.engine.attempt import Attempt, AttemptResult, run_attempt
from mcp_tasks_conformance.engine.behaviours import not_shown
from mcp_tasks_conformance.engine.caution import TrialPlan
from mcp_tasks_conformance.engine.company import Company, Sharing
from mcp_tasks_conformance.engine.controls import showing
from mcp_tasks_conformance.engine.course import Course
from mcp_tasks_conformance.engine.discovery import Facts
from mcp_tasks_conformance.engine.exploring import explore
from mcp_tasks_conformance.engine.ledger import Ledger
from mcp_tasks_conformance.engine.options import RunOptions
from mcp_tasks_conformance.engine.planning import Circumstances, PlannedRun, longest_first, plan
from mcp_tasks_conformance.engine.reaching import reach
from mcp_tasks_conformance.engine.scope import Scope, long_text, unknown_id
from mcp_tasks_conformance.engine.sharing import look_at_sessions, look_at_tasks
from mcp_tasks_conformance.engine.stage import Stage
from mcp_tasks_conformance.engine.stages import Stages
from mcp_tasks_conformance.engine.telling import Teller
from mcp_tasks_conformance.engine.time_limit import STOP_S, automatic_limit_s
from mcp_tasks_conformance.engine.verifying import Claimed, verified
from mcp_tasks_conformance.events import (
    Event,
    JsonValue,
    Listener,
    RunFinished,
    RunStarted,
    ScenarioFinished,
    TargetFailed,
)
from mcp_tasks_conformance.monitors.observation import Monitor
from mcp_tasks_conformance.monitors.registry import monitors_for
from mcp_tasks_conformance.targets.errors import UnreachableTarget
from mcp_tasks_conformance.targets.pool import InstancePool
from mcp_tasks_conformance.targets.target import Target
from mcp_tasks_conformance.verdicts.baseline import Waiving

ChooseProfile = Callable[[Facts], Profile | Claimed | TrialPlan]
MOST_SHOWN = 2
"""So many scenarios of the reserve are tried for a method that has not been seen to work."""
_MORE_TIME = "does it hang, or has it many slow tools to try? a --profile spares the trials; 0 is no limit"
SLOW_S = 0.5
"""A target that takes so long for each answer is told of before, so that nobody takes the run for one that hangs."""
_SLOW = (
    "it takes some {:.1f} s for each answer, so the run takes long: --suite or --scenario make it shorter, "
    "--time-limit ends it"
)
Portions = AsyncGenerator[Collection[str], None]
"""Keys of scenario runs that are wanted next, as they become known."""


class Run:
    """One run of scenarios against one target. Use it once."""

    def __init__(
        self,
        scenarios: Sequence[Scenario],
        target: Target,
        choose_profile: ChooseProfile,
        options: RunOptions,
        tell: Listener,
        portions: Portions | None = None,
        reserve: Sequence[Scenario] = (),
    ) -> None:
        """Prepare a run.

        Args:
            scenarios: what there is to run.
            target: what is tested.
            choose_profile: maps behaviours to tools once the target's tools are known.
            options: how to do it.
            tell: is told of everything, without secrets.
            portions: the plan in portions, of which each is done before the next is asked for; none for all at once.
            reserve: scenarios that may be run besides, and untold, where a check counts only if they show that a
                method works.
        """
        self._scenarios = scenarios
        self._target = target
        self._choose_profile = choose_profile
        self._options = options
        self._tell = tell = options.redactor.before(tell)
        self._portions = portions
        self._reserve = reserve
        self._reserved: tuple[PlannedRun, ...] = ()
        self._controls: set[str] = set()
        self._ledger = Ledger("v1", tell)
        self._planned: tuple[PlannedRun, ...] = ()
        self._teller = Teller((), tell)
        self._start_s = 0.0
        self._profile = Profile("none", {})
        self._amiss_in_trials: Mapping[str, str] = {}
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
        course: Course | None = None
        limit_s = self._first_limit_s
        try:
            async with InstancePool(self._target) as pool:
                stages = Stages(self._target, pool, self._monitors, self._options.doors, self._options.pace)
                try:
                    async with asyncio.timeout(limit_s) as time:
                        pool.stop_by = _stop_by(time)
                        await self._reach(stages)
                        spent_s = loop.time() - started
                        timing["start_ms"] = round(spent_s * 1000)
                        if self._options.time_limit_s == "automatic":
                            limit_s = self._automatic_limit_s(stages, spent_s)
                            time.reschedule(None if limit_s is None else started + limit_s)
                            pool.stop_by = _stop_by(time)
                        course = self._course(stages, timing)
                        reason = await self._proceed(course)
                except TimeoutError:
                    if not time.expired():
                        raise
                    over = f"the time limit of {limit_s:g} s"
                    if course is None:
                        problem = f"{over} was over before the target was known (--time-limit)"
                        raise UnreachableTarget(problem, _MORE_TIME, stages.last_stderr) from None
                    reason = f"{over} was reached (--time-limit)"
                    course.break_off(reason)
        except UnreachableTarget as unreachable:
            self._tell_failure(unreachable)
            reason = unreachable.problem
        except asyncio.CancelledError:
            reason = "interrupted"
            raise
        finally:
            self._teller.rest(reason or "the run ended early")
            timing["total_ms"] = round((loop.time() - started) * 1000)
            if stages is not None and stages.peak_memory_mb is not None:
                timing["target_memory_mb"] = round(stages.peak_memory_mb)
            last_words = self._teller.last_words or (stages.last_stderr if stages is not None else None)
            self._tell(RunFinished(reason, last_words, timing, tuple(course.notes()) if course is not None else ()))

    @property
    def _first_limit_s(self) -> float | None:
        """How long the run may last before its plan is known."""
        limit_s = self._options.time_limit_s
        return self._options.pace.stretch * self._options.pace.learn_s if limit_s == "automatic" else limit_s

    def _automatic_limit_s(self, stages: Stages, spent_s: float) -> float | None:
        if self._portions is not None:
            return None  # how long whoever asks for portions takes is their affair
        more_s = automatic_limit_s(self._planned, self._profile, stages, self._options, self._start_s)
        return float(round(spent_s + more_s))

    async def _proceed(self, course: Course) -> str | None:
        """Do the plan, and say why the run ended early, or nothing where it did not."""
        if self._portions is None:
            return await self._proceed_with(self._planned, course)
        async with aclosing(self._portions) as portions:
            async for keys in portions:
                reason = await self._proceed_with([one for one in self._planned if one.key in keys], course)
                if reason is not None:
                    return reason
        return None

    async def _proceed_with(self, portion: Sequence[PlannedRun], course: Course) -> str | None:
        reason = await course.run(longest_first(portion))
        if reason is None:
            for method in sorted(self._controls):
                for one in showing(method, self._reserved)[:MOST_SHOWN]:
                    if not self._ledger.has(method):
                        await course.show(one)
        return reason

    def _course(self, stages: Stages, timing: dict[str, JsonValue]) -> Course:
        known = self._options.baseline
        waiving = Waiving(known, self._target.transport, datetime.now(UTC).date()) if known is not None else None
        return Course(
            stages=stages,
            options=self._options,
            transport=self._target.transport,
            restartable=self._target.restartable,
            teller=self._teller,
            perform=self._attempt,
            timing=timing,
            waiving=waiving,
        )

    def _monitors(self) -> Sequence[Monitor]:
        return monitors_for("v1", "server")

    async def _reach(self, stages: Stages) -> None:
        """Start the target, learn what it is, plan.

        Raises:
            UnreachableTarget: there is nothing to talk to, or it has no tasks.
        """
        facts = await self._learn(stages)
        self._facts_for_scenarios = facts.for_scenarios()
        circumstances = Circumstances(
            self._target.transport,
            self._target.restartable,
            len(self._options.doors.identities),
            stages.doors.anonymous,
            self._options.durable,
            self._options.intensity,
            stages.sharing.one_session,
        )
        only = self._options.only
        planned = plan(self._scenarios, facts, self._profile, circumstances)
        self._planned = tuple(one for one in planned if only is None or one.key in only)
        wanted = {one.key for one in self._planned}
        reserved = plan(self._reserve, facts, self._profile, circumstances)
        self._reserved = tuple(one for one in reserved if one.key not in wanted)
        self._teller = Teller(self._planned, self._tell_and_note)
        self._tell(self._told_plan(facts, stages.sharing))

    async def _learn(self, stages: Stages) -> Facts:
        """Get to know the target: what it says of itself, which tools do what, whether it can be shared.

        Raises:
            UnreachableTarget: there is nothing to talk to, or it has no tasks.
        """
        began = asyncio.get_running_loop().time()
        facts = await reach(stages)
        self._start_s = asyncio.get_running_loop().time() - began
        if self._options.automatic_timescale:
            stages.pace = stages.pace.measured(facts.round_trip_s)
        if self._options.jobs is None and (note := stages.spare_ourselves(facts.chatter_per_s)) is not None:
            facts = replace(facts, notes=(*facts.notes, note))
        if facts.round_trip_s >= SLOW_S:
            facts = replace(facts, notes=(*facts.notes, _SLOW.format(facts.round_trip_s)))
        probes = self._options.probe_sharing and facts.sessions
        if probes:
            await look_at_sessions(stages)
        chosen = self._choose_profile(facts)
        if isinstance(chosen, TrialPlan):
            await self._explore(stages, chosen)
        else:
            self._profile = chosen.profile if isinstance(chosen, Claimed) else chosen
        together = stages.sharing.company is Company.TOGETHER
        if probes:
            await look_at_tasks(stages, self._profile)
        if isinstance(chosen, Claimed):
            self._profile = await verified(stages, chosen, facts)
        elif isinstance(chosen, TrialPlan) and together and stages.sharing.company is not Company.TOGETHER:
            await self._explore(stages, chosen)  # what a tool was seen to do may have been another's
        return facts

    async def _explore(self, stages: Stages, plan: TrialPlan) -> None:
        explored = await explore(stages, plan)
        self._profile, self._amiss_in_trials = explored.profile, explored.amiss

    def _told_plan(self, facts: Facts, sharing: Sharing) -> RunStarted:
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
        notes = [*facts.notes, *self._profile.notes]
        if sharing.note is not None:
            target["sharing"] = {"scenarios": sharing.company, "seen": sharing.seen}
            notes.append(sharing.note)
        target["notes"] = list[JsonValue](notes)
        target["not_shown"] = not_shown(self._profile)
        target["amiss_in_trials"] = self._amiss_in_trials
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

    # -- scenarios --------------------------------------------------------------------------------------------

    async def _attempt(self, planned: PlannedRun, stage: Stage, number: int) -> AttemptResult:
        behaviours: dict[str, JsonValue] = {
            name: {"tool": b.tool, "arguments": b.arguments, "duration_ms": b.duration_ms, "read": b.read}  # type: ignore[dict-item]
            for name, b in self._profile.behaviours.items()
        }
        scope = Scope(
            {**planned.parameters, "behaviours": behaviours, "target": self._facts_for_scenarios},
            computed={"unknown_id": unknown_id, "long_text": long_text},
        )
        attempt = Attempt(planned.scenario, number, stage, self._profile, self._ledger, planned.capabilities)
        return await run_attempt(attempt, scope)

    def _tell_and_note(self, event: Event) -> None:
        """Tell of a scenario, and note which methods must have worked for its checks to count."""
        if isinstance(event, ScenarioFinished):
            self._controls.update(check.control for check in event.checks if check.control is not None)
        self._tell(event)

    def _tell_failure(self, unreachable: UnreachableTarget) -> None:
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


def _stop_by(limit: asyncio.Timeout) -> float | None:
    """When the target has to have stopped."""
    at = limit.when()
    return None if at is None else at + STOP_S
