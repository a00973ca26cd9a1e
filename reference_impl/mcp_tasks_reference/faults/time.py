"""Faults in timestamps, ttl and poll intervals."""

from __future__ import annotations

from mcp_tasks_reference.deviation import broken
from mcp_tasks_reference.jsonrpc import INTERNAL_ERROR, JsonObject, JsonValue, RpcError
from mcp_tasks_reference.service import TaskService
from mcp_tasks_reference.task import Task
from mcp_tasks_reference.v1.views import Views

_HOUR_S = 3600
_TASK_SCHEMAS = ("v1.create.schema", "v1.get.schema", "v1.list.schema", "v1.notify.schema", "v1.cancel.schema")


@broken(
    "created-at-number",
    "v1.time.created-at",
    says="createdAt is a number of milliseconds.",
    also=_TASK_SCHEMAS,
)
class CreatedAtNumber(Views):
    def created_at(self, task: Task) -> JsonValue:
        return int(task.created_at * 1000)


@broken(
    "created-at-moves",
    "v1.time.created-at",
    says="createdAt is the time at which one looks.",
    also=["v1.time.last-updated-at"],
)
class CreatedAtMoves(Views):
    def created_at(self, task: Task) -> JsonValue:
        return self._clock.stamp(self._clock.now())


@broken(
    "updated-at-missing",
    "v1.time.last-updated-at",
    says="Tasks have no lastUpdatedAt.",
    also=_TASK_SCHEMAS,
)
class UpdatedAtMissing(Views):
    def task(self, task: Task) -> dict[str, JsonValue]:
        return {name: value for name, value in super().task(task).items() if name != "lastUpdatedAt"}


@broken(
    "updated-at-frozen",
    "v1.time.last-updated-at",
    says="lastUpdatedAt stays at the time of creation whatever happens.",
    also=["v1.notify.truthful"],
)
class UpdatedAtFrozen(Views):
    def updated_at(self, task: Task) -> JsonValue:
        return self._clock.stamp(task.created_at)


@broken(
    "updated-at-before-creation",
    "v1.time.last-updated-at",
    says="lastUpdatedAt lies an hour before createdAt.",
)
class UpdatedAtBeforeCreation(Views):
    def updated_at(self, task: Task) -> JsonValue:
        return self._clock.stamp(task.updated_at - _HOUR_S)


@broken(
    "get-without-ttl",
    "v1.ttl.actual-returned",
    says="tasks/get does not tell the ttl.",
    also=["v1.get.schema"],
)
class GetWithoutTtl(Views):
    def got(self, task: Task) -> JsonObject:
        return {name: value for name, value in super().got(task).items() if name != "ttl"}


@broken(
    "get-ttl-as-text",
    "v1.ttl.actual-returned",
    says="tasks/get tells the ttl as a text with its unit.",
    also=["v1.get.schema"],
)
class GetTtlAsText(Views):
    def got(self, task: Task) -> JsonObject:
        return {**super().got(task), "ttl": f"{task.ttl_ms}ms"}


@broken(
    "expires-early",
    "v1.ttl.alive-until",
    "v1.ttl.may-override",
    says="Tasks are gone after a quarter of the ttl that they show.",
)
class ExpiresEarly(TaskService):
    def is_expired(self, task: Task) -> bool:
        return task.ttl_ms is not None and self._clock.now() >= task.created_at + task.ttl_ms / 4000


@broken(
    "expired-as-internal-error",
    "v1.ttl.may-delete-after",
    says="Asking for a task that has expired ends in an internal error.",
    also=["v1.get.unknown-id", "v1.result.unknown-id", "v1.cancel.unknown-id"],
)
class ExpiredAsInternalError(TaskService):
    _expired: frozenset[str] = frozenset()

    async def expire(self, task_id: str) -> None:
        await super().expire(task_id)
        self._expired |= {task_id}

    def unknown(self, task_id: str) -> RpcError:
        if task_id in self._expired:
            return RpcError(INTERNAL_ERROR, "Internal error")
        return super().unknown(task_id)


@broken("ttl-unlimited", "v1.ttl.cap", says="Any ttl is granted, however large.")
class TtlUnlimited(TaskService):
    def granted_ttl(self, asked_ms: int | None) -> int | None:
        granted = super().granted_ttl(asked_ms)
        return granted if asked_ms is None or granted is None else max(asked_ms, granted)


@broken(
    "poll-interval-as-text",
    "v1.poll.interval-number",
    says="pollInterval is a text.",
    also=_TASK_SCHEMAS,
)
class PollIntervalAsText(Views):
    def task(self, task: Task) -> dict[str, JsonValue]:
        return {**super().task(task), "pollInterval": "50ms"}
