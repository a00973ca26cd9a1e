"""One careful call of a tool that nobody told us of: it is watched, answered, and ended where it does not end."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Final

from mcp_tasks_conformance.engine.caution import Candidate
from mcp_tasks_conformance.engine.matching import show
from mcp_tasks_conformance.engine.pace import Pace
from mcp_tasks_conformance.engine.sightings import MOST_ASKS, Ask, Ending, Sighting
from mcp_tasks_conformance.events import JsonValue
from mcp_tasks_conformance.peers.answers import answer_to, refusal_of, related_task_of
from mcp_tasks_conformance.peers.capabilities import declares
from mcp_tasks_conformance.peers.connection import Connection
from mcp_tasks_conformance.peers.exchange import ConnectionGone, Exchange, NoAnswer, Reply
from mcp_tasks_conformance.peers.inbox import Incoming
from mcp_tasks_conformance.wire.jsonrpc import FrameKind, id_key

TRIAL_S: Final = 10.0
"""How long one trial may take."""
MOST_REQUESTS: Final = 4 * MOST_ASKS
"""The same, with what is asked again before it is answered."""
LINGER_S: Final = 0.15
"""How long an answer is held back, so that what is asked at once is seen to be."""
LET_GO_S: Final = 2.0
TTL_MS: Final = 60_000
_TERMINAL: Final = ("completed", "failed", "cancelled")
_LONGEST: Final = 100_000
"""How much of a question is compared with others."""
_SOONEST_LOOK_S: Final = 0.1
_TASK_METHOD_CODES: Final = (-32600, -32601, -32602, -32603, -32700)
"""Errors that the methods of tasks use themselves: none of them tells what the tool did."""


class _Endless(Exception):
    """The tool asks again and again."""


class TrialCall:
    """The call of one tool on a connection that nobody else uses."""

    def __init__(self, connection: Connection, candidate: Candidate, pace: Pace, token: str, tasks: set[str]) -> None:
        """``tasks`` takes the task that the call makes; those in it are of other calls."""
        self._connection = connection
        self._candidate = candidate
        self._pace = pace
        self._token = token
        self._tasks = tasks
        self._started = asyncio.get_running_loop().time()
        self._task_id: str | None = None
        self._over = False
        """Whether the task is known to have ended."""
        self._given_up = False
        self._working_until_s = 0.0
        self._answered_s = 0.0
        self._ended_s: float | None = None
        self._open: Counter[str] = Counter()
        """Questions that nobody has answered yet, and how often each has come."""
        self._held_s = 0.0
        self._asks: list[Ask] = []
        self._answering: set[str] = set()
        """The ids of requests that are about to be answered."""
        self._requests = 0
        self._progress: list[float] = []
        self._logs = 0
        self._endless = asyncio.Event()

    async def watched(self) -> Sighting:
        """Make the call and see it to its end, or to the end of our patience."""
        patience = self._pace.deadline(None, TRIAL_S)
        listening = asyncio.ensure_future(self._listen())
        try:
            async with asyncio.timeout(patience):
                ending, said, structured = await self._unless_endless()
            await self._barrier()
            return self._sighting(ending, said, structured=structured)
        except TimeoutError:
            return await self._unended(f"had not ended after {patience:.0f} s")
        except _Endless:
            return self._sighting(Ending.OTHER, f"asked more than {MOST_ASKS} times")
        except NoAnswer as silence:
            return await self._unended(f"gave no answer ({silence})")
        except ConnectionGone as gone:
            return self._sighting(Ending.OTHER, f"lost us the target ({gone})", lost=True)
        finally:
            listening.cancel()
            await asyncio.gather(listening, return_exceptions=True)
            await self._let_go()

    async def _unless_endless(self) -> tuple[Ending, str, bool]:
        calling = asyncio.ensure_future(self._as_task() if self._candidate.as_task else self._plainly())
        endless = asyncio.ensure_future(self._endless.wait())
        try:
            await asyncio.wait({calling, endless}, return_when=asyncio.FIRST_COMPLETED)
            if not calling.done():
                raise _Endless
            return calling.result()
        finally:
            calling.cancel()
            endless.cancel()
            await asyncio.gather(calling, endless, return_exceptions=True)

    def _since_s(self, at: float) -> float:
        return at - self._started

    async def _unended(self, said: str) -> Sighting:
        """What is to be said of a call that came to no end, and whether the target has come to one."""
        try:
            await self._connection.request("ping", within=self._pace.deadline(None, self._pace.ping_s))
        except (NoAnswer, ConnectionGone):
            return replace(self._sighting(Ending.OTHER, said), silent=True)
        return self._sighting(Ending.OTHER, said)

    def _sighting(self, ending: Ending, said: str, *, structured: bool = False, lost: bool = False) -> Sighting:
        now = self._since_s(asyncio.get_running_loop().time())
        return Sighting(
            candidate=self._candidate,
            ending=ending,
            said=said,
            # what we held answers back for is none of its work
            lasted_s=max((self._ended_s if self._ended_s is not None else now) - self._held_s, 0.0),
            working_until_s=self._working_until_s,
            answered_s=self._answered_s,
            structured=structured,
            asks=tuple(self._asks),
            progress=tuple(self._progress),
            logs=self._logs,
            made_task=self._task_id is not None,
            given_up=self._given_up,
            lost=lost,
        )

    # -- calling ---------------------------------------------------------------------------------------------

    def _params(self) -> dict[str, JsonValue]:
        return {
            "name": self._candidate.tool,
            "arguments": self._candidate.arguments,
            "_meta": {"progressToken": self._token},
        }

    async def _plainly(self) -> tuple[Ending, str, bool]:
        reply = await self._connection.request("tools/call", self._params(), within=self._pace.deadline(None, TRIAL_S))
        self._ended_s = self._since_s(reply.at)
        return _ending(reply, "tools/call")

    async def _as_task(self) -> tuple[Ending, str, bool]:
        params = {**self._params(), "task": {"ttl": TTL_MS}}
        reply = await self._connection.request("tools/call", params, within=self._pace.deadline(None, TRIAL_S))
        self._answered_s = self._since_s(reply.at)
        result = reply.view().get("result")
        task = result.get("task") if isinstance(result, Mapping) else None
        if not isinstance(task, Mapping) or not isinstance(task.get("taskId"), str):
            # What should have been a task is judged by scenarios, which need the tool mapped: its content counts.
            self._ended_s = self._since_s(reply.at)
            ending, said, structured = _ending(reply, "tools/call")
            return (Ending.OTHER, said, False) if ending is Ending.RPC_ERROR else (ending, said, structured)
        self._task_id = str(task["taskId"])
        self._tasks.add(self._task_id)
        waiting = await self._connection.begin("tasks/result", {"taskId": self._task_id})
        status = await self._until_it_ends(waiting, task)
        final = await self._final(waiting)
        ending, said, structured = _ending(final, "tasks/result")
        if status == "cancelled" and ending is not Ending.CONTENT:
            self._given_up = True
            return Ending.OTHER, "ended as cancelled, though nobody had cancelled it", False
        if ending is Ending.RPC_ERROR and status not in ("failed", "completed"):  # which of them it is, is judged
            return Ending.OTHER, f"ended as {status} and {said}", False
        return ending, said, structured

    async def _until_it_ends(self, waiting: Exchange, task: Mapping[str, JsonValue]) -> str:
        """The status that the task ends with, or that it showed when tasks/result was answered."""
        status = str(task.get("status"))
        while True:
            answered = waiting.answered and waiting.reply.result().frame is not None
            asked_s = self._since_s(asyncio.get_running_loop().time())
            reply = await self._connection.request(
                "tasks/get", {"taskId": self._task_id}, within=self._pace.deadline(None, self._pace.request_s)
            )
            seen = reply.view().get("result")
            if isinstance(seen, Mapping) and isinstance(seen.get("status"), str):
                task, status = seen, str(seen["status"])
                if status in _TERMINAL:
                    self._end(self._since_s(reply.at), waiting)
                    return status
                self._working_until_s = asked_s
            elif answered:
                self._end(self._since_s(reply.at), waiting)
                return status  # tasks/get tells nothing, but the result is there
            await self._next_look(waiting, task)

    def _end(self, seen_s: float, waiting: Exchange) -> None:
        self._over = True
        self._ended_s = seen_s
        if waiting.answered and "result" in waiting.reply.result().view():
            self._ended_s = min(seen_s, self._since_s(waiting.reply.result().at))

    async def _next_look(self, waiting: Exchange, task: Mapping[str, JsonValue]) -> None:
        """Until it is time to ask again.

        Seldom enough for the target's poll interval, yet often enough to tell when about half of the work was done.
        """
        elapsed = self._since_s(asyncio.get_running_loop().time())
        gap = max(_SOONEST_LOOK_S, min(self._pace.poll(task), elapsed / 2))
        if waiting.reply.done():
            await self._pause(gap)
        else:
            await asyncio.wait({waiting.reply}, timeout=gap)

    async def _pause(self, seconds: float) -> None:
        """Let so much time pass, or less where the connection ends."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._connection.gone.wait()

    async def _final(self, waiting: Exchange) -> Reply:
        """What tasks/result says of a task that has ended; an error that came before is no final word."""
        within = self._pace.deadline(None, self._pace.request_s)
        with suppress(NoAnswer):
            first = await self._connection.finish(waiting, within=within)
            if "result" in first.view():
                return first
        return await self._connection.request("tasks/result", {"taskId": self._task_id}, within=within)

    async def _barrier(self) -> None:
        """What was sent before the end has arrived once a ping is answered."""
        with suppress(NoAnswer, ConnectionGone):
            await self._connection.request("ping", within=self._pace.deadline(None, self._pace.ping_s))

    # -- listening -------------------------------------------------------------------------------------------

    async def _listen(self) -> None:
        """Answer what is asked, count what is told."""
        async with asyncio.TaskGroup() as answering:
            while True:
                message = await self._connection.inbox.take(lambda _: True, within=None)
                if self._owed(message):
                    self._asked(message, answering)
                elif message.frame.method == "notifications/progress":
                    self._told_progress(message)
                elif message.frame.method == "notifications/message" and self._ours(message):
                    self._logs += 1

    def _owed(self, message: Incoming) -> bool:
        """Whether it is a request that nobody has answered; one that is delivered again is the same request."""
        key = id_key(message.frame.id)
        new = message.frame.kind is FrameKind.REQUEST and key not in self._answering
        return new and any(id_key(waiting.frame.id) == key for waiting in self._connection.unanswered)

    def _ours(self, message: Incoming) -> bool:
        """Whether a message can be about our task: some targets send to everyone, some name a task that is none."""
        related = related_task_of(message.frame.params)
        return related is None or related == self._task_id or related not in self._tasks

    def _asked(self, message: Incoming, answering: asyncio.TaskGroup) -> None:
        if not self._ours(message):
            return
        if self._endless.is_set():
            return
        self._answering.add(id_key(message.frame.id))
        self._requests += 1
        question = show({**message.frame.params, "method": message.frame.method, "_meta": None}, _LONGEST)
        if question not in self._open:  # an open question that comes again, on another road, is the same question
            text = message.frame.params.get("message")
            ask = Ask(message.frame.method or "", text if isinstance(text, str) else "", len(self._open))
            self._asks.append(ask)
        if len(self._asks) > MOST_ASKS or self._requests > MOST_REQUESTS:
            self._endless.set()
            return
        self._open[question] += 1
        answering.create_task(self._answer(message, question, alone=self._open.total() == 1))

    async def _answer(self, message: Incoming, question: str, *, alone: bool) -> None:
        linger = self._pace.deadline(None, LINGER_S)
        await self._pause(linger)
        if alone:
            self._held_s += linger
        self._open[question] -= 1
        if not self._open[question]:
            del self._open[question]
        self._answering.discard(id_key(message.frame.id))
        with suppress(ConnectionGone):
            result = answer_to(message.frame.method or "", message.frame.params)
            await self._connection.respond(message, {"result": result})

    def _told_progress(self, message: Incoming) -> None:
        """Whatever its token and its value: whether they are right is judged by the scenarios that follow."""
        self._progress.append(self._since_s(message.at))

    # -- ending ----------------------------------------------------------------------------------------------

    async def _let_go(self) -> None:
        """Leave nothing behind: what was started and has not ended is cancelled, what is asked is refused."""
        with suppress(ConnectionGone, NoAnswer, TimeoutError):
            async with asyncio.timeout(LET_GO_S):
                cancels = declares(self._connection.capabilities, "tasks.cancel")
                if self._task_id is not None and not self._over and cancels:
                    params = {"taskId": self._task_id}
                    await self._connection.request("tasks/cancel", params, within=self._pace.ping_s)
                for message in self._connection.unanswered:
                    refusal = refusal_of(message.frame.method or "", message.frame.params)
                    await self._connection.respond(message, refusal)


def _ending(reply: Reply, method: str) -> tuple[Ending, str, bool]:
    """How the reply says that the work ended, in words too, and whether it has structured content."""
    view = reply.view()
    result = view.get("result")
    if isinstance(result, Mapping):
        if result.get("isError") is True:
            return Ending.TOOL_ERROR, f"ended with isError true ({show(result.get('content'), 80)})", False
        structured = isinstance(result.get("structuredContent"), Mapping)
        content = result.get("content")
        if isinstance(content, list) and (content or structured):
            return Ending.CONTENT, "succeeded", structured
        return Ending.OTHER, f"gave {show(result, 80)} as its result", False
    error = view.get("error")
    if isinstance(error, Mapping):
        code = error.get("code")
        said = f"had {method} answered with {code} ({show(error.get('message'), 80)})"
        own = isinstance(code, int) and not isinstance(code, bool) and code not in _TASK_METHOD_CODES
        return (Ending.RPC_ERROR if own else Ending.OTHER), said, False
    return Ending.OTHER, f"had {method} answered with {show(view, 80)}", False
