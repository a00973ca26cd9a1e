"""Whatever a target answers, a run comes to its end, and what is odd about it is never taken for a defect of ours."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mcp_tasks_conformance.events import RunFinished, ScenarioOutcome
from tests.engine.theatre import perform, suite

SCENARIOS = suite("""
    - id: followed
      title: A task is followed to its end
      steps:
        - start_task: {behaviour: completes, ttl: 1000, progress_token: p, as: job}
        - begin: tasks/result
          params: {taskId: $job.taskId}
          as: waiting
        - still_waiting: $waiting
          task: $job
          proves: v1.list.complete
        - await_status: {task: $job, is: terminal, within_ms: 500, as: ended}
        - finish: $waiting
          as: result
        - gaps: {between: [$job, $ended], at_most_ms: 60000, proves: v1.list.complete}
        - judge: $result
          expect: {result: {$schema: v1/CallToolResult}}
          proves: v1.list.complete
        - age: {task: $ended, percent: 50}
    - id: listed
      title: Tasks are listed
      steps:
        - repeat:
            times: 2
            at_once: true
            steps:
              - start_task: {behaviour: completes, as: job}
            collect: {ids: $job.taskId}
        - walk: tasks/list
          items: tasks
          as: all
        - judge: $all
          expect: {items: {$includes: {taskId: $ids.0}}}
          proves: v1.list.complete
        - compare: {values: $all.items, are: distinct, by: taskId, proves: v1.list.complete}
        - compare: {values: $ids, are: unpredictable, proves: v1.list.complete}
        - send: tasks/get
          params: {taskId: $all.items.0.taskId}
          expect: {result: {ttl: {$at_least: $all.items.0.ttl}}}
          proves: v1.list.complete
    - id: asked
      title: A question is answered
      steps:
        - start_task: {behaviour: asks-elicitation, as: job}
        - await_any:
          - - await_request: elicitation/create
              within_ms: 300
              as: question
            - reply: $question
          - - await_status: {task: $job, is: [cancelled, failed], within_ms: 300}
        - quiet: {kind: message, for: $job, proves: v1.list.complete}
        - send: tasks/cancel
          params: {taskId: $job.taskId}
          expect: {result: {status: cancelled, _meta: {$related_task: $job}}}
          proves: v1.list.complete
        - settle: {task: $job}
""")

MEMBERS = [
    *("task", "taskId", "status", "ttl", "pollInterval", "createdAt", "lastUpdatedAt", "_meta", "content", "isError"),
    *("tools", "tasks", "nextCursor", "name", "inputSchema", "execution", "taskSupport", "code", "message"),
    *("requestedSchema", "requestId", "io.modelcontextprotocol/related-task"),
]
ODD = [None, True, 0, -1, 1.5, 10**30, "", "working", "completed", "input_required", "\ud800", "2025-11-25T12:00:00Z"]
values = st.recursive(
    st.sampled_from(ODD),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(MEMBERS), inner, max_size=5),
    max_leaves=12,
)
tasks = st.fixed_dictionaries(
    {
        "taskId": st.sampled_from(["a", "b", 7]),
        "status": st.sampled_from(["working", "completed", "input_required", 1]),
    },
    optional={"ttl": values, "pollInterval": values, "createdAt": values, "lastUpdatedAt": values, "_meta": values},
)
results = st.one_of(
    values,
    tasks,
    st.fixed_dictionaries({"task": tasks}),
    st.fixed_dictionaries({"tasks": st.lists(tasks, max_size=3)}, optional={"nextCursor": values}),
)
unasked = st.fixed_dictionaries(
    {
        "method": st.sampled_from(["elicitation/create", "notifications/tasks/status", "notifications/cancelled", "x"]),
        "params": values,
    },
    optional={"id": values},
)
texts = st.sampled_from(["{", "[]", "null", '{"jsonrpc":"2.0"}', '{"id":true,"result":1}', '{"id":null,"error":{}}'])
answers = st.one_of(
    st.fixed_dictionaries({"result": results}, optional={"before": st.lists(unasked, max_size=2)}),
    st.fixed_dictionaries({"error": values}),
    st.fixed_dictionaries({"text": texts, "result": results}),
)
tables = st.dictionaries(
    st.sampled_from(["tools/call", "tasks/get", "tasks/result", "tasks/list", "tasks/cancel", "tools/list"]),
    st.lists(answers, min_size=1, max_size=4),
)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(tables)
def test_no_answer_breaks_the_harness(table: dict[str, Any]) -> None:
    made = perform(SCENARIOS, "garbled", json.dumps(table))
    assert [e.reason for e in made.finished.values() if e.outcome is ScenarioOutcome.HARNESS_ERROR] == []
    assert isinstance(made.events[-1], RunFinished)
    assert len(made.finished) == (len(SCENARIOS) if made.failure is None else 0)
