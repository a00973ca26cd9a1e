"""Tools at work: as a task, and plainly."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Generator
from typing import TYPE_CHECKING, Any

from mcp_tasks_reference.courier import Courier
from mcp_tasks_reference.jsonrpc import INTERNAL_ERROR, JsonObject, RpcError
from mcp_tasks_reference.lifecycle import Status
from mcp_tasks_reference.mailbox import Mailbox, MailboxFull, Question
from mcp_tasks_reference.questions import ELICITATION, SAMPLING, Questions
from mcp_tasks_reference.session import Exchange
from mcp_tasks_reference.tools import ToolFailure, text_result

if TYPE_CHECKING:
    from mcp_tasks_reference.running import Running
    from mcp_tasks_reference.service import TaskService
    from mcp_tasks_reference.tools import Call, Tool


class PlainCall:
    """A tool run by an ordinary request: what it says travels with the request's own answer."""

    def __init__(self, exchange: Exchange, arguments: JsonObject, mailbox: Mailbox, questions: Questions) -> None:
        self.session_id = exchange.session.id
        self.arguments = arguments
        self._exchange = exchange
        self._mailbox = mailbox
        self._questions = questions

    async def sleep(self, seconds: float) -> None:
        """Work for a while."""
        await asyncio.sleep(seconds)

    async def report(self, progress: float, total: float | None = None, message: str | None = None) -> None:
        """Tell the client how far the work is, if it gave a token."""
        token = self._exchange.request.progress_token
        if token is not None:
            said = {"progressToken": token, **progress_params(progress, total, message)}
            self._exchange.session.notify("notifications/progress", said, self._exchange.outlet)

    async def log(self, level: str, data: str) -> None:
        """Send a log message of a level that the client wants."""
        session = self._exchange.session
        if session.wants_log(level):
            said = {"level": level, "logger": "tool", "data": data}
            session.notify("notifications/message", said, self._exchange.outlet)

    async def elicit(self, message: str, schema: JsonObject) -> Awaitable[JsonObject]:
        """Ask the user to fill in a form."""
        return self._ask(ELICITATION, self._questions.elicitation(self._exchange.session, message, schema))

    async def sample(self, prompt: str, max_tokens: int) -> Awaitable[JsonObject]:
        """Ask the client's model."""
        return self._ask(SAMPLING, self._questions.sampling(self._exchange.session, prompt, max_tokens))

    def _ask(self, method: str, params: JsonObject) -> Awaitable[JsonObject]:
        question = Question(method, params, asyncio.get_running_loop().create_future())
        try:
            self._mailbox.add_question(question)
        except MailboxFull as full:
            self.give_up(RpcError(INTERNAL_ERROR, str(full)))
            raise RpcError(INTERNAL_ERROR, str(full)) from None
        session = self._exchange.session
        asked = session.ask(self._exchange.outlet, method, params, question.settle)
        if asked is None:
            raise ToolFailure("The client cannot be asked: it is gone")
        question.copies.append((session, asked))
        return _Later(lambda: _answer(question))

    def give_up(self, reason: RpcError) -> None:
        """Nobody waits for answers any more: say so to the client."""
        for question in self._mailbox.clear(reason):
            for session, request_id in question.copies:
                session.withdraw(request_id, {}, reason.message)


class TaskCall:
    """A tool run by a task: what it says is queued, and bears the task's name."""

    def __init__(
        self, running: Running, arguments: JsonObject, service: TaskService, courier: Courier, questions: Questions
    ) -> None:
        self.session_id = running.session.id
        self.arguments = arguments
        self._running = running
        self._service = service
        self._courier = courier
        self._questions = questions

    async def sleep(self, seconds: float) -> None:
        """Work for a while."""
        await asyncio.sleep(seconds)

    async def report(self, progress: float, total: float | None = None, message: str | None = None) -> None:
        """Tell the client how far the work is."""
        self._courier.tell_progress(self._running, progress_params(progress, total, message))

    async def log(self, level: str, data: str) -> None:
        """Send a log message."""
        self._courier.tell_log(self._running, level, data)

    async def elicit(self, message: str, schema: JsonObject) -> Awaitable[JsonObject]:
        """Ask the user to fill in a form."""
        params = self._questions.elicitation(self._running.session, message, schema)
        return await self._ask(ELICITATION, params)

    async def sample(self, prompt: str, max_tokens: int) -> Awaitable[JsonObject]:
        """Ask the client's model."""
        return await self._ask(SAMPLING, self._questions.sampling(self._running.session, prompt, max_tokens))

    async def _ask(self, method: str, params: JsonObject) -> Awaitable[JsonObject]:
        question = self._courier.question(self._running, method, params)
        try:
            self._running.mailbox.add_question(question)
        except MailboxFull as full:
            error = RpcError(INTERNAL_ERROR, str(full))
            await self.overflow(error)
            raise error from None
        await self.require_input()
        self._courier.pose(self._running, question)
        return _Later(lambda: self.answer_to(question))

    async def overflow(self, error: RpcError) -> None:
        """The queue is full: the task fails, and what it asked before is given up."""
        await self._service.fail(self._running, error)

    async def require_input(self) -> None:
        """Show that the task waits for its requestor."""
        await self._service.move(self._running.task_id, Status.INPUT_REQUIRED, "The task needs input")

    async def resume(self) -> None:
        """Show that the task works again, once nothing it asked is open."""
        if not self._running.mailbox.open_questions():
            await self._service.move(self._running.task_id, Status.WORKING, "The task goes on")

    async def answer_to(self, question: Question) -> JsonObject:
        """Wait for an answer; the task goes on when there is nothing else to wait for."""
        try:
            return await _answer(question)
        finally:
            self._courier.withdraw(question, self._running.task_id, "Answered already")
            await self.resume()


class _Later:
    """An answer that may be awaited, or never: a coroutine would insist."""

    def __init__(self, wait: Callable[[], Coroutine[Any, Any, JsonObject]]) -> None:
        self._wait = wait

    def __await__(self) -> Generator[Any, None, JsonObject]:
        return self._wait().__await__()


async def _answer(question: Question) -> JsonObject:
    """Wait for an answer; that the wait is given up leaves the question open."""
    return await asyncio.shield(question.answer)


def progress_params(progress: float, total: float | None, message: str | None) -> JsonObject:
    """The optional members of progress only where they are known."""
    known = {"total": total, "message": message}
    return {"progress": progress, **{name: value for name, value in known.items() if value is not None}}


async def run_tool(tool: Tool, call: Call) -> JsonObject:
    """Run a tool to its result; a failure that the tool speaks of itself is a result too."""
    try:
        return await tool.run(call)
    except ToolFailure as failure:
        return text_result(str(failure), is_error=True)


class Calls:
    """Makes calls of either kind; which class serves is decided here."""

    def __init__(self, service: TaskService, courier: Courier, questions: Questions, task_call: type[TaskCall]) -> None:
        self._service = service
        self._courier = courier
        self._questions = questions
        self._task_call = task_call

    def plain(self, exchange: Exchange, arguments: JsonObject) -> PlainCall:
        """A call within its own request."""
        return PlainCall(exchange, arguments, self._service.mailbox(), self._questions)

    def as_task(self, running: Running, arguments: JsonObject) -> TaskCall:
        """A call behind a task."""
        return self._task_call(running, arguments, self._service, self._courier, self._questions)
