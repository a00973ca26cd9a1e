from __future__ import annotations

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_tasks_reference.jsonrpc import JsonObject, Response, RpcError
from mcp_tasks_reference.mailbox import Mailbox, MailboxFull, Note, Question
from mcp_tasks_reference.tools import ToolFailure
from tests.reference.virtual import run_virtually, virtual

REASON = RpcError(1, "given up")


def answer(result: JsonObject) -> Response:
    return Response(1, result)


def a_question() -> Question:
    return Question("elicitation/create", {}, asyncio.get_running_loop().create_future())


@virtual
async def test_letters_stay_in_the_order_they_were_sent_until_done_with() -> None:
    mailbox = Mailbox(10)
    first, note, second = a_question(), Note("log", {}), a_question()
    mailbox.add_question(first)
    mailbox.add_note(note)
    mailbox.add_question(second)
    assert list(mailbox.letters()) == [first, note, second]
    first.settle(answer({}))
    mailbox.remove(note)
    assert list(mailbox.letters()) == [second]


@virtual
async def test_a_full_mailbox_refuses_questions_and_drops_notifications() -> None:
    mailbox = Mailbox(1)
    mailbox.add_question(a_question())
    with pytest.raises(MailboxFull, match="at most 1"):
        mailbox.add_question(a_question())
    assert mailbox.add_note(Note("log", {})) is False


@virtual
async def test_an_answered_question_makes_room() -> None:
    mailbox, question = Mailbox(1), a_question()
    mailbox.add_question(question)
    question.settle(answer({"action": "accept"}))
    mailbox.add_question(a_question())
    assert len(mailbox.open_questions()) == 1


@virtual
async def test_the_first_answer_counts() -> None:
    question = a_question()
    question.settle(answer({"first": True}))
    question.settle(answer({"second": True}))
    question.settle(Response(1, error={"message": "third"}))
    question.drop(REASON)
    assert await question.answer == {"first": True}


@virtual
async def test_an_error_is_a_failure_of_the_tool() -> None:
    question = a_question()
    question.settle(Response(1, error={"code": 1, "message": "No user here"}))
    with pytest.raises(ToolFailure, match="No user here"):
        await question.answer


@virtual
async def test_clearing_gives_every_question_up() -> None:
    mailbox, questions = Mailbox(5), [a_question() for _ in range(3)]
    for question in questions:
        mailbox.add_question(question)
    mailbox.add_note(Note("log", {}))
    assert list(mailbox.clear(REASON)) == questions
    assert len(mailbox) == 0
    for question in questions:
        with pytest.raises(RpcError, match="given up"):
            await question.answer


@virtual
async def test_dropping_the_questions_keeps_the_notifications() -> None:
    mailbox, note = Mailbox(5), Note("log", {})
    mailbox.add_question(a_question())
    mailbox.add_note(note)
    mailbox.drop_questions(REASON)
    assert list(mailbox.letters()) == [note]


@given(
    st.integers(1, 5),
    st.lists(st.sampled_from(["ask", "note", "answer", "remove", "clear"]), max_size=40),
)
def test_a_mailbox_never_holds_more_than_its_limit(limit: int, steps: list[str]) -> None:
    async def live() -> None:
        mailbox = Mailbox(limit)
        for step in steps:
            held = mailbox.letters()
            match step:
                case "ask" if len(held) < limit:
                    mailbox.add_question(a_question())
                case "ask":
                    with pytest.raises(MailboxFull):
                        mailbox.add_question(a_question())
                case "note":
                    assert mailbox.add_note(Note("log", {})) is (len(held) < limit)
                case "answer":
                    for question in mailbox.open_questions()[:1]:
                        question.settle(answer({}))
                case "remove":
                    for letter in held[:1]:
                        mailbox.remove(letter)
                case "clear":
                    mailbox.clear(REASON)
            assert len(mailbox.letters()) <= limit

    run_virtually(live())
