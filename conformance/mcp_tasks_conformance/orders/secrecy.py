"""From an order to what nobody may read of it."""

from __future__ import annotations

import os
from collections.abc import Iterator

from mcp_tasks_conformance.orders.order import Order, WrongOrder
from mcp_tasks_conformance.targets.redaction import Redactor
from mcp_tasks_conformance.targets.secrets import (
    secrets_of_command,
    secrets_of_environment,
    secrets_of_header,
    secrets_of_url,
)


def redactor_of(order: Order) -> Redactor:
    """Masks headers, identities, variables, and what is secret in the command or the URL.

    Of the variables that the target inherits, those count that are named like secrets.
    """
    return Redactor(secrets_of(order))


def secrets_of(order: Order) -> Iterator[str]:
    """All values that are secret in an order, however short; one may come twice."""
    for item in order.headers:
        yield from _of_header(item)
    for item in order.identities:
        _, mark, header = item.partition("=")
        yield from _of_header(header if mark else item)
    for item in order.environment:
        yield item.partition("=")[2]
    if order.url:
        yield from secrets_of_url(order.url)
    if order.command:
        yield from _of_command(order)
    if order.command or order.implementation:
        yield from secrets_of_environment(os.environ)


def _of_header(text: str) -> Iterator[str]:
    name, mark, value = text.partition(":")
    if mark:
        yield from secrets_of_header(name.strip(), value.strip())
    else:
        yield from (text, *text.split())


def _of_command(order: Order) -> Iterator[str]:
    try:
        yield from secrets_of_command(order.words)
    except WrongOrder:
        return  # nothing is started with it
