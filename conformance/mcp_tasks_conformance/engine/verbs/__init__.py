"""What each verb of the scenario language does."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping

from mcp_tasks_conformance.catalog.model import Step
from mcp_tasks_conformance.engine.attempt import Attempt, HarnessFault
from mcp_tasks_conformance.engine.scope import Scope
from mcp_tasks_conformance.engine.verbs import comparing, flow, processes, requests, tasks, waiting
from mcp_tasks_conformance.engine.verbs.answering import answering

Performer = Callable[[Attempt, Step, Scope], Awaitable[None]]

PERFORMERS: Mapping[str, Performer] = {
    "connect": requests.connect,
    "send": requests.send,
    "begin": requests.begin,
    "finish": requests.finish,
    "notify": requests.notify,
    "raw": requests.raw,
    "http": requests.http,
    "drop": requests.drop,
    "disconnect": requests.disconnect,
    "start_task": tasks.start_task,
    "call_tool": tasks.call_tool,
    "await_status": tasks.await_status,
    "still_waiting": tasks.still_waiting,
    "settle": tasks.settle,
    "age": tasks.age,
    "await_request": waiting.await_request,
    "await_notification": waiting.await_notification,
    "reply": waiting.reply,
    "quiet": waiting.quiet,
    "gather": waiting.gather,
    "await_any": flow.await_any,
    "not_applicable": flow.not_applicable,
    "together": flow.together,
    "repeat": flow.repeat,
    "walk": flow.walk,
    "judge": comparing.judge_value,
    "compare": comparing.compare,
    "gaps": comparing.gaps,
    "restart": processes.restart,
    "memory": processes.memory,
}
"""Verbs of the grammar that are not here belong to sides or generations that cannot be run yet."""


async def run_steps(attempt: Attempt, steps: tuple[Step, ...], scope: Scope) -> None:
    """Run steps one after another.

    Raises:
        PreconditionFailed, NothingThere, NothingToJudge, TargetLost, HarnessFault: as the steps do.
    """
    for step in steps:
        perform = PERFORMERS.get(step.verb)
        if perform is None:
            raise HarnessFault(f"{step.place}: `{step.verb}` cannot be run yet")
        async with answering(attempt, step, scope):
            await perform(attempt, step, scope)
