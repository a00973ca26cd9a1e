"""What a task asks: only what was declared."""

from __future__ import annotations

import pytest

from mcp_tasks_conformance.events import JsonValue, Outcome
from tests.monitors.conversation import Conversation, related

ONLY_DECLARED = "v1.input.only-declared"
SAMPLING: dict[str, JsonValue] = {"messages": [], "maxTokens": 1}
FORM: dict[str, JsonValue] = {"message": "?", "requestedSchema": {"type": "object", "properties": {}}}
URL: dict[str, JsonValue] = {"mode": "url", "message": "?", "url": "https://example.org", "elicitationId": "1"}


def asked(ours: dict[str, JsonValue], method: str, params: dict[str, JsonValue]) -> Conversation:
    talk = Conversation()
    talk.initialize(ours=ours)
    talk.make("t1")
    talk.request(1, method, {**params, **related("t1")})
    return talk


@pytest.mark.parametrize(
    ("ours", "method", "params"),
    [
        ({"elicitation": {}}, "elicitation/create", FORM),
        ({"elicitation": {}}, "elicitation/create", {"mode": "form", **FORM}),
        ({"elicitation": {"form": {}}}, "elicitation/create", FORM),
        ({"elicitation": {"form": {}, "url": {}}}, "elicitation/create", URL),
        ({"elicitation": {"extension": {}}}, "elicitation/create", FORM),
        ({"elicitation": {}}, "elicitation/create", {**FORM, "mode": "unheard of"}),
        ({"sampling": {}}, "sampling/createMessage", SAMPLING),
        ({}, "roots/list", {}),
    ],
)
def test_what_was_declared_may_be_asked(ours: dict[str, JsonValue], method: str, params: dict[str, JsonValue]) -> None:
    assert asked(ours, method, params).broken() == {}


@pytest.mark.parametrize(
    ("ours", "method", "params", "observed"),
    [
        ({}, "elicitation/create", FORM, "elicitation/create, and elicitation form was not declared"),
        ({"sampling": {}}, "elicitation/create", FORM, "elicitation/create, and elicitation form was not declared"),
        ({"elicitation": {}}, "elicitation/create", URL, "elicitation/create, and elicitation url was not declared"),
        (
            {"elicitation": {"url": {}}},
            "elicitation/create",
            FORM,
            "elicitation/create, and elicitation form was not declared",
        ),
        (
            {"elicitation": {}},
            "sampling/createMessage",
            SAMPLING,
            "sampling/createMessage, and sampling was not declared",
        ),
    ],
)
def test_what_was_not_declared_is_found(
    ours: dict[str, JsonValue], method: str, params: dict[str, JsonValue], observed: str
) -> None:
    assert asked(ours, method, params).broken() == {ONLY_DECLARED: observed}


def test_a_declared_request_is_a_pass() -> None:
    assert asked({"sampling": {}}, "sampling/createMessage", SAMPLING).outcomes(ONLY_DECLARED) == [Outcome.PASS]


def test_a_request_of_no_task_is_not_judged_here() -> None:
    talk = Conversation()
    talk.initialize(ours={})
    talk.request(1, "elicitation/create", FORM)
    assert talk.broken() == {}


def test_a_task_made_in_a_session_that_declared_more_is_not_judged_on_another() -> None:
    talk = Conversation()
    talk.connect("a", identity="first")
    talk.connect("b", identity="first")
    talk.initialize("a", ours={"elicitation": {}})
    talk.initialize("b", ours={})
    talk.make("t1", connection="a")
    talk.request(1, "elicitation/create", {**FORM, **related("t1")}, connection="b")
    assert talk.broken() == {}


def test_a_joined_connection_stands_on_what_its_session_declared() -> None:
    talk = Conversation()
    talk.initialize(ours={"elicitation": {}})
    talk.connect("joined", session="main")
    talk.make("t1")
    talk.request(1, "elicitation/create", {**FORM, **related("t1")}, connection="joined")
    assert talk.outcomes(ONLY_DECLARED) == [Outcome.PASS]
