"""From an order to the command that reaches the same target again."""

from __future__ import annotations

from collections.abc import Iterable

from mcp_tasks_conformance.orders.order import Order
from mcp_tasks_conformance.shell_words import command_line, variable
from mcp_tasks_conformance.targets.masking import masked_command, masked_url

_TOLD = ("implementation", "transport", "fault", "variant", "husk", "profile", "cwd")


def reproduce_words(order: Order, files: Iterable[str] = ()) -> list[str]:
    """The words of a command that runs the same files against the same target; for secrets stand variables.

    Raises:
        WrongOrder: the order's own command cannot be read as words.
    """
    words = ["mcp-tasks-conformance", "run", *files]
    if order.command:
        words += ["--command", command_line(masked_command(order.words))]
    if order.url:
        words += ["--url", masked_url(order.url)]
    for name in _TOLD:
        if getattr(order, name):
            words += [f"--{name}", str(getattr(order, name))]
    if order.try_tools:
        words += ["--try-tools"]
    if order.http:
        words += ["--http"]
        if order.path is not None:
            words += ["--path", order.path]
    for option, items, separator in (
        ("--header", order.headers, ": "),
        ("--identity", order.identities, "="),
        ("--env", order.environment, "="),
    ):
        for item in items:
            name = item.partition(separator.strip())[0]
            stands_for = variable(name if option == "--env" else name.upper())
            words += [option, f"{name}{separator}{stands_for}"]
    return words
