"""Answering whatever a task asks while something else is waited for."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from mcp_tasks_conformance.catalog.model import Step
from mcp_tasks_conformance.engine.attempt import Attempt
from mcp_tasks_conformance.engine.scope import Scope
from mcp_tasks_conformance.engine.verbs import arguments
from mcp_tasks_conformance.engine.verbs.requests import connection_of
from mcp_tasks_conformance.peers.answers import answer_to
from mcp_tasks_conformance.peers.connection import Connection
from mcp_tasks_conformance.peers.exchange import ConnectionGone
from mcp_tasks_conformance.peers.inbox import Incoming
from mcp_tasks_conformance.wire.jsonrpc import FrameKind

_QUESTIONS = ("elicitation/create", "sampling/createMessage")


@asynccontextmanager
async def answering(attempt: Attempt, step: Step, scope: Scope) -> AsyncIterator[None]:
    """Within, what the target asks on the step's connection is answered as the step's ``answering`` says, if at all.

    A question that is delivered twice is answered twice: which of the copies counts is the target's affair.
    """
    if "answering" not in step.keys:
        yield
        return
    connection, action = connection_of(attempt, step, scope), arguments.text(step, "answering", scope)
    work = asyncio.create_task(_answer_all(connection, action))
    try:
        yield
    finally:
        work.cancel()
        (defect,) = await asyncio.gather(work, return_exceptions=True)
        if isinstance(defect, Exception):
            raise defect


async def _answer_all(connection: Connection, action: str) -> None:
    while True:
        asked = await connection.inbox.take(_is_question, within=None)
        method, params = asked.frame.method or "", asked.frame.params
        try:
            await connection.respond(asked, {"result": answer_to(method, params, action=action)})
        except ConnectionGone:
            return  # the step that is waited for meets the same end and tells it


def _is_question(message: Incoming) -> bool:
    return message.frame.kind is FrameKind.REQUEST and message.frame.method in _QUESTIONS
