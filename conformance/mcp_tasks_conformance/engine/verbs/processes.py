"""Verbs about the target's process."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from mcp_tasks_conformance.catalog.model import Step
from mcp_tasks_conformance.engine.attempt import Attempt, HarnessFault
from mcp_tasks_conformance.engine.judging import NothingToJudge
from mcp_tasks_conformance.engine.scope import Held, Scope
from mcp_tasks_conformance.engine.verbs import arguments
from mcp_tasks_conformance.events import JsonValue, Outcome


async def restart(attempt: Attempt, step: Step, scope: Scope) -> None:
    """End the process and start it again; connections are opened anew under their names."""
    del step, scope
    before = dict(attempt.connections)
    for connection in before.values():
        await connection.close()
    await attempt.stage.restart()
    for name, connection in before.items():
        again = await attempt.stage.open(
            attempt.transcript,
            attempt.number,
            name=name,
            identity=connection.identity,
            capabilities=connection.declared,
        )
        attempt.connected(name, again)


async def memory(attempt: Attempt, step: Step, scope: Scope) -> None:
    """Measure the memory of the target's processes, and judge what has come on top of an earlier measure.

    Raises:
        NothingToJudge: the process is not ours.
    """
    mb = attempt.stage.instance.memory_mb()
    if mb is None:
        raise NothingToJudge("the memory of a target that the harness did not start cannot be measured")
    most = arguments.value(step, "at_most_mb", scope)
    if isinstance(most, int):
        added = mb - _measured(step, arguments.value(step, "above", scope))
        outcome = Outcome.PASS if added <= most else Outcome.FAIL
        attempt.record(step, outcome, f"at most {most} MB more than before", f"{added:.1f} MB more")
    if step.gives is not None:
        scope.bind(step.gives, Held({"mb": mb}, at=asyncio.get_running_loop().time()))


def _measured(step: Step, before: JsonValue) -> float:
    mb = before.get("mb") if isinstance(before, Mapping) else None
    if not isinstance(mb, int | float):
        raise HarnessFault(f"{step.place}: `above` takes what an earlier `memory` gave")
    return mb
