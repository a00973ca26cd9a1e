"""From an order to the command that reaches the same target again."""

from __future__ import annotations

from collections.abc import Iterable

from mcp_tasks_conformance.orders.order import Order

_TOLD = ("command", "url", "implementation", "transport", "fault", "variant", "husk", "profile", "cwd")


def reproduce_words(order: Order, files: Iterable[str] = ()) -> list[str]:
    """The words of a command that runs the same files against the same target; secrets by their name only."""
    words = ["mcp-tasks-conformance", "run", *files]
    for name in _TOLD:
        if getattr(order, name):
            words += [f"--{name}", str(getattr(order, name))]
    if order.http:
        words += ["--http"]
        if order.path != "/mcp":
            words += ["--path", order.path]
    for option, items, separator in (
        ("--header", order.headers, ": "),
        ("--identity", order.identities, "="),
        ("--env", order.environment, "="),
    ):
        for item in items:
            words += [option, f"{item.partition(separator.strip())[0]}{separator}..."]
    return words
