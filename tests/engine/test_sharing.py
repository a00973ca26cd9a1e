"""Targets that cannot be shared are seen to be such before any scenario runs, and nobody is blamed for a neighbour."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from mcp_tasks_conformance.catalog.model import Profile, Scenario
from mcp_tasks_conformance.engine.options import RunOptions
from mcp_tasks_conformance.engine.run import Run
from mcp_tasks_conformance.engine.verifying import Claimed
from mcp_tasks_conformance.events import Event, RunStarted, ScenarioOutcome
from mcp_tasks_conformance.targets.bundled import bundled
from mcp_tasks_conformance.targets.command import CommandTarget
from mcp_tasks_conformance.targets.http_command import CommandHttpTarget
from mcp_tasks_conformance.targets.target import Target
from mcp_tasks_conformance.verdicts.fold import Fold
from tests.engine.data import difficult
from tests.engine.data.server import JsonObject
from tests.engine.over_http import HttpServer, perform_over_http
from tests.engine.theatre import PROFILE, PROVES, Performance, requirements, scenario
from tests.wire.raw_server import EVENTS, Asked, Wire, answer, event

PROBING = RunOptions(probe_sharing=True)
WORKS = f"- start_task: {{behaviour: slow, as: job}}\n- await_status: {{task: $job, is: completed, proves: {PROVES}}}"
ENDS = f"{WORKS}\n- disconnect: main\n  how: end_session"
UNTOLD = f"""
- start_task: {{behaviour: completes, as: job}}
- await_status: {{task: $job, is: completed}}
- quiet: {{kind: notification, window_ms: 300, where: {{params: {{taskId: {{$not: $job.taskId}}}}}}}}
- send: ping
  expect: {{result: {{}}}}
  proves: {PROVES}
"""


def several(number: int, steps: str, name: str) -> tuple[Scenario, ...]:
    return tuple(one for n in range(number) for one in scenario(steps, f"{name}{n}"))


MIXED = (*several(2, WORKS, "works"), *scenario(ENDS, "ends"), *several(2, WORKS, "more"))


class EndsAll(HttpServer):
    """The end of one session is the end of all."""

    async def script(self, asked: Asked, wire: Wire) -> None:
        if asked.method == "DELETE":
            self.ended |= self.sessions
        await super().script(asked, wire)


class LatestOnly(HttpServer):
    """A session ends those before it."""

    async def post(self, asked: Asked, wire: Wire) -> None:
        if asked.message.get("method") == "initialize":
            self.ended |= self.sessions
        await super().post(asked, wire)


class Few(HttpServer):
    """So many sessions at a time and no more."""

    room = 4

    async def post(self, asked: Asked, wire: Wire) -> None:
        full = len(self.sessions - self.ended) >= self.room
        if asked.message.get("method") == "initialize" and full:
            await wire.send(answer(503, "text/plain", b"too many sessions"))
        else:
            await super().post(asked, wire)


class One(Few):
    """One session at a time."""

    room = 1


class Broadcasting(HttpServer):
    """Tells everybody of every task."""

    def __init__(self) -> None:
        super().__init__()
        self._listeners: list[Wire] = []

    async def listen(self, asked: Asked, wire: Wire) -> None:
        await wire.send(EVENTS)
        self._listeners.append(wire)
        await wire.gone()
        self._listeners.remove(wire)

    async def respond(self, message: JsonObject, session: str, wire: Wire) -> None:
        await super().respond(message, session, wire)
        if message["method"] == "tools/call":
            task = list(self.server.tasks.values())[-1]
            told = {"jsonrpc": "2.0", "method": "notifications/tasks/status", "params": task}
            for listener in list(self._listeners):
                await listener.send(event(told))


class Confusing(HttpServer):
    """Sends the list of its tools to every session that waits for an answer to a request of the same id."""

    most_at_work = 0

    def __init__(self) -> None:
        super().__init__()
        self._waiting: dict[object, list[Wire]] = {}

    async def respond(self, message: JsonObject, session: str, wire: Wire) -> None:
        name = message.get("id")
        at_work = sum(task["status"] == "working" for task in self.server.tasks.values())
        type(self).most_at_work = max(self.most_at_work, at_work)
        if message["method"] == "tools/list":
            for waiting in self._waiting.get(name, []):
                await waiting.send(event({"jsonrpc": "2.0", "id": name, "result": {"tools": []}}))
            await super().respond(message, session, wire)
        elif message["method"] == "tools/call" and "task" not in message["params"]:
            await wire.send(EVENTS)
            self._waiting.setdefault(name, []).append(wire)
            await wire.gone()
        else:
            await super().respond(message, session, wire)


def note_of(made: Performance) -> str | None:
    (started,) = (event for event in made.events if isinstance(event, RunStarted))
    sharing = started.target.get("sharing")
    notes = started.target["notes"]
    assert isinstance(notes, list)
    assert (sharing is None) == (notes == [])
    return str(notes[0]) if notes else None


def most_at_once(made: Performance) -> int:
    """How many scenarios of a performance ran at the same time."""
    running, most = set[str](), 0
    for told in made.events:
        key = getattr(told, "key", "")
        if type(told).__name__ == "ScenarioStarted":
            running.add(key)
        elif type(told).__name__ == "ScenarioFinished":
            running.discard(key)
        most = max(most, len(running))
    return most


@pytest.mark.parametrize(
    ("kind", "seen"),
    [
        (EndsAll, "the end of one session ends others"),
        (LatestOnly, "another session ends those before it"),
        (
            Few,
            "the target holds few sessions at a time (initialize was answered with HTTP 503 and no JSON-RPC message)",
        ),
        (
            One,
            "the target holds one session at a time (initialize was answered with HTTP 503 and no JSON-RPC message)",
        ),
    ],
)
def test_sessions_that_disturb_each_other_run_in_turn(kind: type[HttpServer], seen: str) -> None:
    made = perform_over_http(MIXED, kind, PROBING)
    assert note_of(made) == f"{seen}, so scenarios run one at a time"
    assert {(e.outcome, e.attempts, e.flaky) for e in made.finished.values()} == {(ScenarioOutcome.PASSED, 1, False)}
    assert most_at_once(made) == 1


@pytest.mark.parametrize("kind", [One, LatestOnly])
def test_what_needs_two_sessions_does_not_apply_where_there_is_one_at_a_time(kind: type[HttpServer]) -> None:
    two = f"- connect: other\n- send: ping\n  via: other\n  expect: {{result: {{}}}}\n  proves: {PROVES}"
    made = perform_over_http((*scenario(two, "two"), *scenario(WORKS, "one")), kind, PROBING)
    assert made.outcomes == {"two": ScenarioOutcome.NOT_APPLICABLE, "one": ScenarioOutcome.PASSED}
    assert made.finished["two"].reason == "the target holds one session at a time"


def test_without_the_look_scenarios_disturb_each_other_there() -> None:
    made = perform_over_http(MIXED, EndsAll, RunOptions())
    assert max(event.attempts for event in made.finished.values()) == 2


def test_messages_of_anothers_task_are_seen() -> None:
    made = perform_over_http(several(6, UNTOLD, "n"), Broadcasting, PROBING)
    seen = "sessions get messages of each other's tasks (notifications/tasks/status)"
    assert note_of(made) == f"{seen}, so scenarios run one at a time"
    assert {(event.outcome, event.attempts) for event in made.finished.values()} == {(ScenarioOutcome.PASSED, 1)}


def test_answers_to_anothers_request_are_seen() -> None:
    made = perform_over_http(several(3, WORKS, "n"), Confusing, PROBING)
    seen = "sessions get the answers to each other's requests"
    assert note_of(made) == f"{seen}, so scenarios run one at a time"
    assert {(event.outcome, event.attempts) for event in made.finished.values()} == {(ScenarioOutcome.PASSED, 1)}


def test_tools_are_tried_in_turn_where_sessions_disturb_each_other() -> None:
    tasks = {name: PROFILE.behaviours[name] for name in ("completes", "slow")}
    Confusing.most_at_work = 0
    made = perform_over_http(several(1, WORKS, "n"), Confusing, PROBING, Claimed(Profile("two", tasks)))
    assert note_of(made) is not None
    assert Confusing.most_at_work == 1


def test_of_a_target_that_can_be_shared_nothing_is_said() -> None:
    made = perform_over_http(MIXED, HttpServer, PROBING)
    assert note_of(made) is None
    assert {(event.outcome, event.attempts) for event in made.finished.values()} == {(ScenarioOutcome.PASSED, 1)}
    assert most_at_once(made) == 5


def test_the_results_say_what_was_seen() -> None:
    made = perform_over_http(several(1, WORKS, "n"), EndsAll, PROBING)
    assert made.result.target["sharing"] == {"scenarios": "in turn", "seen": "the end of one session ends others"}


class Deaf(HttpServer):
    """Answers nothing after its introduction but the first messages."""

    async def respond(self, message: JsonObject, session: str, wire: Wire) -> None:
        if message["method"] == "tools/call":
            await wire.gone()
        else:
            await super().respond(message, session, wire)


def test_where_no_task_can_be_made_nothing_is_said_of_tasks() -> None:
    from mcp_tasks_conformance.engine.pace import Pace

    hurried = RunOptions(probe_sharing=True, pace=Pace(request_s=0.3, ping_s=0.3))
    made = perform_over_http(scenario(f"- send: ping\n  expect: {{result: {{}}}}\n  proves: {PROVES}"), Deaf, hurried)
    assert note_of(made) is None


# -- processes -----------------------------------------------------------------------------------------------


def perform_command(scenarios: Sequence[Scenario], target: Target) -> Performance:
    fold, events = Fold(requirements().values()), list[Event]()

    def tell(event: Event) -> None:
        events.append(event)
        fold(event)

    asyncio.run(Run(scenarios, target, lambda _: PROFILE, PROBING, tell).run())
    return Performance(tuple(events), fold.result(), 0.0)


def command(*words: str) -> list[str]:
    return [sys.executable, str(Path(difficult.__file__)), *words]


@pytest.mark.parametrize(
    ("kind", "seen"),
    [
        ("exits", "the end of one session ends others"),
        ("broadcasts", "sessions get messages of each other's tasks (notifications/tasks/status)"),
    ],
)
def test_a_command_is_started_for_each_scenario_where_it_cannot_be_shared(kind: str, seen: str) -> None:
    target = CommandHttpTarget(command(kind, "{port}"), url="http://127.0.0.1:{port}/mcp")
    made = perform_command(several(3, WORKS, "works"), target)
    assert note_of(made) == f"{seen}, so each scenario runs on an instance of its own"
    assert {(e.outcome, e.attempts) for e in made.finished.values()} == {(ScenarioOutcome.PASSED, 1)}


def test_the_fault_that_mixes_answers_up_is_seen_before_any_scenario_meets_it() -> None:
    made = perform_command(several(3, WORKS, "works"), bundled("http", ["--fault", "http-tools-to-all"]))
    seen = "sessions get the answers to each other's requests"
    assert note_of(made) == f"{seen}, so each scenario runs on an instance of its own"
    assert {(e.outcome, e.attempts) for e in made.finished.values()} == {(ScenarioOutcome.PASSED, 1)}


def test_processes_that_share_a_store_run_one_at_a_time(tmp_path: Path) -> None:
    target = CommandTarget(command(f"store={tmp_path / 'tasks'}", "--stdio"))
    made = perform_command(several(4, WORKS, "works"), target)
    assert note_of(made) == "processes of the target share their tasks, so scenarios run one at a time"
    assert {event.outcome for event in made.finished.values()} == {ScenarioOutcome.PASSED}
    assert most_at_once(made) == 1


def test_processes_that_share_nothing_run_at_the_same_time() -> None:
    made = perform_command(several(4, WORKS, "works"), CommandTarget(command("--stdio")))
    assert note_of(made) is None
    assert most_at_once(made) == 4
