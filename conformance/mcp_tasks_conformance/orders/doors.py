"""From an order to the doors by which the target is entered."""

from __future__ import annotations

from collections.abc import Mapping

from mcp_tasks_conformance.catalog.model import Manifest
from mcp_tasks_conformance.engine.stage import Doors
from mcp_tasks_conformance.orders.agreement import transport_of
from mcp_tasks_conformance.orders.headers import header_of
from mcp_tasks_conformance.orders.order import Order, WrongOrder, parted
from mcp_tasks_conformance.targets.bundled import BUNDLED_IDENTITIES
from mcp_tasks_conformance.wire.endpoint import Endpoint


def doors_of(order: Order, implementation: Manifest | None = None) -> Doors:
    """Headers and identities; where none are given, those of the manifest, or of the bundled reference.

    Args:
        order: what the user asks for.
        implementation: the manifest of the implementation that the order names.

    Raises:
        WrongOrder: one of them cannot be read.
    """
    headers: dict[str, str] = {}
    for item in order.headers:
        name, value = header_of(item, "--header")
        if name.lower() in (known.lower() for known in headers):
            raise WrongOrder(f"--header {name} is given twice; one request carries it once")
        headers[name] = value
    identities: dict[str, Mapping[str, str]] = {}
    for item in order.identities:
        name, header = parted(item, "=", "--identity", "NAME='HEADER: VALUE'")
        if name in identities:
            raise WrongOrder(f"--identity {name} is given twice; two identities need two names")
        credential = dict([header_of(header, f"--identity {name}")])
        if credential in identities.values():
            raise WrongOrder(f"--identity {name} carries the credential of another; isolation would be judged in vain")
        identities[name] = credential
    if identities or transport_of(order, implementation) == "stdio":
        return Doors(headers, identities, in_url=_has_credentials(order.url))
    if implementation is not None:
        named = implementation.identities.items()
        identities = {name: dict([header_of(text, f"the manifest's identity {name}")]) for name, text in named}
    elif not order.of_others:
        identities = dict(BUNDLED_IDENTITIES)
    return Doors(headers, identities, in_url=_has_credentials(order.url))


def _has_credentials(url: str | None) -> bool:
    try:
        return url is not None and Endpoint.parse(url).authorization is not None
    except ValueError:
        return False  # whoever reaches for it says what is wrong
