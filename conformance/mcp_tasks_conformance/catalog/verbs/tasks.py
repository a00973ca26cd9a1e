"""Verbs about tasks: made, watched, fed and outlived."""

from __future__ import annotations

from mcp_tasks_conformance.catalog import offers
from mcp_tasks_conformance.catalog.grammar import Group, Key, Kind, Verb
from mcp_tasks_conformance.catalog.verbs.keys import ANSWERING, REPLY, TASK, TOOL_KEYS, WITHIN

VERBS: tuple[Verb, ...] = (
    Verb(
        "start_task",
        "Call the tool of a behaviour as a task.",
        None,
        {
            **TOOL_KEYS,
            "ttl": Key(Kind.STIMULUS, "The ttl to ask for, in ms; one that no default has where absent."),
            "keep_ms": Key(Kind.MS, "A ttl for so long after the work: what that is said to take, and this."),
            "task": Key(Kind.STIMULUS, "The whole `task` member instead."),
        },
        gives="the task as CreateTaskResult shows it",
        offers=offers.TASK,
        members=REPLY,
        groups=(Group(("ttl", "task")), Group(("keep_ms", "ttl")), Group(("keep_ms", "task"))),
    ),
    Verb(
        "call_tool",
        "Call the tool of a behaviour plainly, or with a `task` member of one's own making.",
        None,
        {**TOOL_KEYS, "task": Key(Kind.STIMULUS, "A `task` member; none where absent.")},
        gives="the reply",
        offers=offers.REPLY,
        members=REPLY,
    ),
    Verb(
        "await_status",
        "Wait until the task shows a status: by notifications and by polling at its poll interval.",
        None,
        {
            "task": TASK,
            "is": Key(
                Kind.STIMULUS,
                "A status, a list of them, or `terminal`.",
                required=True,
                choices=("working", "input_required", "completed", "failed", "cancelled", "terminal"),
                many=True,
            ),
            "answering": ANSWERING,
            "within_ms": WITHIN,
        },
        judged_by_itself=True,
        gives="the task as it was seen",
        offers=offers.TASK,
        members=(),
    ),
    Verb(
        "answer_inputs",
        "Answer a task's input requests with tasks/update.",
        Key(Kind.REF, "The task as tasks/get shows it.", task=True),
        {"which": Key(Kind.STIMULUS, "all, first, or a list of keys.")},
        gives="the reply",
        offers=offers.REPLY,
        members=REPLY,
        generations=("v2",),
        sides=("server",),
    ),
    Verb(
        "settle",
        "Wait until the task's work, or a share of it, would have been done had nothing stopped it, or for a stated "
        "time; then ping.",
        None,
        {
            "task": Key(Kind.REF, "The task: what start_task gave.", task=True),
            "percent": Key(Kind.COUNT, "The share of its work. What this gives is the moment for which that is due."),
            "for_ms": Key(Kind.MS, "The time, where it is not about a task's work."),
        },
        judges=False,
        gives="the moment",
        offers=offers.MOMENT,
        groups=(Group(("task", "for_ms"), at_least=1), Group(("percent", "for_ms"))),
    ),
    Verb(
        "age",
        "Wait until a share of the task's ttl has passed since it was made, then ping. Where there is no ttl, or "
        "one too long to wait for, nothing more is judged.",
        None,
        {
            "task": Key(
                Kind.REF, "The task with its ttl: what start_task gave, or a later view.", required=True, task=True
            ),
            "percent": Key(Kind.COUNT, "The share: 80 is before the end, 110 after it.", required=True),
        },
        judges=False,
        gives="the moment",
        offers=offers.MOMENT,
    ),
)
