"""The verbs of the scenario language: what each takes and gives. Loader, editor schema and docs read this."""

from __future__ import annotations

from collections.abc import Mapping

from mcp_tasks_conformance.catalog.grammar import Key, Kind, Verb
from mcp_tasks_conformance.catalog.verbs import comparing, driving, flow, processes, requests, tasks, waiting

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
        "The method that must have succeeded somewhere in the run for the check to count.",
    ),
}

VERBS: Mapping[str, Verb] = {
    verb.name: verb for group in (requests, tasks, waiting, flow, comparing, processes, driving) for verb in group.VERBS
}

NEGATIVE_VERBS = frozenset({"quiet", "still_waiting"})
"""Verbs whose condition is absence: they count only with their control."""

WAITING_VERBS = frozenset({"finish", "await_status", "await_request", "await_notification"})
"""Verbs that a branch of ``await_any`` may begin with."""
