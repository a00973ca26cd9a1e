"""Carries what a task has to say to its requestor."""

from __future__ import annotations

import asyncio

from mcp_tasks_reference.jsonrpc import JsonObject, JsonValue
from mcp_tasks_reference.mailbox import Note, Question
from mcp_tasks_reference.outlet import Outlet
from mcp_tasks_reference.running import Running, Waiter
from mcp_tasks_reference.session import Session
from mcp_tasks_reference.task import Task
from mcp_tasks_reference.v1.views import Views


class Courier:
    """Chooses the stream for each message of a task: an open tasks/result first, then the listening stream.

    Spec: basic/utilities/tasks#input-required-status, #task-notifications, #task-progress-notifications
    """

    def __init__(self, views: Views) -> None:
        self._views = views

    def tell_status(self, running: Running, task: Task) -> None:
        """Send a status notification, best effort."""
        running.session.notify("notifications/tasks/status", self._views.status(task))

    def tell_progress(self, running: Running, progress: JsonObject) -> None:
        """Send progress, if a token was given and the task goes on."""
        token = self.progress_token(running)
        if token is None or self.is_silent(running):
            return
        params = self._views.message(running.task_id, {"progressToken": token, **progress})
        waiter = running.open_waiter()
        knows_token = waiter is not None and waiter.session is running.session
        running.session.notify("notifications/progress", params, waiter.outlet if waiter and knows_token else None)

    def progress_token(self, running: Running) -> JsonValue:
        """The token that the request which made the task came with."""
        return running.progress_token

    def is_silent(self, running: Running) -> bool:
        """Whether the task has nothing more to say."""
        return running.over

    def tell_log(self, running: Running, level: str, data: str) -> None:
        """Send a log message, or queue it until somebody listens."""
        if self.is_silent(running) or not running.session.wants_log(level):
            return
        params = self._views.message(running.task_id, {"level": level, "logger": "tool", "data": data})
        waiter = running.open_waiter()
        if waiter is not None:
            waiter.session.notify("notifications/message", params, waiter.outlet)
        elif running.session.listening.is_open:
            running.session.notify("notifications/message", params)
        else:
            running.mailbox.add_note(Note("notifications/message", params))

    def question(self, running: Running, method: str, params: JsonObject) -> Question:
        """A request of the task, named as such."""
        named = self._views.message(running.task_id, params)
        return Question(method, named, asyncio.get_running_loop().create_future())

    def pose(self, running: Running, question: Question) -> None:
        """Deliver a new question at once if there is any way; it stays queued until it is answered."""
        waiter = running.open_waiter()
        if waiter is not None and self._may_ask(waiter.session, question):
            self.deliver(waiter.session, waiter.outlet, question)
        elif running.session.listening.is_open:
            self.deliver(running.session, running.session.listening, question)

    def catch_up(self, running: Running, waiter: Waiter) -> None:
        """Tell a new tasks/result all that is queued, in order, unanswered questions once more."""
        for letter in running.mailbox.letters():
            if isinstance(letter, Note):
                if waiter.session.notify(letter.method, letter.params, waiter.outlet):
                    running.mailbox.remove(letter)
            elif self._may_ask(waiter.session, letter) and (not letter.copies or self.repeats(letter)):
                self.deliver(waiter.session, waiter.outlet, letter)

    def repeats(self, question: Question) -> bool:  # noqa: ARG002
        """Whether an open question that was delivered before is delivered again: nobody knows whether it came."""
        return True

    def withdraw(self, question: Question, task_id: str, reason: str) -> None:
        """Tell those who were asked that no answer is needed any more."""
        for session, request_id in question.copies:
            session.withdraw(request_id, self._views.message(task_id, {}), reason)
        question.copies.clear()

    def deliver(self, session: Session, outlet: Outlet, question: Question) -> None:
        """Send a question, under an id of its own each time."""
        request_id = session.ask(outlet, question.method, question.params, question.settle)
        if request_id is not None:
            question.copies.append((session, request_id))

    def _may_ask(self, session: Session, question: Question) -> bool:
        return session.can_elicit_forms() if question.method == "elicitation/create" else session.can("sampling")
