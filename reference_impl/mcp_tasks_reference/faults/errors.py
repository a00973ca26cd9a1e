"""Faults in refusing."""

from __future__ import annotations

from mcp_tasks_reference.deviation import broken
from mcp_tasks_reference.dispatcher import Dispatcher
from mcp_tasks_reference.jsonrpc import INTERNAL_ERROR, JsonObject, Request, RpcError
from mcp_tasks_reference.session import Exchange
from mcp_tasks_reference.v1.params import Params
from mcp_tasks_reference.v1.task_methods import TaskMethods


@broken(
    "missing-id-internal-error",
    "v1.error.malformed-params",
    says="A taskId that is missing or no string ends in an internal error.",
)
class MissingIdInternalError(Params):
    def task_id(self, params: JsonObject) -> str:
        if not isinstance(params.get("taskId"), str):
            raise RpcError(INTERNAL_ERROR, "Internal error")
        return super().task_id(params)


@broken(
    "wrong-cursor-ignored",
    "v1.error.malformed-params",
    says="A cursor that is no string is taken for none.",
    also=["v1.list.bad-cursor"],
)
class WrongCursorIgnored(Params):
    def cursor(self, params: JsonObject) -> str | None:
        return super().cursor(params) if isinstance(params.get("cursor"), str) else None


@broken(
    "internal-error-invented-code",
    "v1.error.internal",
    says="The second page of tasks/list fails, with a code of the server's own.",
    also=["v1.list.next-cursor", "v1.list.complete"],
    only=["memory", "http"],
)
class InternalErrorInventedCode(TaskMethods):
    async def list_tasks(self, exchange: Exchange, params: JsonObject) -> JsonObject:
        page = await super().list_tasks(exchange, params)
        if "cursor" in params:
            raise RpcError(-32099, "The database is locked")
        return page


@broken("errors-without-words", "v1.error.informative", says="Errors have empty messages.")
class ErrorsWithoutWords(Dispatcher):
    def failure(self, request: Request, error: RpcError) -> JsonObject:
        return super().failure(request, RpcError(error.code, "", error.data))


@broken("errors-with-stack-trace", "v1.error.informative", says="Errors of tasks/* show where in the code they arose.")
class ErrorsWithStackTrace(Dispatcher):
    def failure(self, request: Request, error: RpcError) -> JsonObject:
        if not request.method.startswith("tasks/") or error.data is not None:
            return super().failure(request, error)
        frames = "".join(f'  File "/srv/app/tasks.py", line {line}, in handle\n' for line in range(10, 30))
        words = f"Traceback (most recent call last):\n{frames}RpcError: {error.message}"
        return super().failure(request, RpcError(error.code, words, error.data))
