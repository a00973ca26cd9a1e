"""Freedoms that concern tasks, whatever carries the messages."""

from __future__ import annotations

import asyncio
import os
import time
import uuid
from datetime import UTC, datetime
from typing import Any

from mcp_tasks_reference.behaviours import MOMENT_S
from mcp_tasks_reference.calls import TaskCall
from mcp_tasks_reference.clock import LoopClock
from mcp_tasks_reference.courier import Courier
from mcp_tasks_reference.deviation import Variant
from mcp_tasks_reference.ids import TaskIds
from mcp_tasks_reference.jsonrpc import SERVER_BUSY, JsonObject, JsonValue, RpcError
from mcp_tasks_reference.lifecycle import Status
from mcp_tasks_reference.mailbox import Question
from mcp_tasks_reference.running import Running
from mcp_tasks_reference.service import TaskService
from mcp_tasks_reference.session import Exchange, Session
from mcp_tasks_reference.task import Owner, Task
from mcp_tasks_reference.tools import text_result
from mcp_tasks_reference.v1.capabilities import Capabilities
from mcp_tasks_reference.v1.task_methods import TaskMethods
from mcp_tasks_reference.v1.tool_methods import ToolMethods
from mcp_tasks_reference.v1.views import Views

POLLS_AT_ONCE = 5.0
POLLS_PER_S = 20


class DeclaresNoRequests(Capabilities):
    """Declares tasks without a request that may become one."""

    def requests(self) -> JsonValue:
        return {}


class TellsRemainingTtl(Views):
    """Tells whoever asks for a task how much of its ttl is left, as an example of the text can be read."""

    def got(self, task: Task) -> JsonObject:
        shown = super().got(task)
        ends = task.expires_at
        return shown if ends is None else {**shown, "ttl": max(0, round((ends - self._clock.now()) * 1000))}


class IgnoresTask(ToolMethods):
    """Takes no notice of `task` in a tool call."""

    def heeds_tasks(self, session: Session) -> bool:
        return False


class NeverTells(Courier):
    """Sends no status notifications."""

    def tell_status(self, running: Running, task: Task) -> None:
        pass


class AlwaysTells(TaskService):
    """Sends a status notification for the creation too, and every one twice."""

    def attach(self, running: Running, job: asyncio.Task[None], *, stoppable: bool) -> None:
        super().attach(running, job, stoppable=stoppable)
        self._jobs.start(self._tell_creation(running), "notification of a creation")

    async def _tell_creation(self, running: Running) -> None:
        task = await self.load(running.task_id)
        if task is not None:
            self.tell(running, task)

    def tell(self, running: Running, task: Task) -> None:
        super().tell(running, task)
        super().tell(running, task)


class NeverReports(Courier):
    """Sends no progress."""

    def tell_progress(self, running: Running, progress: JsonObject) -> None:
        pass


class TimeOrderedIds(TaskIds):
    """UUIDs of version 7: a time, then 74 random bits."""

    def new(self) -> str:
        """A time in milliseconds and randomness."""
        bits = int.from_bytes(os.urandom(10)) | (time.time_ns() // 1_000_000) << 80
        bits = bits & ~(0xF << 76) | 7 << 76
        return str(uuid.UUID(int=bits & ~(0x3 << 62) | 2 << 62))


class CoarseClock(LoopClock):
    """Timestamps of whole seconds."""

    def stamp(self, moment: float) -> str:
        return datetime.fromtimestamp(int(moment), UTC).isoformat().replace("+00:00", "Z")


class DeletesCancelled(TaskService):
    """Removes a task as soon as it is cancelled."""

    async def cancel(self, owner: Owner, task_id: str) -> Task:
        task = await super().cancel(owner, task_id)
        await self.expire(task_id)
        return task


class EndsAtOnce(TaskCall):
    """Short work takes no time at all."""

    async def sleep(self, seconds: float) -> None:
        if seconds != MOMENT_S:
            await super().sleep(seconds)


class LimitsPolls(TaskMethods):
    """Refuses tasks/get of a task that is asked for again and again."""

    def __init__(self, *parts: Any, **named: Any) -> None:  # noqa: ANN401
        super().__init__(*parts, **named)
        self._polls: dict[str, tuple[float, float]] = {}

    async def get(self, exchange: Exchange, params: JsonObject) -> JsonObject:
        task = await super().get(exchange, params)
        now = asyncio.get_running_loop().time()
        left, then = self._polls.get(str(params["taskId"]), (POLLS_AT_ONCE, now))
        left = min(POLLS_AT_ONCE, left + (now - then) * POLLS_PER_S)
        self._polls[str(params["taskId"])] = (max(0.0, left - 1), now)
        if left < 1:
            raise RpcError(SERVER_BUSY, "Too many requests: heed the task's pollInterval")
        return task


class AsksOnce(Courier):
    """Delivers each question once, and trusts that it came."""

    def repeats(self, question: Question) -> bool:
        return False


class AsksOnResultOnly(Courier):
    """Delivers questions only while a tasks/result waits."""

    def pose(self, running: Running, question: Question) -> None:
        if running.open_waiter() is not None:
            super().pose(running, question)


class SpeaksAtOnce(Views):
    """Gives the model something to go on with at once."""

    def created(self, task: Task) -> JsonObject:
        meta = {"io.modelcontextprotocol/model-immediate-response": "The work has begun."}
        return {"task": self.task(task), "_meta": {**self.related(task.task_id), **meta}}


class PartialResultWhenCancelled(TaskMethods):
    """Answers tasks/result of a cancelled task with what there is of a result."""

    async def outcome(self, task: Task) -> JsonObject:
        if task.status is Status.CANCELLED:
            return self._views.result(task, text_result("Cancelled before it was done", is_error=True))
        return await super().outcome(task)


VARIANTS = (
    Variant("no-list", "tasks/list is neither declared nor served.", {"offer_list": False}),
    Variant("no-cancel", "tasks/cancel is neither declared nor served.", {"offer_cancel": False}),
    Variant(
        "no-tool-tasks",
        "Tasks are declared, but no tool call can be one: `task` is ignored there.",
        mixins=(DeclaresNoRequests, IgnoresTask),
    ),
    Variant("cancelled-deleted", "A cancelled task is deleted at once.", mixins=(DeletesCancelled,)),
    Variant(
        "cancelled-result-partial",
        "tasks/result of a cancelled task answers a result.",
        mixins=(PartialResultWhenCancelled,),
    ),
    Variant("ttl-capped", "No task lives longer than 20 seconds.", {"max_ttl_ms": 20_000, "default_ttl_ms": 20_000}),
    Variant("ttl-short", "No task lives longer than two seconds.", {"max_ttl_ms": 2000, "default_ttl_ms": 2000}),
    Variant("ttl-extended", "Every task lives for ten minutes.", {"min_ttl_ms": 600_000, "default_ttl_ms": 600_000}),
    Variant(
        "ttl-remaining",
        "tasks/get tells the time that remains.",
        mixins=(TellsRemainingTtl,),
        consequences=("v1.ttl.actual-returned",),
    ),
    Variant("poll-interval-absent", "Tasks name no pollInterval.", {"poll_interval_ms": None}),
    Variant("poll-interval-5s", "Tasks ask to be polled every five seconds only.", {"poll_interval_ms": 5000}),
    Variant("polls-limited", "A task polled again and again is refused, though not forever.", mixins=(LimitsPolls,)),
    Variant("ends-at-once", "Short work has ended before the first poll.", mixins=(EndsAtOnce,)),
    Variant("uuid7-ids", "Task ids begin with a time.", mixins=(TimeOrderedIds,)),
    Variant("coarse-clock", "Timestamps show whole seconds.", mixins=(CoarseClock,)),
    Variant("notifications-never", "No status notification is ever sent.", mixins=(NeverTells,)),
    Variant(
        "notifications-always",
        "Creations are told by status notification too, and everything twice.",
        mixins=(AlwaysTells,),
    ),
    Variant("progress-never", "No progress is ever sent.", mixins=(NeverReports,)),
    Variant("questions-once", "A question that was delivered is not repeated.", mixins=(AsksOnce,)),
    Variant("questions-on-result", "Questions wait for a tasks/result.", mixins=(AsksOnResultOnly,)),
    Variant("immediate-response", "Creations give the model something to say.", mixins=(SpeaksAtOnce,)),
)
