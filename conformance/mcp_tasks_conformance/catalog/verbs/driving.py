"""Verbs for clients under test: what they are to do, and how our server answers them."""

from __future__ import annotations

from mcp_tasks_conformance.catalog.grammar import Key, Kind, Verb

VERBS: tuple[Verb, ...] = (
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
