"""Verbs that judge what earlier steps gave."""

from __future__ import annotations

from mcp_tasks_conformance.catalog.grammar import Group, Key, Kind, Verb

VERBS: tuple[Verb, ...] = (
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
                "disjoint: lists of which no two share an item (lists that are empty show nothing); "
                "unpredictable: no counter leads from one to the next, and enough of each differs from the others.",
                required=True,
                choices=("same", "distinct", "increasing", "in_order", "subset", "disjoint", "unpredictable"),
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
)
