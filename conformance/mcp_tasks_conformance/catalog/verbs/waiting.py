"""Verbs that wait for what the target sends of itself, or for its silence."""

from __future__ import annotations

from mcp_tasks_conformance.catalog import offers
from mcp_tasks_conformance.catalog.grammar import Key, Kind, Verb
from mcp_tasks_conformance.catalog.verbs.keys import FOR, IN, OPTIONAL, SINCE, WHERE, WITHIN

_KIND = Key(
    Kind.TEXT,
    "What kind of message.",
    required=True,
    choices=("request", "notification", "message"),
)

VERBS: tuple[Verb, ...] = (
    Verb(
        "await_request",
        "Wait for a request of the target.",
        Key(Kind.METHOD, "The method."),
        {"for": FOR, "in": IN, "where": WHERE, "since": SINCE, "optional": OPTIONAL, "within_ms": WITHIN},
        judged_by_itself=True,
        gives="the request: method, params, id",
        offers=offers.REQUEST,
        members=("method", "params", "id"),
    ),
    Verb(
        "await_notification",
        "Wait for a notification of the target.",
        Key(Kind.METHOD, "The method."),
        {"for": FOR, "in": IN, "where": WHERE, "since": SINCE, "optional": OPTIONAL, "within_ms": WITHIN},
        judged_by_itself=True,
        gives="the notification: method, params",
        offers=offers.NOTIFICATION,
        members=("method", "params"),
    ),
    Verb(
        "quiet",
        "No such message comes for a while.",
        None,
        {
            "kind": _KIND,
            "method": Key(Kind.METHOD, "Only of this method."),
            "for": FOR,
            "where": WHERE,
            "since": SINCE,
            "window_ms": Key(Kind.MS, "The window; 150 ms unless said."),
        },
        judged_by_itself=True,
    ),
    Verb(
        "gather",
        "Take all such messages, those that have come and those that come, until none has come for a while.",
        None,
        {
            "kind": _KIND,
            "method": Key(Kind.METHOD, "Only of this method."),
            "for": FOR,
            "where": WHERE,
            "since": SINCE,
            "window_ms": Key(Kind.MS, "The while; 150 ms unless said."),
        },
        gives="messages: a list of them, in the order of their arrival",
        offers=offers.GATHERED,
        members=("messages",),
    ),
)
