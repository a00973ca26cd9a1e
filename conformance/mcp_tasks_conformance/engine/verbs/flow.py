"""Verbs that order other steps: at once, again, whichever first, page by page."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import cast

from mcp_tasks_conformance.catalog.model import Step, Template
from mcp_tasks_conformance.counting import counted
from mcp_tasks_conformance.engine.attempt import Attempt, HarnessFault
from mcp_tasks_conformance.engine.judging import NothingToJudge, PreconditionFailed
from mcp_tasks_conformance.engine.matching import show
from mcp_tasks_conformance.engine.scope import Held, NothingThere, Scope
from mcp_tasks_conformance.engine.verbs import arguments
from mcp_tasks_conformance.engine.verbs.requests import begin_exchange
from mcp_tasks_conformance.events import JsonValue, Outcome

MOST_PAGES = 2000
"""A list that goes on longer is taken to have no end."""


def _branches(step: Step) -> tuple[tuple[Step, ...], ...]:
    return cast("tuple[tuple[Step, ...], ...]", step.subject)


async def _run(attempt: Attempt, steps: tuple[Step, ...], scope: Scope) -> None:
    from mcp_tasks_conformance.engine.verbs import run_steps

    await run_steps(attempt, steps, scope)


async def _all(runs: Sequence[tuple[tuple[Step, ...], Scope]], attempt: Attempt) -> None:
    """Run step lists at once; the first that breaks off ends the others and is what is told."""
    try:
        async with asyncio.TaskGroup() as group:
            for steps, scope in runs:
                group.create_task(_run(attempt, steps, scope))
    except BaseExceptionGroup as broken:
        raise _first(broken) from None


def _first(group: BaseExceptionGroup[BaseException]) -> BaseException:
    inner = group.exceptions[0]
    return _first(inner) if isinstance(inner, BaseExceptionGroup) else inner


async def together(attempt: Attempt, step: Step, scope: Scope) -> None:
    """Run branches at the same time and wait for all."""
    await _all([(branch, scope) for branch in _branches(step)], attempt)


async def await_any(attempt: Attempt, step: Step, scope: Scope) -> None:
    """Go on with the branch whose first step holds first; what the others found does not count."""
    branches = [(branch, scope.inner(), attempt.aside()) for branch in _branches(step)]
    waits = [asyncio.ensure_future(_run(aside, branch[:1], names)) for branch, names, aside in branches]
    failures: dict[str, None] = {}
    try:
        pending = set(waits)
        while pending:
            _, pending = await asyncio.wait(pending, return_when=asyncio.FIRST_COMPLETED)
            for (branch, names, aside), wait in zip(branches, waits, strict=True):
                if not wait.done():
                    continue
                error = wait.exception()
                if error is None:
                    for other in pending:
                        other.cancel()
                    await asyncio.gather(*pending, return_exceptions=True)
                    attempt.take_over(aside)
                    first = branch[0]
                    attempt.record(step, Outcome.PASS, "one of several", f"{first.verb} in line {first.place.line}")
                    await _run(attempt, branch[1:], names)
                    return
                if not isinstance(error, PreconditionFailed | NothingThere):
                    raise error
                failures[str(error)] = None
    finally:
        for wait in waits:
            wait.cancel()
        await asyncio.gather(*waits, return_exceptions=True)
    none = "; ".join(failures)
    attempt.record(step, Outcome.FAIL, f"one of {len(branches)}", none)
    raise PreconditionFailed(f"{attempt.source(step)}: none of it came: {none}")


async def not_applicable(attempt: Attempt, step: Step, scope: Scope) -> None:
    """End the scenario: the target chose what it may choose.

    Raises:
        NothingToJudge: always.
    """
    del attempt
    raise NothingToJudge(arguments.subject_text(step, scope))


async def repeat(attempt: Attempt, step: Step, scope: Scope) -> None:
    """Run steps several times, one after another or at once, and collect a value of each round."""
    steps = cast("tuple[Step, ...]", step.keys["steps"])
    items = arguments.value(step, "over", scope)
    if items is None:
        times = arguments.value(step, "times", scope, 1)
        items = list(range(times)) if isinstance(times, int) else []
    if not isinstance(items, Sequence) or isinstance(items, str):
        raise HarnessFault(f"{step.place}: `over` takes a list, not {show(items)}")
    name = arguments.text(step, "item", scope) if "item" in step.keys else None
    rounds = [scope.inner({name: item} if name is not None else {}) for item in items]
    if arguments.value(step, "at_once", scope) is True:
        await _all([(steps, names) for names in rounds], attempt)
    else:
        for names in rounds:
            await _run(attempt, steps, names)
    collected = cast("Mapping[str, Template]", step.keys.get("collect", {}))
    for collect, template in collected.items():
        scope.bind(collect, [names.fill(template) for names in rounds])


async def walk(attempt: Attempt, step: Step, scope: Scope) -> None:
    """Read a paginated list to its end; a cursor that comes again or pages without end are a failure."""
    method, member = arguments.subject_text(step, scope), arguments.text(step, "items", scope)
    connection = attempt.connection(step)
    within = attempt.stage.pace.deadline(arguments.value(step, "within_ms", scope), attempt.stage.pace.request_s)
    items: list[JsonValue] = []
    pages: list[JsonValue] = []
    cursors: list[str] = []
    params: dict[str, JsonValue] | None = None
    expected = "a list that comes to its end"
    ended = False
    while True:
        exchange = await begin_exchange(attempt, connection, method, params, None)
        reply = await attempt.reply_of(step, connection, exchange, within)
        if reply is None:
            return
        attempt.succeeded(method, params, reply)
        view = reply.view()
        pages.append(view)
        result = view.get("result")
        page = result.get(member) if isinstance(result, Mapping) else None
        if not isinstance(result, Mapping) or not isinstance(page, Sequence) or isinstance(page, str):
            attempt.record(step, Outcome.FAIL, f"a page with {member}", show(view), exchange.sent_index, reply.index)
            break
        items += page
        cursor = result.get("nextCursor")
        if not isinstance(cursor, str):
            ended = True
            told = f"{counted(len(items), 'item')} on {counted(len(pages), 'page')}"
            attempt.record(step, Outcome.PASS, expected, told, reply.index)
            break
        if cursor in cursors or len(pages) >= MOST_PAGES:
            why = (
                "the cursor of an earlier page again"
                if cursor in cursors
                else f"no end after {counted(len(pages), 'page')}"
            )
            attempt.record(step, Outcome.FAIL, expected, why, exchange.sent_index, reply.index)
            break
        cursors.append(cursor)
        params = {"cursor": cursor}
    if step.expect or step.gives is not None:
        walked: dict[str, JsonValue] = {"items": items, "pages": pages, "ended": ended}
        attempt.judge(step, walked, scope, reply.index, method)
        if step.gives is not None:
            scope.bind(step.gives, Held(walked, at=reply.at, index=reply.index))
