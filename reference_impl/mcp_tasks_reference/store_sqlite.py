"""Tasks in a SQLite file: they outlive the process, even one that is killed."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from mcp_tasks_reference.jsonrpc import RpcError
from mcp_tasks_reference.lifecycle import Status
from mcp_tasks_reference.task import Outcome, Owner, Task
from mcp_tasks_reference.unavailable import Unavailable

_SCHEMA = """
create table if not exists tasks (
    number integer primary key autoincrement,
    task_id text not null unique,
    owner_kind text not null,
    owner_name text not null,
    revision integer not null,
    body text not null
);
create index if not exists tasks_by_owner on tasks (owner_kind, owner_name, number);
"""


class SqliteStore:
    """One table; every change is one transaction, in the file before it is answered."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._held: sqlite3.Connection | None = None

    @property
    def _db(self) -> sqlite3.Connection:
        if self._held is None:
            try:
                self._held = sqlite3.connect(self._path, isolation_level=None)
                self._held.execute("pragma journal_mode = wal")
                self._held.execute("pragma synchronous = normal")
                self._held.executescript(_SCHEMA)
            except sqlite3.Error as problem:
                raise Unavailable(f"the store {self._path} cannot be used: {problem}") from None
        return self._held

    async def open(self) -> Sequence[Task]:
        """The tasks in the file."""
        return self._tasks("order by number")

    async def add(self, task: Task) -> Task:
        """Keep a new task and give it its number."""
        added = self._db.execute(
            "insert into tasks (task_id, owner_kind, owner_name, revision, body) values (?, ?, ?, ?, ?)",
            (
                task.task_id,
                task.owner.kind,
                task.owner.name,
                task.revision,
                _dump(task),
            ),
        )
        return replace(task, number=added.lastrowid or 0)

    async def find(self, owner: Owner, task_id: str) -> Task | None:
        """The owner's task of this id."""
        found = self._tasks(
            "where task_id = ? and owner_kind = ? and owner_name = ?", _text(task_id), owner.kind, owner.name
        )
        return found[0] if found else None

    async def page(self, owner: Owner, after: int, size: int) -> Sequence[Task]:
        """The owner's tasks past a number, in order."""
        return self._tasks(
            "where owner_kind = ? and owner_name = ? and number > ? order by number limit ?",
            owner.kind,
            owner.name,
            after,
            size,
        )

    async def count(self, owner: Owner) -> int:
        """How many tasks the owner has."""
        counted = self._db.execute(
            "select count(*) from tasks where owner_kind = ? and owner_name = ?", (owner.kind, owner.name)
        )
        return int(counted.fetchone()[0])

    async def load(self, task_id: str) -> Task | None:
        """Any task."""
        found = self._tasks("where task_id = ?", _text(task_id))
        return found[0] if found else None

    async def swap(self, before: Task, after: Task) -> bool:
        """Replace a task of a known revision, in one statement."""
        changed = self._db.execute(
            "update tasks set revision = ?, body = ? where task_id = ? and revision = ?",
            (after.revision, _dump(after), before.task_id, before.revision),
        )
        return changed.rowcount == 1

    async def remove(self, task_id: str) -> None:
        """Forget a task."""
        self._db.execute("delete from tasks where task_id = ?", (_text(task_id),))

    async def close(self) -> None:
        """Close the file."""
        if self._held is not None:
            self._held.close()
            self._held = None

    def _tasks(self, condition: str, *values: str | int) -> Sequence[Task]:
        rows = self._db.execute(f"select number, body from tasks {condition}", values)  # noqa: S608
        return tuple(_load(number, body) for number, body in rows)


def _text(task_id: str) -> str:
    """An id as SQLite can hold it: ours are ASCII, so one with lone surrogates matches none."""
    return task_id.encode("utf-8", "replace").decode()


def _dump(task: Task) -> str:
    outcome: dict[str, Any] | None = None
    if task.outcome is not None:
        error = task.outcome.error
        outcome = {"result": task.outcome.result, "error": None if error is None else error.describe()}
    return json.dumps(
        {
            "task_id": task.task_id,
            "owner": [task.owner.kind, task.owner.name],
            "status": task.status.value,
            "created_at": task.created_at,
            "updated_at": task.updated_at,
            "ttl_ms": task.ttl_ms,
            "poll_interval_ms": task.poll_interval_ms,
            "method": task.method,
            "params": task.params,
            "status_message": task.status_message,
            "outcome": outcome,
            "revision": task.revision,
        }
    )


def _load(number: int, body: str) -> Task:
    kept: dict[str, Any] = json.loads(body)
    outcome = kept.pop("outcome")
    if outcome is not None:
        error = outcome["error"]
        kept["outcome"] = Outcome(
            outcome["result"],
            None if error is None else RpcError(error["code"], error["message"], error.get("data")),
        )
    return Task(**{**kept, "owner": Owner(*kept["owner"]), "status": Status(kept["status"]), "number": number})
