"""The headers of our requests, and who may change them: the user, then the scenario."""

from __future__ import annotations

import re
from collections.abc import Mapping

from mcp_tasks_conformance import __version__
from mcp_tasks_conformance.wire.endpoint import Endpoint

_TOKEN = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+")
_ACCEPT = {"POST": "application/json, text/event-stream", "GET": "text/event-stream"}


class RequestHeaders:
    """Composes headers for one endpoint, with the credentials given."""

    def __init__(self, endpoint: Endpoint, own: Mapping[str, str]) -> None:
        """``own`` goes with every request.

        Raises:
            ValueError: one of them cannot be a header; the words name it without its value.
        """
        for name, value in own.items():
            if not is_header_name(name):
                raise ValueError(f"{name!r} cannot be the name of a header")
            if not value.isprintable() or not value.isascii() or value != value.strip():
                raise ValueError(f"the value of the header {name} has characters that cannot be sent")
        self._fixed = {
            "Host": endpoint.authority,
            "User-Agent": f"mcp-tasks-conformance/{__version__}",
            "Accept-Encoding": "identity",
        }
        self._own: dict[str, str | None] = {}
        if endpoint.authorization is not None and not any(name.lower() == "authorization" for name in own):
            self._own["Authorization"] = endpoint.authorization
        self._own.update(own)

    def compose(
        self,
        method: str,
        *,
        session_id: str | None,
        protocol_version: str | None,
        has_body: bool,
        overrides: Mapping[str, str | None] | None,
    ) -> dict[str, str]:
        """The headers of one request; ``overrides`` come last, None leaves one out, names match in any case."""
        headers = {**self._fixed, "Accept": _ACCEPT.get(method, "*/*")}
        if has_body:
            headers["Content-Type"] = "application/json"
        if session_id is not None:
            headers["MCP-Session-Id"] = session_id
        if protocol_version is not None:
            headers["MCP-Protocol-Version"] = protocol_version
        for changes in (self._own, overrides or {}):
            for name, value in changes.items():
                _change(headers, name, value)
        return headers


def is_header_name(text: str) -> bool:
    """Whether HTTP takes it for the name of a header."""
    return _TOKEN.fullmatch(text) is not None


def _change(headers: dict[str, str], name: str, value: str | None) -> None:
    if name not in headers:
        lower = name.lower()
        for present in [known for known in headers if known.lower() == lower]:
            del headers[present]
    if value is None:
        headers.pop(name, None)
    else:
        headers[name] = value
