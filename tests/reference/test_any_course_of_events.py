"""Whatever requestors do and in whatever order, the server's promises hold."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from contextlib import AsyncExitStack
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, rule

from mcp_tasks_conformance.selftest.virtual_time import VirtualTimeLoop
from tests.reference.clients import RELATED, MemoryClient, Message, memory_server
from tests.reference.probes import ENDS, answered

TOOLS = ["completes", "slow", "fails-tool-error", "fails-rpc-error", "asks-many", "ignores-cancel", "floods"]
TTL_MS = 3000
MOVES = {
    "working": {"working", "input_required", *ENDS},
    "input_required": {"working", "input_required", *ENDS},
    **{end: {end} for end in ENDS},
}


class Course(RuleBasedStateMachine):
    """Two identities, any number of tasks, and time that passes."""

    tasks = Bundle("tasks")

    def __init__(self) -> None:
        super().__init__()
        self.runner = asyncio.Runner(loop_factory=VirtualTimeLoop)
        self.stack = AsyncExitStack()
        self.last: dict[str, Message] = {}
        self.owners: dict[str, int] = {}
        self.born: dict[str, float] = {}
        self.clients: list[MemoryClient] = self.run(self.open())

    async def open(self) -> list[MemoryClient]:
        server = await self.stack.enter_async_context(memory_server("--page-size", "2", "--max-queue", "4"))
        return [await server.connect("ann"), await server.connect("bea")]

    def run(self, work: Coroutine[Any, Any, Any]) -> Any:
        return self.runner.run(work)

    def now(self) -> float:
        return self.runner.get_loop().time()

    def expired(self, task: str) -> bool:
        return self.now() >= self.born[task] + TTL_MS / 1000

    def saw(self, shown: Message) -> None:
        before = self.last.get(shown["taskId"])
        if before is not None:
            assert shown["status"] in MOVES[before["status"]]
            assert shown["createdAt"] == before["createdAt"]
            assert shown["lastUpdatedAt"] >= before["lastUpdatedAt"]
            if shown["status"] != before["status"]:
                assert shown["lastUpdatedAt"] > before["lastUpdatedAt"]
        self.last[shown["taskId"]] = shown

    @rule(target=tasks, owner=st.integers(0, 1), tool=st.sampled_from(TOOLS))
    def create(self, owner: int, tool: str) -> str:
        async def act() -> Message:
            call = {"name": tool, "task": {"ttl": TTL_MS}}
            task: Message = (await self.clients[owner].result("tools/call", call))["task"]
            return task

        shown: Message = self.run(act())
        assert shown["status"] == "working"
        assert shown["taskId"] not in self.owners
        self.owners[shown["taskId"]], self.born[shown["taskId"]] = owner, self.now()
        self.saw(shown)
        return str(shown["taskId"])

    @rule(ms=st.sampled_from([1, 10, 30, 300, 700, 1500]))
    def let_time_pass(self, ms: int) -> None:
        self.run(asyncio.sleep(ms / 1000))

    @rule(task=tasks, who=st.integers(0, 1))
    def get(self, task: str, who: int) -> None:
        shown = self.run(answered(self.clients[who], "tasks/get", taskId=task))
        if who != self.owners[task] or self.expired(task):
            assert shown == -32602
        else:
            self.saw(shown)

    @rule(task=tasks, who=st.integers(0, 1))
    def cancel(self, task: str, who: int) -> None:
        before = self.run(answered(self.clients[self.owners[task]], "tasks/get", taskId=task))
        shown = self.run(answered(self.clients[who], "tasks/cancel", taskId=task))
        if who != self.owners[task] or before == -32602 or before["status"] in ENDS:
            assert shown == -32602
        else:
            assert shown["status"] == "cancelled"
            self.saw(shown)

    @rule(task=tasks)
    def fetch_the_result_of_what_has_ended(self, task: str) -> None:
        client = self.clients[self.owners[task]]
        before = self.run(answered(client, "tasks/get", taskId=task))
        if before == -32602 or before["status"] not in ENDS:
            return
        result = self.run(answered(client, "tasks/result", taskId=task))
        if before["status"] == "completed":
            assert result["_meta"][RELATED] == {"taskId": task}
        assert result == self.run(answered(client, "tasks/result", taskId=task))

    @rule(task=consumes(tasks))
    def answer_all_questions_and_wait(self, task: str) -> None:
        client = self.clients[self.owners[task]]

        async def act() -> Any:
            waiting = await client.begin("tasks/result", taskId=task)
            while True:
                message = await client.next(
                    lambda one: one.get("id") == waiting if "method" not in one else one["method"].startswith("elici"),
                    60,
                )
                if "method" not in message:
                    return message
                await client.accept(message)

        response = self.run(act())
        assert ("result" in response) is not ("error" in response)
        shown = self.run(answered(client, "tasks/get", taskId=task))
        if shown != -32602:
            assert shown["status"] in ENDS
            self.saw(shown)

    @rule(who=st.integers(0, 1))
    def list_all(self, who: int) -> None:
        async def act() -> list[Message]:
            found, page = [], await self.clients[who].result("tasks/list")
            found += page["tasks"]
            while "nextCursor" in page:
                page = await self.clients[who].result("tasks/list", cursor=page["nextCursor"])
                found += page["tasks"]
            return found

        found = self.run(act())
        alive = [task for task, owner in self.owners.items() if owner == who and not self.expired(task)]
        assert [shown["taskId"] for shown in found] == alive
        for shown in found:
            self.saw(shown)

    def teardown(self) -> None:
        for client in self.clients:
            for params in client.of("notifications/tasks/status"):
                assert self.owners[params["taskId"]] == self.clients.index(client)
        self.run(self.stack.aclose())
        self.runner.close()


TestCourse = Course.TestCase
TestCourse.settings = settings(max_examples=25, stateful_step_count=30, deadline=None)
