"""Both stores keep the same promises."""

from __future__ import annotations

from collections.abc import Coroutine
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, invariant, rule

from mcp_tasks_reference.jsonrpc import RpcError
from mcp_tasks_reference.lifecycle import Status
from mcp_tasks_reference.store import MemoryStore, TaskStore
from mcp_tasks_reference.store_sqlite import SqliteStore
from mcp_tasks_reference.task import Outcome, Owner, Task
from mcp_tasks_reference.unavailable import Unavailable

OWNERS = [Owner("identity", "ann"), Owner("identity", "bea"), Owner("session", "ann")]


def run(work: Coroutine[Any, Any, Any]) -> Any:
    """Run what never suspends, without the cost of an event loop."""
    try:
        work.send(None)
    except StopIteration as stop:
        return stop.value
    raise AssertionError("a store in this process does not wait")


def a_task(task_id: str = "t", owner: Owner = OWNERS[0]) -> Task:
    return Task(task_id, owner, Status.WORKING, 1.5, 1.5, 1000, None, "tools/call", {"name": "x", "arguments": {}})


def shown(task: Any) -> Any:
    """A task as something to compare: errors have no equality of their own."""
    if not isinstance(task, Task) or task.outcome is None or task.outcome.error is None:
        return task
    return replace(task, outcome=None), task.outcome.error.describe()


class Stores(RuleBasedStateMachine):
    """What is done to one store is done to the other."""

    tasks = Bundle("tasks")

    def __init__(self) -> None:
        super().__init__()
        self.stores: tuple[TaskStore, TaskStore] = (MemoryStore(), SqliteStore(":memory:"))
        self.count = 0

    def both(self, method: str, *arguments: Any) -> Any:
        one, other = (run(getattr(store, method)(*arguments)) for store in self.stores)
        if isinstance(one, tuple):
            assert [shown(task) for task in one] == [shown(task) for task in other]
        else:
            assert shown(one) == shown(other)
        return one

    @rule(target=tasks, owner=st.sampled_from(OWNERS))
    def add(self, owner: Owner) -> Task:
        self.count += 1
        added: Task = self.both("add", a_task(f"t{self.count}", owner))
        return added

    @rule(task=tasks, status=st.sampled_from(Status), words=st.one_of(st.none(), st.text()))
    def change(self, task: Task, status: Status, words: str | None) -> None:
        current = self.both("load", task.task_id)
        if current is not None:
            error = Outcome(error=RpcError(-1, words or "", {"why": words}))
            self.both("swap", current, replace(current, status=status, outcome=error, revision=current.revision + 1))

    @rule(task=tasks)
    def change_what_has_changed(self, task: Task) -> None:
        assert self.both("swap", replace(task, revision=-1), replace(task, revision=5)) is False

    @rule(task=tasks)
    def remove(self, task: Task) -> None:
        self.both("remove", task.task_id)
        assert self.both("load", task.task_id) is None

    @rule(task=tasks, owner=st.sampled_from(OWNERS))
    def find(self, task: Task, owner: Owner) -> None:
        found = self.both("find", owner, task.task_id)
        assert found is None or found.owner == owner

    @rule(owner=st.sampled_from(OWNERS), after=st.integers(0, 12), size=st.integers(1, 5))
    def page(self, owner: Owner, after: int, size: int) -> None:
        found = self.both("page", owner, after, size)
        assert [task.number for task in found] == sorted(task.number for task in found if task.number > after)
        assert {task.owner for task in found} <= {owner}

    @invariant()
    def counts_agree(self) -> None:
        for owner in OWNERS:
            assert self.both("count", owner) == len(self.both("page", owner, 0, 10_000))

    def teardown(self) -> None:
        for store in self.stores:
            run(store.close())


TestStores = Stores.TestCase
TestStores.settings = settings(max_examples=30, stateful_step_count=25, deadline=None)


def test_sqlite_keeps_every_member_of_a_task(tmp_path: Path) -> None:
    task = replace(
        a_task("é-\N{SNOWMAN}"),
        status=Status.COMPLETED,
        status_message="done",
        poll_interval_ms=7,
        ttl_ms=None,
        outcome=Outcome(result={"content": [], "_meta": {"a": [1, None, "\ud800"]}}),
    )
    first = SqliteStore(str(tmp_path / "tasks.db"))
    kept = run(first.add(task))
    run(first.close())
    second = SqliteStore(str(tmp_path / "tasks.db"))
    assert run(second.open()) == (kept,)
    run(second.close())


def test_an_id_that_is_no_text_for_sqlite_finds_nothing() -> None:
    store = SqliteStore(":memory:")
    run(store.add(a_task()))
    assert run(store.find(OWNERS[0], "\ud800")) is None
    run(store.close())


def test_a_store_that_cannot_be_opened_says_so(tmp_path: Path) -> None:
    store = SqliteStore(str(tmp_path / "no" / "such" / "folder.db"))
    with pytest.raises(Unavailable, match=r"folder\.db"):
        run(store.open())


def test_memory_is_given_back_with_the_last_task_of_an_owner() -> None:
    store = MemoryStore()
    for number in range(100):
        owner = Owner("session", str(number))
        run(store.add(a_task(f"t{number}", owner)))
        run(store.remove(f"t{number}"))
    assert vars(store)["_owned"] == {}
    assert vars(store)["_tasks"] == {}
