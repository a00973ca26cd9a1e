"""Ids of requests and responses, and notifications that must stay unanswered."""

from __future__ import annotations

import pytest

from mcp_tasks_conformance.events import JsonValue, Outcome
from mcp_tasks_conformance.wire import jsonrpc
from tests.monitors.conversation import Conversation, related

ASKED = "elicitation/create"


def elicitation(message: str, task_id: str = "t1") -> dict[str, JsonValue]:
    return {"message": message, "requestedSchema": {"type": "object", "properties": {}}, **related(task_id)}


# -- ids of the target's requests --------------------------------------------------------------------------------


@pytest.mark.parametrize("identifier", [None, True, 1.5, {"n": 1}, [1]])
def test_a_request_id_of_another_type_is_found(identifier: JsonValue) -> None:
    talk = Conversation()
    talk.receive({"jsonrpc": "2.0", "id": identifier, "method": "ping"})
    assert list(talk.broken()) == ["base.request-ids"]


def test_ids_of_all_permitted_kinds_pass() -> None:
    talk = Conversation()
    for identifier in (0, "0", -1, 10**30, "", "x" * 1000, 2.0):
        talk.request(identifier, "ping", {})
    assert set(talk.outcomes("base.request-ids")) == {Outcome.PASS}
    assert talk.broken() == {}


def test_an_id_used_for_another_request_is_found() -> None:
    talk = Conversation()
    talk.request(1, ASKED, elicitation("first"))
    talk.request(1, ASKED, elicitation("second"))
    assert talk.broken() == {"base.request-ids": "elicitation/create with the id 1 of an earlier request"}


def test_an_id_used_in_another_session_passes() -> None:
    talk = Conversation()
    talk.connect("other")
    talk.request(1, ASKED, elicitation("first"))
    talk.request(1, ASKED, elicitation("second"), connection="other")
    assert talk.broken() == {}


def test_an_id_used_on_another_connection_of_the_session_is_found() -> None:
    talk = Conversation()
    talk.connect("joined", session="main")
    talk.request(1, ASKED, elicitation("first"))
    talk.request(1, ASKED, elicitation("second"), connection="joined")
    assert list(talk.broken()) == ["base.request-ids"]


def test_a_request_delivered_again_until_it_is_answered_passes() -> None:
    talk = Conversation()
    talk.listen()
    talk.request(1, ASKED, elicitation("first"))
    waiting = talk.ask("tasks/result", {"taskId": "t1"})
    talk.request(1, ASKED, elicitation("first"), stream=waiting.stream)
    assert talk.broken() == {}


def test_a_request_that_crosses_its_answer_passes() -> None:
    talk = Conversation(transport="stdio")
    sent = talk.ask("tasks/result", {"taskId": "t1"})
    talk.request(1, ASKED, elicitation("first"))
    talk.reply(1, {"action": "decline"})
    talk.request(1, ASKED, elicitation("first"))
    talk.answer(sent, {"content": [], **related("t1")})
    assert talk.broken() == {}


def test_the_same_request_long_after_its_answer_was_had_is_found() -> None:
    talk = Conversation(transport="stdio")
    talk.request(1, "ping", {})
    talk.reply(1, {})
    talk.ping()
    talk.request(1, "ping", {})
    assert talk.broken() == {}
    talk.at = 1.0
    talk.request(1, "ping", {})
    assert list(talk.broken()) == ["base.request-ids"]


# -- whose a response is -----------------------------------------------------------------------------------------


def test_a_response_to_a_waiting_request_passes_in_any_order() -> None:
    talk = Conversation()
    first, second = talk.ask("ping"), talk.ask("ping")
    talk.answer(second, {})
    talk.answer(first, {})
    assert talk.outcomes("base.response-id") == [Outcome.PASS, Outcome.PASS]


def test_a_response_with_an_id_that_nothing_has_is_found() -> None:
    talk = Conversation()
    sent = talk.ask("ping")
    talk.receive(jsonrpc.result("nobody", {}), sent.stream)
    assert talk.broken() == {"base.response-id": 'a response with the id "nobody", which no request has'}


def test_an_id_that_comes_back_as_another_type_is_found() -> None:
    talk = Conversation()
    sent = talk.ask("ping", id=5)
    talk.receive(jsonrpc.result("5", {}), sent.stream)
    assert talk.broken() == {"base.response-id": 'a response with the id "5", where 5 was asked'}


def test_a_second_response_on_the_same_stream_is_found() -> None:
    talk = Conversation(transport="stdio")
    sent = talk.ask("ping")
    talk.answer(sent, {})
    talk.answer(sent, {})
    assert list(talk.broken()) == ["base.response-id"]


def test_a_response_after_we_gave_the_request_up_passes() -> None:
    talk = Conversation(transport="stdio")
    sent = talk.ask("tasks/result", {"taskId": "t1"})
    talk.tell("notifications/cancelled", {"requestId": sent.id})
    talk.answer(sent, {"content": [], **related("t1")})
    assert talk.broken() == {}


def test_a_late_response_in_the_next_attempt_passes() -> None:
    talk = Conversation(transport="stdio")
    sent = talk.ask("tasks/result", {"taskId": "t1"})
    talk.next_attempt()
    talk.answer(sent, {"content": [], **related("t1")})
    assert talk.broken() == {}


def test_an_id_that_we_used_twice_may_be_answered_twice() -> None:
    talk = Conversation(transport="stdio")
    first, second = talk.ask("ping", id=9), talk.ask("ping", id=9)
    talk.answer(first, {})
    talk.refuse(second, -32600, "Duplicate id")
    assert talk.broken() == {}


def test_a_refusal_without_id_of_an_id_that_we_used_twice_passes() -> None:
    talk = Conversation(transport="stdio")
    talk.answer(talk.ask("ping", id=9), {})
    talk.ask("ping", id=9)
    talk.receive({"jsonrpc": "2.0", "id": None, "error": {"code": -32600, "message": "Duplicate id"}})
    assert talk.broken() == {}


@pytest.mark.parametrize(
    "text",
    [
        "this is no JSON",
        '{"jsonrpc":"2.0","id":null,"method":"ping"}',
        '{"jsonrpc":"2.0","method":7}',
        '{"jsonrpc":"2.0","id":1,"method":"tasks/get","params":{"taskId":' + "[" * 500 + "]" * 500 + "}}",
        '{"jsonrpc":"2.0","id":1,"method":"tasks/get","params":{"taskId":"' + "x" * 1_000_000 + '"}}',
        '{"jsonrpc":"2.0","id":1,"method":"tasks/get","params":{"taskId":"\\ud800"}}',
        '{"jsonrpc":"2.0","id":1,"method":"tasks/get","params":{"taskId":"\\u0000"}}',
        '{"jsonrpc":"2.0","id":1,"method":"tasks/get","params":{"taskId":1e999999}}',
        '{"jsonrpc":"2.0","id":1,"method":"tasks/get","params":{"taskId":-1.5E+309}}',
        '{"jsonrpc":"2.0","id":1,"method":"tasks/get","params":{"taskId":1e-400}}',
        '{"jsonrpc":"2.0","id":1,"method":"tasks/get","params":{"taskId":9223372036854775808}}',
        '{"jsonrpc":"2.0","id":1,"method":"tasks/get","params":{"taskId":' + "9" * 5000 + "}}",
        '{"jsonrpc":"2.0","id":1,"method":"tasks/get","params":{"taskId":0.' + "1" * 40 + "}}",
    ],
)
def test_an_error_without_id_after_something_hard_to_read_passes(text: str) -> None:
    talk = Conversation(transport="stdio")
    talk.send(text)
    talk.receive({"jsonrpc": "2.0", "id": None, "error": {"code": -32700, "message": "Parse error"}})
    talk.receive({"jsonrpc": "2.0", "error": {"code": -32700, "message": "Parse error"}})
    talk.settle()
    assert talk.broken() == {}


@pytest.mark.parametrize("odd", ["1e3", "9007199254740993", "-0.25", '"1e999999"', '"C:\\\\ud800"', '"\\u00e9"'])
def test_an_error_without_id_after_something_that_everybody_reads_is_found(odd: str) -> None:
    talk = Conversation(transport="stdio")
    talk.send(f'{{"jsonrpc":"2.0","id":1,"method":"tasks/get","params":{{"taskId":{odd}}}}}')
    talk.receive({"jsonrpc": "2.0", "id": None, "error": {"code": -32700, "message": "Parse error"}})
    talk.settle()
    assert "base.response-id" in talk.broken()


def test_an_http_refusal_need_not_have_an_id() -> None:
    talk = Conversation()
    sent = talk.ask("ping", opens=False)
    talk.open(sent, status=404, media_type="application/json")
    talk.receive({"jsonrpc": "2.0", "id": None, "error": {"code": -32001, "message": "No such session"}}, sent.stream)
    talk.settle()
    assert talk.broken() == {}


def test_a_response_without_an_id_and_without_a_notification_to_blame_is_found() -> None:
    talk = Conversation()
    sent = talk.ask("ping")
    talk.receive({"jsonrpc": "2.0", "id": None, "result": {}}, sent.stream)
    assert list(talk.broken()) == ["base.response-id"]


# -- notifications -----------------------------------------------------------------------------------------------


def test_a_notification_that_gets_a_response_is_found() -> None:
    talk = Conversation(transport="stdio")
    talk.tell("notifications/initialized")
    talk.receive({"jsonrpc": "2.0", "id": None, "error": {"code": -32601, "message": "Method not found"}})
    talk.settle()
    assert list(talk.broken()) == ["base.notification-silent"]


def test_a_response_without_id_while_a_request_gets_its_own_is_the_notification_s() -> None:
    talk = Conversation(transport="stdio")
    sent = talk.ask("ping")
    talk.tell("notifications/unknown")
    talk.receive({"jsonrpc": "2.0", "id": None, "error": {"code": -32601, "message": "Method not found"}})
    talk.answer(sent, {})
    talk.settle()
    assert list(talk.broken()) == ["base.notification-silent"]


def test_a_response_that_lost_its_id_is_not_blamed_on_the_notification() -> None:
    talk = Conversation(transport="stdio")
    talk.tell("notifications/initialized")
    talk.ask("ping")
    talk.receive({"jsonrpc": "2.0", "id": None, "result": {}})
    talk.settle()
    assert list(talk.broken()) == ["base.response-id"]


def test_silence_after_a_notification_passes_once_something_later_is_answered() -> None:
    talk = Conversation(transport="stdio")
    earlier = talk.ask("ping")
    talk.tell("notifications/initialized")
    talk.answer(earlier, {})
    assert talk.outcomes("base.notification-silent") == []
    talk.ping()
    assert talk.outcomes("base.notification-silent") == [Outcome.PASS]
