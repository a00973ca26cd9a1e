"""Verbs about tasks: starting them, waiting for what becomes of them."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from typing import cast

from mcp_tasks_conformance.catalog.model import Behaviour, Step
from mcp_tasks_conformance.engine.attempt import ANSWERS, Attempt, HarnessFault, TaskKnown
from mcp_tasks_conformance.engine.judging import NothingToJudge, PreconditionFailed
from mcp_tasks_conformance.engine.matching import show
from mcp_tasks_conformance.engine.scope import Held, Scope
from mcp_tasks_conformance.engine.verbs import arguments
from mcp_tasks_conformance.engine.verbs.requests import bind_reply, check_stimulus, connection_of, exchange_and_judge
from mcp_tasks_conformance.engine.verbs.waits import answer_to, end_of, status_of, wait_for
from mcp_tasks_conformance.events import JsonValue, Outcome
from mcp_tasks_conformance.peers.connection import Connection
from mcp_tasks_conformance.peers.exchange import ConnectionGone, Exchange, NoAnswer, Reply
from mcp_tasks_conformance.peers.inbox import Incoming

TERMINAL = ("completed", "failed", "cancelled")
LIVE = ("working", "input_required")
UNUSUAL_TTL_MS = 97_000
"""A ttl that no implementation has as its default, so that one that is reported back was taken over."""
_TRIPS_OF_A_PING = 3
"""A reply that is given at once comes within so many times that of a ping that is sent later."""
LONGEST_AGE_MS = 5_500
"""The share of a ttl that is waited for is no longer than this."""


def _behaviour(attempt: Attempt, step: Step, scope: Scope) -> Behaviour:
    name = arguments.text(step, "behaviour", scope)
    found = attempt.profile.behaviours.get(name)
    if found is None:
        raise PreconditionFailed(f"the profile has no tool for {name}")
    return found


def _call_params(step: Step, scope: Scope, behaviour: Behaviour, task: JsonValue) -> dict[str, JsonValue]:
    params: dict[str, JsonValue] = {
        "name": behaviour.tool,
        "arguments": cast("Mapping[str, JsonValue]", behaviour.arguments),
    }
    if task is not None:
        params["task"] = task
    meta = dict(arguments.object_of(arguments.value(step, "meta", scope, {}), step, "meta"))
    token = arguments.value(step, "progress_token", scope)
    if token is not None:
        meta["progressToken"] = token
    if meta:
        params["_meta"] = meta
    return params


async def start_task(attempt: Attempt, step: Step, scope: Scope) -> None:
    """Call a behaviour's tool as a task."""
    behaviour = _behaviour(attempt, step, scope)
    kept_ms = arguments.value(step, "keep_ms", scope)
    ttl = arguments.value(step, "ttl", scope, UNUSUAL_TTL_MS)
    if isinstance(kept_ms, int | float):
        ttl = behaviour.duration_ms + kept_ms
    task = arguments.value(step, "task", scope, {"ttl": ttl})
    started = asyncio.get_running_loop().time()
    params = _call_params(step, scope, behaviour, task)
    check_stimulus(attempt, step, "tools/call", params)
    connection = attempt.connection(step)
    within = attempt.stage.pace.request_s + behaviour.duration_ms / 1000
    reply = await exchange_and_judge(attempt, step, scope, connection, "tools/call", params, within)
    if reply is None:
        return
    made = _task_in(reply)
    if made is None:
        if step.gives is not None:
            raise PreconditionFailed(f"{attempt.source(step)}: no task came of it, but {show(reply.view())}")
        return
    task_id = made.get("taskId")
    if isinstance(task_id, str):
        attempt.tasks[task_id] = TaskKnown(behaviour.name, behaviour.duration_ms / 1000, started, reply.at)
    if step.gives is not None:
        scope.bind(step.gives, Held(made, at=reply.at, index=reply.index))


def _task_in(reply: Reply) -> Mapping[str, JsonValue] | None:
    result = reply.view().get("result")
    task = result.get("task") if isinstance(result, Mapping) else None
    return task if isinstance(task, Mapping) and isinstance(task.get("taskId"), str) else None


async def call_tool(attempt: Attempt, step: Step, scope: Scope) -> None:
    """Call a behaviour's tool plainly."""
    behaviour = _behaviour(attempt, step, scope)
    params = _call_params(step, scope, behaviour, arguments.value(step, "task", scope))
    check_stimulus(attempt, step, "tools/call", params)
    within = attempt.stage.pace.request_s + behaviour.duration_ms / 1000 + attempt.stage.pace.work_s
    reply = await exchange_and_judge(attempt, step, scope, attempt.connection(step), "tools/call", params, within)
    if reply is not None:
        bind_reply(step, scope, reply)


def _wanted(step: Step, scope: Scope) -> tuple[str, ...]:
    wanted = arguments.value(step, "is", scope)
    if wanted == "terminal":
        return TERMINAL
    listed = [wanted] if isinstance(wanted, str) else wanted
    if not isinstance(listed, list):
        raise HarnessFault(f"{step.place}: `is` takes a status, a list of them, or terminal")
    return tuple(str(item) for item in listed)


async def await_status(attempt: Attempt, step: Step, scope: Scope) -> None:
    """Wait until the task shows a status; another terminal one ends the wait at once."""
    task_id = arguments.task_id(attempt, step, scope, "task")
    assert task_id is not None
    wanted = _wanted(step, scope)
    known = attempt.tasks.get(task_id)
    pace = attempt.stage.pace
    work_s = known.duration_s if known is not None else 0.0
    wait = wait_for(
        attempt,
        step,
        end_of(attempt, task_id) if set(wanted) <= set(TERMINAL) else status_of(attempt, task_id, _words(wanted)),
        pace.deadline(arguments.value(step, "within_ms", scope), pace.work_s + work_s),
        judged=bool(step.proves) and not step.expect,
        work_s=work_s,
    )
    loop = asyncio.get_running_loop()
    deadline = loop.time() + wait.within
    connection = attempt.connection(step)
    seen: list[str] = []
    while True:
        asked_at = loop.time()
        reply = await _get(attempt, step, connection, task_id)
        task = reply.view().get("result")
        if not isinstance(task, Mapping) or not isinstance(task.get("status"), str):
            await attempt.pulse.check_session(connection, reply)
            # neither an error nor a wrong shape says anything of the status: rules of their own judge tasks/get
            raise PreconditionFailed(f"{attempt.source(step)}: tasks/get gave {show(reply.view())}")
        status = str(task.get("status"))
        if not seen or seen[-1] != status:
            seen.append(status)
        if status in wanted:
            if status != "cancelled":
                wait.came()
            break
        interval = pace.poll(task)
        if status in TERMINAL or loop.time() >= deadline:
            waited = "and is over"
            if status not in TERMINAL:
                wait.in_vain()
                waited = f"for {wait.within:.1f} s{wait.because}"
            observed = f"status {' then '.join(seen)} {waited}"
            attempt.record(step, Outcome.FAIL, f"status {_words(wanted)}", observed, reply.index)
            raise PreconditionFailed(f"{attempt.source(step)}: expected status {_words(wanted)}, found {observed}")
        await _next_look(connection, task_id, asked_at, interval)
    attempt.record(step, Outcome.PASS, f"status {_words(wanted)}", f"status {status}", reply.index)
    attempt.judge(step, dict(task), scope, reply.index, "tasks/get")
    if step.gives is not None:
        scope.bind(step.gives, Held(task, at=reply.at, index=reply.index))


def _words(statuses: tuple[str, ...]) -> str:
    return "terminal" if statuses == TERMINAL else " or ".join(statuses)


async def _get(attempt: Attempt, step: Step, connection: Connection, task_id: str) -> Reply:
    full_s = attempt.stage.pace.deadline(None, attempt.stage.pace.request_s)
    wait = wait_for(attempt, step, answer_to(attempt, "tasks/get", None), full_s, judged=bool(step.proves))
    try:
        reply = await connection.request("tasks/get", {"taskId": task_id}, within=wait.within)
    except NoAnswer as silence:
        await attempt.pulse.require_life(connection, f"{silence}, and ping after it: no answer either")
        wait.in_vain()
        attempt.unanswered(step, (ANSWERS,), f"{silence}{wait.because}; ping was answered")
        raise PreconditionFailed(f"{attempt.source(step)}: {silence}") from silence
    except ConnectionGone as gone:
        await attempt.pulse.require_life(connection, str(gone))
        raise PreconditionFailed(str(gone)) from gone
    wait.came()
    attempt.succeeded("tasks/get", {"taskId": task_id}, reply)
    return reply


async def _next_look(connection: Connection, task_id: str, asked_at: float, interval: float) -> None:
    """Until the poll interval has passed or the target tells of a change by itself, since we asked last."""

    def tells(message: Incoming) -> bool:
        return (
            message.frame.method == "notifications/tasks/status"
            and message.frame.params.get("taskId") == task_id
            and message.at > asked_at
        )

    if connection.inbox.peek(tells) is not None:
        return
    try:
        await connection.inbox.watch(tells, within=interval)
    except TimeoutError:
        return  # the ordinary case: nothing was told, so it is time to ask


async def still_waiting(attempt: Attempt, step: Step, scope: Scope) -> None:
    """The exchange is not answered within the window although its task goes on."""
    exchange = arguments.exchange(step, scope, step.subject)
    connection = connection_of(attempt, step, scope)
    window = attempt.stage.pace.window(arguments.value(step, "for_ms", scope))
    task_id = arguments.task_id(attempt, step, scope, "task")
    await asyncio.wait({exchange.reply}, timeout=window)
    if not exchange.reply.done():
        await _give_turn(attempt, connection, exchange)
    answered = exchange.answered
    if exchange.reply.done() and not answered:
        await attempt.reply_of(step, connection, exchange, 0.0)
        return
    reply_index = exchange.reply.result().index if answered else exchange.sent_index
    expected = f"no response to {exchange.method} while the task goes on"
    if task_id is not None:
        reply = await _get(attempt, step, connection, task_id)
        task = reply.view().get("result")
        status = str(task.get("status", "unknown")) if isinstance(task, Mapping) else "unknown"
        if status not in LIVE:
            raise PreconditionFailed(f"{attempt.source(step)}: the task was {status} before the window was over")
        if answered:
            observed = f"a response, and then tasks/get still shows {status}"
            attempt.record(step, Outcome.FAIL, expected, observed, exchange.sent_index, reply_index, reply.index)
            return
    elif answered:
        attempt.record(step, Outcome.FAIL, expected, "a response", exchange.sent_index, reply_index)
        return
    control = step.control or exchange.method
    attempt.record(
        step, Outcome.PASS, expected, f"none within {window * 1000:.0f} ms", exchange.sent_index, control=control
    )


async def _give_turn(attempt: Attempt, connection: Connection, exchange: Exchange) -> None:
    """Wait until a target that is slow just now has had time for a reply that it gives at once.

    A ping that is sent later shows how long that takes. It is not waited for long, since there are targets that answer
    nothing else while they wait.
    """
    started = asyncio.get_running_loop().time()
    with suppress(NoAnswer, ConnectionGone):
        await connection.request("ping", within=attempt.stage.pace.window(None))
        trip = asyncio.get_running_loop().time() - started
        await asyncio.wait({exchange.reply}, timeout=_TRIPS_OF_A_PING * trip)


async def settle(attempt: Attempt, step: Step, scope: Scope) -> None:
    """Wait until the task's work, or a share of it, would have been done, or for a stated time; then ping."""
    window = attempt.stage.pace.window(arguments.value(step, "for_ms", scope))
    percent = arguments.value(step, "percent", scope)
    if "for_ms" in step.keys:
        over = asyncio.get_running_loop().time() + window
    else:
        known = _known_task(attempt, step, scope)
        share = percent / 100 if isinstance(percent, int) else 1.0
        over = known.started_at + share * known.duration_s + (window if percent is None else 0.0)
    await _pass_until(attempt, step, over)
    _bind_moment(attempt, step, scope, asyncio.get_running_loop().time() if percent is None else over)


async def age(attempt: Attempt, step: Step, scope: Scope) -> None:
    """Wait until a share of the task's ttl has passed since it was made.

    Before the end the time counts from the request that made the task, which is earlier than the task itself; after the
    end from the answer to it: so the target's own clock is on the safe side of ours in both cases. What it gives is
    that moment, even where it had passed already.
    """
    known = _known_task(attempt, step, scope)
    task = arguments.object_of(arguments.value(step, "task", scope), step, "task")
    ttl, percent = task.get("ttl"), arguments.value(step, "percent", scope)
    if isinstance(ttl, bool) or not isinstance(ttl, int | float) or not isinstance(percent, int):
        raise NothingToJudge(f"the task's ttl is {show(ttl)}, so there is no end of it to wait for")
    if ttl * percent / 100 > LONGEST_AGE_MS:
        raise NothingToJudge(f"the task's ttl is {ttl:g} ms, too long to wait for")
    began = known.started_at if percent < 100 else known.made_at
    moment = began + ttl / 1000 * percent / 100
    await _pass_until(attempt, step, moment)
    _bind_moment(attempt, step, scope, moment)


def _known_task(attempt: Attempt, step: Step, scope: Scope) -> TaskKnown:
    known = attempt.tasks.get(arguments.task_id(attempt, step, scope, "task") or "")
    if known is None:
        raise PreconditionFailed(f"{attempt.source(step)}: this is no task that start_task gave")
    return known


async def _pass_until(attempt: Attempt, step: Step, moment: float) -> None:
    """Let time pass, no longer than the connection stands; then ping."""
    connection = attempt.connection(step)
    try:
        async with asyncio.timeout_at(max(moment, asyncio.get_running_loop().time())):
            await connection.gone.wait()
    except TimeoutError:
        pass  # the time is up and the connection still stands, as it should
    await attempt.pulse.require_life(connection, "the target fell silent while time passed")


def _bind_moment(attempt: Attempt, step: Step, scope: Scope, moment: float) -> None:
    if step.gives is not None:
        scope.bind(step.gives, Held({}, at=moment, index=len(attempt.transcript) - 1))
