"""The small server with one defect each; ``create(options)`` takes the kind and its arguments."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Callable, Sequence

from tests.engine.data.server import JsonObject, Refusal, Server, Talk

DEATHS: Counter[str] = Counter()
"""How often servers have died, by a word of the test's own: outlives each of them."""


class Silent(Server):
    """Answers initialize and nothing more."""

    async def handle(self, talk: Talk, method: str, params: JsonObject) -> JsonObject:
        if method != "initialize":
            await asyncio.Event().wait()
        return await super().handle(talk, method, params)


class Wedged(Server):
    """Is asked for one method and answers nothing from then on, on any connection."""

    def __init__(self, method: str) -> None:
        super().__init__()
        self._method = method
        self._wedged = False

    async def handle(self, talk: Talk, method: str, params: JsonObject) -> JsonObject:
        self._wedged = self._wedged or method == self._method
        if self._wedged:
            await asyncio.Event().wait()
        return await super().handle(talk, method, params)


class Deaf(Server):
    """Never answers one method and serves all others."""

    def __init__(self, method: str) -> None:
        super().__init__()
        self._method = method

    async def handle(self, talk: Talk, method: str, params: JsonObject) -> JsonObject:
        if method == self._method:
            await asyncio.Event().wait()
        return await super().handle(talk, method, params)


class Mortal(Server):
    """Dies over one method; with a word and a number, only so many times."""

    def __init__(self, method: str, word: str = "", times: str = "1000000") -> None:
        super().__init__()
        self._method = method
        self._word = word
        self._times = int(times)

    async def handle(self, talk: Talk, method: str, params: JsonObject) -> JsonObject:
        if method == self._method and DEATHS[self._word] < self._times:
            DEATHS[self._word] += 1
            self.die()
            await asyncio.Event().wait()
        return await super().handle(talk, method, params)


class LateDeath(Server):
    """Answers one method and dies."""

    def __init__(self, method: str) -> None:
        super().__init__()
        self._method = method

    async def answer(self, talk: Talk, request: JsonObject) -> None:
        await super().answer(talk, request)
        if request["method"] == self._method:
            self.die()


class Courteous(Server):
    """Introduces itself and its tools, and answers all else with the same."""

    def __init__(self, answer: str) -> None:
        super().__init__()
        self._answer = answer

    async def handle(self, talk: Talk, method: str, params: JsonObject) -> JsonObject:
        if method in ("initialize", "tools/list"):
            return await super().handle(talk, method, params)
        if self._answer == "{}":
            return {}
        raise Refusal(int(self._answer))


class Unmarked(Server):
    """Leaves jsonrpc out of the answers to one method."""

    def __init__(self, method: str) -> None:
        super().__init__()
        self._method = method

    async def answer(self, talk: Talk, request: JsonObject) -> None:
        if request["method"] != self._method:
            await super().answer(talk, request)
            return
        result = await self.handle(talk, request["method"], request.get("params", {}))
        await talk.say_text(json.dumps({"id": request["id"], "result": result}))


class Endless(Server):
    """Its lists never end: the cursor comes again (``same``) or another one comes each time (``new``)."""

    def __init__(self, cursor: str) -> None:
        super().__init__()
        self._cursor = cursor
        self._pages = 0

    async def on_tasks_list(self, talk: Talk, params: JsonObject) -> JsonObject:
        self._pages += 1
        return {"tasks": [], "nextCursor": "again" if self._cursor == "same" else str(self._pages)}


class Curious(Server):
    """Asks for what was not declared, each time that its tasks are listed."""

    async def on_tasks_list(self, talk: Talk, params: JsonObject) -> JsonObject:
        answer = await talk.ask("roots/list", {})
        await talk.say({"method": "notifications/message", "params": {"level": "info", "data": answer}})
        return {"tasks": []}


class Chatty(Server):
    """Sends notifications of its own: a log message with each task, and word that its tools changed, for ever."""

    async def on_tools_list(self, talk: Talk, params: JsonObject) -> JsonObject:
        await talk.say({"method": "notifications/tools/list_changed"})
        return await super().on_tools_list(talk, params)

    async def on_tools_call(self, talk: Talk, params: JsonObject) -> JsonObject:
        result = await super().on_tools_call(talk, params)
        await talk.say({"method": "notifications/message", "params": {"level": "info", "data": params["name"]}})
        return result


class Tardy(Server):
    """Sends the log message of a task only when it is pinged."""

    def __init__(self) -> None:
        super().__init__()
        self._unsaid: list[JsonObject] = []

    async def handle(self, talk: Talk, method: str, params: JsonObject) -> JsonObject:
        if method == "ping" and self._unsaid:
            await talk.say(self._unsaid.pop(0))
        return await super().handle(talk, method, params)

    async def on_tools_call(self, talk: Talk, params: JsonObject) -> JsonObject:
        self._unsaid.append({"method": "notifications/message", "params": {"level": "info", "data": params["name"]}})
        return await super().on_tools_call(talk, params)


class Refusing(Server):
    """Refuses every initialize after so many."""

    def __init__(self, after: str) -> None:
        super().__init__()
        self._left = int(after)

    async def on_initialize(self, talk: Talk, params: JsonObject) -> JsonObject:
        self._left -= 1
        if self._left < 0:
            raise Refusal(-32000, "too many sessions")
        return await super().on_initialize(talk, params)


class Hasty(Server):
    """Answers tasks/result before the task has ended."""

    async def on_tasks_result(self, talk: Talk, params: JsonObject) -> JsonObject:
        return {"content": []}


class Busy(Hasty):
    """Hasty, but slow with every answer once it has been asked for a result."""

    def __init__(self) -> None:
        super().__init__()
        self._delay_s = 0.0

    async def handle(self, talk: Talk, method: str, params: JsonObject) -> JsonObject:
        if method == "tasks/result":
            self._delay_s = 0.1
        await asyncio.sleep(self._delay_s)
        return await super().handle(talk, method, params)


class Serial(Server):
    """Answers one request after the other."""

    def __init__(self) -> None:
        super().__init__()
        self._turn = asyncio.Lock()

    async def answer(self, talk: Talk, request: JsonObject) -> None:
        async with self._turn:
            await super().answer(talk, request)


class Timeless(Server):
    """Keeps every task for ever."""

    async def on_tools_call(self, talk: Talk, params: JsonObject) -> JsonObject:
        result = await super().on_tools_call(talk, params)
        result["task"]["ttl"] = None
        return result


class Lonely(Server):
    """Serves one connection; further ones are never answered."""

    def __init__(self) -> None:
        super().__init__()
        self._left = 1

    async def on_initialize(self, talk: Talk, params: JsonObject) -> JsonObject:
        self._left -= 1
        if self._left < 0:
            await asyncio.Event().wait()
        return await super().on_initialize(talk, params)


class OnceOnly(Mortal):
    """Dies over one method, and cannot be made again."""

    def __init__(self, method: str, word: str) -> None:
        if DEATHS[word]:
            raise OSError("the disk is full")
        super().__init__(method, word)


class Garbled(Server):
    """Answers methods as its option, a JSON object, says: a list each, of results or of whole texts, used in turn."""

    def __init__(self, answers: str) -> None:
        super().__init__()
        self._answers: dict[str, list[JsonObject]] = json.loads(answers)
        self._used: Counter[str] = Counter()

    async def answer(self, talk: Talk, request: JsonObject) -> None:
        method = request["method"]
        answers = self._answers.get(method) if isinstance(method, str) else None
        if not answers:
            await super().answer(talk, request)
            return
        chosen = answers[self._used[method] % len(answers)]
        self._used[method] += 1
        if "text" in chosen:
            await talk.say_text(chosen["text"])
        for message in chosen.get("before", ()):
            await talk.say(message)
        await talk.say({"id": request["id"], **{key: chosen[key] for key in ("result", "error") if key in chosen}})


class Plain(Server):
    """Has tools and no tasks."""

    async def on_initialize(self, talk: Talk, params: JsonObject) -> JsonObject:
        return {**await super().on_initialize(talk, params), "capabilities": {"tools": {}}}

    async def on_tools_list(self, talk: Talk, params: JsonObject) -> JsonObject:
        return {"tools": [{"name": "completes", "inputSchema": {"type": "object"}}]}


KINDS: dict[str, Callable[..., Server]] = {
    "silent": Silent,
    "wedged": Wedged,
    "deaf": Deaf,
    "mortal": Mortal,
    "late-death": LateDeath,
    "courteous": Courteous,
    "unmarked": Unmarked,
    "endless": Endless,
    "chatty": Chatty,
    "tardy": Tardy,
    "curious": Curious,
    "refusing": Refusing,
    "hasty": Hasty,
    "busy": Busy,
    "serial": Serial,
    "timeless": Timeless,
    "lonely": Lonely,
    "once-only": OnceOnly,
    "garbled": Garbled,
    "plain": Plain,
}


def create(options: Sequence[str]) -> Server:
    return KINDS[options[0]](*options[1:])
