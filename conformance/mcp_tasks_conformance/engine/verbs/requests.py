"""Verbs that send: connections, requests, notifications, raw text."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from mcp_tasks_conformance.catalog.model import Matcher, Step, Template
from mcp_tasks_conformance.catalog.templates import references
from mcp_tasks_conformance.engine.attempt import ANSWERS, Attempt, HarnessFault
from mcp_tasks_conformance.engine.judging import PreconditionFailed
from mcp_tasks_conformance.engine.matching import show
from mcp_tasks_conformance.engine.pulse import TargetLost
from mcp_tasks_conformance.engine.scope import Held, Scope
from mcp_tasks_conformance.engine.verbs import arguments
from mcp_tasks_conformance.engine.verbs.waits import answer_to, wait_for
from mcp_tasks_conformance.events import JsonValue, Outcome
from mcp_tasks_conformance.peers.connection import Connection
from mcp_tasks_conformance.peers.exchange import ConnectionGone, Exchange, NoAnswer, Reply
from mcp_tasks_conformance.peers.handshake import DEFAULT_CAPABILITIES, V1_REVISION, HandshakeRefused
from mcp_tasks_conformance.wire import jsonrpc, shapes
from mcp_tasks_conformance.wire.transport import HttpConversation

LIVES_ON = "a target that lives on"
REFUSALS = frozenset({"error", "http", "nothing"})
"""The members of a reply, one of which an expectation names that reckons with a refusal."""
RAW_WINDOW_MS = 400
"""How long after an answer to ping an answer to raw text may still come, where both go one way."""


def bind_reply(step: Step, scope: Scope, reply: Reply) -> None:
    """Give the reply its name, where the step has one."""
    if step.gives is not None:
        scope.bind(step.gives, Held(reply.view(), at=reply.at, index=reply.index))


def check_stimulus(attempt: Attempt, step: Step, method: str, params: Mapping[str, JsonValue] | None) -> None:
    """What we send is valid unless the step reckons with a refusal; a bad message is our fault, never the target's.

    Raises:
        HarnessFault: the params break their own schema.
        PreconditionFailed: they do because of a value that the target gave (an id that is no string).
    """
    if step.verb in ("begin", "notify") or _reckons_with_refusal(step):
        return
    name = shapes.params_schema(attempt.scenario.generation, method)
    flaws = shapes.check(name, params if params is not None else {}) if name is not None else ()
    parameters = attempt.scenario.each
    if flaws and any(ref.name not in parameters for key in step.keys.values() for ref in references(key)):
        raise PreconditionFailed(f"{attempt.source(step)}: with what the target gave, {method} {flaws[0].problem}")
    if flaws:
        raise HarnessFault(f"{step.place}: what the scenario sends as {method} is invalid: {flaws[0].problem}")


def _reckons_with_refusal(step: Step) -> bool:
    return any(
        _allows_refusal(template)
        for expectation in step.expect
        for template in (expectation.that, expectation.else_warn, expectation.else_not_applicable)
    )


def _allows_refusal(template: Template) -> bool:
    if isinstance(template, Matcher):
        parts = template.argument if isinstance(template.argument, tuple) else ()
        return template.name == "$not" or any(_allows_refusal(part) for part in parts)
    return isinstance(template, Mapping) and not REFUSALS.isdisjoint(template)


async def begin_exchange(
    attempt: Attempt,
    connection: Connection,
    method: str,
    params: Mapping[str, JsonValue] | None,
    headers: Mapping[str, str | None] | None,
) -> Exchange:
    """Send a request.

    Raises:
        TargetLost: it cannot be sent, because the target is gone or does not read.
    """
    async with attempt.pulse.sending(method):
        return await connection.begin(method, params, headers=headers)


async def exchange_and_judge(
    attempt: Attempt,
    step: Step,
    scope: Scope,
    connection: Connection,
    method: str,
    params: Mapping[str, JsonValue] | None,
    default_s: float,
) -> Reply | None:
    """Send a request, wait for its reply, tell the ledger and judge it; none where it never came (judged already)."""
    exchange = await begin_exchange(attempt, connection, method, params, arguments.headers(step, scope))
    within = attempt.stage.pace.deadline(arguments.value(step, "within_ms", scope), default_s)
    reply = await _reply(attempt, step, connection, exchange, within)
    if reply is None:
        return None
    attempt.succeeded(method, params, reply)
    attempt.judge(step, reply.view(), scope, reply.index, method, exchange.sent_index)
    return reply


async def _reply(
    attempt: Attempt, step: Step, connection: Connection, exchange: Exchange, full_s: float
) -> Reply | None:
    """The reply of an exchange, or none where its absence has been judged; not waited for in vain again and again."""
    awaited = answer_to(attempt, exchange.method, exchange.frame.params)
    # That tasks/result waits for the end of its task is right, so no step judges that.
    judged = bool(step.proves) and awaited.kind != "result"
    wait = wait_for(attempt, step, awaited, full_s, judged=judged, work_s=longest_work(attempt, 0.0))
    if wait.cut is not None:
        await asyncio.wait({exchange.reply}, timeout=wait.within)
        if not exchange.reply.done() and await _is_still_due(attempt, step, connection, exchange):
            wait.in_vain()
            silence = f"{exchange.method}: no answer within {wait.within:.1f} s{wait.because}"
            raise PreconditionFailed(f"{attempt.source(step)}: {silence}")
    try:
        reply = await attempt.reply_of(step, connection, exchange, full_s)
    except PreconditionFailed:
        wait.in_vain()
        raise
    if reply is None:
        wait.in_vain()
    elif awaited.kind != "result" or "result" in reply.view():
        wait.came()
    return reply


async def _is_still_due(attempt: Attempt, step: Step, connection: Connection, exchange: Exchange) -> bool:
    """Whether there is no reason to judge the silence of a living target: nothing to prove, or a task that goes on."""
    await attempt.pulse.require_life(
        connection, f"{exchange.method} was not answered, and ping after it: no answer either"
    )
    return not step.proves or await attempt.pulse.goes_on(connection, exchange.frame.params.get("taskId"))


async def connect(attempt: Attempt, step: Step, scope: Scope) -> None:
    """Open and initialize another connection."""
    name = arguments.subject_text(step, scope)
    joined = arguments.value(step, "session_of", scope)
    capabilities = arguments.value(step, "capabilities", scope, DEFAULT_CAPABILITIES)
    within = arguments.value(step, "within_ms", scope)
    identity = arguments.value(step, "identity", scope)
    if joined is not None and joined not in attempt.connections:
        raise HarnessFault(f"{step.place}: there is no connection {joined}")
    try:
        connection = await attempt.stage.open(
            attempt.transcript,
            attempt.number,
            name=name,
            identity=str(identity) if identity is not None else None,
            capabilities=arguments.object_of(capabilities, step, "capabilities"),
            version=arguments.text(step, "version", scope, V1_REVISION),
            session_of=attempt.connections[str(joined)] if joined is not None else None,
            listen=arguments.value(step, "listen", scope, True) is not False,
            initialized=arguments.value(step, "initialized", scope, True) is not False,
            within=attempt.stage.pace.deadline(within, attempt.stage.pace.request_s),
            reuse=name == "main",
        )
    except (NoAnswer, ConnectionGone) as silence:
        others = [other for other in attempt.connections.values() if other.closed_reason is None]
        if not others:
            raise
        await attempt.pulse.require_life(others[0], f"{silence}, and ping on another connection: no answer either")
        attempt.unanswered(step, (*step.proves, ANSWERS), f"{silence}; ping on another connection was answered")
        return
    except HandshakeRefused as refused:
        attempt.judge(step, refused.reply.view(), scope, refused.reply.index, "initialize")
        if not step.expect:
            raise PreconditionFailed(f"{attempt.source(step)}: {refused}") from refused
        bind_reply(step, scope, refused.reply)
        return
    attempt.connected(name, connection)
    reply = connection.initialize_reply
    if reply is not None:
        attempt.judge(step, reply.view(), scope, reply.index if joined is None else -1, "initialize")
        bind_reply(step, scope, reply)


async def send(attempt: Attempt, step: Step, scope: Scope) -> None:
    """Send a request and wait for its response."""
    method, params = arguments.subject_text(step, scope), arguments.params(step, scope)
    check_stimulus(attempt, step, method, params)
    connection = attempt.connection(step)
    longest = attempt.stage.pace.request_s + longest_work(attempt) if method in ("tasks/result", "tools/call") else None
    default_s = longest if longest is not None else attempt.stage.pace.request_s
    reply = await exchange_and_judge(attempt, step, scope, connection, method, params, default_s)
    if reply is not None:
        bind_reply(step, scope, reply)


def longest_work(attempt: Attempt, spare_s: float | None = None) -> float:
    """How long the work of any task of this attempt may take, with what it may take longer than it is said to."""
    known = [task.duration_s for task in attempt.tasks.values()]
    return max(known) + (attempt.stage.pace.work_s if spare_s is None else spare_s) if known else 0.0


async def begin(attempt: Attempt, step: Step, scope: Scope) -> None:
    """Send a request and go on."""
    method, params = arguments.subject_text(step, scope), arguments.params(step, scope)
    connection = attempt.connection(step)
    exchange = await begin_exchange(attempt, connection, method, params, arguments.headers(step, scope))
    if step.gives is not None:
        held: dict[str, JsonValue] = {"id": exchange.id, "method": method, "via": step.via}
        scope.bind(step.gives, Held(held, handle=exchange, at=exchange.sent_at, index=exchange.sent_index))


async def finish(attempt: Attempt, step: Step, scope: Scope) -> None:
    """Wait for the response of an exchange that was begun."""
    exchange = arguments.exchange(step, scope, step.subject)
    within = attempt.stage.pace.deadline(
        arguments.value(step, "within_ms", scope),
        attempt.stage.pace.request_s + max(longest_work(attempt), _work_of_call(attempt, exchange)),
    )
    connection = connection_of(attempt, step, scope)
    reply = await _reply(attempt, step, connection, exchange, within)
    if reply is None:
        return
    task_id = arguments.task_id(attempt, step, scope, "task")
    if task_id is not None and await attempt.pulse.goes_on(connection, task_id):
        early = f"{exchange.method} was answered while its task still goes on: {show(reply.view())}"
        raise PreconditionFailed(f"{attempt.source(step)}: {early}")
    attempt.succeeded(exchange.method, exchange.frame.params, reply)
    attempt.judge(step, reply.view(), scope, reply.index, exchange.method, exchange.sent_index)
    bind_reply(step, scope, reply)


def _work_of_call(attempt: Attempt, exchange: Exchange) -> float:
    """How long what a tools/call calls may work, where a behaviour says so."""
    tool = exchange.frame.params.get("name") if exchange.method == "tools/call" else None
    known = [
        behaviour.duration_ms / 1000 for behaviour in attempt.profile.behaviours.values() if behaviour.tool == tool
    ]
    return max(known, default=0.0)


def connection_of(attempt: Attempt, step: Step, scope: Scope) -> Connection:
    """The connection that an exchange was begun on, whichever the step names."""
    begun = scope.fill(step.subject) if step.subject is not None else None  # type: ignore[arg-type]
    via = begun.get("via") if isinstance(begun, Mapping) else None
    return attempt.connections.get(str(via)) or attempt.connection(step)


async def notify(attempt: Attempt, step: Step, scope: Scope) -> None:
    """Send a notification."""
    method = arguments.subject_text(step, scope)
    connection, params = attempt.connection(step), arguments.params(step, scope)
    async with attempt.pulse.sending(method):
        await connection.notify(method, params, headers=arguments.headers(step, scope))


async def raw(attempt: Attempt, step: Step, scope: Scope) -> None:
    """Send text, or JSON that may be no message, and take whatever comes back; the target must live on."""
    stimulus = scope.fill(step.subject)  # type: ignore[arg-type]
    text = stimulus if isinstance(stimulus, str) else jsonrpc.encode(stimulus)
    depth = arguments.value(step, "nest", scope)
    if isinstance(depth, int):
        text = text.replace("@", "[" * depth + "]" * depth)
    connection = attempt.connection(step)
    async with attempt.pulse.sending("what was sent raw"):
        exchange = await connection.raw(text, headers=arguments.headers(step, scope))
    pace = attempt.stage.pace
    within = pace.deadline(arguments.value(step, "within_ms", scope), pace.request_s)
    ping = asyncio.ensure_future(
        attempt.pulse.require_life(connection, "silence after what was sent, and no answer to ping")
    )
    try:
        waits: set[asyncio.Future[Any]] = {exchange.reply, ping}
        await asyncio.wait(waits, timeout=within, return_when=asyncio.FIRST_COMPLETED)
        await ping
        # A POST has its own end. What is answered at all on one stream is answered about as fast as a ping.
        patience = within if connection.transport_kind == "http" else pace.window(RAW_WINDOW_MS)
        if step.expect or step.gives is not None:
            await asyncio.wait({exchange.reply}, timeout=patience)
        await attempt.pulse.require_connections()
        attempt.record(step, Outcome.PASS, LIVES_ON, "ping was answered", exchange.sent_index)
    except TargetLost as lost:
        if step.proves and not step.expect:
            attempt.record(step, Outcome.FAIL, LIVES_ON, str(lost), exchange.sent_index)
        raise
    finally:
        ping.cancel()
        await asyncio.gather(ping, return_exceptions=True)
    view: dict[str, JsonValue] = {"nothing": True}
    index, at = exchange.sent_index, exchange.sent_at
    if exchange.answered:
        reply = exchange.reply.result()
        view, index, at = reply.view(), reply.index, reply.at
    attempt.judge(step, view, scope, index, exchange.frame.method or "ping", exchange.sent_index)
    if step.gives is not None:
        scope.bind(step.gives, Held(view, at=at, index=index))


async def http(attempt: Attempt, step: Step, scope: Scope) -> None:
    """One HTTP request outside JSON-RPC."""
    connection = attempt.connection(step)
    transport = connection.transport
    if not isinstance(transport, HttpConversation):
        raise PreconditionFailed("this is no HTTP connection")
    body = arguments.value(step, "body", scope)
    encoded = body if isinstance(body, str) or body is None else jsonrpc.encode(body)
    within = attempt.stage.pace.deadline(arguments.value(step, "within_ms", scope), attempt.stage.pace.request_s)
    try:
        async with asyncio.timeout(within):
            answer = await transport.exchange(
                arguments.text(step, "method", scope), arguments.headers(step, scope), encoded
            )
    except (TimeoutError, ConnectionError) as silence:
        told = str(silence) or f"no HTTP answer within {within:.1f} s"
        await attempt.pulse.require_life(connection, f"{told}, nor an answer to ping")
        attempt.unanswered(step, step.proves, f"{told}; ping was answered")
        return
    view: dict[str, JsonValue] = {
        "status": answer.status,
        "type": answer.content_type,
        "headers": answer.headers,
        "text": answer.text,
    }
    attempt.judge(step, view, scope, -1, "tools/call")
    if step.gives is not None:
        scope.bind(step.gives, Held(view, at=asyncio.get_running_loop().time()))


async def drop(attempt: Attempt, step: Step, scope: Scope) -> None:
    """Abandon the stream of an exchange, or the listening stream."""
    if step.subject == "listening":
        connection = attempt.connection(step)
        transport = connection.transport
        if isinstance(transport, HttpConversation) and transport.listening is not None:
            await connection.drop(transport.listening)
        return
    exchange = arguments.exchange(step, scope, step.subject)
    await connection_of(attempt, step, scope).drop(exchange.stream)


async def disconnect(attempt: Attempt, step: Step, scope: Scope) -> None:
    """Close a connection, or end its HTTP session and keep it for asking what follows."""
    name = arguments.subject_text(step, scope)
    connection = attempt.connections.get(name)
    if connection is None:
        raise HarnessFault(f"{step.place}: there is no connection {name}")
    if arguments.text(step, "how", scope, "close") == "end_session":
        if not isinstance(connection.transport, HttpConversation):
            raise PreconditionFailed("only HTTP has sessions to end")
        attempt.ended_sessions.add(name)
        async with attempt.pulse.sending("DELETE"):
            view: dict[str, JsonValue] = {"status": await connection.transport.end_session()}
        attempt.judge(step, view, scope, -1, "tools/call")
        if step.gives is not None:
            scope.bind(step.gives, Held(view, at=asyncio.get_running_loop().time()))
        return
    del attempt.connections[name]
    if connection is attempt.stage.resident:
        attempt.stage.spoiled = True
    await connection.close()
