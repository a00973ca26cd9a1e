"""Whether scenarios may share what runs of a target: a short look, alone, before any of them runs.

What is seen here is no check and blames nobody; it decides how scenarios run, so that none is blamed for another.
Where nothing can be seen nothing is said.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack, suppress
from typing import Final, TypeAlias, cast

from mcp_tasks_conformance.catalog.model import Behaviour, Profile
from mcp_tasks_conformance.engine.company import Company, Sharing
from mcp_tasks_conformance.engine.options import JOBS
from mcp_tasks_conformance.engine.stage import Stage
from mcp_tasks_conformance.engine.stages import Stages
from mcp_tasks_conformance.events import JsonValue
from mcp_tasks_conformance.peers.answers import related_task_of
from mcp_tasks_conformance.peers.connection import Connection
from mcp_tasks_conformance.peers.exchange import ConnectionGone, NoAnswer
from mcp_tasks_conformance.peers.handshake import DEFAULT_CAPABILITIES, HandshakeRefused
from mcp_tasks_conformance.peers.inbox import Incoming
from mcp_tasks_conformance.targets.errors import UnreachableTarget
from mcp_tasks_conformance.wire.transcript import Transcript

_CHEAP: Final = ("completes", "either", "task-only", "structured")
"""Behaviours whose tool is called as a task for this: the first that there is."""
_LONGEST_MS: Final = 1_000
"""The work of a tool that is to be called for this lasts no longer."""
_PROGRESS: Final = "conformance-sharing"
"""The progress token of the task that is made for this."""
_ATTEMPT: Final = -1_000_000
"""What is exchanged here belongs to no attempt at a scenario."""
_TTL_MS: Final = 60_000
_ENDED: Final = ("completed", "failed", "cancelled")
_LOST: Final = (NoAnswer, ConnectionGone)


class _Forbidden(Exception):
    """Something was seen that forbids to share the target."""

    def __init__(self, seen: str, *, no_room: bool = False, one_session: bool = False) -> None:
        super().__init__(seen)
        self.no_room = no_room
        """Whether it has room for few sessions only."""
        self.one_session = one_session
        """Whether it has room for one session only."""


class _Visit:
    """Connections of ours to one instance, all of which are closed in the end, their sessions too."""

    def __init__(self, stage: Stage, leaving: AsyncExitStack) -> None:
        self.stage = stage
        self._leaving = leaving

    async def open(self, *, listen: bool = False) -> Connection:
        """Another connection.

        Raises:
            HandshakeRefused, NoAnswer, ConnectionGone: it is not let in.
        """
        connection = await self.stage.open(Transcript(), _ATTEMPT, listen=listen)
        self._leaving.push_async_callback(self._leave, connection)
        return connection

    async def _leave(self, connection: Connection) -> None:
        if not self.stage.single:
            await self.stage.end_session(connection)
        await self.stage.release(connection)

    async def answers(self, connection: Connection) -> bool:
        """Whether a ping is answered with a result on a connection."""
        with suppress(*_LOST):
            reply = await connection.request("ping", within=self.stage.pace.deadline(None, self.stage.pace.ping_s))
            return "result" in reply.view()
        return False

    async def started(self, connection: Connection, tool: Behaviour, progress_token: str) -> str | None:
        """The id of a new task, or none where none comes of it."""
        params: dict[str, JsonValue] = {
            "name": tool.tool,
            "arguments": cast("dict[str, JsonValue]", dict(tool.arguments)),
            "task": {"ttl": _TTL_MS},
            "_meta": {"progressToken": progress_token},
        }
        return _text(await self._task(connection, "tools/call", params), "taskId")

    async def status(self, connection: Connection, task_id: str) -> str | None:
        """The status of a task as a connection sees it, or none where it sees none."""
        return _text(await self._task(connection, "tasks/get", {"taskId": task_id}), "status")

    async def _task(self, connection: Connection, method: str, params: dict[str, JsonValue]) -> JsonValue:
        with suppress(*_LOST):
            pace = self.stage.pace
            reply = await connection.request(method, params, within=pace.deadline(None, pace.request_s))
            result = reply.view().get("result")
            nested = method == "tools/call" and isinstance(result, dict)
            return result.get("task") if nested and isinstance(result, dict) else result
        return None


_Look: TypeAlias = Callable[[_Visit], Awaitable[None]]


async def look_at_sessions(stages: Stages) -> None:
    """Whether sessions live side by side: nothing is called for it but ping."""
    if stages.transport == "http":
        await _look(stages, _sessions)


async def look_at_tasks(stages: Stages, profile: Profile) -> None:
    """Whether what one makes stays with oneself, where a tool is known whose tasks cost little."""
    tool = next((found for name in _CHEAP if (found := profile.behaviours.get(name)) is not None), None)
    if tool is None or tool.duration_ms > _LONGEST_MS or stages.sharing.company is not Company.TOGETHER:
        return
    if stages.transport == "stdio":
        await _look_at_processes(stages, tool)
        return

    async def look(visit: _Visit) -> None:
        await _answers(visit, tool)
        await _messages(visit, tool)

    await _look(stages, look)


async def _look(stages: Stages, look: _Look) -> None:
    try:
        async with stages.shared(DEFAULT_CAPABILITIES) as stage, AsyncExitStack() as leaving:
            try:
                await look(_Visit(stage, leaving))
            except _Forbidden as forbidden:
                stage.lost = True  # what was done to it is nothing that a scenario should meet
                stages.sharing = Sharing(
                    _consequence(stages), str(forbidden), forbidden.no_room, one_session=forbidden.one_session
                )
            finally:
                stage.settle(_ATTEMPT)
    except (UnreachableTarget, HandshakeRefused, *_LOST):
        return  # the scenarios will meet it too, and can say more of it


def _consequence(stages: Stages) -> Company:
    return Company.APART if stages.restartable and stages.transport != "stdio" else Company.IN_TURN


async def _sessions(visit: _Visit) -> None:
    """Open as many sessions as scenarios will run at once, end one, and see how the others take it."""
    stage = visit.stage
    try:
        first = await visit.open()
    except HandshakeRefused as refused:
        if stage.left is None:
            raise
        await stage.end_session(stage.left)  # that of our first visit, which had been left open
        await visit.open()
        seen = f"the target holds one session at a time ({refused})"
        raise _Forbidden(seen, no_room=True, one_session=True) from refused
    try:
        second = await visit.open()
    except (HandshakeRefused, *_LOST) as refused:
        raise _Forbidden(f"the target holds too few sessions at a time ({refused})", no_room=True) from refused
    if not await visit.answers(first):
        raise _Forbidden("another session ends those before it", one_session=True)
    others = [visit.open() for _ in range(JOBS[stage.instance.transport] - 2)]
    for outcome in await asyncio.gather(*others, return_exceptions=True):
        if isinstance(outcome, HandshakeRefused | NoAnswer | ConnectionGone):
            raise _Forbidden(f"the target holds few sessions at a time ({outcome})", no_room=True)
        if isinstance(outcome, BaseException):
            raise outcome
    status = await stage.end_session(first)
    if (status is None or status < 300) and not await visit.answers(second):
        raise _Forbidden("the end of one session ends others")


async def _answers(visit: _Visit, tool: Behaviour) -> None:
    """Let two sessions have requests of the same id open, and see whether one gets the answer to the other's."""
    asking, other = await visit.open(), await visit.open()
    arguments = cast("dict[str, JsonValue]", dict(tool.arguments))
    with suppress(*_LOST):
        call = await asking.begin("tools/call", {"name": tool.tool, "arguments": arguments})
        pace = visit.stage.pace
        await other.request("tools/list", within=pace.deadline(None, pace.request_s))
        reply = await asking.finish(call, within=tool.duration_ms / 1000 + pace.deadline(None, pace.request_s))
        result = reply.view().get("result")
        if isinstance(result, dict) and "tools" in result:
            raise _Forbidden("sessions get the answers to each other's requests")


async def _messages(visit: _Visit, tool: Behaviour) -> None:
    """Let one session make a task, and see whether another, which listens and has one too, hears of it."""
    listener, maker = await visit.open(listen=True), await visit.open()
    await visit.started(listener, tool, "own")
    task_id = await visit.started(maker, tool, _PROGRESS)
    if task_id is None:
        return

    def strays(message: Incoming) -> bool:
        params = message.frame.params
        return params.get("progressToken") == _PROGRESS or task_id in (related_task_of(params), params.get("taskId"))

    until = asyncio.get_running_loop().time() + tool.duration_ms / 1000
    while await visit.status(maker, task_id) not in (None, *_ENDED):
        left = until - asyncio.get_running_loop().time()
        if left <= 0:
            break
        with suppress(TimeoutError):
            await listener.inbox.watch(strays, within=min(left, visit.stage.pace.poll_s))
            break
    await visit.answers(listener)
    stray = listener.inbox.peek(strays)
    if stray is not None:
        raise _Forbidden(f"sessions get messages of each other's tasks ({stray.frame.method})")


async def _look_at_processes(stages: Stages, tool: Behaviour) -> None:
    """Let one process make a task, and see whether another knows it: then they share a store."""
    try:
        async with AsyncExitStack() as leaving:
            visits = []
            for _ in range(2):
                stage = await leaving.enter_async_context(stages.shared(DEFAULT_CAPABILITIES))
                visits.append(_Visit(stage, leaving))
            maker, other = [await visit.open() for visit in visits]
            task_id = await visits[0].started(maker, tool, _PROGRESS)
            if task_id is not None and await visits[1].status(other, task_id) is not None:
                stages.sharing = Sharing(Company.IN_TURN, "processes of the target share their tasks")
            for visit in visits:
                visit.stage.settle(_ATTEMPT)
    except (UnreachableTarget, HandshakeRefused, *_LOST):
        return  # as above


def _text(found: JsonValue, member: str) -> str | None:
    value = found.get(member) if isinstance(found, dict) else None
    return value if isinstance(value, str) else None
