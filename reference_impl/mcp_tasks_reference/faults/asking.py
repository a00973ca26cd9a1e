"""Faults in asking the requestor for input."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from mcp_tasks_reference.calls import TaskCall
from mcp_tasks_reference.courier import Courier
from mcp_tasks_reference.deviation import broken
from mcp_tasks_reference.jsonrpc import JsonObject, Response
from mcp_tasks_reference.mailbox import Question
from mcp_tasks_reference.outlet import Outlet
from mcp_tasks_reference.questions import SAMPLING, Questions
from mcp_tasks_reference.running import Running
from mcp_tasks_reference.session import Session

_OTHER_ID = "0f9d7a5e-3f57-4f0c-9b70-6a4f1d8d2a22"


@broken("input-stays-working", "v1.input.status", says="A task that waits for input shows the status working.")
class InputStaysWorking(TaskCall):
    async def require_input(self) -> None:
        pass


@broken(
    "question-without-related-task",
    "v1.input.request-related-task",
    says="A task's elicitations and samplings do not name the task.",
    also=["v1.create.related-task-on-messages"],
)
class QuestionWithoutRelatedTask(Courier):
    def question(self, running: Running, method: str, params: JsonObject) -> Question:
        return Question(method, params, super().question(running, method, params).answer)


@broken(
    "question-with-other-related-task",
    "v1.input.request-related-task",
    says="A task's elicitations and samplings name another task.",
    also=["v1.create.related-task-on-messages"],
)
class QuestionWithOtherRelatedTask(Courier):
    def question(self, running: Running, method: str, params: JsonObject) -> Question:
        named = self._views.message(_OTHER_ID, params)
        return Question(method, named, super().question(running, method, params).answer)


@broken(
    "question-names-oldest-task",
    "v1.input.request-related-task",
    says="What a task asks names the oldest live task of its session that has asked something.",
    also=["v1.create.related-task-on-messages"],
)
class QuestionNamesOldestTask(Courier):
    _asking: Sequence[Running] = ()

    def question(self, running: Running, method: str, params: JsonObject) -> Question:
        live = [one for one in self._asking if not one.over and one is not running]
        self._asking = [*live, running]
        oldest = next(one for one in self._asking if one.session is running.session)
        named = self._views.message(oldest.task_id, params)
        return Question(method, named, super().question(running, method, params).answer)


@broken(
    "answer-to-oldest-question",
    "v1.result.exact",
    says="An answer is taken for one to the oldest open question of the session.",
    also=["v1.input.status", "v1.input.leaves"],
)
class AnswerToOldestQuestion(Session):
    def answered(self, response: Response) -> None:
        if response.id in self._asked:
            response = replace(response, id=next(iter(self._asked)))
        super().answered(response)


@broken(
    "answer-to-newest-question",
    "v1.result.exact",
    says="An answer is taken for one to the newest open question of the session.",
    also=["v1.input.status", "v1.input.leaves"],
)
class AnswerToNewestQuestion(Session):
    def answered(self, response: Response) -> None:
        if response.id in self._asked:
            response = replace(response, id=next(reversed(self._asked)))
        super().answered(response)


@broken(
    "question-never-sent",
    "v1.input.delivered-on-result",
    says="A task that waits for a sampling never asks for it.",
)
class QuestionNeverSent(Courier):
    def deliver(self, session: Session, outlet: Outlet, question: Question) -> None:
        if question.method != SAMPLING:
            super().deliver(session, outlet, question)


@broken(
    "input-never-over",
    "v1.input.leaves",
    says="A task that asked for a sampling stays in input_required although it was given.",
    also=["v1.input.decline-handled"],
)
class InputNeverOver(TaskCall):
    async def answer_to(self, question: Question) -> JsonObject:
        if question.method == SAMPLING:
            await asyncio.wait([question.answer])
            await asyncio.get_running_loop().create_future()
        return await super().answer_to(question)


@broken(
    "decline-unheeded",
    "v1.input.decline-handled",
    says="A task whose question was declined, cancelled or answered with an error waits on, with nothing asked.",
)
class DeclineUnheeded(TaskCall):
    async def answer_to(self, question: Question) -> JsonObject:
        answer = await asyncio.shield(asyncio.gather(question.answer, return_exceptions=True))
        given = answer[0]
        if isinstance(given, BaseException) or given.get("action", "accept") != "accept":
            await asyncio.get_running_loop().create_future()
        return await super().answer_to(question)


@broken(
    "asks-undeclared",
    "v1.input.only-declared",
    says="Tasks ask for elicitations although the client declared none.",
)
class AsksUndeclared(Questions):
    def may_elicit(self, session: Session) -> bool:
        return True
