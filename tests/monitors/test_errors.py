"""Error messages of the task methods, and failures inside."""

from __future__ import annotations

import pytest

from mcp_tasks_conformance.events import Outcome
from tests.monitors.conversation import Conversation

INFORMATIVE = "v1.error.informative"
INTERNAL = "v1.error.internal"

PYTHON = "Traceback (most recent call last):\n  File \"/app/server.py\", line 7, in get\nKeyError: 't1'"
NODE = "Cannot read properties of undefined\n    at TaskStore.get (/app/dist/store.js:12:30)"
JAVA = "NullPointerException\n\tat com.example.Tasks.get(Tasks.java:17)"


@pytest.mark.parametrize(
    "message",
    [
        "Task not found",
        "Failed to retrieve task: Task has expired",
        "Task expired at 2025-11-25T10:30:00Z",
        "Invalid params at line (3): taskId is 1:2:3",
        'MCP error -32602: [\n  {\n    "code": "invalid_type",\n    "path": ["params", "taskId"]\n  }\n]',
    ],
)
def test_a_message_that_says_what_was_wrong_passes(message: str) -> None:
    talk = Conversation()
    talk.refuse(talk.ask("tasks/get", {"taskId": "nobody"}), message=message)
    assert talk.outcomes(INFORMATIVE) == [Outcome.PASS]
    assert talk.broken() == {}


@pytest.mark.parametrize("message", ["", " \n", PYTHON, NODE, JAVA, "x" * 2000])
def test_a_message_that_says_nothing_or_too_much_is_warned_of(message: str) -> None:
    talk = Conversation()
    talk.refuse(talk.ask("tasks/cancel", {"taskId": "nobody"}), message=message)
    assert list(talk.warned()) == [INFORMATIVE]


def test_a_message_that_repeats_a_huge_id_of_ours_passes() -> None:
    talk = Conversation()
    task_id = "x" * 100_000
    talk.refuse(talk.ask("tasks/get", {"taskId": task_id}), message=f"Task {task_id} not found")
    assert talk.warned() == {}


def test_the_error_of_the_request_itself_is_the_tool_s_affair() -> None:
    talk = Conversation()
    talk.make("t1")
    talk.refuse(talk.ask("tasks/result", {"taskId": "t1"}), -32050, PYTHON)
    talk.refuse(talk.ask("tools/call", {"name": "x"}), -32050, "")
    assert talk.outcomes(INFORMATIVE) == []


def test_an_error_about_a_task_that_nobody_has_is_the_receiver_s() -> None:
    talk = Conversation()
    talk.refuse(talk.ask("tasks/result", {"taskId": "nobody"}), -32602, "")
    assert list(talk.warned()) == [INFORMATIVE]


@pytest.mark.parametrize(
    "message", ["Internal error", "TypeError: x is not a function", "The database is locked", PYTHON]
)
def test_a_failure_inside_with_another_code_is_found(message: str) -> None:
    talk = Conversation()
    talk.make("t1")
    talk.refuse(talk.ask("tasks/get", {"taskId": "t1"}), -32000, message)
    assert list(talk.broken()) == [INTERNAL]


def test_a_failure_inside_on_the_next_page_is_found() -> None:
    talk = Conversation()
    talk.answer(talk.ask("tasks/list"), {"tasks": [], "nextCursor": "2"})
    talk.refuse(talk.ask("tasks/list", {"cursor": "made up"}), -32099, "The database is locked")
    assert talk.broken() == {}
    talk.refuse(talk.ask("tasks/list", {"cursor": "2"}), -32099, "The database is locked")
    assert list(talk.broken()) == [INTERNAL]


def test_a_refusal_with_a_trace_of_the_code_is_a_refusal() -> None:
    talk = Conversation()
    talk.make("t1")
    talk.refuse(talk.ask("tasks/get", {"taskId": "t1"}), -32602, PYTHON)
    assert talk.broken() == {}


def test_a_failure_inside_with_its_code_passes() -> None:
    talk = Conversation()
    talk.refuse(talk.ask("tasks/list"), -32603, "Internal error")
    assert talk.outcomes(INTERNAL) == [Outcome.PASS]


@pytest.mark.parametrize(
    ("code", "message"),
    [
        (-32602, "Task not found in the database"),
        (-32000, "Too many requests"),
        (429, "Rate limited"),
        (-32603, "Task has expired"),
    ],
)
def test_other_refusals_of_a_request_in_order_are_not_judged(code: int, message: str) -> None:
    talk = Conversation()
    talk.make("t1")
    talk.refuse(talk.ask("tasks/get", {"taskId": "t1"}), code, message)
    assert talk.outcomes(INTERNAL) == []


def test_a_list_with_a_cursor_of_null_may_be_refused_however_clumsily() -> None:
    talk = Conversation()
    talk.refuse(talk.ask("tasks/list", {"cursor": None}), -32000, PYTHON)
    assert talk.broken() == {}


def test_a_refused_cancellation_may_tell_how_the_task_failed() -> None:
    talk = Conversation()
    talk.make("t1")
    talk.refuse(talk.ask("tasks/cancel", {"taskId": "t1"}), -32602, "Already failed: KeyError")
    talk.refuse(talk.ask("tasks/get", {"taskId": "nobody"}), -32602, "KeyError: nobody")
    assert talk.outcomes(INTERNAL) == []
