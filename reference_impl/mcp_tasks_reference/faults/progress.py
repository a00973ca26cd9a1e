"""Faults in progress."""

from __future__ import annotations

import asyncio

from mcp_tasks_reference.courier import Courier
from mcp_tasks_reference.deviation import broken
from mcp_tasks_reference.execution import Execution
from mcp_tasks_reference.jsonrpc import JsonObject, JsonValue
from mcp_tasks_reference.running import Running
from mcp_tasks_reference.task import Outcome
from mcp_tasks_reference.tools import text_result

_OTHER_ID = "5c2b4d1f-93ce-4f39-8f5e-2c71a0d03333"
_LATE_S = 0.25


@broken(
    "progress-of-other-token",
    "v1.progress.token-retained",
    says="Progress of a task bears a token made from its id.",
    also=["v1.progress.known-token"],
)
class ProgressOfOtherToken(Courier):
    def progress_token(self, running: Running) -> JsonValue:
        return None if super().progress_token(running) is None else f"task-{running.task_id}"


@broken(
    "progress-after-end",
    "v1.progress.stops-at-terminal",
    says="Progress of a task goes on after its end.",
    also=["v1.progress.known-token"],
)
class ProgressAfterEnd(Courier):
    def tell_progress(self, running: Running, progress: JsonObject) -> None:
        super().tell_progress(running, progress)
        late = {**progress, "progress": 1000 + float(str(progress["progress"]))}
        token = self.progress_token(running)
        if token is not None:
            params = self._views.message(running.task_id, {"progressToken": token, **late})
            asyncio.get_running_loop().call_later(_LATE_S, running.session.notify, "notifications/progress", params)


@broken("progress-falls", "v1.progress.increases", says="Progress counts down.")
class ProgressFalls(Courier):
    def tell_progress(self, running: Running, progress: JsonObject) -> None:
        super().tell_progress(running, {**progress, "progress": 100 - float(str(progress["progress"]))})


@broken(
    "progress-unasked",
    "v1.progress.known-token",
    says="A task whose request gave no token reports progress all the same.",
)
class ProgressUnasked(Courier):
    def progress_token(self, running: Running) -> JsonValue:
        token = super().progress_token(running)
        return "progress" if token is None else token


@broken(
    "progress-without-related-task",
    "v1.progress.related-task",
    says="Progress of a task does not name the task.",
    also=["v1.create.related-task-on-messages"],
)
class ProgressWithoutRelatedTask(Courier):
    def tell_progress(self, running: Running, progress: JsonObject) -> None:
        token = self.progress_token(running)
        if token is not None and not self.is_silent(running):
            running.session.notify("notifications/progress", {"progressToken": token, **progress})


@broken(
    "progress-with-other-related-task",
    "v1.progress.related-task",
    says="Progress of a task names another task.",
    also=["v1.create.related-task-on-messages"],
)
class ProgressWithOtherRelatedTask(Courier):
    def tell_progress(self, running: Running, progress: JsonObject) -> None:
        token = self.progress_token(running)
        if token is not None and not self.is_silent(running):
            params = self._views.message(_OTHER_ID, {"progressToken": token, **progress})
            running.session.notify("notifications/progress", params)


@broken(
    "progress-missed",
    "v1.progress.optional",
    says="A task that was asked for progress and has none to report fails.",
    also=["v1.status.completed-on-success"],
)
class ProgressMissed(Execution):
    async def end(self, running: Running, outcome: Outcome) -> None:
        params = running.request.params
        reports = isinstance(params, dict) and params.get("name") == "reports-progress"
        if outcome.succeeded and running.progress_token is not None and not reports:
            outcome = Outcome(result=text_result("There was no progress to report", is_error=True))
        await super().end(running, outcome)
