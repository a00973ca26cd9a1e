"""Heads of HTTP answers, and what may not come on a listening stream."""

from __future__ import annotations

import pytest

from mcp_tasks_conformance.events import Outcome
from tests.monitors.conversation import Conversation

JSON = "application/json"


@pytest.mark.parametrize("media_type", [JSON, "text/event-stream"])
def test_a_request_may_be_answered_as_json_or_events(media_type: str) -> None:
    talk = Conversation()
    talk.open(talk.ask("ping", opens=False), media_type=media_type)
    assert talk.outcomes("base.http-response-type") == [Outcome.PASS]


@pytest.mark.parametrize(("status", "media_type"), [(200, "text/plain"), (200, ""), (202, ""), (204, "")])
def test_another_type_of_answer_to_a_request_is_found(status: int, media_type: str) -> None:
    talk = Conversation()
    talk.open(talk.ask("ping", opens=False), status=status, media_type=media_type)
    assert list(talk.broken()) == ["base.http-response-type"]


@pytest.mark.parametrize(("status", "media_type"), [(400, "text/plain"), (404, ""), (503, "text/html")])
def test_a_refusal_may_have_any_type(status: int, media_type: str) -> None:
    talk = Conversation()
    talk.open(talk.ask("ping", opens=False), status=status, media_type=media_type)
    assert talk.findings == []


def test_the_answer_to_something_malformed_is_not_judged() -> None:
    talk = Conversation()
    talk.open(talk.send("no JSON", opens=False), status=200, media_type="text/plain", text="what?")
    assert talk.broken() == {}


def test_a_notification_accepted_with_202_passes() -> None:
    talk = Conversation()
    talk.tell("notifications/initialized")
    assert talk.outcomes("base.http-accepted") == [Outcome.PASS]


@pytest.mark.parametrize(("status", "body"), [(200, ""), (204, ""), (202, "Accepted")])
def test_a_notification_accepted_otherwise_is_found(status: int, body: str) -> None:
    talk = Conversation()
    talk.tell("notifications/initialized", status=status, body=body)
    assert list(talk.broken()) == ["base.http-accepted"]


def test_a_response_of_ours_accepted_otherwise_is_found() -> None:
    talk = Conversation()
    talk.request(1, "ping", {})
    talk.reply(1, {}, status=200)
    assert list(talk.broken()) == ["base.http-accepted"]


@pytest.mark.parametrize("status", [400, 404])
def test_a_notification_that_is_not_accepted_may_be_refused(status: int) -> None:
    talk = Conversation()
    talk.tell("notifications/initialized", status=status, body='{"error":"no session"}')
    assert talk.broken() == {}


def test_a_notification_answered_with_a_message_is_found() -> None:
    talk = Conversation()
    stream = talk.tell("notifications/initialized", status=202)
    talk.receive({"jsonrpc": "2.0", "id": None, "result": {}}, stream)
    talk.settle()
    assert list(talk.broken()) == ["base.http-accepted", "base.notification-silent"]


@pytest.mark.parametrize(("status", "media_type"), [(200, "text/event-stream"), (405, "text/plain")])
def test_get_may_open_a_stream_or_be_405(status: int, media_type: str) -> None:
    talk = Conversation()
    talk.listen(status=status, media_type=media_type)
    assert talk.outcomes("base.http-get") == [Outcome.PASS]


def test_get_answered_with_json_is_found() -> None:
    talk = Conversation()
    talk.listen(media_type=JSON)
    assert talk.broken() == {"base.http-get": f"HTTP 200 {JSON}"}


def test_get_refused_in_a_living_session_is_found() -> None:
    talk = Conversation()
    talk.listen(status=404, media_type="text/plain")
    assert talk.broken() == {}
    talk.ping()
    assert talk.broken() == {"base.http-get": "HTTP 404"}


@pytest.mark.parametrize("status", [401, 403, 409, 429, 503])
def test_get_refused_for_reasons_of_its_own_is_not_judged(status: int) -> None:
    talk = Conversation()
    talk.listen(status=status, media_type="text/plain")
    talk.ping()
    assert talk.broken() == {}


def test_get_refused_because_the_session_is_over_is_not_judged() -> None:
    talk = Conversation()
    talk.delete()
    talk.listen(status=404, media_type="text/plain")
    talk.open(talk.ask("ping", opens=False), status=404, media_type="text/plain")
    talk.next_attempt()
    talk.ping()
    assert talk.broken() == {}


def test_get_refused_in_a_session_that_we_ended_is_not_judged_though_requests_are_still_served() -> None:
    talk = Conversation()
    talk.delete()
    talk.listen(status=404, media_type="text/plain")
    talk.ping()
    assert talk.broken() == {}


def test_a_response_on_the_listening_stream_is_found() -> None:
    talk = Conversation()
    talk.listen()
    talk.answer(talk.ask("ping"), {}, stream="get:1")
    assert list(talk.broken()) == ["base.http-get"]


def test_requests_and_notifications_on_the_listening_stream_pass() -> None:
    talk = Conversation()
    talk.listen()
    talk.request(1, "ping", {})
    talk.notify("notifications/tools/list_changed", {})
    assert talk.broken() == {}


def test_other_transports_have_no_such_rules() -> None:
    talk = Conversation(transport="stdio")
    talk.initialize()
    talk.ping()
    assert not any(finding.requirement.startswith("base.http") for finding in talk.findings)
