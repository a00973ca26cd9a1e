"""Whether the options of an order fit together: what would mean nothing is refused, not passed over."""

from __future__ import annotations

from mcp_tasks_conformance.catalog.model import Manifest
from mcp_tasks_conformance.orders.order import FLAWS, Order, WrongOrder
from mcp_tasks_conformance.targets.masking import masked_url
from mcp_tasks_conformance.wire.endpoint import Endpoint

_TARGETS = ("command", "url", "implementation")


def check_agreement(order: Order, implementation: Manifest | None) -> None:
    """See that every option means something beside the others.

    Args:
        order: what the user asks for.
        implementation: the manifest of the implementation that the order names.

    Raises:
        WrongOrder: one of them does not, or the URL or the path cannot be used.
    """
    named = [name for name in _TARGETS if getattr(order, name) is not None]
    if len(named) > 1:
        raise WrongOrder(f"--{named[0]} and --{named[1]} both name a target; give one")
    beside = f"not with --{named[0]}" if named else "and there is none"
    for kind in FLAWS:
        if named and getattr(order, kind) is not None:
            raise WrongOrder(f"--{kind}={getattr(order, kind)} is for the bundled reference, {beside}")
    if order.husk is not None and (order.fault is not None or order.variant is not None):
        raise WrongOrder("--husk takes the place of the whole server; beside it --fault and --variant mean nothing")
    if order.http and order.command is None:
        raise WrongOrder(f"--http goes with --command: the command whose server listens on {{port}}, {beside}")
    for option, given in (("env", order.environment), ("cwd", order.cwd)):
        if given and order.command is None:
            raise WrongOrder(f"--{option} is for the process that --command starts, {beside}")
    if order.wait is not None and order.url is None:
        raise WrongOrder("--wait goes with --url; --start-timeout says how long a process that we start may take")
    _check_path(order)
    _check_transport(order, implementation)
    if order.url is not None:
        _check_url(order.url)


def _check_path(order: Order) -> None:
    if order.path is None:
        return
    if not order.http:
        own = "; a URL has its path in it" if order.url is not None else ""
        raise WrongOrder(f"--path goes with --command and --http: it is the path of the server's endpoint{own}")
    if not order.path.startswith("/") or not order.path.isprintable() or " " in order.path:
        raise WrongOrder(f"--path {order.path!r}: a path begins with / and has no spaces, for instance /mcp")


def _check_transport(order: Order, implementation: Manifest | None) -> None:
    if order.transport is not None and order.url is not None:
        raise WrongOrder("--transport is not for --url, which is reached over HTTP; leave it out")
    if order.transport is not None and order.command is not None:
        raise WrongOrder("--transport is not for --command, which speaks stdio, or HTTP with --http; leave it out")
    if implementation is not None and order.transport not in (None, *implementation.start):
        raise WrongOrder(f"{implementation.name} is started over {' or '.join(implementation.start)}")
    for option, given in (("header", order.headers), ("identity", order.identities)):
        if given and transport_of(order, implementation) == "stdio":
            more = "; with --http the command is reached over HTTP" if order.command is not None else ""
            raise WrongOrder(f"--{option} needs HTTP: over stdio nothing carries it{more}")


def transport_of(order: Order, implementation: Manifest | None) -> str:
    """How the target is reached."""
    if order.url is not None or order.http:
        return "http"
    if order.command is not None:
        return "stdio"
    return order.transport or (next(iter(implementation.start)) if implementation is not None else "http")


def _check_url(url: str) -> None:
    shown = _shown(url)
    if any(character.isspace() or not character.isprintable() for character in url.strip()):
        raise WrongOrder(f"--url {shown!r} has a space or line break in it; write %20 for a space that belongs there")
    if "#" in url:
        told = f"--url {shown!r} has a fragment (what follows the #), which no server is ever sent"
        raise WrongOrder(f"{told}; leave it out, or write %23 for a # that belongs there")
    try:
        Endpoint.parse(url)
    except ValueError as error:
        raise WrongOrder(f"--url {shown!r}: {error}; {_meant(url)}") from None


def _meant(url: str) -> str:
    """What was meant, or an example."""
    if "://" not in url and url.strip() and not url.startswith("/"):
        try:
            if Endpoint.parse(f"http://{url}").loopback:
                return f"did you mean http://{_shown(url)}?"
        except ValueError:
            pass
    return "for instance http://127.0.0.1:3000/mcp"


def _shown(url: str) -> str:
    """The URL without secrets, also where it lacks its beginning."""
    return masked_url(url) if "://" in url else masked_url(f"http://{url}").removeprefix("http://")
