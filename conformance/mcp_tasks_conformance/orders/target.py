"""From an order to its target."""

from __future__ import annotations

import difflib
import importlib
from collections.abc import Callable
from pathlib import Path

from mcp_tasks_conformance.catalog.library import root
from mcp_tasks_conformance.catalog.manifests import implementations, load_manifest
from mcp_tasks_conformance.catalog.model import Manifest
from mcp_tasks_conformance.orders.agreement import check_agreement, transport_of
from mcp_tasks_conformance.orders.order import ENDPOINT, FLAWS, Order, WrongOrder, parted
from mcp_tasks_conformance.targets.bundled import PACKAGE, bundled
from mcp_tasks_conformance.targets.command import CommandTarget
from mcp_tasks_conformance.targets.http_command import CommandHttpTarget
from mcp_tasks_conformance.targets.installation import install
from mcp_tasks_conformance.targets.target import Target
from mcp_tasks_conformance.targets.url import UrlTarget


def implementation_of(order: Order) -> Manifest | None:
    """The manifest of the implementation that an order names.

    Raises:
        WrongOrder: there is no such implementation.
        CatalogError: its manifest is broken.
    """
    name = order.implementation
    if not name:
        return None
    folders: dict[str, Path] = {}
    for place in (root() / "implementations", Path.cwd() / "implementations"):
        folders |= implementations(place)
    if name not in folders:
        known = ", ".join(sorted(folders)) or "none: run it in a checkout of this project"
        raise WrongOrder(f"no implementation is named {name} (there are {known})")
    return load_manifest(folders[name])


def target_of(order: Order, implementation: Manifest | None, tell: Callable[[str], None]) -> Target:
    """The target that an order names; the bundled reference where it names none.

    Args:
        order: what the user asks for.
        implementation: the manifest of the implementation that the order names.
        tell: takes the lines of an installation.

    Raises:
        WrongOrder: the options contradict each other.
        UnreachableTarget: the implementation cannot be installed.
    """
    check_agreement(order, implementation)
    flaws = [(f"--{kind}", getattr(order, kind)) for kind in FLAWS if getattr(order, kind) is not None]
    if order.url is not None:
        return UrlTarget(order.url, wait_s=order.wait or 0.0)
    if order.command is not None:
        return _command(order)
    if implementation is not None:
        return _implementation(order, implementation, tell)
    for option, name in flaws:
        _check_flaw(option.removeprefix("--"), name)
    return bundled(order.transport or "http", [word for flaw in flaws for word in flaw])


def _check_flaw(kind: str, name: str) -> None:
    described = importlib.import_module(f"{PACKAGE}.catalog").describe()
    names = [row["name"] for row in described if row["kind"] == kind]
    if name not in names:
        near = difflib.get_close_matches(name, names, n=3)
        hint = f"; did you mean {' or '.join(near)}?" if near else ""
        raise WrongOrder(f"the reference has no {kind} {name}{hint} (`list --{kind}s` shows all {len(names)})")


def _command(order: Order) -> Target:
    words = order.words
    environment = dict(parted(item, "=", "--env", "NAME=VALUE") for item in order.environment)
    if order.http:
        url = "http://127.0.0.1:{port}" + (order.path or ENDPOINT)
        return CommandHttpTarget(words, url=url, env=environment, cwd=order.folder, ready_s=order.start_s)
    return CommandTarget(words, env=environment, cwd=order.folder)


def _implementation(order: Order, implementation: Manifest, tell: Callable[[str], None]) -> Target:
    transport = transport_of(order, implementation)
    start = implementation.start[transport]
    folder = install(implementation, tell)
    facts = {"kind": "implementation", "implementation": implementation.name, "transport": transport}
    if transport == "http":
        url = "http://127.0.0.1:{port}" + start.path
        return CommandHttpTarget(start.command, url=url, env=start.env, cwd=folder, ready_s=order.start_s, facts=facts)
    return CommandTarget(start.command, env=start.env, cwd=folder, facts=facts)
