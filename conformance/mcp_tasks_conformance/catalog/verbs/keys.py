"""Keys that several verbs take, and the shape of the replies that several verbs give."""

from __future__ import annotations

from collections.abc import Mapping

from mcp_tasks_conformance.catalog.behaviours import BEHAVIOURS
from mcp_tasks_conformance.catalog.grammar import Key, Kind

IDENTITIES = ("first", "second")
"""The credentials of a run, as scenarios call them."""

REPLY = ("result", "error", "http", "id")
"""The members of a reply, as ``expect`` sees it."""

WITHIN = Key(Kind.MS, "Deadline; the harness's own where absent.")
HEADERS = Key(Kind.STIMULUS, "HTTP headers to set for this message; null leaves one out. Other transports ignore it.")
TASK = Key(Kind.REF, "The task: what start_task gave.", required=True, task=True)
FOR = Key(Kind.REF, "Only messages that belong to this task.", task=True)
IN = Key(
    Kind.STIMULUS,
    "Only messages on the stream of this exchange; any stream where absent or `any`.",
    choices=("any",),
    of="begin",
)
WHERE = Key(Kind.PATTERN, "Only messages that match.")
SINCE = Key(
    Kind.REF,
    "What an earlier step gave: only messages that come after it count. Streams have no common order: `settle` first.",
    whole=True,
)
OPTIONAL = Key(Kind.FLAG, "Whether none may come: then nothing more is judged; false unless said.")
ACTION = Key(Kind.TEXT, "How an elicitation is answered; accept unless said.", choices=("accept", "decline", "cancel"))
ANSWERING = Key(
    Kind.TEXT,
    "Meanwhile, whatever the target asks is answered so, as often as it asks; left to later steps where absent.",
    choices=("accept", "decline", "cancel"),
)
TOOL_KEYS: Mapping[str, Key] = {
    "behaviour": Key(
        Kind.TEXT,
        "The behaviour whose tool is called, or a reference to its name.",
        required=True,
        choices=BEHAVIOURS,
        known=True,
    ),
    "progress_token": Key(Kind.STIMULUS, "The progress token for the request's _meta."),
    "meta": Key(Kind.STIMULUS, "Further members of the request's _meta."),
    "headers": HEADERS,
    "within_ms": WITHIN,
}
