"""The form of messages and errors, and what a stdio server prints."""

from __future__ import annotations

import pytest

from mcp_tasks_conformance.events import JsonValue, Outcome
from tests.monitors.conversation import Conversation

WELL_FORMED: list[JsonValue] = [
    {"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "info", "data": "x"}},
    {"jsonrpc": "2.0", "method": "notifications/tools/list_changed"},
    {"jsonrpc": "2.0", "id": 0, "method": "ping"},
    {"jsonrpc": "2.0", "id": "a", "method": "ping", "params": {"_meta": {}}},
]
ILL_FORMED: list[tuple[JsonValue, str]] = [
    ({"id": 1, "method": "ping"}, "a message that has no jsonrpc"),
    ({"jsonrpc": "1.0", "id": 1, "method": "ping"}, 'a message that has jsonrpc "1.0"'),
    ({"jsonrpc": 2.0, "id": 1, "method": "ping"}, "a message that has jsonrpc 2.0"),
    ({"jsonrpc": "2.0", "id": 1, "method": 7}, "a message that has the method 7"),
    ({"jsonrpc": "2.0", "id": 1, "method": "ping", "result": {}}, "a message that has both method and result"),
    ({"jsonrpc": "2.0"}, "a message that has neither method nor result nor error"),
    ([{"jsonrpc": "2.0", "id": 1, "method": "ping"}], "a message that is an array (batch)"),
]


@pytest.mark.parametrize("message", WELL_FORMED)
def test_a_well_formed_message_passes(message: JsonValue) -> None:
    talk = Conversation()
    talk.receive(message)
    assert talk.outcomes("base.envelope") == [Outcome.PASS]
    assert talk.broken() == {}


@pytest.mark.parametrize(("message", "observed"), ILL_FORMED)
def test_an_ill_formed_message_is_found(message: JsonValue, observed: str) -> None:
    talk = Conversation(transport="memory")
    talk.receive(message)
    assert talk.broken() == {"base.envelope": observed}


def test_text_that_is_no_json_is_found_over_http() -> None:
    talk = Conversation()
    talk.receive_text('{"jsonrpc": "2.0", ')
    assert list(talk.broken()) == ["base.envelope"]


def test_a_constant_that_json_does_not_know_is_found() -> None:
    talk = Conversation()
    talk.receive_text('{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"t","total":NaN}}')
    assert talk.broken()["base.envelope"] == "a message that not JSON: holds NaN"


@pytest.mark.parametrize(
    ("flaw", "observed"),
    [
        ({"result": {}, "error": {"code": 1, "message": "x"}}, "a message that has both result and error"),
        ({}, "a message that has neither method, result nor error"),
    ],
)
def test_a_response_with_both_or_neither_outcome_is_found(flaw: dict[str, JsonValue], observed: str) -> None:
    talk = Conversation()
    sent = talk.ask("ping")
    talk.receive({"jsonrpc": "2.0", "id": sent.id, **flaw}, sent.stream)
    assert talk.broken() == {"base.envelope": observed}


def test_a_batch_that_answers_a_batch_of_ours_is_let_pass() -> None:
    talk = Conversation(transport="stdio")
    talk.send('[{"jsonrpc":"2.0","id":7,"method":"ping"}]')
    talk.receive([{"jsonrpc": "2.0", "id": 7, "result": {}}])
    assert talk.broken() == {}


def test_the_body_of_an_http_refusal_need_be_no_message() -> None:
    talk = Conversation()
    sent = talk.ask("ping", opens=False)
    talk.open(sent, status=401, media_type="application/json")
    talk.receive({"error": "invalid_token"}, sent.stream)
    assert talk.findings == []


def test_a_refusal_that_calls_itself_json_rpc_is_judged_as_such() -> None:
    talk = Conversation()
    sent = talk.ask("ping", opens=False)
    talk.open(sent, status=400, media_type="application/json")
    talk.receive({"jsonrpc": "2.0", "id": None, "error": {"code": "bad", "message": "no session"}}, sent.stream)
    assert talk.broken() == {"base.error-shape": 'code "bad"'}


@pytest.mark.parametrize(
    ("error", "observed"),
    [
        ("gone", 'error: "gone"'),
        (None, "error: null"),
        ({"message": "x"}, "no code"),
        ({"code": "-32602", "message": "x"}, 'code "-32602"'),
        ({"code": 1.5, "message": "x"}, "code 1.5"),
        ({"code": True, "message": "x"}, "code true"),
        ({"code": -32602}, "no message"),
        ({"code": -32602, "message": None}, "message null"),
    ],
)
def test_an_error_of_another_shape_is_found(error: JsonValue, observed: str) -> None:
    talk = Conversation()
    sent = talk.ask("ping")
    talk.receive({"jsonrpc": "2.0", "id": sent.id, "error": error}, sent.stream)
    assert talk.broken() == {"base.error-shape": observed}


@pytest.mark.parametrize("error", [{"code": -32602, "message": ""}, {"code": -32602.0, "message": "x", "data": None}])
def test_an_error_with_code_and_message_passes_whatever_else_it_holds(error: JsonValue) -> None:
    talk = Conversation()
    sent = talk.ask("ping")
    talk.receive({"jsonrpc": "2.0", "id": sent.id, "error": error}, sent.stream)
    assert talk.outcomes("base.error-shape") == [Outcome.PASS]
    assert talk.broken() == {}


@pytest.mark.parametrize("line", ["Server started", "42", '{"level":"info","msg":"listening"}'])
def test_what_a_stdio_server_prints_is_found(line: str) -> None:
    talk = Conversation(transport="stdio")
    talk.receive_text(line)
    assert list(talk.broken()) == ["base.stdio-clean"]


def test_noise_on_stdout_is_found() -> None:
    talk = Conversation(transport="stdio")
    talk.print("Server started")
    assert talk.broken() == {"base.stdio-clean": 'a line that is no message: "Server started"'}


def test_blank_lines_on_stdout_are_let_pass() -> None:
    talk = Conversation(transport="stdio")
    talk.print("  ")
    talk.ping()
    assert talk.broken() == {}
    assert talk.outcomes("base.stdio-clean") == [Outcome.PASS]


def test_a_client_may_print_what_it_likes() -> None:
    talk = Conversation(transport="stdio", hosts="client")
    talk.print("hello")
    assert talk.findings == []
