"""The small server with other tools than its own: lists that are odd, and tools that mean no good."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from tests.engine.data.server import JsonObject, Refusal, Server, Talk


def tool(name: str, **members: object) -> JsonObject:
    return {"name": name, "inputSchema": {"type": "object"}, "execution": {"taskSupport": "optional"}, **members}


PAGES: dict[str, Callable[[str | None], JsonObject]] = {
    "thousand": lambda cursor: {
        "tools": [tool(f"{cursor or 0}-{number}") for number in range(100)],
        **({} if cursor == "9" else {"nextCursor": str(int(cursor or 0) + 1)}),
    },
    "circles": lambda cursor: {"tools": [tool("completes")], "nextCursor": "again"},
    "endless": lambda cursor: {"tools": [], "nextCursor": str(int(cursor or 0) + 1)},
    "no-list": lambda cursor: {"tools": {"completes": tool("completes")}},
    "odd-entries": lambda cursor: {
        "tools": [7, None, {"inputSchema": {}}, {"name": 7}, {"name": ""}, tool("completes"), tool("completes")]
    },
}


class Listing(Server):
    """Lists its tools as the kind says, and has called each ``completes`` and what is not listed nothing."""

    def __init__(self, kind: str) -> None:
        super().__init__()
        self._page = PAGES[kind]
        self.calls = 0

    async def on_tools_list(self, talk: Talk, params: JsonObject) -> JsonObject:
        return self._page(params.get("cursor"))

    async def run(self, talk: Talk, name: str) -> JsonObject:
        return await super().run(talk, "completes")

    async def on_tools_call(self, talk: Talk, params: JsonObject) -> JsonObject:
        return await super().on_tools_call(talk, {**params, "name": "completes"})


class Insatiable(Server):
    """Its tool asks for one thing after another and is never content."""

    async def run(self, talk: Talk, name: str) -> JsonObject:
        for number in range(10_000):
            schema: JsonObject = {"type": "object", "properties": {}}
            params: JsonObject = {"message": f"Once more, {number}", "requestedSchema": schema}
            await talk.ask("elicitation/create", params)
        return {"content": [{"type": "text", "text": "enough"}]}


class Lethal(Server):
    """Dies when its tool ``slow`` is called."""

    async def on_tools_call(self, talk: Talk, params: JsonObject) -> JsonObject:
        if params["name"] == "slow":
            self.die()
            await asyncio.sleep(1)
        return await super().on_tools_call(talk, params)


class Numbing(Server):
    """Answers nothing any more, nobody, once its tool ``slow`` is called."""

    def __init__(self) -> None:
        super().__init__()
        self._numb = False

    async def handle(self, talk: Talk, method: str, params: JsonObject) -> JsonObject:
        self._numb = self._numb or (method == "tools/call" and params["name"] == "slow")
        if self._numb:
            await asyncio.Event().wait()
        return await super().handle(talk, method, params)


class Curious(Server):
    """Its only tool runs as a task alone and asks something; it runs plainly too where ``lax``."""

    def __init__(self, *, lax: bool = False) -> None:
        super().__init__()
        self._lax = lax

    async def on_tools_list(self, talk: Talk, params: JsonObject) -> JsonObject:
        return {"tools": [tool("ask", execution={"taskSupport": "required"})]}

    async def on_tools_call(self, talk: Talk, params: JsonObject) -> JsonObject:
        if "task" not in params and not self._lax:
            raise Refusal(-32601, "only as a task")
        return await super().on_tools_call(talk, {**params, "name": "asks-elicitation"})


class Lax(Curious):
    def __init__(self) -> None:
        super().__init__(lax=True)


class Obliging(Server):
    """Its only tool works for as many seconds as it is told to, and they may be none."""

    async def on_tools_list(self, talk: Talk, params: JsonObject) -> JsonObject:
        seconds = {"type": "number", "minimum": 0}
        schema = {"type": "object", "properties": {"seconds": seconds}, "required": ["seconds"]}
        return {"tools": [tool("work", inputSchema=schema)]}

    async def on_tools_call(self, talk: Talk, params: JsonObject) -> JsonObject:
        self._seconds = params["arguments"]["seconds"]
        return await super().on_tools_call(talk, {**params, "name": "completes"})

    async def run(self, talk: Talk, name: str) -> JsonObject:
        await asyncio.sleep(self._seconds)
        return {"content": [{"type": "text", "text": "worked"}]}


def create(options: Sequence[str]) -> Server:
    """The server of that kind."""
    kinds: dict[str, type[Server]] = {
        "insatiable": Insatiable,
        "lethal": Lethal,
        "numbing": Numbing,
        "curious": Curious,
        "lax": Lax,
        "obliging": Obliging,
    }
    return kinds[options[0]]() if options[0] in kinds else Listing(options[0])
