"""What the check of shapes says of values, in words and in pointers."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_tasks_conformance.wire import shapes
from mcp_tasks_conformance.wire.shapes import Flaw, check

TASK: dict[str, Any] = {
    "taskId": "t-1",
    "status": "working",
    "createdAt": "2026-01-05T08:00:00Z",
    "lastUpdatedAt": "2026-01-05T08:00:00Z",
    "ttl": None,
}

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=10,
)


def test_a_missing_member_is_pointed_at_as_if_it_were_there() -> None:
    value = {name: member for name, member in TASK.items() if name != "ttl"}
    assert check("v1/CreateTaskResult", {"task": value}) == (Flaw("/task/ttl", "is missing", "required"),)


def test_every_missing_member_is_a_flaw_of_its_own() -> None:
    assert [flaw.pointer for flaw in check("v1/GetTaskResult", {"task": TASK})] == [
        "/taskId",
        "/status",
        "/createdAt",
        "/lastUpdatedAt",
        "/ttl",
    ]


@pytest.mark.parametrize(
    ("member", "value", "problem"),
    [
        ("taskId", 7, "is the number 7, not a string"),
        ("taskId", None, "is null, not a string"),
        ("ttl", "60000", "is a string, not a number or null"),
        ("ttl", True, "is a boolean, not a number or null"),
        ("pollInterval", {"ms": 5}, "is an object, not a number"),
        ("pollInterval", [5], "is an array, not a number"),
        ("status", "done", 'is "done", not working, input_required, completed, failed or cancelled'),
        ("status", ["failed"], "is an array, not working, input_required, completed, failed or cancelled"),
    ],
)
def test_a_wrong_member_is_told_in_words(member: str, value: Any, problem: str) -> None:
    (flaw,) = check("v1/Task", {**TASK, member: value})
    assert (flaw.pointer, flaw.problem) == (f"/{member}", problem)


def test_a_wrong_constant_says_what_is_due() -> None:
    (flaw,) = check("v1/JSONRPCNotification", {"jsonrpc": "1.0", "method": "x"})
    assert (flaw.pointer, flaw.problem) == ("/jsonrpc", 'is "1.0", not "2.0"')


def test_a_member_that_may_not_be_there_is_told_so() -> None:
    (flaw,) = check("v1/JSONRPCNotification", {"jsonrpc": "2.0", "method": "x", "id": 1})
    assert (flaw.pointer, flaw.problem) == ("/id", "must not be there")


@pytest.mark.parametrize(("priority", "problem"), [(1.5, "is 1.5, more than 1"), (-1, "is -1, less than 0")])
def test_a_number_out_of_bounds_is_told_with_its_bound(priority: float, problem: str) -> None:
    (flaw,) = check("v1/Annotations", {"priority": priority})
    assert flaw.problem == problem


def test_a_pointer_escapes_what_would_be_read_as_its_own_signs() -> None:
    (flaw,) = check("v1/ElicitResult", {"action": "accept", "content": {"a/b~c": None}})
    assert flaw.pointer == "/content/a~1b~0c"


def test_a_pointer_counts_items_from_zero() -> None:
    (flaw,) = check("v1/ListTasksResult", {"tasks": [TASK, {**TASK, "taskId": 1}]})
    assert flaw.pointer == "/tasks/1/taskId"


def test_a_long_value_is_cut_short() -> None:
    (flaw,) = check("v1/Task", {**TASK, "status": "x" * 1_000_000})
    assert len(flaw.problem) < 200


def test_a_huge_number_is_told_without_failing() -> None:
    (flaw,) = check("v1/Task", {**TASK, "status": 10**400})
    assert "..." in flaw.problem


def test_a_lone_surrogate_can_be_printed() -> None:
    (flaw,) = check("v1/Task", {**TASK, "status": "\ud800"})
    assert flaw.problem.encode("utf-8").startswith(b'is "\\ud800"')


def test_a_flaw_that_two_parts_of_a_schema_see_is_told_once() -> None:
    assert check("v1/ContentBlock", "text") == (Flaw("", "is a string, not an object", "type"),)


def test_a_long_list_of_broken_items_is_told_in_part() -> None:
    assert len(check("v1/ListTasksResult", {"tasks": [1] * 5000})) == shapes.MOST_FLAWS


def test_formats_are_no_flaws() -> None:
    assert check("v1/Task", {**TASK, "createdAt": "yesterday"}) == ()


@pytest.mark.parametrize("name", ["v1/Tasks", "v1/task", "v3/Task", "Task", "", "v1/../v1/Task", "v1/"])
def test_an_unknown_name_is_a_key_error(name: str) -> None:
    with pytest.raises(KeyError):
        check(name, TASK)


def test_the_names_are_those_of_the_files_in_order() -> None:
    assert {"v1/Task", "v1/CallToolResult", "v1/JSONRPCErrorResponse"} <= set(shapes.names())
    assert list(shapes.names()) == sorted(shapes.names())


def test_a_request_has_the_shapes_of_its_method() -> None:
    assert shapes.params_schema("v1", "tasks/get") == "v1/GetTaskParams"
    assert shapes.result_schema("v1", "tasks/get") == "v1/GetTaskResult"
    assert shapes.notification_schema("v1", "notifications/tasks/status") == "v1/TaskStatusNotificationParams"


@pytest.mark.parametrize(
    ("generation", "method"), [("v1", "tasks/unknown"), ("v9", "tasks/get"), ("v1", "notifications/none"), ("", "")]
)
def test_a_method_of_which_nothing_is_known_has_no_shape(generation: str, method: str) -> None:
    assert shapes.params_schema(generation, method) is None
    assert shapes.result_schema(generation, method) is None
    assert shapes.notification_schema(generation, method) is None


def test_a_request_is_no_notification() -> None:
    assert shapes.notification_schema("v1", "tasks/get") is None
    assert shapes.params_schema("v1", "notifications/progress") is None


def test_every_shape_of_a_method_exists() -> None:
    named = {
        f"{generation}/{shape}"
        for generation, methods in shapes._REQUESTS.items()
        for pair in methods.values()
        for shape in pair
    } | {f"{generation}/{shape}" for generation, methods in shapes._NOTIFICATIONS.items() for shape in methods.values()}
    assert named <= set(shapes.names())


def test_the_json_schema_library_is_loaded_only_when_a_value_is_checked() -> None:
    program = (
        "import sys; from mcp_tasks_conformance.wire import shapes; shapes.names(); "
        "early = 'jsonschema' in sys.modules; "
        "shapes.check('v1/Task', {}); print(early, 'jsonschema' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=30)
    assert done.stdout.split() == ["False", "True"]


@given(value=JSON)
def test_no_value_makes_the_check_fail(value: Any) -> None:
    for name in ("v1/CallToolResult", "v1/ElicitParams", "v1/CreateMessageParams", "v1/InitializeResult"):
        for flaw in check(name, value):
            assert flaw.problem


@given(extra=st.dictionaries(st.text(max_size=8).filter(lambda name: name not in {*TASK, "statusMessage"}), JSON))
def test_members_that_the_specification_does_not_know_are_free(extra: dict[str, Any]) -> None:
    extra.pop("pollInterval", None)
    assert check("v1/Task", {**TASK, **extra}) == ()
