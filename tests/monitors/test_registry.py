"""The set of monitors as the engine sees it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from mcp_tasks_conformance.catalog import library
from mcp_tasks_conformance.events import Outcome
from mcp_tasks_conformance.monitors import message_ids, record, tokens
from mcp_tasks_conformance.monitors.memory import Memory
from mcp_tasks_conformance.monitors.registry import monitors_for
from tests.monitors.conversation import Conversation

HOSTS = ("server", "client")


def proven(hosts: str) -> Iterator[str]:
    for monitor in monitors_for("v1", hosts):
        yield from monitor.proves


@pytest.mark.parametrize("hosts", HOSTS)
def test_every_requirement_that_monitors_prove_is_in_the_catalogue_and_binds_the_party(hosts: str) -> None:
    requirements = library.load().requirements
    for requirement in proven(hosts):
        assert requirements[requirement].party in (hosts, "receiver", "both")
        assert requirements[requirement].generation in ("v1", "both")


def test_monitors_have_names_of_their_own() -> None:
    names = [monitor.name for monitor in monitors_for("v1", "server")]
    assert len(names) == len(set(names))


def test_what_only_servers_do_is_not_asked_of_clients() -> None:
    assert not any(requirement.startswith("base.http") for requirement in proven("client"))
    assert "base.stdio-clean" not in proven("client")


@pytest.mark.parametrize(("generation", "hosts"), [("v3", "server"), ("v1", "proxy")])
def test_an_unknown_target_has_no_monitors(generation: str, hosts: str) -> None:
    with pytest.raises(ValueError, match=f"no monitors for a {hosts} of generation {generation}"):
        monitors_for(generation, hosts)


def test_a_silent_target_earns_no_praise() -> None:
    talk = Conversation()
    talk.listen(status=405, media_type="")
    talk.tell("notifications/initialized", status=404)
    talk.ask("tools/call", {"name": "x", "task": {}, "_meta": {"progressToken": "p"}}, opens=False)
    talk.at = 10.0
    talk.settle()
    assert {finding.requirement for finding in talk.findings if finding.outcome is Outcome.PASS} == {"base.http-get"}


def test_a_memory_keeps_what_was_set_last_and_knows_that_it_forgot() -> None:
    memory: Memory[str, int] = Memory(2)
    memory["a"], memory["b"], memory["a"] = 1, 2, 3
    assert (len(memory), memory.forgot) == (2, False)
    memory["c"] = 4
    assert ("b" in memory, memory.get("a"), memory.get("c"), memory.forgot) == (False, 3, 4, True)
    assert (memory.pop("a"), memory.pop("a")) == (3, None)


def test_what_was_forgotten_accuses_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(record, "_MANY", 3)
    monkeypatch.setattr(tokens, "_MANY", 3)
    talk = Conversation(transport="stdio")
    first = talk.ask("ping", {"_meta": {"progressToken": "p"}})
    talk.answer(first, {})
    for _ in range(9):
        talk.answer(talk.ask("ping", {"_meta": {"progressToken": talk.attempt.length}}), {})
    talk.answer(first, {})
    talk.progress("p", 1)
    assert talk.broken() == {}
    assert message_ids.RESPONSE_ID in {finding.requirement for finding in talk.findings}


def test_an_attempt_that_is_over_leaves_nothing_behind() -> None:
    talk = Conversation()
    for _ in range(3):
        talk.initialize()
        talk.make(f"t{talk.attempt.number}", token=f"p{talk.attempt.number}")
        talk.get(f"t{talk.attempt.number}", "completed", 1)
        talk.status(f"t{talk.attempt.number}", "completed", 1)
        talk.next_attempt()
    for monitor in talk.monitors:
        judge = vars(monitor)["_judge"]
        by_attempt = [value for value in vars(judge).values() if isinstance(value, dict)]
        assert not any(len(value) for value in by_attempt), monitor.name
