"""Broken servers: one small class for each fault."""

from __future__ import annotations

from mcp_tasks_reference.deviation import Fault, faults_in


def all_faults() -> list[Fault]:
    """Every fault, by topic."""
    from mcp_tasks_reference.faults import (
        base,
        cancel,
        create,
        get,
        result,
        status,
    )

    modules = (base, create, status, get, result, cancel)
    return [fault for module in modules for fault in faults_in(module)]
