"""What a task has to say to its requestor, in order, until it is delivered and answered. Pure, without I/O."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from mcp_tasks_reference.jsonrpc import JsonObject, RequestId, Response, RpcError
from mcp_tasks_reference.tools import ToolFailure

if TYPE_CHECKING:
    from mcp_tasks_reference.session import Session


class MailboxFull(Exception):
    """The task asks more than its queue may hold."""

    def __init__(self, limit: int) -> None:
        super().__init__(f"The task's message queue is full: it holds at most {limit} messages")


@dataclass(eq=False, slots=True)
class Note:
    """A notification that waits for somebody to listen."""

    method: str
    params: JsonObject


@dataclass(eq=False, slots=True)
class Question:
    """A request to the requestor. It may be delivered several times; the first answer counts."""

    method: str
    params: JsonObject
    answer: asyncio.Future[JsonObject]
    copies: list[tuple[Session, RequestId]] = field(default_factory=list)
    """Where it was delivered, and under which id each time."""

    @property
    def is_open(self) -> bool:
        """Whether nobody has answered it yet."""
        return not self.answer.done()

    def settle(self, response: Response) -> None:
        """Take an answer; all but the first are ignored."""
        if self.answer.done():
            return
        if response.result is not None:
            self.answer.set_result(response.result)
        else:
            self._give(ToolFailure(f"The client answered with an error: {(response.error or {}).get('message')}"))

    def drop(self, reason: RpcError) -> None:
        """Give the question up: whoever waits for the answer gets the reason."""
        if not self.answer.done():
            self._give(reason)

    def _give(self, failure: Exception) -> None:
        self.answer.set_exception(failure)
        self.answer.exception()  # seen: the work that asked may be gone already


class Mailbox:
    """The bounded message queue of one task."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self._letters: list[Note | Question] = []

    def __len__(self) -> int:
        return len(self._letters)

    def add_question(self, question: Question) -> None:
        """Queue a request.

        Raises:
            MailboxFull: there is no room for it.
        """
        self.tidy()
        if self.is_full():
            raise MailboxFull(self.limit)
        self._letters.append(question)

    def add_note(self, note: Note) -> bool:
        """Queue a notification where there is room; notifications are best effort."""
        self.tidy()
        if self.is_full():
            return False
        self._letters.append(note)
        return True

    def is_full(self) -> bool:
        """Whether the queue takes no more."""
        return len(self._letters) >= self.limit

    def letters(self) -> Sequence[Note | Question]:
        """What waits for delivery or for an answer, in the order it was sent."""
        self.tidy()
        return tuple(self._letters)

    def remove(self, letter: Note | Question) -> None:
        """Take out what is delivered and wants no answer."""
        if letter in self._letters:
            self._letters.remove(letter)

    def open_questions(self) -> Sequence[Question]:
        """The requests that nobody has answered."""
        return tuple(letter for letter in self._letters if isinstance(letter, Question) and letter.is_open)

    def tidy(self) -> None:
        """Forget answered questions."""
        self._letters = [letter for letter in self._letters if isinstance(letter, Note) or letter.is_open]

    def clear(self, reason: RpcError) -> Sequence[Question]:
        """Empty the queue; the questions in it are given up and returned."""
        dropped = self.drop_questions(reason)
        self._letters.clear()
        return dropped

    def drop_questions(self, reason: RpcError) -> Sequence[Question]:
        """Give up and return the questions; notifications may still be delivered."""
        dropped = self.open_questions()
        for question in dropped:
            question.drop(reason)
        self.tidy()
        return dropped
