"""From an order to the options of the run: how many at once, how hard, at which pace."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from mcp_tasks_conformance.engine.options import RunOptions
from mcp_tasks_conformance.engine.pace import Pace
from mcp_tasks_conformance.events import JsonValue
from mcp_tasks_conformance.orders.doors import doors_of
from mcp_tasks_conformance.orders.order import Order
from mcp_tasks_conformance.orders.secrecy import redactor_of


def run_options(order: Order, told: Mapping[str, JsonValue]) -> RunOptions:
    """The options of the run; ``told`` is what reports say of all options, without secrets.

    Raises:
        WrongOrder: a header or an identity cannot be read.
    """
    pace = Pace(start_s=order.start_s, poll_ms_override=order.poll_interval)
    if order.timescale:
        pace = replace(pace, stretch=order.timescale)
    return RunOptions(
        jobs=order.jobs,
        fresh=order.fresh,
        doors=doors_of(order),
        pace=pace,
        automatic_timescale=not order.timescale,
        redactor=redactor_of(order),
        intensity=order.intensity or ("full" if order.on_this_machine else "normal"),
        told=told,
    )
