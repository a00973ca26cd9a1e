"""Verbs about the target's process, where it is ours."""

from __future__ import annotations

from mcp_tasks_conformance.catalog import offers
from mcp_tasks_conformance.catalog.grammar import Key, Kind, Verb

VERBS: tuple[Verb, ...] = (
    Verb(
        "restart",
        "End the target's process, start it again and open anew every connection that was open, under its name.",
        None,
        {},
        judges=False,
        on_connection=False,
    ),
    Verb(
        "memory",
        "Measure how much memory the target's processes hold. Where they are not ours, nothing more is judged.",
        None,
        {
            "above": Key(Kind.REF, "An earlier measure: what has come on top of it is judged.", of="memory"),
            "at_most_mb": Key(Kind.COUNT, "So many megabytes may have come on top.", beside="above"),
        },
        judged_by_itself=True,
        gives="mb: the measure, in megabytes",
        offers=offers.MEASURE,
        on_connection=False,
    ),
)
