"""What can be seen of a server in memory: each probe asks one thing and gives plain data."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from tests.reference.clients import RELATED, App, MemoryClient, Message

Probe = Callable[[App], Awaitable[Any]]
ENDS = ("completed", "failed", "cancelled")


async def answered(client: MemoryClient, method: str, within: float = 5, **params: Any) -> Any:
    """A result, an error code, or ``silence``."""
    try:
        response = await client.response(await client.begin(method, params), within)
    except TimeoutError:
        return "silence"
    return response["error"]["code"] if "error" in response else response["result"]


def kind(value: Any) -> str:
    """What an answer is: a code, silence, or a result."""
    return str(value) if isinstance(value, (int, str)) else "result"


async def capabilities(server: App) -> Any:
    agreed = await server.attach().initialize()
    return agreed["capabilities"].get("tasks")


async def agreed_version(server: App) -> Any:
    return (await server.attach().initialize())["protocolVersion"]


async def served(server: App) -> Any:
    """Whether tasks/list and tasks/cancel exist."""
    client = await server.connect()
    listed = kind(await answered(client, "tasks/list"))
    return listed != "-32601", await answered(client, "tasks/cancel", taskId="none") != -32601


def called(tool: str, task: Message | None = None, **params: Any) -> Probe:
    """How a call is answered: with a task, a result or a code."""

    async def probe(server: App) -> Any:
        client = await server.connect()
        wish: dict[str, Any] = {} if task is None else {"task": task}
        answer = await answered(client, "tools/call", name=tool, **wish, **params)
        if not isinstance(answer, dict):
            return answer
        return "task" if "task" in answer or "taskId" in answer else "result"

    return probe


async def called_once_more(server: App) -> Any:
    """How the second of two calls that ask for a task is answered."""
    client = await server.connect()
    answers = [await answered(client, "tools/call", name="completes", task={}) for _ in range(2)]
    return ["task" if "task" in answer else "result" for answer in answers]


async def supports(server: App) -> Any:
    client = await server.connect()
    tools = (await client.result("tools/list"))["tools"]
    return {tool.get("execution", {}).get("taskSupport") for tool in tools}


def created(look: Callable[[Message], Any], task: Message | None = None, **params: Any) -> Probe:
    """What the answer to a task's creation shows."""

    async def probe(server: App) -> Any:
        client = await server.connect()
        wish = {"ttl": 9000} if task is None else task
        return look(await client.result("tools/call", {"name": "slow", "task": wish, **params}))

    return probe


async def creation_takes(server: App) -> Any:
    client = await server.connect()
    began = asyncio.get_running_loop().time()
    await client.task("slow")
    return asyncio.get_running_loop().time() - began > 0.5


async def created_is_found(server: App) -> Any:
    client = await server.connect()
    return kind(await answered(client, "tasks/get", taskId=await client.task("slow"))) == "result"


async def two_ids(server: App) -> Any:
    client = await server.connect()
    return len({await client.task("slow"), await client.task("slow")})


def shown(tool: str, look: Callable[[Message], Any], after: float = 0.0) -> Probe:
    """What tasks/get shows of a task some time after its creation."""

    async def probe(server: App) -> Any:
        client = await server.connect()
        task = await client.task(tool)
        await asyncio.sleep(after)
        return look(await client.get(task))

    return probe


async def cancelled_later(server: App) -> Any:
    client = await server.connect()
    task = await client.task("ignores-cancel")
    await client.result("tasks/cancel", taskId=task)
    await asyncio.sleep(2)
    return (await client.get(task))["status"]


async def gone_after_half_its_ttl(server: App) -> Any:
    client = await server.connect()
    task = await client.task("completes", ttl=4000)
    await asyncio.sleep(2)
    return await answered(client, "tasks/get", taskId=task) == -32602


async def code_after_ttl(server: App) -> Any:
    client = await server.connect()
    task = await client.task("completes", ttl=1000)
    await asyncio.sleep(1.1)
    return await answered(client, "tasks/get", taskId=task)


def of_unknown(method: str, look: Callable[[Any], Any] = kind) -> Probe:
    """How an id that no task has is answered."""

    async def probe(server: App) -> Any:
        return look(await answered(await server.connect(), method, taskId="none"))

    return probe


async def get_by_metadata(server: App) -> Any:
    client = await server.connect()
    one, other = await client.task("slow"), await client.task("slow")
    got = await client.result("tasks/get", taskId=one, _meta={RELATED: {"taskId": other}})
    return got["taskId"] == one


async def get_while_waiting(server: App) -> Any:
    client = await server.connect()
    task = await client.task("slow")
    await client.begin("tasks/result", taskId=task)
    return (await client.get(task))["status"]


async def get_takes(server: App) -> Any:
    client = await server.connect()
    task = await client.task("slow")
    began = asyncio.get_running_loop().time()
    await client.get(task)
    return asyncio.get_running_loop().time() - began > 0.5


def fetched(tool: str, look: Callable[[Any], Any]) -> Probe:
    """What tasks/result answers."""

    async def probe(server: App) -> Any:
        client = await server.connect()
        task = await client.task(tool)
        answer = await answered(client, "tasks/result", taskId=task)
        if isinstance(answer, dict) and "_meta" in answer:
            answer = {**answer, "_mine": answer["_meta"].get(RELATED) == {"taskId": task}}
        return look(answer)

    return probe


async def woken_after(server: App) -> Any:
    """When a waiting tasks/result is answered, in tenths of a second after the task's creation."""
    client = await server.connect()
    task = await client.task("slow")
    began = asyncio.get_running_loop().time()
    answer = await answered(client, "tasks/result", taskId=task)
    return "silence" if answer == "silence" else round(10 * (asyncio.get_running_loop().time() - began))


async def fetched_twice(server: App) -> Any:
    client = await server.connect()
    task = await client.task("completes")
    return [kind(await answered(client, "tasks/result", taskId=task)) for _ in range(2)]


async def found_after_fetching(server: App) -> Any:
    client = await server.connect()
    task = await client.task("completes")
    await client.result("tasks/result", taskId=task)
    return kind(await answered(client, "tasks/get", taskId=task))


def waited_for(tool: str) -> Probe:
    """How a tasks/result that waits for a task's end is answered."""

    async def probe(server: App) -> Any:
        client = await server.connect()
        return kind(await answered(client, "tasks/result", taskId=await client.task(tool)))

    return probe


async def two_waiters(server: App) -> Any:
    """How two who wait for the same end are answered."""
    client = await server.connect()
    task = await client.task("slow")
    waits = (answered(client, "tasks/result", taskId=task) for _ in range(2))
    return [kind(answer) for answer in await asyncio.gather(*waits)]


async def result_of_cancelled(server: App) -> Any:
    client = await server.connect()
    task = await client.task("slow")
    await client.result("tasks/cancel", taskId=task)
    answer = await answered(client, "tasks/result", taskId=task)
    return sorted(answer) if isinstance(answer, dict) else answer


async def status_after_wait_cancelled(server: App) -> Any:
    client = await server.connect()
    task = await client.task("slow")
    waiting = await client.begin("tasks/result", taskId=task)
    await client.notify("notifications/cancelled", requestId=waiting)
    return (await client.ended(task))["status"]


async def status_after_call_cancelled(server: App) -> Any:
    client = await server.connect()
    call = await client.begin("tools/call", {"name": "slow", "task": {}})
    task = (await client.response(call))["result"]["task"]["taskId"]
    await client.notify("notifications/cancelled", requestId=call)
    return (await client.ended(task))["status"]


def listed(look: Callable[[Message], Any], tasks: int = 1, tool: str = "completes") -> Probe:
    """What the first page of tasks/list shows, once the tasks have ended."""

    async def probe(server: App) -> Any:
        client = await server.connect()
        for _ in range(tasks):
            await client.task(tool)
        await asyncio.sleep(1)
        return look(await client.result("tasks/list"))

    return probe


async def listed_over_pages(server: App) -> Any:
    """How many different tasks three pages of tasks/list show; there are 120."""
    client = await server.connect()
    for _ in range(120):
        await client.task("completes")
    found, cursor = set(), None
    for _ in range(3):
        page = await answered(client, "tasks/list", **({} if cursor is None else {"cursor": cursor}))
        if not isinstance(page, dict):
            return page
        found |= {task["taskId"] for task in page["tasks"]}
        cursor = page.get("nextCursor")
        if cursor is None:
            break
    return len(found)


def with_cursor(cursor: Any) -> Probe:
    async def probe(server: App) -> Any:
        return kind(await answered(await server.connect(), "tasks/list", cursor=cursor))

    return probe


def cancelled(look: Callable[[Any], Any]) -> Probe:
    """What tasks/cancel answers."""

    async def probe(server: App) -> Any:
        client = await server.connect()
        return look(await client.result("tasks/cancel", taskId=await client.task("slow")))

    return probe


async def cancelled_after_end(server: App) -> Any:
    """How cancelling an ended task is answered, and its status then."""
    client = await server.connect()
    task = await client.task("completes")
    await client.ended(task)
    answer = kind(await answered(client, "tasks/cancel", taskId=task))
    return answer, (await client.get(task))["status"]


async def answer_to_cancel(server: App) -> Any:
    client = await server.connect()
    return kind(await answered(client, "tasks/cancel", taskId=await client.task("slow")))


async def status_after_cancel(server: App) -> Any:
    client = await server.connect()
    task = await client.task("slow")
    await client.result("tasks/cancel", taskId=task)
    got = await answered(client, "tasks/get", taskId=task)
    return got["status"] if isinstance(got, dict) else got


async def counts_on_after_cancel(server: App) -> Any:
    client = await server.connect()
    task = await client.task("counts")
    await asyncio.sleep(0.1)
    await client.result("tasks/cancel", taskId=task)
    read = {"name": "counts", "arguments": {"read": True}}
    before = await client.result("tools/call", read)
    await asyncio.sleep(1)
    return await client.result("tools/call", read) != before


def asked(look: Callable[[str, Message], Any]) -> Probe:
    """What a task's question looks like."""

    async def probe(server: App) -> Any:
        client = await server.connect()
        task = await client.task("asks-elicitation")
        return look(task, (await client.request("elicitation/create"))["params"])

    return probe


async def status_while_asking(server: App) -> Any:
    client = await server.connect()
    task = await client.task("asks-elicitation")
    await client.request("elicitation/create")
    return (await client.get(task))["status"]


async def status_with_a_progress_token(server: App) -> Any:
    client = await server.connect()
    call = {"name": "completes", "task": {}, "_meta": {"progressToken": "wanted"}}
    created = await client.result("tools/call", call)
    return (await client.ended(created["task"]["taskId"]))["status"]


async def samplings_sent(server: App) -> Any:
    client = await server.connect()
    task = await client.task("asks-sampling")
    await client.begin("tasks/result", taskId=task)
    await asyncio.sleep(1)
    return len(client.of("sampling/createMessage")) > 0


async def status_after_sampling(server: App) -> Any:
    client = await server.connect()
    task = await client.task("asks-sampling")
    question = await client.request("sampling/createMessage")
    await client.reply(question, role="assistant", model="m", content={"type": "text", "text": "Yes"})
    await asyncio.sleep(1)
    return (await client.get(task))["status"]


def status_after_answer(**answer: Any) -> Probe:
    async def probe(server: App) -> Any:
        client = await server.connect()
        task = await client.task("asks-elicitation")
        await client.reply(await client.request("elicitation/create"), **answer)
        await asyncio.sleep(1)
        return (await client.get(task))["status"]

    return probe


async def questions_in_their_own_name(server: App) -> Any:
    """How many tasks the questions of three tasks name."""
    client = await server.connect()
    for _ in range(3):
        await client.task("asks-elicitation")
    asked = [await client.request("elicitation/create") for _ in range(3)]
    return len({str(question["params"]["_meta"]) for question in asked})


async def tasks_after_an_answer(server: App) -> Any:
    """How three tasks stand once the question of the second was answered."""
    client = await server.connect()
    tasks = [await client.task("asks-elicitation") for _ in range(3)]
    asked = [await client.request("elicitation/create") for _ in tasks]
    await client.reply(asked[1], action="decline")
    await asyncio.sleep(1)
    return [(await client.get(task))["status"] for task in tasks]


async def questions_without_capability(server: App) -> Any:
    client = await server.connect(capabilities={})
    await client.task("asks-elicitation")
    await asyncio.sleep(1)
    return len(client.of("elicitation/create"))


def progress(look: Callable[[str, list[Message]], Any], token: Any = "mine") -> Probe:
    """The progress of a task, also after its end."""

    async def probe(server: App) -> Any:
        client = await server.connect()
        wish = {} if token is None else {"_meta": {"progressToken": token}}
        task = await client.task("reports-progress", **wish)
        await asyncio.sleep(2)
        return look(task, client.of("notifications/progress"))

    return probe


async def progress_after_end(server: App) -> Any:
    client = await server.connect()
    await client.ended(await client.task("reports-progress", _meta={"progressToken": 1}))
    before = len(client.of("notifications/progress"))
    await asyncio.sleep(2)
    return len(client.of("notifications/progress")) - before


def notified(look: Callable[[str, list[Message]], Any]) -> Probe:
    """The status notifications of a task."""

    async def probe(server: App) -> Any:
        client = await server.connect()
        task = await client.task("completes")
        await asyncio.sleep(1)
        return look(task, client.of("notifications/tasks/status"))

    return probe


async def notified_beside_it(server: App) -> Any:
    maker, other = await server.connect(), await server.connect()
    await maker.task("completes")
    await asyncio.sleep(1)
    return len(other.of("notifications/tasks/status"))


async def notified_of_anothers(server: App) -> Any:
    ann, bea = await server.connect("ann"), await server.connect("bea")
    own, _ = await bea.task("slow"), await ann.task("completes")
    await asyncio.sleep(1)
    return {params["taskId"] == own for params in bea.of("notifications/tasks/status")}


def foreign(method: str, tokens: tuple[str | None, str | None] = ("ann", "bea")) -> Probe:
    """How another's task is answered."""

    async def probe(server: App) -> Any:
        owner, other = await server.connect(tokens[0]), await server.connect(tokens[1])
        return kind(await answered(other, method, taskId=await owner.task("slow")))

    return probe


async def lists_anothers(server: App) -> Any:
    ann, bea = await server.connect("ann"), await server.connect("bea")
    await ann.task("completes")
    return len((await bea.result("tasks/list"))["tasks"])


async def opens_with_anothers_cursor(server: App) -> Any:
    ann, bea = await server.connect("ann"), await server.connect("bea")
    for _ in range(60):
        await ann.task("completes")
    cursor = (await ann.result("tasks/list"))["nextCursor"]
    page = await answered(bea, "tasks/list", cursor=cursor)
    return len(page["tasks"]) if isinstance(page, dict) else page


async def found_from_a_new_connection(server: App) -> Any:
    first = await server.connect("ann")
    task = await first.task("completes")
    return kind(await answered(await server.connect("ann"), "tasks/get", taskId=task))


def error_message(method: str, **params: Any) -> Probe:
    """How long an error message is, in lines; 0 where it says nothing; its type where it is no text."""

    async def probe(server: App) -> Any:
        client = await server.connect()
        message = (await client.call(method, params))["error"]["message"]
        return len(message.splitlines()) if isinstance(message, str) else type(message).__name__

    return probe


def raw_response(look: Callable[[list[Message]], Any], method: str = "tasks/list", **params: Any) -> Probe:
    """All responses to one request."""

    async def probe(server: App) -> Any:
        client = await server.connect()
        before = len(client.seen)
        await client.begin(method, params)
        await asyncio.sleep(1)
        return look([message for message in client.seen[before:] if "method" not in message])

    return probe


async def all_responses_to_get(server: App) -> Any:
    client = await server.connect()
    task = await client.task("slow")
    request = await client.begin("tasks/get", taskId=task)
    await asyncio.sleep(1)
    return len([message for message in client.seen if message.get("id") == request])


async def request_ids(server: App) -> Any:
    """Whether the server's request ids are all different."""
    client = await server.connect()
    for _ in range(3):
        task = await client.task("asks-elicitation")
        await client.accept(await client.request("elicitation/create"))
        await client.ended(task)
    ids = [message["id"] for message in client.seen if message.get("method") == "elicitation/create"]
    return len(ids) == len(set(ids))


async def answers_to_notifications(server: App) -> Any:
    client = await server.connect()
    await asyncio.sleep(1)
    before = len(client.seen)
    await client.notify("notifications/roots/list_changed")
    await asyncio.sleep(1)
    return len(client.seen) - before


async def serves_on_after_garbage(server: App) -> Any:
    client = await server.connect()
    await client.send("garbage")
    return kind(await answered(client, "ping"))


async def flooded(server: App) -> Any:
    client = await server.connect()
    task = await client.task("floods")
    await asyncio.sleep(1)
    return (await client.get(task))["status"]


async def questions_after_cancel(server: App) -> Any:
    client = await server.connect()
    task = await client.task("asks-many")
    for _ in range(3):
        await client.request("elicitation/create")
    await client.result("tasks/cancel", taskId=task)
    await client.call("tasks/result", taskId=task)
    return len(client.of("elicitation/create")) - 3


async def questions_in_order(server: App) -> Any:
    client = await server.connect()
    task = await client.task("asks-many")
    first = [(await client.request("elicitation/create"))["params"]["message"] for _ in range(3)]
    await client.begin("tasks/result", taskId=task)
    return first == [(await client.request("elicitation/create"))["params"]["message"] for _ in range(3)]


async def logs_after_result(server: App) -> Any:
    client = await server.connect()
    task = await client.task("logs")
    response = await client.call("tasks/result", taskId=task)
    await asyncio.sleep(1)
    after = client.seen[client.seen.index(response) :]
    return len([message for message in after if message.get("method") == "notifications/message"])


async def found_of_many(server: App) -> Any:
    client = await server.connect()
    tasks = [await client.task("completes") for _ in range(400)]
    return kind(await answered(client, "tasks/get", taskId=tasks[0]))
