"""Shapes of what is said about tasks; each flaw breaks the requirement that is most particular to it."""

from __future__ import annotations

import pytest

from mcp_tasks_conformance.events import JsonValue, Outcome
from tests.monitors.conversation import Conversation, related, task

MISSING: JsonValue = {"missing": True}
FLAWS: list[tuple[str, JsonValue, dict[str, str]]] = [
    ("taskId", 7, dict.fromkeys(("create", "list", "notify"), "v1.id.string")),
    ("taskId", MISSING, {"create": "v1.create.schema", "list": "v1.list.schema", "notify": "v1.notify.schema"}),
    ("status", "submitted", dict.fromkeys(("create", "get", "list", "cancel", "notify"), "v1.status.values")),
    ("status", None, dict.fromkeys(("create", "get", "list", "cancel", "notify"), "v1.status.values")),
    (
        "status",
        MISSING,
        {
            "create": "v1.create.schema",
            "get": "v1.get.schema",
            "list": "v1.list.schema",
            "cancel": "v1.cancel.schema",
            "notify": "v1.notify.schema",
        },
    ),
    ("createdAt", MISSING, dict.fromkeys(("create", "get", "list", "cancel", "notify"), "v1.time.created-at")),
    ("createdAt", 1700000000, dict.fromkeys(("create", "get"), "v1.time.created-at")),
    ("lastUpdatedAt", MISSING, dict.fromkeys(("create", "get", "list", "notify"), "v1.time.last-updated-at")),
    (
        "ttl",
        MISSING,
        {
            "create": "v1.create.schema",
            "get": "v1.ttl.actual-returned",
            "list": "v1.list.schema",
            "cancel": "v1.cancel.schema",
            "notify": "v1.notify.schema",
        },
    ),
    ("ttl", "60000", {"create": "v1.create.schema", "get": "v1.ttl.actual-returned"}),
    ("pollInterval", "500", dict.fromkeys(("create", "get", "list", "cancel", "notify"), "v1.poll.interval-number")),
    ("pollInterval", None, {"get": "v1.poll.interval-number"}),
    ("statusMessage", None, {"create": "v1.create.schema", "get": "v1.get.schema", "notify": "v1.notify.schema"}),
]


def show(talk: Conversation, place: str, shown: JsonValue) -> None:
    """Let the target show a task object in one of the places where tasks stand."""
    match place:
        case "create":
            talk.answer(talk.ask("tools/call", {"name": "x", "task": {}}), {"task": shown})
        case "list":
            talk.answer(talk.ask("tasks/list"), {"tasks": [task("t0"), shown]})
        case "notify":
            talk.receive({"jsonrpc": "2.0", "method": "notifications/tasks/status", "params": shown})
        case _:
            talk.answer(talk.ask(f"tasks/{place}", {"taskId": "t1"}), shown)


@pytest.mark.parametrize(
    ("member", "value", "place", "requirement"),
    [(member, value, place, row) for member, value, places in FLAWS for place, row in places.items()],
)
def test_a_flaw_breaks_the_requirement_most_particular_to_it(
    member: str, value: JsonValue, place: str, requirement: str
) -> None:
    shown = task("t1", "cancelled" if place == "cancel" else "working") | {member: value}
    if value is MISSING:
        del shown[member]
    talk = Conversation()
    show(talk, place, shown)
    assert list(talk.broken()) == [requirement]


@pytest.mark.parametrize("place", ["create", "get", "list", "cancel", "notify"])
def test_a_whole_task_passes_in_every_place(place: str) -> None:
    talk = Conversation()
    show(talk, place, task("t1", "cancelled" if place == "cancel" else "working", statusMessage="", extra=[1]))
    assert talk.outcomes(f"v1.{place}.schema") == [Outcome.PASS]
    assert talk.broken() == {}


@pytest.mark.parametrize("change", [{"ttl": None}, {"ttl": 0}, {"pollInterval": 0}, {"pollInterval": 1e3}])
def test_odd_but_permitted_numbers_pass(change: dict[str, JsonValue]) -> None:
    talk = Conversation()
    show(talk, "get", task("t1") | change)
    assert talk.broken() == {}
    assert talk.warned() == {}


def test_an_absent_poll_interval_passes() -> None:
    shown = task("t1")
    del shown["pollInterval"]
    talk = Conversation()
    show(talk, "get", shown)
    assert talk.broken() == {}
    assert talk.outcomes("v1.poll.interval-number") == []


@pytest.mark.parametrize(
    ("change", "requirement"),
    [
        ({"pollInterval": -1}, "v1.poll.interval-number"),
        ({"ttl": -0.5}, "v1.ttl.actual-returned"),
    ],
)
def test_negative_milliseconds_are_warned_of(change: dict[str, JsonValue], requirement: str) -> None:
    talk = Conversation()
    show(talk, "get", task("t1") | change)
    assert talk.broken() == {}
    assert list(talk.warned()) == [requirement]


@pytest.mark.parametrize("change", [{"pollInterval": 0.5}, {"ttl": 1500.5}, {"ttl": 0}, {"ttl": 1.0}])
def test_any_number_that_is_not_negative_is_one(change: dict[str, JsonValue]) -> None:
    talk = Conversation()
    show(talk, "get", task("t1") | change)
    assert talk.broken() == {}
    assert talk.warned() == {}


@pytest.mark.parametrize("result", [{"task": task("t1")}, {}, None, [], "working"])
def test_tasks_get_that_answers_no_flat_task_breaks_one_requirement(result: JsonValue) -> None:
    talk = Conversation()
    show(talk, "get", result)
    assert list(talk.broken()) == ["v1.get.schema"]


def test_tasks_get_that_answers_another_task_is_found() -> None:
    talk = Conversation()
    show(talk, "get", task("t2"))
    assert talk.broken() == {"v1.get.schema": 'the task "t2"'}


def test_an_answer_about_the_task_that_metadata_named_broke_another_rule() -> None:
    talk = Conversation()
    talk.answer(talk.ask("tasks/get", {"taskId": "t1", **related("t2")}), task("t2"))
    assert talk.broken() == {}


@pytest.mark.parametrize("result", [{}, {"tasks": {}}, {"tasks": [], "nextCursor": None}, {"tasks": ["t1"]}, None])
def test_tasks_list_of_another_shape_is_found(result: JsonValue) -> None:
    talk = Conversation()
    talk.answer(talk.ask("tasks/list"), result)
    assert list(talk.broken()) == ["v1.list.schema"]


def test_an_empty_list_is_no_proof() -> None:
    talk = Conversation()
    talk.answer(talk.ask("tasks/list"), {"tasks": [], "nextCursor": "more"})
    assert talk.broken() == {}
    assert talk.outcomes("v1.list.schema") == []


@pytest.mark.parametrize("made", ["t1", None, ["t1"]])
def test_a_task_that_is_no_object_breaks_create(made: JsonValue) -> None:
    talk = Conversation()
    talk.answer(talk.ask("tools/call", {"name": "x", "task": {}}), {"task": made})
    assert list(talk.broken()) == ["v1.create.schema"]


def test_the_operation_s_own_result_is_no_flawed_task() -> None:
    talk = Conversation()
    talk.answer(talk.ask("tools/call", {"name": "x", "task": {}}), {"content": [], "task": "a member of that name"})
    talk.answer(talk.ask("tools/call", {"name": "x"}), {"content": [], "task": {"of": "the tool"}})
    assert talk.broken() == {}
    assert talk.outcomes("v1.create.schema") == []


def test_errors_are_not_judged_for_shape() -> None:
    talk = Conversation()
    talk.refuse(talk.ask("tasks/get", {"taskId": 7}))
    assert talk.broken() == {}


def test_the_client_as_receiver_is_judged_too() -> None:
    talk = Conversation(hosts="client")
    talk.answer(talk.ask("sampling/createMessage", {"messages": [], "task": {}}), {"task": task("t1", "new")})
    assert list(talk.broken()) == ["v1.status.values"]
