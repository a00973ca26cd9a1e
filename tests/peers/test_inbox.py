"""Messages that the other side sends of its own accord are held until they are taken, once."""

import asyncio

import pytest

from mcp_tasks_conformance.peers.inbox import MOST_HELD, Inbox, Incoming, Predicate
from mcp_tasks_conformance.wire import jsonrpc


def message(method: str) -> Incoming:
    return Incoming(jsonrpc.decode(jsonrpc.encode(jsonrpc.notification(method))), "stdio", 0.0, 0)


def named(method: str) -> Predicate:
    return lambda incoming: incoming.frame.method == method


async def test_a_message_that_came_before_the_wait_is_found() -> None:
    inbox = Inbox()
    inbox.put(message("a"))
    assert (await inbox.take(named("a"), within=1)).frame.method == "a"


async def test_a_message_is_consumed_once() -> None:
    inbox = Inbox()
    inbox.put(message("a"))
    await inbox.take(named("a"), within=1)
    with pytest.raises(TimeoutError):
        await inbox.take(named("a"), within=0.01)


async def test_whoever_waits_is_woken_and_others_are_left_alone() -> None:
    inbox = Inbox()
    async with asyncio.TaskGroup() as group:
        first = group.create_task(inbox.take(named("a"), within=5))
        second = group.create_task(inbox.take(named("b"), within=5))
        await asyncio.sleep(0)
        inbox.put(message("b"))
        inbox.put(message("a"))
    assert [first.result().frame.method, second.result().frame.method] == ["a", "b"]


async def test_two_that_wait_for_the_same_get_one_each() -> None:
    inbox = Inbox()
    async with asyncio.TaskGroup() as group:
        waits = [group.create_task(inbox.take(named("a"), within=5)) for _ in range(2)]
        await asyncio.sleep(0)
        sent = [message("a"), message("a")]
        for one in sent:
            inbox.put(one)
    assert {id(wait.result()) for wait in waits} == {id(one) for one in sent}


async def test_watching_does_not_consume() -> None:
    inbox = Inbox()
    async with asyncio.TaskGroup() as group:
        watching = group.create_task(inbox.watch(named("a"), within=5))
        await asyncio.sleep(0)
        inbox.put(message("a"))
    assert watching.result().frame.method == "a"
    assert inbox.peek(named("a")) is not None


async def test_a_cancelled_wait_takes_nothing() -> None:
    inbox = Inbox()
    wait = asyncio.ensure_future(inbox.take(named("a"), within=5))
    await asyncio.sleep(0)
    wait.cancel()
    await asyncio.gather(wait, return_exceptions=True)
    inbox.put(message("a"))
    assert inbox.peek(named("a")) is not None


async def test_of_endless_chatter_the_latest_is_held_and_of_the_rest_all() -> None:
    inbox = Inbox()
    for n in range(3 * MOST_HELD):
        inbox.put(message("notifications/message"))
        if n % MOST_HELD == 0:
            inbox.put(message("notifications/tasks/status"))
    assert len(inbox._held) <= MOST_HELD
    assert sum(held.frame.method == "notifications/tasks/status" for held in inbox._held) == 3


async def test_what_waits_for_an_answer_is_held_however_much_it_is() -> None:
    inbox = Inbox()
    asked = Incoming(jsonrpc.decode(jsonrpc.encode(jsonrpc.request("1", "elicitation/create"))), "stdio", 0.0, 0)
    for _ in range(2 * MOST_HELD):
        inbox.put(asked)
    assert len(inbox._held) == 2 * MOST_HELD
    assert not inbox.forgetful


async def test_of_endless_notifications_about_tasks_the_latest_are_held_and_that_is_known() -> None:
    inbox = Inbox()
    for _ in range(MOST_HELD):
        inbox.put(message("notifications/tasks/status"))
    before = inbox.forgetful
    for _ in range(2 * MOST_HELD):
        inbox.put(message("notifications/progress"))
    assert (before, inbox.forgetful) == (False, True)
    assert len(inbox._held) <= MOST_HELD
    assert inbox._held[-1].frame.method == "notifications/progress"
