"""Servers that take freedoms which the specification leaves."""

from __future__ import annotations

from mcp_tasks_reference.deviation import Variant


def all_variants() -> list[Variant]:
    """Every variant."""
    from mcp_tasks_reference.variants import freedoms

    return list(freedoms.VARIANTS)
