"""From an order to the options of the run: how many at once, how hard, at which pace."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from mcp_tasks_conformance.catalog.model import Manifest
from mcp_tasks_conformance.engine.options import RunOptions
from mcp_tasks_conformance.engine.pace import Pace
from mcp_tasks_conformance.events import JsonValue
from mcp_tasks_conformance.orders.doors import doors_of
from mcp_tasks_conformance.orders.order import Order
from mcp_tasks_conformance.orders.secrecy import redactor_of


def run_options(order: Order, told: Mapping[str, JsonValue], implementation: Manifest | None = None) -> RunOptions:
    """The options of the run: as ordered, else as the manifest of the implementation has them.

    Args:
        order: what the user asks for.
        told: what reports say of all options, without secrets.
        implementation: the manifest of the implementation that the order names.

    Raises:
        WrongOrder: a header or an identity cannot be read.
    """
    pace = Pace(start_s=order.start_s, poll_ms_override=order.poll_interval)
    if order.timescale:
        pace = replace(pace, stretch=order.timescale)
    jobs = order.jobs or (implementation.jobs if implementation is not None else None)
    fresh = order.fresh or (implementation is not None and implementation.fresh)
    return RunOptions(
        jobs=jobs,
        fresh=fresh,
        probe_sharing=order.of_others and jobs is None and not fresh,
        doors=doors_of(order, implementation),
        pace=pace,
        automatic_timescale=not order.timescale,
        time_limit_s="automatic" if order.time_limit is None else order.time_limit or None,
        durable=implementation is not None and implementation.durable,
        redactor=redactor_of(order),
        intensity=order.intensity or ("full" if order.on_this_machine else "normal"),
        told=told,
    )
