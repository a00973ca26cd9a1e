"""Broken servers: one small class for each fault."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module

from mcp_tasks_reference.deviation import Fault, faults_in

TOPICS = (
    "base",
    "capability",
    "tool",
    "create",
    "status",
    "time",
    "get",
    "result",
    "listing",
    "cancel",
    "asking",
    "progress",
    "notify",
    "isolation",
    "errors",
    "resources",
    "http",
)
"""The modules, by topic; the one that needs an HTTP library comes last, so that the others are found without it."""


def all_faults() -> Iterator[Fault]:
    """Every fault, by topic."""
    for topic in TOPICS:
        yield from faults_in(import_module(f"{__name__}.{topic}"))
