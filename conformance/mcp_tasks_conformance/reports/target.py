"""Who was under test, in one line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from mcp_tasks_conformance.events import JsonValue
from mcp_tasks_conformance.reports.text import brief

_LONGEST_NAME: Final = 60
_TRANSPORTS: Final = {"http": "over HTTP", "stdio": "over stdio", "memory": "in memory"}


def target_line(target: Mapping[str, JsonValue]) -> str:
    """Name, version, revision and transport, as far as they are known."""
    name = _fact(target, "name") or _address(target) or "unknown"
    version, protocol, transport = (_fact(target, key) for key in ("version", "protocol", "transport"))
    parts = [f"{name} {version}" if version else name]
    if protocol:
        parts.append(f"protocol {protocol}")
    if transport:
        parts.append(_TRANSPORTS.get(transport, transport))
    return ", ".join(parts)


def _fact(target: Mapping[str, JsonValue], key: str) -> str | None:
    """A fact, which the target may have made anything."""
    value = target.get(key)
    return None if value is None or value == "" else brief(str(value), _LONGEST_NAME)


def _address(target: Mapping[str, JsonValue]) -> str | None:
    """How a target that never said its name was started or reached."""
    command = target.get("command")
    if isinstance(command, Sequence) and not isinstance(command, str):
        return brief(" ".join(map(str, command)), _LONGEST_NAME)
    return _fact(target, "url") or _fact(target, "kind")
