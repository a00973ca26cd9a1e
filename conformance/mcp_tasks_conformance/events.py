"""What a run tells of itself: one stream of events that verdicts fold and reports render.

Everything here is plain data. Times are seconds of the event loop's clock unless a name says otherwise, so that a
run under virtual time reads like any other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol, TypeAlias

JsonValue: TypeAlias = "None | bool | int | float | str | Sequence[JsonValue] | Mapping[str, JsonValue]"


class Outcome(StrEnum):
    """What one evaluation of one requirement came to."""

    PASS = "pass"  # noqa: S105
    WARN = "warn"
    FAIL = "fail"


class ScenarioOutcome(StrEnum):
    """How one scenario ended."""

    PASSED = "passed"
    WARNED = "warned"
    FAILED = "failed"
    INCONCLUSIVE = "inconclusive"
    NOT_APPLICABLE = "not applicable"
    CRASHED = "crashed"
    HUNG = "hung"
    NOT_RUN = "not run"
    HARNESS_ERROR = "harness error"
    WAIVED = "waived"
    """It came out badly, and the baseline knows all that did; only verdicts say so, a scenario itself never ends so."""


class SeenKind(StrEnum):
    """What an entry of a transcript is."""

    MESSAGE = "message"
    HTTP = "http"
    """The head of an HTTP answer: status and content type in ``detail``, the body's text where it is no message."""
    STREAM = "stream"
    """A stream opened, ended or was dropped."""
    NOISE = "noise"
    """Bytes that are no message where only messages may be."""
    CLOSED = "closed"
    """The connection is gone: process exit, refused connection, end of file."""


class Direction(StrEnum):
    """Which way an entry went, as the harness sees it."""

    SENT = "sent"
    RECEIVED = "received"
    LOCAL = "local"


@dataclass(frozen=True, slots=True)
class Seen:
    """One entry of a scenario's transcript: a message with its raw text, or something that happened to a stream."""

    index: int
    at: float
    """Seconds since the scenario's attempt began."""
    direction: Direction
    kind: SeenKind
    connection: str
    """The scenario's name of the connection, ``main`` unless it opened others."""
    stream: str
    """``stdio``, ``memory``, ``post:7`` (one POST and its answer), ``get:1`` (a listening stream)."""
    text: str
    detail: Mapping[str, JsonValue] = field(default_factory=dict)


def by_monitor(source: str) -> bool:
    """Whether a source of checks is a monitor."""
    return source.startswith("monitor ")


@dataclass(frozen=True, slots=True)
class Check:
    """One evaluation of one requirement at one moment."""

    requirement: str
    source: str
    """A step (``send, line 42``), a monitor (``monitor envelope``) or the ``engine`` itself."""
    outcome: Outcome
    expected: str
    observed: str
    messages: tuple[int, ...] = ()
    """Indices of the transcript entries that were judged."""
    because: str | None = None
    control: str | None = None
    """The method that must have succeeded somewhere in the run for this check to count; none for a positive check."""


@dataclass(frozen=True, slots=True)
class PlannedScenario:
    """A scenario with its parameters, as the plan has it."""

    key: str
    """Id and parameters: ``v1/receiver/cancel/terminal-task-refuses[ending=completes]``."""
    scenario: str
    title: str
    parameters: Mapping[str, JsonValue]
    proves: tuple[str, ...]
    place: str
    """``file:line`` of the scenario, relative to the library."""
    skip: str | None
    """Why it does not apply to this target, or none."""
    lacks_tool: bool = False
    """Whether it would apply if a tool were known that behaves as it asks."""


@dataclass(frozen=True, slots=True)
class RunStarted:
    """The plan is made: what will run, what will not and why."""

    target: Mapping[str, JsonValue]
    """``name``, ``version``, ``protocol`` (the agreed revision), ``transport`` where known; and the target's facts."""
    options: Mapping[str, JsonValue]
    suite: Mapping[str, JsonValue]
    """``version`` of the harness and ``digest`` of the library."""
    generations: Mapping[str, JsonValue]
    """``detected`` and ``run``, each a list."""
    planned: tuple[PlannedScenario, ...]
    parties: tuple[str, ...] = ()
    """What the target is in this run, as requirements name parties: ``server``, ``receiver``; where empty, the parties
    in the ids of the planned scenarios."""
    watched: tuple[str, ...] = ()
    """Requirements that the run's monitors judge as messages come."""


@dataclass(frozen=True, slots=True)
class ScenarioStarted:
    """An attempt at a scenario begins."""

    key: str
    attempt: int


@dataclass(frozen=True, slots=True)
class ScenarioFinished:
    """A scenario has its outcome; only the attempt that counts is told."""

    key: str
    outcome: ScenarioOutcome
    reason: str | None
    duration: float
    checks: tuple[Check, ...]
    transcript: tuple[Seen, ...]
    attempts: int = 1
    flaky: bool = False
    inconclusive: tuple[str, ...] = ()
    """Requirements that this scenario was to prove and could not judge."""
    unconfirmed: tuple[str, ...] = ()
    """Requirements that an attempt which does not count saw broken: nobody can say that the target keeps them."""


@dataclass(frozen=True, slots=True)
class MethodSucceeded:
    """The target answered valid params of this method with a valid result: the positive control of its refusals."""

    method: str


@dataclass(frozen=True, slots=True)
class RunFinished:
    """Nothing more comes."""

    reason: str | None
    """Why the run ended early (interrupted, target gone), or none."""
    stderr_tail: str | None = None
    timing: Mapping[str, JsonValue] = field(default_factory=dict)
    """``total_ms``, and whatever else was measured."""
    notes: tuple[str, ...] = ()
    """What the user of the run should hear of the target beside what RunStarted told."""


@dataclass(frozen=True, slots=True)
class TargetFailed:
    """The target could not be tested at all."""

    problem: str
    hint: str | None
    stderr_tail: str | None
    target: Mapping[str, JsonValue] = field(default_factory=dict)
    options: Mapping[str, JsonValue] = field(default_factory=dict)
    suite: Mapping[str, JsonValue] = field(default_factory=dict)
    """The three as in RunStarted, where it had not come yet."""


Event: TypeAlias = RunStarted | ScenarioStarted | ScenarioFinished | MethodSucceeded | TargetFailed | RunFinished


class Listener(Protocol):
    """Whoever wants to know what the run does."""

    def __call__(self, event: Event) -> None: ...
