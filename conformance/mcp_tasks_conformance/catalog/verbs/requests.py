"""Verbs that send messages, take their answers, and open and close what carries them."""

from __future__ import annotations

from mcp_tasks_conformance.catalog import offers
from mcp_tasks_conformance.catalog.grammar import Group, Key, Kind, Verb
from mcp_tasks_conformance.catalog.verbs.keys import ACTION, ANSWERING, HEADERS, IDENTITIES, REPLY, WITHIN

VERBS: tuple[Verb, ...] = (
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
            "within_ms": WITHIN,
        },
        gives="the reply to initialize",
        offers=offers.REPLY,
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
        {"params": Key(Kind.STIMULUS, "Its params."), "headers": HEADERS, "within_ms": WITHIN},
        gives="the reply: result or error, and http over HTTP",
        offers=offers.REPLY,
        members=REPLY,
    ),
    Verb(
        "begin",
        "Send a request and go on.",
        Key(Kind.METHOD, "The method."),
        {"params": Key(Kind.STIMULUS, "Its params."), "headers": HEADERS},
        judges=False,
        gives="the exchange",
        offers=offers.EXCHANGE,
        must_bind=True,
    ),
    Verb(
        "finish",
        "Wait for the response of an exchange that was begun.",
        Key(Kind.REF, "The exchange.", of="begin"),
        {
            "task": Key(
                Kind.REF,
                "The task whose end it waits for: an answer that came while it goes on (asked with tasks/get) "
                "judges nothing.",
                task=True,
            ),
            "answering": ANSWERING,
            "within_ms": WITHIN,
        },
        gives="the reply",
        offers=offers.REPLY,
        members=REPLY,
    ),
    Verb(
        "still_waiting",
        "The exchange has no response yet, though its task goes on (asked with tasks/get after the window). The window"
        " is longer while a ping takes long.",
        Key(Kind.REF, "The exchange.", of="begin"),
        {
            "task": Key(Kind.REF, "The task whose end it waits for.", task=True),
            "for_ms": Key(Kind.MS, "The window; 150 ms unless said."),
        },
        judged_by_itself=True,
    ),
    Verb(
        "notify",
        "Send a notification.",
        Key(Kind.METHOD, "The method."),
        {"params": Key(Kind.STIMULUS, "Its params."), "headers": HEADERS},
        judges=False,
    ),
    Verb(
        "raw",
        "Send text as it is, or a JSON value that may be no valid message; the target lives on and answers ping.",
        Key(Kind.STIMULUS, "The text, or the JSON value."),
        {
            "nest": Key(Kind.COUNT, "How many arrays, one inside another, take the place of `@` in the text."),
            "headers": HEADERS,
            "within_ms": WITHIN,
        },
        judged_by_itself=True,
        gives="the reply; {nothing: true} where none came although ping was answered",
        offers=offers.NO_REPLY_TOO,
        members=(*REPLY, "nothing"),
    ),
    Verb(
        "http",
        "One HTTP request of one's own making to the endpoint, outside JSON-RPC.",
        None,
        {
            "method": Key(Kind.TEXT, "GET, POST or DELETE.", required=True),
            "headers": HEADERS,
            "body": Key(Kind.STIMULUS, "Text, or JSON to encode."),
            "within_ms": WITHIN,
        },
        gives="status, type, headers and text of the answer (text only where it is no stream)",
        offers=offers.HTTP_ANSWER,
        members=("status", "type", "headers", "text"),
        transports=("http",),
    ),
    Verb(
        "reply",
        "Answer a request of the target, with related-task metadata where it belongs to a task.",
        Key(Kind.REF, "The request.", of="await_request"),
        {
            "content": Key(Kind.STIMULUS, "`auto` makes what the requestedSchema asks for; or the content itself."),
            "action": ACTION,
            "result": Key(Kind.STIMULUS, "The whole result instead."),
            "error": Key(Kind.STIMULUS, "An error instead."),
        },
        judges=False,
        gives="the answer, and when it was sent",
        offers=offers.ANSWER,
        groups=(
            Group(("content", "result", "error")),
            Group(("action", "result")),
            Group(("action", "error")),
        ),
    ),
    Verb(
        "walk",
        "Read a paginated list to its end, following nextCursor.",
        Key(Kind.METHOD, "The method."),
        {
            "items": Key(Kind.TEXT, "The member of the result that holds the items.", required=True),
            "within_ms": WITHIN,
        },
        judged_by_itself=True,
        gives="items (all of them), pages (the replies), ended (whether it came to an end)",
        offers=offers.WALK,
        members=("items", "pages", "ended"),
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
        offers=offers.ENDED_SESSION,
        members=("status",),
    ),
)
