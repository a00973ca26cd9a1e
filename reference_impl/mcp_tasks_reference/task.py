"""What the server knows of a task."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Literal

from mcp_tasks_reference.jsonrpc import JsonObject, RpcError
from mcp_tasks_reference.lifecycle import Status


@dataclass(frozen=True, slots=True)
class Owner:
    """Whom a task belongs to: the holder of a credential, else one session; everyone on a single-tenant server."""

    kind: Literal["identity", "session", "everyone"]
    name: str

    @classmethod
    def by_credential(cls, credential: str) -> Owner:
        """The holder of a credential, kept only as its digest."""
        return cls("identity", hashlib.sha256(credential.encode("utf-8", "surrogatepass")).hexdigest())


EVERYONE = Owner("everyone", "")


@dataclass(frozen=True, slots=True)
class Outcome:
    """How the request behind a task ended: exactly one of result and error is there."""

    result: JsonObject | None = None
    error: RpcError | None = None

    @property
    def succeeded(self) -> bool:
        """Whether the request did what it was asked to do: a tool's own failure is none."""
        return self.result is not None and self.result.get("isError") is not True


@dataclass(frozen=True, slots=True)
class Task:
    """One task at one moment; it changes by being replaced."""

    task_id: str
    owner: Owner
    status: Status
    created_at: float
    """Seconds since the epoch."""
    updated_at: float
    ttl_ms: int | None
    poll_interval_ms: int | None
    method: str
    """The request that made the task, and its params."""
    params: JsonObject
    status_message: str | None = None
    outcome: Outcome | None = None
    number: int = 0
    """Order of creation; the store gives it."""
    revision: int = 0
    """Raised by every change; the store refuses a change of an older revision."""

    @property
    def expires_at(self) -> float | None:
        """When the task may be removed, in seconds since the epoch."""
        return None if self.ttl_ms is None else self.created_at + self.ttl_ms / 1000
