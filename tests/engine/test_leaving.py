"""A server of a URL lives on after a run: the sessions that were opened there are ended."""

from __future__ import annotations

import time

import pytest

from mcp_tasks_conformance.events import ScenarioOutcome
from mcp_tasks_conformance.wire import open_sessions
from tests.engine.over_http import HttpServer, perform_over_http
from tests.engine.test_sharing import PROBING, EndsAll
from tests.engine.theatre import PROVES, suite
from tests.wire.raw_server import Asked, Wire

SCENARIOS = suite(
    "".join(
        f"- id: s{number}\n  title: A try\n  steps:\n    - send: ping\n      expect: {{result: {{}}}}\n"
        f"      proves: {PROVES}\n"
        for number in range(20)
    )
)


class Remembering(HttpServer):
    """Can be asked afterwards which sessions it had and what came when."""

    latest: Remembering

    def __init__(self) -> None:
        super().__init__()
        Remembering.latest = self
        self.calls: list[str] = []
        self.versions: set[str | None] = set()

    async def script(self, asked: Asked, wire: Wire) -> None:
        self.calls.append(asked.method)
        if asked.method == "DELETE":
            self.versions.add(asked.headers.get("mcp-protocol-version"))
        await super().script(asked, wire)


class Mute(Remembering):
    """Never answers DELETE once the scenarios have begun to come in numbers."""

    async def script(self, asked: Asked, wire: Wire) -> None:
        if asked.method == "DELETE" and len(self.sessions) > len(SCENARIOS):
            await wire.gone()
        await super().script(asked, wire)


def test_when_all_is_over_every_session_is_ended() -> None:
    made = perform_over_http(SCENARIOS, Remembering)
    server = Remembering.latest
    assert set(made.outcomes.values()) == {ScenarioOutcome.PASSED}
    assert len(server.sessions) > len(SCENARIOS)
    assert server.ended == server.sessions
    assert server.versions == {"2025-11-25"}
    assert set(server.calls[-len(SCENARIOS) :]) == {"DELETE"}  # not while others may mind it


def test_a_session_is_not_ended_while_others_run_though_its_connections_are_closed() -> None:
    class Strict(EndsAll, Remembering):
        pass

    made = perform_over_http(SCENARIOS, Strict, PROBING)
    assert {(event.outcome, event.attempts) for event in made.finished.values()} == {(ScenarioOutcome.PASSED, 1)}
    calls = Remembering.latest.calls
    assert calls.count("DELETE") > len(SCENARIOS)
    assert set(calls[-len(SCENARIOS) :]) == {"DELETE"}


def test_a_server_that_does_not_answer_that_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(open_sessions, "_PATIENCE_S", 0.2)
    began = time.monotonic()
    made = perform_over_http(SCENARIOS, Mute)
    assert set(made.outcomes.values()) == {ScenarioOutcome.PASSED}
    assert made.end.reason is None
    assert time.monotonic() - began < 30
