"""One message goes to one stream."""

from __future__ import annotations

from mcp_tasks_conformance.events import JsonValue, Outcome
from tests.monitors.conversation import Conversation, related

ONE_STREAM = "base.http-one-stream"
ASKED = "elicitation/create"
ELICITATION: dict[str, JsonValue] = {"message": "?", "requestedSchema": {"type": "object"}, **related("t1")}


def listening() -> Conversation:
    talk = Conversation()
    talk.listen()
    return talk


def test_a_request_on_two_open_streams_is_found() -> None:
    talk = listening()
    plain = talk.ask("tools/call", {"name": "asks"})
    talk.request(0, ASKED, ELICITATION)
    talk.request(0, ASKED, ELICITATION, stream=plain.stream)
    assert talk.broken() == {ONE_STREAM: f"the elicitation/create with the id 0 on get:1 and {plain.stream}"}


def test_a_request_on_the_streams_of_two_connections_of_a_session_is_found() -> None:
    talk = listening()
    talk.connect("joined", session="main")
    talk.listen(connection="joined")
    talk.request(0, ASKED, ELICITATION)
    talk.request(0, ASKED, ELICITATION, connection="joined")
    assert list(talk.broken()) == [ONE_STREAM]


def test_a_request_that_waits_on_an_old_tasks_result_and_the_listening_stream_at_once_is_found() -> None:
    talk = listening()
    waiting = talk.ask("tasks/result", {"taskId": "t1"})
    talk.at = 1.0
    talk.request(0, ASKED, ELICITATION)
    talk.request(0, ASKED, ELICITATION, stream=waiting.stream)
    assert list(talk.broken()) == [ONE_STREAM]


def test_a_request_delivered_again_on_a_later_tasks_result_passes() -> None:
    talk = listening()
    talk.request(0, ASKED, ELICITATION)
    waiting = talk.ask("tasks/result", {"taskId": "t1"})
    talk.request(0, ASKED, ELICITATION, stream=waiting.stream)
    assert talk.broken() == {}


def test_a_request_delivered_again_on_a_stream_of_a_later_call_passes() -> None:
    talk = listening()
    talk.request(0, ASKED, ELICITATION)
    later = talk.ask("tools/call", {"name": "x"})
    talk.request(0, ASKED, ELICITATION, stream=later.stream)
    assert talk.broken() == {}


def test_a_request_whose_second_delivery_overtakes_the_first_passes() -> None:
    talk = listening()
    waiting = talk.ask("tasks/result", {"taskId": "t1"})
    talk.at = 0.02
    talk.request(0, ASKED, ELICITATION, stream=waiting.stream)
    talk.request(0, ASKED, ELICITATION)
    assert talk.broken() == {}


def test_a_request_delivered_again_after_its_stream_was_lost_passes() -> None:
    talk = listening()
    plain = talk.ask("tools/call", {"name": "asks"})
    talk.request(0, ASKED, ELICITATION, stream=plain.stream)
    talk.end(plain.stream)
    talk.request(0, ASKED, ELICITATION)
    assert talk.broken() == {}


def test_two_sessions_may_be_asked_the_same() -> None:
    talk = listening()
    talk.connect("other")
    talk.listen(connection="other")
    talk.request(0, ASKED, ELICITATION)
    talk.request(0, ASKED, ELICITATION, connection="other")
    assert talk.broken() == {}


def test_a_response_on_two_streams_is_found() -> None:
    talk = listening()
    sent = talk.ask("ping")
    other = talk.ask("tasks/result", {"taskId": "t1"})
    talk.answer(sent, {})
    talk.answer(sent, {}, stream=other.stream)
    assert talk.broken() == {ONE_STREAM: f"the response with the id {sent.id} on {sent.stream} and {other.stream}"}


def test_responses_of_two_connections_with_like_ids_pass() -> None:
    talk = listening()
    talk.connect("joined", session="main")
    talk.answer(talk.ask("ping", id=1), {})
    talk.answer(talk.ask("ping", id=1, connection="joined"), {})
    assert talk.broken() == {}
    assert talk.outcomes(ONE_STREAM) == [Outcome.PASS, Outcome.PASS]


def test_progress_broadcast_over_two_streams_is_found() -> None:
    talk = listening()
    sent = talk.ask("tools/call", {"name": "x", "_meta": {"progressToken": "p"}})
    for value in (1, 2):
        talk.progress("p", value, stream=sent.stream)
        talk.progress("p", value)
    assert talk.broken() == {ONE_STREAM: f'the same progress of token "p" on {sent.stream} and get:1'}


def test_progress_that_goes_on_on_another_stream_passes() -> None:
    talk = listening()
    sent = talk.ask("tools/call", {"name": "x", "_meta": {"progressToken": "p"}})
    talk.progress("p", 1, stream=sent.stream)
    talk.progress("p", 2, stream=sent.stream)
    talk.progress("p", 3)
    talk.progress("p", 4)
    assert talk.broken() == {}


def test_progress_that_stands_still_on_two_streams_is_no_broadcast() -> None:
    talk = listening()
    sent = talk.ask("tools/call", {"name": "x", "_meta": {"progressToken": "p"}})
    talk.progress("p", 1, stream=sent.stream)
    for _ in range(3):
        talk.progress("p", 1)
    assert talk.outcomes(ONE_STREAM).count(Outcome.FAIL) == 0


def test_notifications_that_are_alike_on_two_streams_pass() -> None:
    talk = listening()
    sent = talk.ask("tools/call", {"name": "x"})
    for stream in (sent.stream, "get:1", sent.stream, "get:1"):
        talk.notify("notifications/message", {"level": "info", "data": "working"}, stream=stream)
        talk.status("t1", "working", stream=stream)
    assert talk.broken() == {}
