"""Verbs that wait for what the target sends of its own accord, and answer it."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import cast

from mcp_tasks_conformance.catalog.model import Step, Template
from mcp_tasks_conformance.engine.attempt import Attempt
from mcp_tasks_conformance.engine.judging import NothingToJudge, PreconditionFailed
from mcp_tasks_conformance.engine.matching import match, show
from mcp_tasks_conformance.engine.pulse import Loss, TargetLost
from mcp_tasks_conformance.engine.scope import Held, Scope
from mcp_tasks_conformance.engine.verbs import arguments
from mcp_tasks_conformance.engine.verbs.requests import longest_work
from mcp_tasks_conformance.engine.verbs.waits import message_of, wait_for
from mcp_tasks_conformance.events import JsonValue, Outcome
from mcp_tasks_conformance.peers.answers import answer_to, related_task_of
from mcp_tasks_conformance.peers.connection import Connection
from mcp_tasks_conformance.peers.inbox import MOST_HELD, Incoming, Predicate
from mcp_tasks_conformance.wire.jsonrpc import FrameKind

MOST_GATHERED = 5_000
"""More messages are not gathered: whoever sends so many goes on for ever."""


def _belongs(message: Incoming, task_id: str) -> bool:
    params = message.frame.params
    if related_task_of(params) == task_id:
        return True
    return message.frame.method == "notifications/tasks/status" and params.get("taskId") == task_id


def _predicate(
    attempt: Attempt, step: Step, scope: Scope, kinds: tuple[FrameKind, ...], method: str | None
) -> Predicate:
    task_id = arguments.task_id(attempt, step, scope, "for")
    where = cast(Template, step.keys["where"]) if "where" in step.keys else None
    stream = _stream(step, scope)
    since = arguments.place_in_transcript(step, scope, "since")

    def fits(message: Incoming) -> bool:
        return (
            message.frame.kind in kinds
            and (method is None or message.frame.method == method)
            and (task_id is None or _belongs(message, task_id))
            and (stream is None or message.stream == stream)
            and message.index > since
            and (where is None or not match(where, message.view(), scope))
        )

    return fits


def _stream(step: Step, scope: Scope) -> str | None:
    place = step.keys.get("in")
    if place is None or place == "any":
        return None
    exchange = arguments.exchange(step, scope, place)
    return exchange.stream or None


async def _await_message(attempt: Attempt, step: Step, scope: Scope, kind: FrameKind) -> None:
    method = arguments.subject_text(step, scope)
    connection = attempt.connection(step)
    wait = wait_for(
        attempt,
        step,
        message_of(attempt, arguments.task_id(attempt, step, scope, "for"), method),
        attempt.stage.pace.deadline(
            arguments.value(step, "within_ms", scope), attempt.stage.pace.request_s + longest_work(attempt)
        ),
        judged=bool(step.proves) and not step.expect,
        work_s=longest_work(attempt, 0.0),
    )
    within = wait.within
    fits = _predicate(attempt, step, scope, (kind,), method)
    taking = asyncio.ensure_future(connection.inbox.take(fits, within=within))
    gone = asyncio.ensure_future(connection.gone.wait())
    try:
        await asyncio.wait({taking, gone}, return_when=asyncio.FIRST_COMPLETED)
        if not taking.done():
            raise TargetLost(Loss.CRASHED, connection.closed_reason or "the connection is gone")
        message = taking.result()
        wait.came()
    except TimeoutError:
        await attempt.pulse.require_life(connection, f"no {method} within {within:.1f} s, nor an answer to ping")
        wait.in_vain()
        if arguments.value(step, "optional", scope, False) is True:
            raise NothingToJudge(f"no {method} came, which is permitted") from None
        attempt.record(step, Outcome.FAIL, method, f"none within {within:.1f} s{wait.because}")
        return
    finally:
        taking.cancel()
        gone.cancel()
        await asyncio.gather(taking, gone, return_exceptions=True)
    attempt.record(step, Outcome.PASS, method, "it came", message.index)
    attempt.judge(step, message.view(), scope, message.index, None)
    if step.gives is not None:
        held: dict[str, JsonValue] = {**message.view(), "via": step.via}
        scope.bind(step.gives, Held(held, handle=message, at=message.at, index=message.index))


async def await_request(attempt: Attempt, step: Step, scope: Scope) -> None:
    """Wait for a request of the target."""
    await _await_message(attempt, step, scope, FrameKind.REQUEST)


async def await_notification(attempt: Attempt, step: Step, scope: Scope) -> None:
    """Wait for a notification of the target."""
    await _await_message(attempt, step, scope, FrameKind.NOTIFICATION)


async def reply(attempt: Attempt, step: Step, scope: Scope) -> None:
    """Answer a request of the target."""
    message = arguments.incoming(step, scope, step.subject)
    asked = scope.fill(cast(Template, step.subject))
    via = asked.get("via") if isinstance(asked, Mapping) else None
    connection = attempt.connections.get(str(via)) or attempt.connection(step)
    if "error" in step.keys:
        response: dict[str, JsonValue] = {"error": arguments.value(step, "error", scope)}
    elif "result" in step.keys:
        response = {"result": arguments.value(step, "result", scope)}
    else:
        content = arguments.value(step, "content", scope, "auto")
        action = arguments.text(step, "action", scope, "accept")
        response = {
            "result": answer_to(
                message.frame.method or "",
                message.frame.params,
                action=action,
                content=None if content == "auto" else content,
            )
        }
    async with attempt.pulse.sending(f"the answer to {message.frame.method}"):
        await connection.respond(message, response)
    if step.gives is not None:
        scope.bind(step.gives, Held(response, at=asyncio.get_running_loop().time(), index=len(attempt.transcript) - 1))


_KINDS: Mapping[str, tuple[FrameKind, ...]] = {
    "request": (FrameKind.REQUEST,),
    "notification": (FrameKind.NOTIFICATION,),
    "message": (FrameKind.REQUEST, FrameKind.NOTIFICATION),
}


async def quiet(attempt: Attempt, step: Step, scope: Scope) -> None:
    """No such message has come, nor comes for a while; a ping at the end shows that the road is open."""
    connection = attempt.connection(step)
    kind = arguments.text(step, "kind", scope)
    window = attempt.stage.pace.window(arguments.value(step, "window_ms", scope))
    method = arguments.text(step, "method", scope) if "method" in step.keys else None
    expected = f"no {method or kind} for {window * 1000:.0f} ms"
    fits = _predicate(attempt, step, scope, _KINDS[kind], method)
    try:
        message = await connection.inbox.take(fits, within=window)
    except TimeoutError:
        await attempt.pulse.require_life(connection, "silence, to ping too")
        late = connection.inbox.peek(fits)
        if late is None:
            _require_memory(connection, _KINDS[kind])
            attempt.record(step, Outcome.PASS, expected, "none came", control=step.control or "tools/call")
            return
        message = late
    attempt.record(step, Outcome.FAIL, expected, show(message.view()), message.index)


def _require_memory(connection: Connection, kinds: tuple[FrameKind, ...]) -> None:
    if connection.inbox.forgetful and FrameKind.NOTIFICATION in kinds:
        raise PreconditionFailed(
            f"more than {MOST_HELD} messages came that nobody asked for, and not all could be held"
        )


async def gather(attempt: Attempt, step: Step, scope: Scope) -> None:
    """Take all such messages, held or yet to come, until none has come for a window, nor before a ping's answer."""
    connection = attempt.connection(step)
    kind = arguments.text(step, "kind", scope)
    window = attempt.stage.pace.window(arguments.value(step, "window_ms", scope))
    method = arguments.text(step, "method", scope) if "method" in step.keys else None
    fits = _predicate(attempt, step, scope, _KINDS[kind], method)
    found: list[Incoming] = []
    while len(found) < MOST_GATHERED:
        try:
            found.append(await connection.inbox.take(fits, within=window))
        except TimeoutError:
            await attempt.pulse.require_life(connection, "silence, to ping too")
            if connection.inbox.peek(fits) is None:
                _require_memory(connection, _KINDS[kind])
                break
    else:
        await attempt.pulse.require_life(connection, "silence, to ping too")
    last = found[-1].index if found else -1
    gathered: dict[str, JsonValue] = {"messages": [message.view() for message in found]}
    attempt.judge(step, gathered, scope, last, None)
    if step.gives is not None:
        scope.bind(step.gives, Held(gathered, at=asyncio.get_running_loop().time(), index=last))
