"""Verbs that order other steps."""

from __future__ import annotations

from mcp_tasks_conformance.catalog.grammar import Group, Key, Kind, Verb

VERBS: tuple[Verb, ...] = (
    Verb(
        "await_any",
        "Wait for whichever first step of these branches holds first, and go on with the rest of that branch.",
        Key(Kind.BRANCHES, "The branches."),
        judged_by_itself=True,
        on_connection=False,
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
        "not_applicable",
        "The target has made a choice that leaves nothing more to judge: the scenario ends here.",
        Key(Kind.TEXT, "The choice, in words for the report."),
        judges=False,
        on_connection=False,
    ),
)
