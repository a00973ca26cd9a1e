"""The verbs of the scenario language: what each takes and gives. Loader, editor schema and docs read this."""

from __future__ import annotations

from collections.abc import Mapping

from mcp_tasks_conformance.catalog.behaviours import BEHAVIOURS
from mcp_tasks_conformance.catalog.grammar import Group, Key, Kind, Verb

IDENTITIES = ("first", "second")
"""The credentials of a run, as scenarios call them."""

REPLY = ("result", "error", "http", "id")
"""The members of a reply, as ``expect`` sees it."""

COMMON_KEYS: Mapping[str, Key] = {
    "via": Key(Kind.CONNECTION, "The connection it happens on; main unless said."),
    "as": Key(Kind.NAME, "The name for what the step gives."),
    "expect": Key(
        Kind.PATTERN,
        "What must match, or a list of judgements (that, proves, because, else_warn, else_not_applicable).",
    ),
    "proves": Key(Kind.TEXT, "The requirement id, or list of ids, that the step proves or shows to be broken."),
    "because": Key(Kind.TEXT, "Why this is expected, for readers of the report."),
    "control": Key(
        Kind.METHOD,
        "The method that must have succeeded somewhere in the run for a negative expectation to count.",
    ),
}

_WITHIN = Key(Kind.MS, "Deadline; the harness's own where absent.")
_HEADERS = Key(Kind.STIMULUS, "HTTP headers to set for this message; null leaves one out. Other transports ignore it.")
_TASK = Key(Kind.REF, "The task: what start_task gave.", required=True)
_FOR = Key(Kind.REF, "Only messages that belong to this task.")
_IN = Key(
    Kind.STIMULUS,
    "Only messages on the stream of this exchange; any stream where absent or `any`.",
    choices=("any",),
    of="begin",
)
_WHERE = Key(Kind.PATTERN, "Only messages that match.")
_ACTION = Key(Kind.TEXT, "How an elicitation is answered; accept unless said.", choices=("accept", "decline", "cancel"))
_TOOL_KEYS: Mapping[str, Key] = {
    "behaviour": Key(
        Kind.TEXT,
        "The behaviour whose tool is called, or a reference to its name.",
        required=True,
        choices=BEHAVIOURS,
        known=True,
    ),
    "progress_token": Key(Kind.STIMULUS, "The progress token for the request's _meta."),
    "meta": Key(Kind.STIMULUS, "Further members of the request's _meta."),
    "headers": _HEADERS,
    "within_ms": _WITHIN,
}

VERBS: Mapping[str, Verb] = {
    verb.name: verb
    for verb in (
        Verb(
            "connect",
            "Open another connection and initialize it.",
            Key(Kind.CONNECTION, "The new connection's name."),
            {
                "identity": Key(
                    Kind.TEXT, "Which credential it carries; none unless said.", choices=IDENTITIES, known=True
                ),
                "capabilities": Key(
                    Kind.STIMULUS, "The capabilities that our side declares; the default ones where absent."
                ),
                "version": Key(Kind.TEXT, "The protocol version to ask for."),
                "session_of": Key(Kind.CONNECTION, "Join the HTTP session of that connection instead of initializing."),
                "listen": Key(Kind.FLAG, "Whether to open a listening stream over HTTP; true unless said."),
                "initialized": Key(Kind.FLAG, "Whether to send notifications/initialized; true unless said."),
                "within_ms": _WITHIN,
            },
            gives="the reply to initialize",
            members=REPLY,
            groups=(
                Group(("session_of", "capabilities")),
                Group(("session_of", "version")),
                Group(("session_of", "initialized")),
            ),
        ),
        Verb(
            "send",
            "Send a request and wait for its response.",
            Key(Kind.METHOD, "The method."),
            {"params": Key(Kind.STIMULUS, "Its params."), "headers": _HEADERS, "within_ms": _WITHIN},
            gives="the reply: result or error, and http over HTTP",
            members=REPLY,
        ),
        Verb(
            "begin",
            "Send a request and go on.",
            Key(Kind.METHOD, "The method."),
            {"params": Key(Kind.STIMULUS, "Its params."), "headers": _HEADERS},
            judges=False,
            gives="the exchange",
            must_bind=True,
        ),
        Verb(
            "finish",
            "Wait for the response of an exchange that was begun.",
            Key(Kind.REF, "The exchange.", of="begin"),
            {"within_ms": _WITHIN},
            gives="the reply",
            members=REPLY,
        ),
        Verb(
            "still_waiting",
            "The exchange has no response yet, though its task goes on (asked with tasks/get after the window).",
            Key(Kind.REF, "The exchange.", of="begin"),
            {
                "task": Key(Kind.REF, "The task whose end it waits for."),
                "for_ms": Key(Kind.MS, "The window; 150 ms unless said."),
            },
            judged_by_itself=True,
        ),
        Verb(
            "notify",
            "Send a notification.",
            Key(Kind.METHOD, "The method."),
            {"params": Key(Kind.STIMULUS, "Its params."), "headers": _HEADERS},
            judges=False,
        ),
        Verb(
            "raw",
            "Send text as it is, or a JSON value that may be no valid message, and take whatever comes back.",
            Key(Kind.STIMULUS, "The text, or the JSON value."),
            {
                "nest": Key(Kind.COUNT, "How many arrays, one inside another, take the place of `@` in the text."),
                "headers": _HEADERS,
                "within_ms": _WITHIN,
            },
            gives="the reply; {nothing: true} where none came although ping was answered",
            members=(*REPLY, "nothing"),
        ),
        Verb(
            "http",
            "One HTTP request of one's own making to the endpoint, outside JSON-RPC.",
            None,
            {
                "method": Key(Kind.TEXT, "GET, POST or DELETE.", required=True),
                "headers": _HEADERS,
                "body": Key(Kind.STIMULUS, "Text, or JSON to encode."),
                "within_ms": _WITHIN,
            },
            gives="status, type, headers and text of the answer (text only where it is no stream)",
            members=("status", "type", "headers", "text"),
            transports=("http",),
        ),
        Verb(
            "start_task",
            "Call the tool of a behaviour as a task.",
            None,
            {
                **_TOOL_KEYS,
                "ttl": Key(Kind.STIMULUS, "The ttl to ask for, in ms; one that no default has where absent."),
                "task": Key(Kind.STIMULUS, "The whole `task` member instead."),
            },
            gives="the task as CreateTaskResult shows it",
            members=REPLY,
            groups=(Group(("ttl", "task")),),
        ),
        Verb(
            "call_tool",
            "Call the tool of a behaviour plainly, or with a `task` member of one's own making.",
            None,
            {**_TOOL_KEYS, "task": Key(Kind.STIMULUS, "A `task` member; none where absent.")},
            gives="the reply",
            members=REPLY,
        ),
        Verb(
            "await_status",
            "Wait until the task shows a status: by notifications and by polling at its poll interval.",
            None,
            {
                "task": _TASK,
                "is": Key(
                    Kind.STIMULUS,
                    "A status, a list of them, or `terminal`.",
                    required=True,
                    choices=("working", "input_required", "completed", "failed", "cancelled", "terminal"),
                    many=True,
                ),
                "within_ms": _WITHIN,
            },
            judged_by_itself=True,
            gives="the task as it was seen",
            members=(),
        ),
        Verb(
            "await_request",
            "Wait for a request of the target.",
            Key(Kind.METHOD, "The method."),
            {"for": _FOR, "in": _IN, "where": _WHERE, "within_ms": _WITHIN},
            judged_by_itself=True,
            gives="the request: method, params, id",
            members=("method", "params", "id"),
        ),
        Verb(
            "await_notification",
            "Wait for a notification of the target.",
            Key(Kind.METHOD, "The method."),
            {"for": _FOR, "in": _IN, "where": _WHERE, "within_ms": _WITHIN},
            judged_by_itself=True,
            gives="the notification: method, params",
            members=("method", "params"),
        ),
        Verb(
            "await_any",
            "Wait for whichever first step of these branches holds first, and go on with the rest of that branch.",
            Key(Kind.BRANCHES, "The branches."),
            judged_by_itself=True,
            on_connection=False,
        ),
        Verb(
            "not_applicable",
            "The target has made a choice that leaves nothing more to judge: the scenario ends here.",
            Key(Kind.TEXT, "The choice, in words for the report."),
            judges=False,
            on_connection=False,
        ),
        Verb(
            "reply",
            "Answer a request of the target, with related-task metadata where it belongs to a task.",
            Key(Kind.REF, "The request.", of="await_request"),
            {
                "content": Key(Kind.STIMULUS, "`auto` makes what the requestedSchema asks for; or the content itself."),
                "action": _ACTION,
                "result": Key(Kind.STIMULUS, "The whole result instead."),
                "error": Key(Kind.STIMULUS, "An error instead."),
            },
            judges=False,
            groups=(
                Group(("content", "result", "error")),
                Group(("action", "result")),
                Group(("action", "error")),
            ),
        ),
        Verb(
            "answer_inputs",
            "Answer a task's input requests with tasks/update.",
            Key(Kind.REF, "The task as tasks/get shows it."),
            {"which": Key(Kind.STIMULUS, "all, first, or a list of keys.")},
            gives="the reply",
            members=REPLY,
            generations=("v2",),
            sides=("server",),
        ),
        Verb(
            "quiet",
            "No such message comes for a while.",
            None,
            {
                "kind": Key(
                    Kind.TEXT,
                    "What kind of message.",
                    required=True,
                    choices=("request", "notification", "message"),
                ),
                "method": Key(Kind.METHOD, "Only of this method."),
                "for": _FOR,
                "where": _WHERE,
                "since": Key(
                    Kind.REF,
                    "What an earlier step gave: only messages that come after it count, and those that come 50 ms "
                    "later or sooner may have been under way on another stream. Else all count that have come.",
                ),
                "window_ms": Key(Kind.MS, "The window; 150 ms unless said."),
            },
            judged_by_itself=True,
        ),
        Verb(
            "drop",
            "Abandon the HTTP stream of an exchange, or the listening stream.",
            Key(Kind.STIMULUS, "The exchange, or `listening`.", choices=("listening",), of="begin"),
            judges=False,
            transports=("http",),
        ),
        Verb(
            "disconnect",
            "Close a connection.",
            Key(Kind.CONNECTION, "Its name."),
            {
                "how": Key(
                    Kind.TEXT,
                    "close (unless said), or end_session: HTTP DELETE, after which one can still ask what follows.",
                    choices=("close", "end_session"),
                )
            },
            gives="over HTTP with end_session: status of the answer to DELETE",
            members=("status",),
        ),
        Verb(
            "settle",
            "Wait until the task's work would have ended had nothing stopped it, or for a stated time; then ping.",
            None,
            {
                "task": Key(Kind.REF, "The task: what start_task gave."),
                "for_ms": Key(Kind.MS, "The time, where it is not about a task's work."),
            },
            judges=False,
            groups=(Group(("task", "for_ms"), at_least=1),),
        ),
        Verb(
            "age",
            "Wait until a share of the task's ttl has passed since it was made, then ping. Where there is no ttl, or "
            "one too long to wait for, nothing more is judged.",
            None,
            {
                "task": Key(Kind.REF, "The task with its ttl: what start_task gave, or a later view.", required=True),
                "percent": Key(Kind.COUNT, "The share: 80 is before the end, 110 after it.", required=True),
            },
            judges=False,
        ),
        Verb(
            "together",
            "Run branches at the same time and wait for all.",
            Key(Kind.BRANCHES, "The branches."),
            judges=False,
            on_connection=False,
        ),
        Verb(
            "repeat",
            "Run steps several times.",
            None,
            {
                "times": Key(Kind.COUNT, "How often."),
                "over": Key(Kind.VALUES, "A list: once for each of its items."),
                "item": Key(Kind.NAME, "The name of the item.", beside="over"),
                "at_once": Key(Kind.FLAG, "All rounds at the same time; false unless said."),
                "steps": Key(Kind.STEPS, "The steps.", required=True),
                "collect": Key(Kind.BINDINGS, "Names that afterwards hold a list with one value a round."),
            },
            judges=False,
            groups=(Group(("times", "over"), at_least=1),),
            on_connection=False,
        ),
        Verb(
            "walk",
            "Read a paginated list to its end, following nextCursor.",
            Key(Kind.METHOD, "The method."),
            {
                "items": Key(Kind.TEXT, "The member of the result that holds the items.", required=True),
                "within_ms": _WITHIN,
            },
            judged_by_itself=True,
            gives="items (all of them), pages (the replies), ended (whether it came to an end)",
            members=("items", "pages", "ended"),
        ),
        Verb(
            "judge",
            "Judge a value that an earlier step gave.",
            Key(Kind.REF, "The value."),
            members=(),
            on_connection=False,
        ),
        Verb(
            "compare",
            "Judge values against each other.",
            None,
            {
                "values": Key(Kind.VALUES, "The values.", required=True),
                "are": Key(
                    Kind.TEXT,
                    "same: all equal; distinct: no two equal; increasing: each greater than the one before; "
                    "in_order: none smaller than the one before; subset: every item of the first is in the second; "
                    "unpredictable: no counter leads from one to the next, and enough of each differs from the others.",
                    required=True,
                    choices=("same", "distinct", "increasing", "in_order", "subset", "unpredictable"),
                ),
                "by": Key(Kind.TEXT, "The member that stands for an item which is an object: taskId."),
                "ignoring": Key(Kind.PATHS, "Members that do not count."),
                "masking": Key(Kind.VALUES, "Values (such as ids) that count as equal to each other."),
            },
            judged_by_itself=True,
            on_connection=False,
        ),
        Verb(
            "gaps",
            "Judge the time between observed messages.",
            None,
            {
                "between": Key(Kind.VALUES, "References to what earlier steps gave, in order.", required=True),
                "at_least_ms": Key(Kind.MS, "No gap is shorter."),
                "at_most_ms": Key(Kind.MS, "No gap is longer."),
            },
            judged_by_itself=True,
            groups=(Group(("at_least_ms", "at_most_ms"), at_least=1, at_most=2),),
            on_connection=False,
        ),
        Verb(
            "drive",
            "Ask the client under test for an operation; never blocks.",
            Key(Kind.TEXT, "The operation."),
            {"arguments": Key(Kind.STIMULUS, "Its arguments.")},
            judges=False,
            gives="the operation",
            sides=("client",),
        ),
        Verb(
            "serve",
            "How our server answers a method from here on.",
            Key(Kind.METHOD, "The method."),
            {
                "answers": Key(
                    Kind.STIMULUS,
                    "The answers in turn, each with `times` where it serves for several.",
                    required=True,
                )
            },
            judges=False,
            sides=("client",),
        ),
    )
}

NEGATIVE_VERBS = frozenset({"quiet", "still_waiting"})
"""Verbs whose condition is absence: they count only with their control."""

WAITING_VERBS = frozenset({"finish", "await_status", "await_request", "await_notification"})
"""Verbs that a branch of ``await_any`` may begin with."""
