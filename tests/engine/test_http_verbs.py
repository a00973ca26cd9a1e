"""What only HTTP has: requests of one's own making, sessions that end, streams that are dropped or break off."""

from __future__ import annotations

import asyncio

import pytest

from mcp_tasks_conformance.engine.options import RunOptions
from mcp_tasks_conformance.engine.pace import Pace
from mcp_tasks_conformance.events import Outcome, ScenarioOutcome
from mcp_tasks_conformance.verdicts.model import Verdict
from tests.engine.data.server import JsonObject
from tests.engine.over_http import HttpServer, perform_over_http
from tests.engine.theatre import PROVES, scenario
from tests.wire.raw_server import EVENTS, Asked, Wire, answer, event

WORKS = "start_task: {behaviour: completes, as: job}"
IMPATIENT = RunOptions(pace=Pace(request_s=0.4, ping_s=0.4))


class Forgetful(HttpServer):
    """Forgets a session once it has made a task."""

    async def respond(self, message: JsonObject, session: str, wire: Wire) -> None:
        await super().respond(message, session, wire)
        if message["method"] == "tools/call":
            self.ended.add(session)


class ForgetfulInJson(Forgetful):
    """Says in JSON-RPC, too, that the session is gone."""

    unknown_session = answer(404, "application/json", b'{"jsonrpc":"2.0","id":"server-error","error":{"code":-32600}}')


class Breaking(HttpServer):
    """Opens a stream for tasks/result and ends it without a response."""

    async def respond(self, message: JsonObject, session: str, wire: Wire) -> None:
        if message["method"] == "tasks/result":
            await wire.send(EVENTS)
            wire.close()
        else:
            await super().respond(message, session, wire)


class Polling(HttpServer):
    """Wants the client to come back for what tasks/get answers, after a minute."""

    async def respond(self, message: JsonObject, session: str, wire: Wire) -> None:
        if message["method"] == "tasks/get":
            await wire.send(EVENTS + event(event_id="1", retry=60_000))
            wire.close()
        else:
            await super().respond(message, session, wire)


class Unsettled(HttpServer):
    """Never answers a DELETE."""

    async def script(self, asked: Asked, wire: Wire) -> None:
        if asked.method == "DELETE":
            await wire.gone()
        else:
            await super().script(asked, wire)


class Unlistening(HttpServer):
    """Offers no listening stream."""

    async def listen(self, asked: Asked, wire: Wire) -> None:
        await wire.send(answer(405))


def test_a_sound_server_is_blamed_for_nothing() -> None:
    made = perform_over_http(scenario(f"- {WORKS}\n- await_status: {{task: $job, is: completed, proves: {PROVES}}}"))
    assert made.one.outcome is ScenarioOutcome.PASSED, made.one.reason
    assert made.end.reason is None


def test_a_server_without_a_listening_stream_is_as_good() -> None:
    made = perform_over_http(scenario(f"- {WORKS}\n- await_status: {{task: $job, is: completed}}"), Unlistening)
    assert made.one.outcome is ScenarioOutcome.PASSED, made.one.reason


@pytest.mark.parametrize("kind", [Forgetful, ForgetfulInJson])
def test_a_session_that_turns_404_by_itself_is_a_crash_whatever_was_expected(kind: type[HttpServer]) -> None:
    made = perform_over_http(
        scenario(f"""
            - {WORKS}
            - send: tasks/get
              params: {{taskId: $job.taskId}}
              expect: {{http: {{status: 404}}}}
              proves: {PROVES}
        """),
        kind,
    )
    assert made.one.outcome is ScenarioOutcome.CRASHED
    assert made.one.reason == "the session is gone: HTTP 404 for a session that nobody ended"
    assert made.checks() == []
    assert next(r.verdict for r in made.result.requirements if r.id == "base.answers") is Verdict.VIOLATED


def test_a_session_that_turns_404_at_the_end_of_a_story_is_a_crash_though_ping_brings_an_answer() -> None:
    expect = "{result: {task: {status: working}}}"
    steps = f"- start_task: {{behaviour: completes, expect: {expect}, proves: {PROVES}}}"
    made = perform_over_http(scenario(steps), ForgetfulInJson)
    assert made.one.outcome is ScenarioOutcome.CRASHED
    assert made.one.reason == "the session is gone: HTTP 404 for a session that nobody ended"


def test_a_session_that_turns_404_while_a_task_is_awaited_is_a_crash() -> None:
    steps = f"- {WORKS}\n- await_status: {{task: $job, is: completed, proves: {PROVES}}}"
    made = perform_over_http(scenario(steps), ForgetfulInJson)
    assert made.one.outcome is ScenarioOutcome.CRASHED
    assert made.one.reason == "the session is gone: HTTP 404 for a session that nobody ended"


def test_a_session_that_we_ended_may_turn_404() -> None:
    made = perform_over_http(
        scenario(f"""
            - {WORKS}
            - disconnect: main
              how: end_session
              as: ending
              expect: {{status: {{$in: [200, 204]}}}}
            - judge: $ending
              expect: {{status: 200}}
            - send: tasks/get
              params: {{taskId: $job.taskId}}
              expect: {{http: {{status: 404}}}}
              proves: {PROVES}
        """)
    )
    assert made.one.outcome is ScenarioOutcome.PASSED, made.one.reason
    assert [c.outcome for c in made.checks()] == [Outcome.PASS]


def test_the_answer_to_a_delete_can_be_what_is_judged() -> None:
    made = perform_over_http(
        scenario(f"- disconnect: main\n  how: end_session\n  expect: {{status: 405}}\n  proves: {PROVES}")
    )
    assert [(c.outcome, c.observed) for c in made.checks()] == [(Outcome.FAIL, "status: 200")]


def test_a_delete_that_is_never_answered_does_not_hold_the_run_up() -> None:
    steps = f"- disconnect: main\n  how: end_session\n  expect: {{status: 200}}\n  proves: {PROVES}"
    made = perform_over_http(scenario(steps), Unsettled, IMPATIENT)
    assert made.one.outcome is ScenarioOutcome.HUNG
    assert made.one.reason == "the target did not take DELETE within 0.4 s"


def test_an_http_request_of_ones_own_is_judged_by_status_type_headers_and_text() -> None:
    made = perform_over_http(
        scenario(f"""
            - http: {{method: POST, body: "{{nonsense", headers: {{Mcp-Session-Id: nobody}}, as: answer}}
            - judge: $answer
              expect: {{status: 404, type: text/plain, text: no such session, headers: {{content-length: "15"}}}}
              proves: {PROVES}
        """),
        Strict,
    )
    assert made.one.outcome is ScenarioOutcome.PASSED, made.one.reason


class Strict(HttpServer):
    """Looks at the session before the body."""

    async def post(self, asked: Asked, wire: Wire) -> None:
        if asked.headers.get("mcp-session-id") == "nobody":
            await wire.send(answer(404, "text/plain", b"no such session"))
        else:
            await super().post(asked, wire)


@pytest.mark.parametrize("proves", [f"\n  proves: {PROVES}\n  expect: {{status: 400}}", ""])
def test_an_http_request_without_an_answer_is_judged_once_ping_was_answered(proves: str) -> None:
    made = perform_over_http(scenario("- http:\n    method: DELETE\n" + proves.lstrip("\n")), Unsettled, IMPATIENT)
    assert made.one.outcome is (ScenarioOutcome.FAILED if proves else ScenarioOutcome.INCONCLUSIVE)
    told = made.checks()[0].observed if proves else made.one.reason or ""
    assert "no HTTP answer within 0.4 s; ping was answered" in told


def test_an_answer_that_is_to_be_called_for_later_than_anyone_waits_is_not_judged() -> None:
    get = f"- send: tasks/get\n  params: {{taskId: $job.taskId}}\n  expect: {{result: {{}}}}\n  proves: {PROVES}"
    made = perform_over_http(scenario(f"- {WORKS}\n{get}"), Polling, IMPATIENT)
    assert made.one.outcome is ScenarioOutcome.INCONCLUSIVE
    assert (made.one.reason or "").endswith("the target wants 60000 ms to pass before it is asked to go on")


def test_a_stream_that_ends_without_a_response_is_no_waiting() -> None:
    made = perform_over_http(
        scenario(f"""
            - start_task: {{behaviour: slow, as: job}}
            - begin: tasks/result
              params: {{taskId: $job.taskId}}
              as: waiting
            - still_waiting: $waiting
              task: $job
              for_ms: 100
              proves: {PROVES}
        """),
        Breaking,
    )
    assert [c.outcome for c in made.checks()] == [Outcome.FAIL]
    assert "its stream ended without a response; ping was answered" in made.checks()[0].observed


def test_a_stream_that_was_dropped_leaves_the_task_to_be_asked_for_again() -> None:
    made = perform_over_http(
        scenario(f"""
            - start_task: {{behaviour: slow, as: job}}
            - begin: tasks/result
              params: {{taskId: $job.taskId}}
              as: waiting
            - drop: $waiting
            - drop: listening
            - send: tasks/result
              params: {{taskId: $job.taskId}}
              expect: {{result: {{content: {{$size: 1}}}}}}
              proves: {PROVES}
        """)
    )
    assert made.one.outcome is ScenarioOutcome.PASSED, made.one.reason


def test_a_connection_may_join_the_session_of_another() -> None:
    made = perform_over_http(
        scenario(f"""
            - {WORKS}
            - connect: beside
              session_of: main
            - send: tasks/get
              via: beside
              params: {{taskId: $job.taskId}}
              expect: {{result: {{taskId: $job.taskId}}}}
              proves: {PROVES}
        """)
    )
    assert made.one.outcome is ScenarioOutcome.PASSED, made.one.reason
    assert sum('"initialize"' in entry.text for entry in made.one.transcript) == 1


class Vanishing(HttpServer):
    """Is gone for good once a task is asked for."""

    async def respond(self, message: JsonObject, session: str, wire: Wire) -> None:
        if message["method"] == "tools/call":
            asyncio.get_running_loop().call_soon(self.listening.close)
            wire.reset()
        else:
            await super().respond(message, session, wire)


def test_a_url_that_does_not_come_back_is_not_run_any_more_and_could_not_be_tested() -> None:
    scenarios = tuple(one for n in range(4) for one in scenario(f"- {WORKS}\n- send: tasks/list", f"n{n}"))
    made = perform_over_http(scenarios, Vanishing)
    assert set(made.outcomes.values()) == {ScenarioOutcome.NOT_RUN}
    assert "could not be started again" in (made.end.reason or "")
    assert made.result.exit_code == 3
