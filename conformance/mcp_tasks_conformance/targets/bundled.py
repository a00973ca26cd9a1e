"""The bundled reference implementation as a target: by command or by import string, never imported here."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Literal

from mcp_tasks_conformance.targets.command import CommandTarget
from mcp_tasks_conformance.targets.http_command import CommandHttpTarget
from mcp_tasks_conformance.targets.in_process import InProcessTarget

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mcp_tasks_conformance.events import JsonValue
    from mcp_tasks_conformance.targets.target import Target

PACKAGE = "mcp_tasks_reference"
BUNDLED_IDENTITIES: Mapping[str, Mapping[str, str]] = {
    "first": {"Authorization": "Bearer first"},
    "second": {"Authorization": "Bearer second"},
}
"""Two credentials that the reference tells apart, over any transport that carries headers."""


def bundled(transport: Literal["stdio", "http", "memory"], options: Sequence[str] = ()) -> Target:
    """The bundled reference server over a transport.

    Args:
        transport: how it is reached.
        options: what stands on its command line besides: ``("--fault", "result-returns-early")``.
    """
    facts: Mapping[str, JsonValue] = {"kind": "bundled reference", "transport": transport, "options": list(options)}
    # -P: nothing in the folder that the user happens to be in takes the place of a module.
    command = (sys.executable, "-P", "-m", PACKAGE)
    match transport:
        case "stdio":
            return CommandTarget((*command, "--stdio", *options), facts=facts)
        case "http":
            return CommandHttpTarget((*command, "--http", "{port}", *options), facts=facts)
        case "memory":
            return InProcessTarget(f"{PACKAGE}.memory:create", options, facts=facts)
