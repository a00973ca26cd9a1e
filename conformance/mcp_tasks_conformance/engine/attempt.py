"""One attempt at a scenario on one instance: its connections, transcript, names and checks."""

from __future__ import annotations

import asyncio
import traceback
from collections.abc import Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path

from mcp_tasks_conformance.catalog.model import Profile, Scenario, Step
from mcp_tasks_conformance.engine.judging import NothingToJudge, PreconditionFailed, credited, judge
from mcp_tasks_conformance.engine.ledger import Ledger
from mcp_tasks_conformance.engine.pulse import Pulse, TargetLost
from mcp_tasks_conformance.engine.scope import NothingThere, Scope
from mcp_tasks_conformance.engine.stage import Stage
from mcp_tasks_conformance.events import Check, JsonValue, Outcome, ScenarioOutcome, Seen, SeenKind
from mcp_tasks_conformance.peers.answers import refusal_of
from mcp_tasks_conformance.peers.connection import Connection
from mcp_tasks_conformance.peers.exchange import ConnectionGone, Exchange, NoAnswer, Reply
from mcp_tasks_conformance.peers.handshake import HandshakeRefused
from mcp_tasks_conformance.targets.errors import UnreachableTarget
from mcp_tasks_conformance.wire.transcript import Transcript

ANSWERS = "base.answers"
LOST = (ScenarioOutcome.CRASHED, ScenarioOutcome.HUNG)
"""Outcomes of attempts that ended the target."""
LONGEST_S = 300.0
"""No scenario takes longer: the last guard after all the deadlines of its steps."""


class HarnessFault(Exception):
    """The scenario or the harness did something wrong; the target is not to blame."""


@dataclass(frozen=True, slots=True)
class TaskKnown:
    """What the attempt knows of a task that it started."""

    behaviour: str
    duration_s: float
    started_at: float
    """Loop time of the request that made it."""
    made_at: float
    """Loop time of the answer to that request."""


@dataclass(frozen=True, slots=True)
class AttemptResult:
    """What one attempt came to."""

    outcome: ScenarioOutcome
    reason: str | None
    checks: tuple[Check, ...]
    transcript: tuple[Seen, ...]
    duration: float
    inconclusive: tuple[str, ...] = ()
    last_words: str | None = None
    """Where it ended the target, the last lines of that one's stderr."""


@dataclass(slots=True)
class Attempt:
    """The running scenario, as its verbs see it."""

    scenario: Scenario
    number: int
    stage: Stage
    profile: Profile
    ledger: Ledger
    capabilities: Mapping[str, JsonValue]
    """What our side declares on the main connection."""
    transcript: Transcript = field(default_factory=Transcript)
    connections: dict[str, Connection] = field(default_factory=dict)
    checks: list[Check] = field(default_factory=list)
    tasks: dict[str, TaskKnown] = field(default_factory=dict)
    ended_sessions: set[str] = field(default_factory=set)
    asked: int = 0
    """Requests of proving steps that were answered, for base.answers."""

    def aside(self) -> Attempt:
        """The same attempt with checks of its own, for steps that may turn out not to count."""
        return replace(self, checks=[], asked=0)

    def take_over(self, aside: Attempt) -> None:
        """The steps that ran aside count after all."""
        self.checks += aside.checks
        self.asked += aside.asked

    @property
    def pulse(self) -> Pulse:
        """Whether the target is still there."""
        return Pulse(self.stage, self.ledger, self.connections, self.ended_sessions)

    # -- what verbs use --------------------------------------------------------------------------------------

    def connection(self, step: Step) -> Connection:
        """The connection that a step happens on."""
        found = self.connections.get(step.via)
        if found is None:
            raise PreconditionFailed(f"connection {step.via} is not open")
        return found

    def connected(self, name: str, connection: Connection) -> None:
        """Another connection is open."""
        self.connections[name] = connection
        if connection.initialize_reply is not None:
            self.succeeded("initialize", None, connection.initialize_reply)

    def source(self, step: Step) -> str:
        """Where a check comes from, for people: the step's verb and line."""
        return f"{step.verb}, line {step.place.line}"

    def judge(
        self, step: Step, value: JsonValue, scope: Scope, index: int, method: str | None, asked: int = -1
    ) -> None:
        """Judge a value on the step's expectations."""
        messages = tuple(i for i in (asked, index) if i >= 0)
        for check in judge(step, value, scope, source=self.source(step), messages=messages, method=method):
            self.checks.append(check)

    def record(
        self, step: Step, outcome: Outcome, expected: str, observed: str, *messages: int, control: str | None = None
    ) -> None:
        """Judge the condition of the verb itself: a check of each requirement that the step proves without ``expect``.

        Raises:
            PreconditionFailed: the condition does not hold and the step proves nothing by it.
        """
        if not step.proves or step.expect:
            if outcome is Outcome.FAIL:
                raise PreconditionFailed(f"{self.source(step)}: expected {expected}, found {observed}")
            return
        indices = tuple(i for i in messages if i >= 0)
        self.checks += [
            Check(requirement, self.source(step), outcome, expected, observed, indices, step.because, control)
            for requirement in step.proves
        ]

    async def reply_of(self, step: Step, connection: Connection, exchange: Exchange, within: float) -> Reply | None:
        """The reply of an exchange, or none where its absence has been judged already.

        Raises:
            PreconditionFailed: nothing came and the step proves nothing.
            TargetLost: nothing came, to ping neither.
        """
        try:
            reply = await connection.finish(exchange, within=within)
        except NoAnswer as silence:
            await self._judge_silence(step, connection, exchange, silence)
            return None
        except ConnectionGone as gone:
            raise await self.pulse.lost(connection, str(gone)) from gone
        await self.pulse.check_session(connection, reply)
        if step.proves:
            self.asked += 1
        return reply

    async def _judge_silence(self, step: Step, connection: Connection, exchange: Exchange, silence: NoAnswer) -> None:
        pause_ms = self._pause_ms(connection, exchange)
        if pause_ms is not None:
            put_off = f"{silence}; the target wants {pause_ms} ms to pass before it is asked to go on"
            raise PreconditionFailed(f"{self.source(step)}: {put_off}")
        await self.pulse.require_life(connection, f"{silence}, and ping after it: no answer either")
        blocks = exchange.method == "tasks/result" and not silence.stream_ended
        if blocks and await self.pulse.goes_on(connection, exchange.frame.params.get("taskId")):
            raise PreconditionFailed(f"{self.source(step)}: {silence}, but its task has not ended either")
        self.unanswered(step, (*step.proves, ANSWERS), f"{silence}; ping was answered", exchange.sent_index)

    def _pause_ms(self, connection: Connection, exchange: Exchange) -> int | None:
        """Over HTTP, the pause that the target asked for (``retry``), where a stream of an answer is in it just now."""
        latest: dict[str, Seen] = {}
        for seen in self.transcript.entries[max(exchange.sent_index, 0) :]:
            if seen.kind is SeenKind.STREAM and seen.connection == connection.name and seen.stream.startswith("post"):
                latest[seen.stream] = seen
        for seen in latest.values():
            pause_ms = seen.detail.get("reconnects_in_ms")
            if isinstance(pause_ms, int) and self.transcript.elapsed_s < seen.at + pause_ms / 1000:
                return pause_ms
        return None

    def unanswered(self, step: Step, requirements: tuple[str, ...], observed: str, *messages: int) -> None:
        """Judge that nothing came, though the target lives: every requirement that the step was to prove fails.

        Where the step expects something as a precondition, it is that which fails: of the rest nothing was seen.

        Raises:
            PreconditionFailed: the step proves nothing, or not by this.
        """
        if not step.proves:
            raise PreconditionFailed(f"{self.source(step)}: {observed}")
        presupposed = any(not expectation.proves for expectation in step.expect)
        requirements = tuple(r for r in requirements if r == ANSWERS or not presupposed)
        self.checks += [
            Check(requirement, self.source(step), Outcome.FAIL, "an answer", observed, messages, step.because)
            for requirement in dict.fromkeys(requirements)
        ]
        if presupposed:
            raise PreconditionFailed(f"{self.source(step)}: {observed}")

    def succeeded(self, method: str, params: JsonValue, reply: Reply) -> None:
        """Tell the ledger of a reply."""
        self.ledger.note(method, params, reply.view())


def result_of(attempt: Attempt, outcome: ScenarioOutcome, reason: str | None, started: float) -> AttemptResult:
    """Close the books of an attempt: the monitors' findings included."""
    checks = list(attempt.checks)
    checks += attempt.stage.settle(attempt.number)
    if attempt.asked and not any(check.requirement == ANSWERS for check in checks):
        checks.append(
            Check(
                ANSWERS,
                "engine",
                Outcome.PASS,
                "an answer to every request",
                f"{attempt.asked} answered",
            )
        )
    checks = [credited(check) for check in checks]
    seen_beside_it = outcome is ScenarioOutcome.NOT_APPLICABLE and any(c.outcome is Outcome.FAIL for c in checks)
    if outcome is ScenarioOutcome.PASSED or seen_beside_it:  # what monitors find counts where nothing was left to judge
        outcome, reason = _worst(checks, reason)
    judged = {check.requirement for check in checks}
    return AttemptResult(
        outcome,
        reason,
        tuple(checks),
        attempt.transcript.entries,
        asyncio.get_running_loop().time() - started,
        tuple(r for r in attempt.scenario.proves if r not in judged),
    )


def _worst(checks: list[Check], reason: str | None) -> tuple[ScenarioOutcome, str | None]:
    for outcome, verdict in ((Outcome.FAIL, ScenarioOutcome.FAILED), (Outcome.WARN, ScenarioOutcome.WARNED)):
        first = next((check for check in checks if check.outcome is outcome), None)
        if first is not None:
            return verdict, f"{first.requirement}: expected {first.expected}, found {first.observed}"
    return ScenarioOutcome.PASSED, reason


async def let_go(attempt: Attempt) -> None:
    """Answer what is still asked of us and give the connections back."""
    async with AsyncExitStack() as giving_back:
        for connection in attempt.connections.values():
            giving_back.push_async_callback(attempt.stage.release, connection)
        for connection in attempt.connections.values():
            try:
                async with asyncio.timeout(attempt.stage.pace.ping_s):
                    for message in connection.unanswered:
                        await connection.respond(message, refusal_of(message.frame.method or "", message.frame.params))
            except (ConnectionGone, TimeoutError):
                continue  # nobody there listens any more, which release sees for itself


async def run_attempt(attempt: Attempt, scope: Scope) -> AttemptResult:
    """Run the scenario's steps; whatever happens ends in a result, our own defects too."""
    started = asyncio.get_running_loop().time()
    try:
        try:
            outcome, reason = await _perform(attempt, scope)
        finally:
            await let_go(attempt)
        left_nothing = outcome is ScenarioOutcome.NOT_APPLICABLE
        broke_off = left_nothing or outcome is ScenarioOutcome.INCONCLUSIVE
        if broke_off and any(check.outcome is Outcome.FAIL for check in attempt.checks):
            outcome = ScenarioOutcome.PASSED  # a breach was seen before the story broke off: the breach is what counts
        result = result_of(attempt, outcome, reason, started)
        if outcome in LOST:
            return replace(result, last_words=attempt.stage.instance.stderr_tail() or None)
        return replace(result, inconclusive=()) if left_nothing else result
    except Exception as defect:
        duration = asyncio.get_running_loop().time() - started
        attempt.stage.spoiled = True
        missed = attempt.scenario.proves
        return AttemptResult(
            ScenarioOutcome.HARNESS_ERROR, _worded(defect), (), attempt.transcript.entries, duration, missed
        )


async def _perform(attempt: Attempt, scope: Scope) -> tuple[ScenarioOutcome, str | None]:
    from mcp_tasks_conformance.engine.verbs import run_steps

    try:
        async with asyncio.timeout(LONGEST_S) as patience:
            if attempt.scenario.main:
                main = await attempt.stage.open(
                    attempt.transcript,
                    attempt.number,
                    capabilities=attempt.capabilities,
                    listen=attempt.scenario.listen,
                )
                attempt.connected("main", main)
            await run_steps(attempt, attempt.scenario.steps, scope)
            await attempt.pulse.require_survival(main=attempt.scenario.main)
    except (PreconditionFailed, NothingThere, HandshakeRefused) as broken:
        return ScenarioOutcome.INCONCLUSIVE, str(broken)
    except NothingToJudge as nothing:
        return ScenarioOutcome.NOT_APPLICABLE, str(nothing)
    except TargetLost as lost:
        return ScenarioOutcome(lost.loss.value), str(lost)
    except (ConnectionGone, NoAnswer, UnreachableTarget) as gone:
        hung = isinstance(gone, NoAnswer) and not attempt.stage.instance.gone.is_set()
        return ScenarioOutcome.HUNG if hung else ScenarioOutcome.CRASHED, str(gone)
    except HarnessFault as fault:
        return ScenarioOutcome.HARNESS_ERROR, str(fault)
    except TimeoutError:
        if not patience.expired():
            raise
        return ScenarioOutcome.INCONCLUSIVE, f"not over after {LONGEST_S:.0f} s"
    return ScenarioOutcome.PASSED, None


def _worded(defect: Exception) -> str:
    """A defect of ours as the last line of its traceback has it, and where that is."""
    (line,) = traceback.format_exception_only(defect)[-1:]
    frame = traceback.extract_tb(defect.__traceback__)[-1]
    return f"{line.strip()} (in {frame.name}, {Path(frame.filename).name}:{frame.lineno}); please report it"
