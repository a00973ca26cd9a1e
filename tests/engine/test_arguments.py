"""Mistakes of scenarios that only show when they run: each is told with its place, and never held against a target."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from mcp_tasks_conformance.catalog.model import Place, Ref, Step
from mcp_tasks_conformance.engine.attempt import Attempt, HarnessFault
from mcp_tasks_conformance.engine.scope import Held, NothingThere, Scope
from mcp_tasks_conformance.engine.verbs import arguments, run_steps
from mcp_tasks_conformance.events import ScenarioOutcome
from mcp_tasks_conformance.peers.inbox import Incoming
from mcp_tasks_conformance.wire import jsonrpc
from tests.engine.theatre import perform, scenario

HERE = Place(Path("suite.yaml"), 7, 3)
PING = Incoming(jsonrpc.decode('{"jsonrpc": "2.0", "id": 1, "method": "ping"}'), "memory", 0.0, 0)
SCOPE = Scope({"number": 7, "list": [1], "job": Held({"taskId": "t-1"}), "asked": Held({}, handle=PING, at=3.0)})
ATTEMPT: Any = None
"""None of these looks at the attempt."""


def ref(name: str, *path: str) -> Ref:
    return Ref(name, path, HERE)


def step(verb: str = "send", subject: Any = None, **keys: Any) -> Step:
    return Step(verb, subject, keys, (), (), HERE)


def test_text_must_be_text() -> None:
    with pytest.raises(HarnessFault, match=r"suite\.yaml:7:3: kind must be text, not 7"):
        arguments.text(step(kind=ref("number")), "kind", SCOPE)
    with pytest.raises(HarnessFault, match=r"suite\.yaml:7:3: send takes text, not 7"):
        arguments.subject_text(step(subject=ref("number")), SCOPE)
    assert arguments.text(step(), "kind", SCOPE, "request") == "request"


def test_an_object_must_be_an_object() -> None:
    with pytest.raises(HarnessFault, match=r"suite\.yaml:7:3: meta must be an object, not \[1\]"):
        arguments.object_of([1], step(), "meta")


def test_headers_are_text_and_null_leaves_one_out() -> None:
    assert arguments.headers(step(headers={"A": 7, "B": None}), SCOPE) == {"A": "7", "B": None}
    with pytest.raises(HarnessFault, match="headers must be an object"):
        arguments.headers(step(headers=ref("list")), SCOPE)


def test_an_exchange_must_have_been_begun_and_a_question_been_asked() -> None:
    with pytest.raises(HarnessFault, match=r"\$job is not an exchange that `begin` gave"):
        arguments.exchange(step(), SCOPE, ref("job"))
    with pytest.raises(HarnessFault, match=r"\$job is not a request that `await_request` gave"):
        arguments.incoming(step(), SCOPE, ref("job"))
    assert arguments.incoming(step(), SCOPE, ref("asked")) is PING


def test_what_was_never_given_is_a_precondition() -> None:
    with pytest.raises(NothingThere, match=r"nothing at \$never"):
        arguments.exchange(step(), SCOPE, ref("never"))


def test_a_task_is_named_by_itself_or_by_its_id() -> None:
    assert arguments.task_id(ATTEMPT, step(task=ref("job")), SCOPE, "task") == "t-1"
    assert arguments.task_id(ATTEMPT, step(task="t-2"), SCOPE, "task") == "t-2"
    assert arguments.task_id(ATTEMPT, step(), SCOPE, "task") is None
    with pytest.raises(HarnessFault, match="task must name a task"):
        arguments.task_id(ATTEMPT, step(task=ref("number")), SCOPE, "task")


def test_a_verb_of_another_side_cannot_be_run_yet() -> None:
    attempt: Attempt = ATTEMPT
    with pytest.raises(HarnessFault, match=r"suite\.yaml:7:3: `drive` cannot be run yet"):
        asyncio.run(run_steps(attempt, (step("drive"),), SCOPE))


@pytest.mark.parametrize(
    ("steps", "told"),
    [
        ("- start_task: {behaviour: slow, as: job}\n- await_status: {task: $job, is: $job}", "`is` takes a status"),
        ("- repeat: {over: $target.serverInfo, steps: [{send: tasks/list}]}", "`over` takes a list"),
        ("- settle: {task: $target}", "task must name a task"),
        ("- start_task: {behaviour: completes, meta: $unknown_id}", "meta must be an object"),
    ],
)
def test_a_value_that_makes_no_sense_there_ends_in_a_harness_error(steps: str, told: str) -> None:
    made = perform(scenario(steps))
    assert made.one.outcome is ScenarioOutcome.HARNESS_ERROR
    assert told in (made.one.reason or "")
    assert (made.one.reason or "").startswith("try.yaml:")
