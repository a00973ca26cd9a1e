"""The life of tasks: made, moved, looked up, awaited, cancelled, expired."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import replace

from mcp_tasks_reference.clock import LoopClock
from mcp_tasks_reference.courier import Courier
from mcp_tasks_reference.ids import TaskIds
from mcp_tasks_reference.jobs import Jobs
from mcp_tasks_reference.jsonrpc import INTERNAL_ERROR, INVALID_PARAMS, SERVER_BUSY, JsonObject, Request, RpcError
from mcp_tasks_reference.lifecycle import Lifecycle, Status
from mcp_tasks_reference.mailbox import Mailbox
from mcp_tasks_reference.running import Running, Waiter
from mcp_tasks_reference.session import Session
from mcp_tasks_reference.settings import Settings
from mcp_tasks_reference.store import TaskStore
from mcp_tasks_reference.task import Outcome, Owner, Task

_audit = logging.getLogger("mcp_tasks_reference.audit")


class TaskService:
    """Everything that happens to tasks happens here; what they look like and who may say what is decided elsewhere."""

    def __init__(
        self,
        settings: Settings,
        *,
        lifecycle: Lifecycle,
        clock: LoopClock,
        ids: TaskIds,
        store: TaskStore,
        mailbox: type[Mailbox],
        courier: Courier,
        jobs: Jobs,
    ) -> None:
        self._settings = settings
        self._lifecycle = lifecycle
        self._clock = clock
        self._ids = ids
        self._store = store
        self._mailbox = mailbox
        self._courier = courier
        self._jobs = jobs
        self._running: dict[str, Running] = {}
        self._expiries: dict[str, asyncio.TimerHandle] = {}

    async def open(self) -> None:
        """Take over the tasks of an earlier process: work that died with it has failed."""
        for task in await self._store.open():
            self._schedule_expiry(task)
            if not self._lifecycle.is_over(task.status):
                error = RpcError(INTERNAL_ERROR, "The server was restarted while the task was running")
                await self.move(task.task_id, Status.FAILED, error.message, Outcome(error=error))

    async def create(self, session: Session, request: Request, params: JsonObject, ttl_ms: int | None) -> Running:
        """Make a task for a request; its work is started apart, with :meth:`attach`.

        Raises:
            RpcError: the requestor has as many tasks as it may have.
        """
        if await self._store.count(session.owner) >= self._settings.max_tasks:
            raise RpcError(SERVER_BUSY, f"Too many tasks: a requestor may have {self._settings.max_tasks} at a time")
        now = self._clock.now()
        task = await self._store.add(
            Task(
                task_id=self.new_id(session, params),
                owner=session.owner,
                status=self._lifecycle.first(),
                created_at=now,
                updated_at=now,
                ttl_ms=self.granted_ttl(ttl_ms),
                poll_interval_ms=self._settings.poll_interval_ms,
                method=request.method,
                params=params,
                status_message="The task has been accepted",
            )
        )
        _audit.info("created %s for %s %s", task.task_id, task.owner.kind, task.owner.name)
        running = Running(task.task_id, session, self.mailbox(), request, asyncio.get_running_loop().time())
        self._running[task.task_id] = running
        self._schedule_expiry(task)
        return running

    def new_id(self, session: Session, params: JsonObject) -> str:  # noqa: ARG002
        """The name of a new task; the requestor has no say in it."""
        return self._ids.new()

    def mailbox(self) -> Mailbox:
        """An empty message queue."""
        return self._mailbox(self._settings.max_queue)

    def granted_ttl(self, asked_ms: int | None) -> int | None:
        """The ttl in force: what was asked for, within limits."""
        if asked_ms is None:
            return self._settings.default_ttl_ms
        return min(max(asked_ms, self._settings.min_ttl_ms), self._settings.max_ttl_ms)

    async def find(self, owner: Owner, task_id: str) -> Task:
        """A task of its owner.

        Raises:
            RpcError: there is none of this id, or it is somebody else's; the two cannot be told apart.
        """
        task = await self._store.find(owner, task_id)
        if task is None or self.is_expired(task):
            raise self.unknown(task_id)
        return task

    def unknown(self, task_id: str) -> RpcError:
        """What an id without a task is answered with."""
        return RpcError(INVALID_PARAMS, f"Task not found: {task_id[:80]}")

    def is_expired(self, task: Task) -> bool:
        """Whether the task has outlived its ttl."""
        return task.expires_at is not None and self._clock.now() >= task.expires_at

    async def page(self, owner: Owner, after: int) -> tuple[Sequence[Task], int | None]:
        """A page of the owner's tasks, and the position of the next one if there is more."""
        size = self.page_size()
        found = await self._store.page(owner, after, size + 1)
        page = [task for task in found[:size] if not self.is_expired(task)]
        return page, found[size - 1].number if len(found) > size else None

    def page_size(self) -> int:
        """How many tasks a page holds."""
        return self._settings.page_size

    async def load(self, task_id: str) -> Task | None:
        """Any task, whoever it belongs to; for the server's own use."""
        return await self._store.load(task_id)

    def running(self, task_id: str) -> Running | None:
        """What lives of a task in this process."""
        return self._running.get(task_id)

    def all_running(self) -> Sequence[Running]:
        """What lives in this process of all tasks."""
        return tuple(self._running.values())

    async def cancel(self, owner: Owner, task_id: str) -> Task:
        """End a task by its requestor's will.

        Raises:
            RpcError: the task is unknown or has ended already.
        """
        task = await self.find(owner, task_id)
        if self.refuses_cancel(task):
            raise self.too_late(task)
        moved = await self.move(task_id, Status.CANCELLED, "The task was cancelled by request")
        if moved is None:
            raise self.too_late(await self.find(owner, task_id))
        self.stop_work(task_id)
        return moved

    def refuses_cancel(self, task: Task) -> bool:
        """Whether it is too late to cancel."""
        return not self._lifecycle.may_move(task.status, Status.CANCELLED)

    def too_late(self, task: Task) -> RpcError:
        """What cancelling an ended task is answered with."""
        return RpcError(INVALID_PARAMS, f"Cannot cancel task: it is already {task.status.value}")

    async def await_end(self, owner: Owner, task_id: str, waiter: Waiter) -> Task:
        """Wait until a task has ended, telling the waiter meanwhile what the task has to say.

        Raises:
            RpcError: the task is unknown, or expired before it ended.
        """
        task = await self.find(owner, task_id)
        running = self._running.get(task_id)
        if running is None:
            return task
        running.waiters.append(waiter)
        try:
            self._courier.catch_up(running, waiter)
            await self.until_ended(running)
            self._courier.catch_up(running, waiter)
        finally:
            running.waiters.remove(waiter)
        _audit.info("result of %s fetched by %s %s", task_id, owner.kind, owner.name)
        return await self.find(owner, task_id)

    async def until_ended(self, running: Running) -> None:
        """Sleep until the task's end wakes us; there is no polling."""
        await running.ended.wait()

    async def move(
        self, task_id: str, status: Status, message: str | None = None, outcome: Outcome | None = None
    ) -> Task | None:
        """Take a task to another status; none where its lifecycle does not allow it or it is gone."""
        while (task := await self._store.load(task_id)) is not None:
            if not self._lifecycle.may_move(task.status, status):
                return None
            moved = self.moved(task, status, message, outcome)
            if await self._store.swap(task, moved):
                self._announce(moved)
                return moved
        return None

    def moved(self, task: Task, status: Status, message: str | None, outcome: Outcome | None) -> Task:
        """The task as it is after a move."""
        return replace(
            task,
            status=status,
            status_message=message,
            outcome=outcome,
            updated_at=self._clock.after(task.updated_at),
            revision=task.revision + 1,
        )

    async def fail(self, running: Running, error: RpcError) -> None:
        """End a task by the server's will."""
        await self.move(running.task_id, Status.FAILED, error.message, Outcome(error=error))
        self.stop_work(running.task_id)

    def attach(self, running: Running, job: asyncio.Task[None], *, stoppable: bool) -> None:
        """Know the work of a task, to be able to stop it."""
        running.job, running.stoppable = job, stoppable

    def stop_work(self, task_id: str) -> None:
        """Stop what a task is doing."""
        running = self._running.get(task_id)
        if running is not None and running.job is not None and running.stoppable:
            running.job.cancel()

    async def expire(self, task_id: str) -> None:
        """Remove a task whose ttl has passed, whatever it is doing."""
        self.stop_work(task_id)
        await self._store.remove(task_id)
        running = self._running.pop(task_id, None)
        if running is not None:
            running.over = True
            self.close_queue(running, keep_notes=False, reason="The task has expired")
            running.ended.set()
        _audit.info("expired %s", task_id)

    async def close(self) -> None:
        """Forget what runs and let the store go."""
        for expiry in self._expiries.values():
            expiry.cancel()
        self._expiries.clear()
        self._running.clear()
        await self._store.close()

    def _announce(self, task: Task) -> None:
        running = self._running.get(task.task_id)
        if running is not None:
            self.tell(running, task)
            if self._lifecycle.is_over(task.status):
                running.over = True
                self.close_queue(
                    running, keep_notes=task.status is not Status.CANCELLED, reason=f"The task is {task.status.value}"
                )
                self.wake(running)
        _audit.info("%s is %s", task.task_id, task.status.value)

    def close_queue(self, running: Running, *, keep_notes: bool, reason: str) -> None:
        """An ended task needs no answers; what it only had to tell may still be fetched, unless it was cancelled."""
        mailbox, given_up = running.mailbox, RpcError(INTERNAL_ERROR, reason)
        for question in mailbox.drop_questions(given_up) if keep_notes else mailbox.clear(given_up):
            self._courier.withdraw(question, running.task_id, reason)

    def tell(self, running: Running, task: Task) -> None:
        """Tell the requestor of a new status."""
        self._courier.tell_status(running, task)

    def wake(self, running: Running) -> None:
        """Let those who wait for the end know."""
        running.ended.set()

    def _schedule_expiry(self, task: Task) -> None:
        if task.expires_at is not None:
            delay = max(0.0, task.expires_at - self._clock.now())
            expiry = asyncio.get_running_loop().call_later(delay, self._begin_expiry, task.task_id)
            self._expiries[task.task_id] = expiry

    def _begin_expiry(self, task_id: str) -> None:
        del self._expiries[task_id]
        self._jobs.start(self.expire(task_id), f"expiry of {task_id}")
