"""Each fault shows what its sentence says, and the sound server does not."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pytest

from mcp_tasks_reference.catalog import describe
from tests.reference import probes as p
from tests.reference.clients import RELATED, memory_server
from tests.reference.virtual import run_virtually


@dataclass(frozen=True)
class Case:
    """What a probe gives on the sound server and on the broken one."""

    probe: p.Probe
    sound: Any
    broken: Any


def related(value: Mapping[str, Any]) -> Any:
    return value.get("_meta", {}).get(RELATED)


def names_itself(value: Mapping[str, Any]) -> bool:
    return bool(related(value) == {"taskId": value["task"]["taskId"]})


WITH_TASKS: dict[str, Any] = {"list": {}, "cancel": {}, "requests": {"tools": {"call": {}}}}
OWN_ERROR = -32050

CASES = {
    # base
    "response-id-as-text": Case(p.raw_response(lambda all_: type(all_[0]["id"])), int, str),
    "answered-twice": Case(p.all_responses_to_get, 1, 2),
    "response-without-version": Case(p.raw_response(lambda all_: "jsonrpc" in all_[0]), True, False),
    "result-and-error": Case(p.raw_response(lambda all_: "error" in all_[0]), False, True),
    "error-message-object": Case(p.error_message("no/such"), 1, "dict"),
    "request-ids-repeated": Case(p.request_ids, True, False),
    "notification-answered": Case(p.answers_to_notifications, 0, 1),
    "unknown-method-empty": Case(p.raw_response(lambda all_: "error" in all_[0], "no/such"), True, False),
    "unknown-method-wrong-code": Case(p.raw_response(lambda all_: all_[0]["error"]["code"], "x"), -32601, -32600),
    "dies-of-garbage": Case(p.serves_on_after_garbage, "result", "silence"),
    # capabilities
    "tasks-undeclared": Case(p.capabilities, WITH_TASKS, None),
    "tasks-experimental": Case(p.capabilities, WITH_TASKS, None),
    "tools-capability-empty": Case(p.capabilities, WITH_TASKS, {**WITH_TASKS, "requests": {"tools": {}}}),
    "capabilities-as-booleans": Case(p.capabilities, WITH_TASKS, {**WITH_TASKS, "list": True, "cancel": True}),
    "list-declared-only": Case(p.served, (True, True), (False, True)),
    "list-undeclared": Case(p.capabilities, WITH_TASKS, {"cancel": {}, "requests": WITH_TASKS["requests"]}),
    "cancel-declared-only": Case(p.served, (True, True), (True, False)),
    "cancel-undeclared": Case(p.capabilities, WITH_TASKS, {"list": {}, "requests": WITH_TASKS["requests"]}),
    "undeclared-task-refused": Case(
        p.raw_response(lambda all_: "error" in all_[0], "tools/list", task={}), False, True
    ),
    "other-version-answered": Case(p.agreed_version, "2025-11-25", "2025-06-18"),
    # tools
    "support-invented": Case(
        p.supports, {"required", "optional", "forbidden"}, {"required", "optional", "forbidden", "sometimes"}
    ),
    "support-untold": Case(p.supports, {"required", "optional", "forbidden"}, {None}),
    "forbidden-tool-as-task": Case(p.called("plain-only", {}), -32601, "task"),
    "forbidden-tool-wrong-code": Case(p.called("plain-only", {}), -32601, -32602),
    "required-tool-plainly": Case(p.called("task-only"), -32601, "result"),
    "required-tool-wrong-code": Case(p.called("task-only"), -32601, -32602),
    "required-tool-invalid-request": Case(p.called("task-only"), -32601, -32600),
    "optional-tool-plain-refused": Case(p.called("either"), "result", -32601),
    "plain-call-makes-task": Case(p.called("either"), "result", "task"),
    "task-call-answers-result": Case(p.called("either", {}), "task", "result"),
    "later-task-call-answers-result": Case(p.called_once_more, ["task", "task"], ["task", "result"]),
    "bad-arguments-as-result": Case(p.called("either", {}, arguments={"x": 1}), -32602, "result"),
    # creation
    "created-late": Case(p.creation_takes, False, True),
    "starts-input-required": Case(p.created(lambda c: c["task"]["status"]), "working", "input_required"),
    "starts-submitted": Case(p.created(lambda c: c["task"]["status"]), "working", "submitted"),
    "created-flat": Case(p.created(lambda c: "task" in c), True, False),
    "created-without-ttl": Case(p.created(lambda c: "ttl" in c["task"]), True, False),
    "created-under-other-id": Case(p.created_is_found, True, False),
    "created-without-related-task": Case(p.created(lambda c: related(c) is not None), True, False),
    "created-with-other-related-task": Case(p.created(names_itself), True, False),
    "immediate-response-number": Case(p.created(lambda c: len(c["_meta"])), 1, 2),
    "ttl-demanded": Case(p.called("either", {}), "task", -32602),
    "suggested-id-taken": Case(p.created(lambda c: c["task"]["taskId"] == "mine", {"taskId": "mine"}), False, True),
    "ids-repeated": Case(p.two_ids, 2, 1),
    "ids-counted": Case(p.created(lambda c: c["task"]["taskId"].startswith("task-")), False, True),
    # states
    "status-running": Case(p.shown("slow", lambda t: t["status"]), "working", "running"),
    "completed-then-failed": Case(p.shown("completes", lambda t: t["status"], 1), "completed", "failed"),
    "cancelled-completes": Case(p.cancelled_later, "cancelled", "completed"),
    "success-fails": Case(p.shown("completes", lambda t: t["status"], 1), "completed", "failed"),
    "tool-error-completes": Case(p.shown("fails-tool-error", lambda t: t["status"], 1), "failed", "completed"),
    "rpc-error-completes": Case(p.shown("fails-rpc-error", lambda t: t["status"], 1), "failed", "completed"),
    "rpc-error-forgotten": Case(p.shown("fails-rpc-error", lambda t: t["status"], 1), "failed", "working"),
    "failed-without-words": Case(p.shown("fails-rpc-error", lambda t: "statusMessage" in t, 1), True, False),
    # time
    "created-at-number": Case(p.shown("slow", lambda t: type(t["createdAt"])), str, int),
    "created-at-moves": Case(p.shown("slow", lambda t: t["createdAt"] <= t["lastUpdatedAt"], 0.1), True, False),
    "updated-at-missing": Case(p.shown("slow", lambda t: "lastUpdatedAt" in t), True, False),
    "updated-at-frozen": Case(p.shown("completes", lambda t: t["createdAt"] < t["lastUpdatedAt"], 1), True, False),
    "updated-at-before-creation": Case(p.shown("slow", lambda t: t["createdAt"] <= t["lastUpdatedAt"]), True, False),
    "get-without-ttl": Case(p.shown("slow", lambda t: "ttl" in t), True, False),
    "get-ttl-as-text": Case(p.shown("slow", lambda t: t["ttl"]), 30_000, "30000ms"),
    "expires-early": Case(p.gone_after_half_its_ttl, False, True),
    "expired-as-internal-error": Case(p.code_after_ttl, -32602, -32603),
    "ttl-unlimited": Case(p.created(lambda c: c["task"]["ttl"], {"ttl": 10**12}), 3_600_000, 10**12),
    "poll-interval-as-text": Case(p.shown("slow", lambda t: t["pollInterval"]), 50, "50ms"),
    # tasks/get
    "get-answers-nothing": Case(p.shown("slow", len), 7, 0),
    "get-nested": Case(p.shown("slow", lambda t: "task" in t), False, True),
    "get-id-as-number": Case(p.shown("slow", lambda t: type(t["taskId"])), str, int),
    "get-unknown-works": Case(p.of_unknown("tasks/get"), "-32602", "result"),
    "get-unknown-wrong-code": Case(p.of_unknown("tasks/get"), "-32602", "-32600"),
    "get-unknown-unanswered": Case(p.of_unknown("tasks/get"), "-32602", "silence"),
    "get-with-related-task": Case(p.shown("slow", lambda t: "_meta" in t), False, True),
    "related-task-wins": Case(p.get_by_metadata, True, False),
    "get-waits-behind-result": Case(p.get_while_waiting, "working", "completed"),
    "get-slow": Case(p.get_takes, False, True),
    # tasks/result
    "result-impatient": Case(p.woken_after, 6, 0),
    "result-never-wakes": Case(p.waited_for("fails-rpc-error"), str(OWN_ERROR), "silence"),
    "result-wakes-one": Case(p.two_waiters, ["result", "result"], ["silence", "result"]),
    "result-polls": Case(p.woken_after, 6, 15),
    "result-wrapped": Case(p.fetched("completes", lambda r: "content" in r), True, False),
    "result-without-content": Case(p.fetched("completes", lambda r: "content" in r), True, False),
    "result-without-structure": Case(p.fetched("structured", lambda r: "structuredContent" in r), True, False),
    "error-replaced": Case(p.fetched("fails-rpc-error", p.kind), str(OWN_ERROR), "-32602"),
    "tool-error-as-rpc-error": Case(p.fetched("fails-tool-error", p.kind), "result", "-32000"),
    "result-without-related-task": Case(p.fetched("completes", lambda r: "_meta" in r), True, False),
    "result-with-draft-key": Case(p.fetched("completes", lambda r: RELATED in r["_meta"]), True, False),
    "result-with-other-related-task": Case(p.fetched("completes", lambda r: r["_mine"]), True, False),
    "result-unknown-wrong-code": Case(p.of_unknown("tasks/result"), "-32602", "-32600"),
    "result-once": Case(p.fetched_twice, ["result", "result"], ["result", "-32602"]),
    "fetched-then-forgotten": Case(p.found_after_fetching, "result", "-32602"),
    "cancelled-result-empty": Case(p.result_of_cancelled, -32602, ["_meta"]),
    "cancelled-result-hangs": Case(p.result_of_cancelled, -32602, "silence"),
    "wait-cancelled-ends-task": Case(p.status_after_wait_cancelled, "completed", "cancelled"),
    # tasks/list
    "list-as-map": Case(p.listed(lambda page: type(page["tasks"])), list, dict),
    "list-null-cursor": Case(p.listed(lambda page: "nextCursor" in page), False, True),
    "list-stale": Case(p.listed(lambda page: page["tasks"][0]["status"]), "completed", "working"),
    "list-shows-nothing": Case(p.listed(lambda page: len(page["tasks"])), 1, 0),
    "list-omits-ended": Case(p.listed(lambda page: len(page["tasks"])), 1, 0),
    "list-breaks-off": Case(p.listed_over_pages, 120, 50),
    "list-in-circles": Case(p.listed_over_pages, 120, 50),
    "list-on-one-page": Case(p.listed(lambda page: len(page["tasks"]), tasks=120), 50, 120),
    "bad-cursor-first-page": Case(p.with_cursor("made up"), "-32602", "result"),
    "list-with-related-task": Case(p.listed(lambda page: "_meta" in page), False, True),
    # tasks/cancel
    "cancel-answers-working": Case(p.cancelled(lambda t: t["status"]), "cancelled", "working"),
    "cancel-refused": Case(p.answer_to_cancel, "result", "-32602"),
    "cancel-completes": Case(p.status_after_cancel, "cancelled", "completed"),
    "cancel-rewrites-history": Case(p.cancelled_after_end, ("-32602", "completed"), ("result", "cancelled")),
    "cancel-ended-accepted": Case(p.cancelled_after_end, ("-32602", "completed"), ("result", "completed")),
    "cancel-ended-wrong-code": Case(p.cancelled_after_end, ("-32602", "completed"), ("-32600", "completed")),
    "cancel-leaves-work": Case(p.counts_on_after_cancel, False, True),
    "cancel-unknown-accepted": Case(p.of_unknown("tasks/cancel"), "-32602", "result"),
    "cancel-unknown-wrong-code": Case(p.of_unknown("tasks/cancel"), "-32602", "-32603"),
    "cancel-with-related-task": Case(p.cancelled(lambda t: "_meta" in t), False, True),
    "cancel-answers-nothing": Case(p.cancelled(len), 7, 0),
    "cancel-nested": Case(p.cancelled(lambda t: "task" in t), False, True),
    "call-cancelled-ends-task": Case(p.status_after_call_cancelled, "completed", "cancelled"),
    "cancelled-as-internal-error": Case(p.status_after_cancel, "cancelled", -32603),
    # asking
    "input-stays-working": Case(p.status_while_asking, "input_required", "working"),
    "question-without-related-task": Case(p.asked(lambda _, params: "_meta" in params), True, False),
    "question-with-other-related-task": Case(
        p.asked(lambda task, params: related(params) == {"taskId": task}), True, False
    ),
    "question-names-oldest-task": Case(p.questions_in_their_own_name, 3, 1),
    "answer-to-oldest-question": Case(
        p.tasks_after_an_answer,
        ["input_required", "completed", "input_required"],
        ["completed", "input_required", "input_required"],
    ),
    "answer-to-newest-question": Case(
        p.tasks_after_an_answer,
        ["input_required", "completed", "input_required"],
        ["input_required", "input_required", "completed"],
    ),
    "question-never-sent": Case(p.samplings_sent, True, False),
    "input-never-over": Case(p.status_after_sampling, "completed", "input_required"),
    "decline-unheeded": Case(p.status_after_answer(action="decline"), "completed", "input_required"),
    "asks-undeclared": Case(p.questions_without_capability, 0, 1),
    # progress
    "progress-of-other-token": Case(
        p.progress(lambda _, told: {one["progressToken"] == "mine" for one in told}), {True}, {False}
    ),
    "progress-after-end": Case(p.progress_after_end, 0, 4),
    "progress-falls": Case(
        p.progress(lambda _, told: [one["progress"] for one in told]), [1, 2, 3, 4], [99, 98, 97, 96]
    ),
    "progress-unasked": Case(p.progress(lambda _, told: len(told), None), 0, 4),
    "progress-without-related-task": Case(
        p.progress(lambda _, told: {"_meta" in one for one in told}), {True}, {False}
    ),
    "progress-with-other-related-task": Case(
        p.progress(lambda task, told: {related(one) == {"taskId": task} for one in told}), {True}, {False}
    ),
    "progress-missed": Case(p.status_with_a_progress_token, "completed", "failed"),
    # status notifications
    "notification-in-part": Case(p.notified(lambda _, told: {"createdAt" in one for one in told}), {True}, {False}),
    "notification-with-related-task": Case(
        p.notified(lambda _, told: {"_meta" in one for one in told}), {False}, {True}
    ),
    "notification-lies": Case(p.notified(lambda _, told: told[-1]["status"]), "completed", "working"),
    "notification-to-sessions": Case(p.notified_beside_it, 0, 1),
    "notification-to-all": Case(p.notified_of_anothers, {True}, {True, False}),
    # isolation
    "get-of-anybody": Case(p.foreign("tasks/get"), "-32602", "result"),
    "result-of-anybody": Case(p.foreign("tasks/result"), "-32602", "result"),
    "cancel-by-anybody": Case(p.foreign("tasks/cancel"), "-32602", "result"),
    "list-of-everybody": Case(p.lists_anothers, 0, 1),
    "cursor-of-anybody": Case(p.opens_with_anothers_cursor, -32602, 10),
    "sessions-share-tasks": Case(p.foreign("tasks/get", (None, None)), "-32602", "result"),
    "foreign-told-apart": Case(p.foreign("tasks/get"), "-32602", "-32001"),
    "tasks-bound-to-session": Case(p.found_from_a_new_connection, "result", "-32602"),
    # refusals
    "missing-id-internal-error": Case(
        p.raw_response(lambda all_: all_[0]["error"]["code"], "tasks/get"), -32602, -32603
    ),
    "wrong-cursor-ignored": Case(p.with_cursor(7), "-32602", "result"),
    "internal-error-invented-code": Case(p.listed_over_pages, 120, -32099),
    "errors-without-words": Case(p.error_message("tasks/get", taskId="none"), 1, 0),
    "errors-with-stack-trace": Case(p.error_message("tasks/get", taskId="none"), 1, 22),
    # resources
    "queue-unbounded": Case(p.flooded, "failed", "input_required"),
    "queue-outlives-cancel": Case(p.questions_after_cancel, 0, 6),
    "queue-backwards": Case(p.questions_in_order, True, False),
    "queue-after-result": Case(p.logs_after_result, 0, 3),
    "tasks-lost": Case(p.found_of_many, "result", "-32602"),
}

FAULTS = {entry["name"]: entry for entry in describe() if entry["kind"] == "fault"}


async def look(case: Case, *options: str) -> Any:
    async with memory_server(*options) as server:
        return await case.probe(server)


@pytest.mark.parametrize("name", CASES)
def test_the_fault_shows_and_the_sound_server_does_not_have_it(name: str) -> None:
    case = CASES[name]
    assert run_virtually(look(case)) == case.sound
    assert run_virtually(look(case, "--fault", name)) == case.broken


@pytest.mark.parametrize("name", FAULTS)
def test_every_fault_that_shows_in_memory_has_a_case(name: str) -> None:
    transports = FAULTS[name]["transports"]
    assert (name in CASES) is (transports is None or "memory" in transports)
