"""Servers that take freedoms which the specification leaves."""

from __future__ import annotations

from collections.abc import Iterator

from mcp_tasks_reference.deviation import Variant


def all_variants() -> Iterator[Variant]:
    """Every variant; those that need an HTTP library come last, so that the others are found without it."""
    from mcp_tasks_reference.variants import freedoms

    yield from freedoms.VARIANTS

    from mcp_tasks_reference.variants import http

    yield from http.VARIANTS
