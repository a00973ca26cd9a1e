"""A peer over a transport: what is paired with what, what is answered by itself, what a broken other side leads to."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from mcp_tasks_conformance.events import Direction, SeenKind
from mcp_tasks_conformance.peers.exchange import ConnectionGone, NoAnswer
from mcp_tasks_conformance.wire.transcript import Transcript
from tests.peers.conversations import OtherSide, Talk

ASK = {"message": "?", "requestedSchema": {"type": "object", "properties": {}}}


async def _echo(other: OtherSide) -> None:
    """Answer each request with its own params."""
    while (message := await other.hear()) is not None:
        await other.answer(message, message["params"])


def _result(reply: Any) -> Any:
    return reply.view()["result"]


async def test_requests_at_the_same_time_each_get_their_own_answer() -> None:
    async with Talk(_echo) as connection, asyncio.TaskGroup() as group:
        asked = [group.create_task(connection.request("echo", {"n": n}, within=5)) for n in range(50)]
        replies = [await one for one in asked]
    assert [_result(reply)["n"] for reply in replies] == list(range(50))


async def test_answers_out_of_order_are_paired_by_id() -> None:
    async def backwards(other: OtherSide) -> None:
        for request in reversed([await other.hear() for _ in range(5)]):
            await other.answer(request, request["params"])

    async with Talk(backwards) as connection:
        begun = [await connection.begin("echo", {"n": n}) for n in range(5)]
        replies = [await connection.finish(exchange, within=5) for exchange in begun]
    assert [_result(reply)["n"] for reply in replies] == list(range(5))
    assert [reply.index for reply in replies] == sorted((reply.index for reply in replies), reverse=True)


async def test_an_id_of_another_type_is_seen_by_the_judge_and_still_ends_the_wait() -> None:
    async def text_for_number(other: OtherSide) -> None:
        request = await other.hear()
        await other.say({"id": str(request["id"]), "result": {"ok": True}})

    talk = Talk(text_for_number)
    async with talk as connection:
        reply = await connection.request("ping", within=5)
    assert _result(reply) == {"ok": True}
    assert talk.watched[-1].request is None


async def test_a_whole_number_written_with_a_fraction_is_the_same_id() -> None:
    async def fractional(other: OtherSide) -> None:
        request = await other.hear()
        await other.say(f'{{"jsonrpc": "2.0", "id": {request["id"]}.0, "result": {{}}}}')

    talk = Talk(fractional)
    async with talk as connection:
        await connection.request("ping", within=5)
    assert talk.watched[-1].request is not None


async def test_the_first_of_two_responses_counts_and_the_judge_sees_both() -> None:
    async def twice(other: OtherSide) -> None:
        request = await other.hear()
        await other.answer(request, {"n": 1})
        await other.answer(request, {"n": 2})
        await other.answer(await other.hear(), {"n": 3})

    talk = Talk(twice)
    async with talk as connection:
        first = await connection.request("one", within=5)
        second = await connection.request("two", within=5)
    assert [_result(first), _result(second)] == [{"n": 1}, {"n": 3}]
    responses = [w for w in talk.watched if w.seen.direction is Direction.RECEIVED]
    assert [w.request.method if w.request else None for w in responses] == ["one", "one", "two"]


async def test_a_response_that_nobody_asked_for_goes_to_the_judge_alone() -> None:
    async def stray(other: OtherSide) -> None:
        request = await other.hear()
        await other.say({"id": 4711, "result": {"stray": True}})
        await other.answer(request, {})

    talk = Talk(stray)
    async with talk as connection:
        reply = await connection.request("ping", within=5)
    assert _result(reply) == {}
    assert talk.watched[-2].request is None


async def test_what_could_not_be_read_is_answered_without_an_id() -> None:
    async def parse_error(other: OtherSide) -> None:
        assert await other.hear_text() == "{nonsense"
        await other.say({"id": None, "error": {"code": -32700, "message": "Parse error"}})
        await other.answer(await other.hear(), {})

    async with Talk(parse_error) as connection:
        raw = await connection.raw("{nonsense")
        await connection.request("ping", within=5)
        reply = await connection.finish(raw, within=5)
    assert reply.view()["error"]["code"] == -32700  # type: ignore[index,call-overload]


async def test_a_request_with_a_null_id_gets_the_answer_with_a_null_id() -> None:
    async def null_id(other: OtherSide) -> None:
        request = await other.hear()
        await other.say({"id": request["id"], "error": {"code": -32600, "message": "Invalid request"}})

    async with Talk(null_id) as connection:
        raw = await connection.raw('{"jsonrpc": "2.0", "id": null, "method": "ping"}')
        reply = await connection.finish(raw, within=5)
    assert reply.view()["id"] is None


async def test_a_response_without_an_id_is_no_answer_to_a_sound_request() -> None:
    async def nameless(other: OtherSide) -> None:
        request = await other.hear()
        await other.say({"id": None, "error": {"code": -32603, "message": "?"}})
        await other.answer(request, {})

    talk = Talk(nameless)
    async with talk as connection:
        reply = await connection.request("ping", within=5)
    assert _result(reply) == {}
    assert talk.watched[-2].request is None


async def test_silence_is_told_with_the_time_waited_and_a_late_answer_is_still_seen() -> None:
    proceed = asyncio.Event()

    async def late(other: OtherSide) -> None:
        request = await other.hear()
        await proceed.wait()
        await other.answer(request, {"late": True})

    talk = Talk(late)
    async with talk as connection:
        exchange = await connection.begin("slow")
        with pytest.raises(NoAnswer, match=r"slow: no answer within 0\.0 s"):
            await connection.finish(exchange, within=0.01)
        idle = [connection.idle]
        proceed.set()
        assert _result(await connection.finish(exchange, within=5)) == {"late": True}
        assert [*idle, connection.idle] == [False, True]


async def test_garbage_is_kept_for_the_judge_and_disturbs_nothing() -> None:
    async def garbage(other: OtherSide) -> None:
        request = await other.hear()
        for text in ("<html>", "[]", "7", '{"a": 1}', "\ud800", "[" * 5000):
            await other.say(text)
        await other.answer(request, {})

    talk = Talk(garbage)
    async with talk as connection:
        await connection.request("ping", within=5)
    assert [seen.frame.kind for seen in talk.watched[1:7] if seen.frame] == ["invalid"] * 6


# -- the other side's own requests ---------------------------------------------------------------------------


async def test_ping_is_answered_by_itself_and_never_shown_to_a_scenario() -> None:
    async def pings(other: OtherSide) -> None:
        await other.say({"id": "p", "method": "ping"})
        assert await other.hear() == {"jsonrpc": "2.0", "id": "p", "result": {}}
        await other.say({"method": "notifications/answered"})

    async with Talk(pings) as connection:
        first = await connection.inbox.take(lambda _: True, within=5)
        assert first.frame.method == "notifications/answered"
        assert connection.idle


@pytest.mark.parametrize(
    ("declared", "method", "params", "code"),
    [
        ({}, "elicitation/create", ASK, -32601),
        ({}, "sampling/createMessage", {"messages": []}, -32601),
        ({}, "roots/list", {}, -32601),
        ({"tasks": {}}, "tasks/list", {}, -32601),
        ({}, "tasks/get", {"taskId": "x"}, -32601),
        ({"elicitation": {}, "sampling": {}}, "no/such-method", {}, -32601),
        ({"elicitation": None}, "elicitation/create", ASK, -32601),
        ({"elicitation": {}}, "elicitation/create", {"mode": "url", "url": "https://x.example/"}, -32602),
        ({"elicitation": {"form": {}}}, "elicitation/create", {"mode": "url"}, -32602),
        ({"elicitation": {"url": {}}}, "elicitation/create", ASK, -32602),
        ({"sampling": {}}, "sampling/createMessage", {"messages": [], "tools": []}, -32602),
    ],
)
async def test_what_we_did_not_declare_is_refused_at_once_and_left_to_be_seen(
    declared: Any, method: str, params: Any, code: int
) -> None:
    answers: list[Any] = []

    async def asks(other: OtherSide) -> None:
        await other.say({"id": 9, "method": method, "params": params})
        answers.append(await other.hear())

    async with Talk(asks) as connection:
        connection.declared = declared
        assert (await connection.inbox.take(lambda _: True, within=5)).frame.method == method
        await asyncio.sleep(0)
        assert connection.unanswered == ()
    assert (answers[0]["id"], answers[0]["error"]["code"]) == (9, code)


async def test_a_request_whose_method_is_no_text_is_refused() -> None:
    answers: list[Any] = []

    async def asks(other: OtherSide) -> None:
        await other.say({"id": 9, "method": 7})
        answers.append(await other.hear())

    async with Talk(asks) as connection:
        await connection.inbox.take(lambda _: True, within=5)
    assert answers[0]["error"]["code"] == -32600


@pytest.mark.parametrize(
    ("declared", "method", "params"),
    [
        ({"elicitation": {}}, "elicitation/create", ASK),
        ({"elicitation": {"form": {}, "url": {}}}, "elicitation/create", {"mode": "url"}),
        ({"sampling": {}}, "sampling/createMessage", {"messages": []}),
        ({"sampling": {"tools": {}}}, "sampling/createMessage", {"messages": [], "tools": []}),
        ({"tasks": {"list": {}}}, "tasks/list", {}),
        ({"tasks": {}}, "tasks/get", {"taskId": "x"}),
    ],
)
async def test_what_we_declared_waits_for_the_scenario_to_answer(declared: Any, method: str, params: Any) -> None:
    answers: list[Any] = []

    async def asks(other: OtherSide) -> None:
        await other.say({"id": 0, "method": method, "params": params})
        answers.append(await other.hear())

    async with Talk(asks) as connection:
        connection.declared = declared
        request = await connection.inbox.take(lambda _: True, within=5)
        held = [list(connection.unanswered)]
        await connection.respond(request, {"result": {"made": "by hand"}})
        held.append(list(connection.unanswered))
    assert held == [[request], []]
    assert answers == [{"jsonrpc": "2.0", "id": 0, "result": {"made": "by hand"}}]


async def test_a_request_that_the_other_side_cancels_needs_no_answer_any_more() -> None:
    async def changes_its_mind(other: OtherSide) -> None:
        await other.say({"id": 3, "method": "elicitation/create", "params": ASK})
        await other.say({"method": "notifications/cancelled", "params": {"requestId": 3}})

    async with Talk(changes_its_mind) as connection:
        connection.declared = {"elicitation": {}}
        await connection.inbox.take(lambda m: m.frame.method == "notifications/cancelled", within=5)
        assert connection.unanswered == ()


# -- ends ----------------------------------------------------------------------------------------------------


async def test_a_death_ends_every_wait_at_once() -> None:
    async def dies(other: OtherSide) -> None:
        for _ in range(3):
            await other.hear()
        raise RuntimeError("segmentation fault")

    async with Talk(dies) as connection:
        begun = [await connection.begin("wait") for _ in range(3)]
        for exchange in begun:
            with pytest.raises(ConnectionGone, match="segmentation fault"):
                await connection.finish(exchange, within=60)
        with pytest.raises(ConnectionGone, match="segmentation fault"):
            await connection.request("ping", within=60)
        assert connection.gone.is_set()


async def test_closing_with_requests_in_flight_ends_their_waits() -> None:
    async def silent(other: OtherSide) -> None:
        while await other.hear() is not None:
            pass

    async with Talk(silent) as connection:
        exchange = await connection.begin("wait")
        async with asyncio.TaskGroup() as group:
            waiting = group.create_task(_gone(connection.finish(exchange, within=60)))
            await asyncio.sleep(0)
            await connection.close()
        assert waiting.result() == "we closed the connection"


async def _gone(wait: Any) -> str:
    with pytest.raises(ConnectionGone) as gone:
        await wait
    return str(gone.value)


async def test_closing_twice_is_fine_and_nothing_can_be_sent_after() -> None:
    async with Talk(_echo) as connection:
        await connection.close()
        await connection.close()
        with pytest.raises(ConnectionGone):
            await connection.notify("notifications/late")


async def test_an_answer_of_ours_that_finds_nobody_is_no_failure() -> None:
    async def asks_and_dies(other: OtherSide) -> None:
        await other.say({"id": 1, "method": "ping"})
        raise RuntimeError("gone")

    async with Talk(asks_and_dies) as connection:
        await asyncio.wait_for(connection.gone.wait(), 5)


# -- one attempt after another -------------------------------------------------------------------------------


async def test_a_new_attempt_sees_nothing_of_the_one_before() -> None:
    proceed = asyncio.Event()

    async def late(other: OtherSide) -> None:
        request = await other.hear()
        await other.answer(request, {})
        await other.say({"method": "notifications/early"})
        await proceed.wait()
        await other.answer(request, {"again": True})
        await other.say({"method": "notifications/late"})

    talk = Talk(late)
    async with talk as connection:
        await connection.request("ping", within=5)
        second = Transcript()
        connection.attach(second, "main")
        proceed.set()
        message = await connection.inbox.take(lambda _: True, within=5)
    assert message.frame.method == "notifications/late"
    assert [entry.kind for entry in second.entries] == [SeenKind.MESSAGE] * 2
    duplicate = next(w for w in talk.watched if "again" in w.seen.text)
    assert duplicate.request is not None
    assert duplicate.request_index is None  # it stands in another transcript
