"""What must hold of a request before its body matters."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from mcp_tasks_reference.credentials import UnknownScheme, credential_in
from mcp_tasks_reference.jsonrpc import INVALID_REQUEST
from mcp_tasks_reference.v1.capabilities import SUPPORTED

LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})


class Refusal(Exception):
    """An HTTP status that ends the matter, and why."""

    def __init__(self, status: int, message: str, code: int = INVALID_REQUEST) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.code = code


@dataclass(frozen=True, slots=True)
class Gate:
    """Checks headers.

    Spec: basic/transports#security-warning, #protocol-version-header
    """

    host: str

    def check(self, headers: Mapping[str, str]) -> str | None:
        """Let a request in and say with which credential.

        Raises:
            Refusal: it may not come in.
        """
        self.check_origin(headers.get("origin"))
        self.check_version(headers.get("mcp-protocol-version"))
        return self.credential(headers)

    def check_origin(self, origin: str | None) -> None:
        """Web pages may call only from this machine or from the host that is served."""
        if origin is None:
            return
        try:
            host = urlsplit(origin).hostname
        except ValueError:
            host = None
        if host not in LOOPBACK and host != self.host:
            raise Refusal(403, "Forbidden: this origin may not use the server")

    def check_version(self, version: str | None) -> None:
        """The version is one that is served; where none is named the session knows it."""
        if version is not None and version not in SUPPORTED:
            raise Refusal(400, f"Unsupported protocol version: {version[:40]}")

    def credential(self, headers: Mapping[str, str]) -> str | None:
        """The credential shown."""
        try:
            return credential_in(headers)
        except UnknownScheme:
            raise Refusal(401, "Unauthorized: only bearer tokens are known") from None
