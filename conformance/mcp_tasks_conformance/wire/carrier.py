"""What carries one HTTP request and its answer, whatever the socket looks like underneath."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from mcp_tasks_conformance.wire.endpoint import Endpoint

CONNECT_S = 5.0
"""How long a connection may take to come about; all other deadlines belong to those who wait."""
IDLE_S = 1.0
"""How long an idle connection is kept for reuse: well below what servers allow, so that none closes under our hands."""


class Broken(ConnectionError):
    """An exchange came to nothing, or ended in the middle; the words never hold the value of a header of ours."""


class Gone(Broken):
    """The target cannot be reached at all."""


@dataclass(frozen=True, slots=True)
class HttpRequest:
    """One request, whole; the carrier adds nothing but its length."""

    method: str
    endpoint: Endpoint
    headers: Mapping[str, str] = field(repr=False)
    """By name, which is written as it stands here."""
    body: bytes | None = None


@dataclass(frozen=True, slots=True)
class Head:
    """Status and headers of an answer."""

    status: int
    headers: Mapping[str, str]
    """By name in lower case; values of a repeated one joined by commas."""

    @property
    def content_type(self) -> str:
        """The Content-Type header as it came, empty where there is none."""
        return self.headers.get("content-type", "")

    @property
    def media_type(self) -> str:
        """The content type in lower case, without parameters."""
        return self.content_type.partition(";")[0].strip().lower()

    @property
    def is_success(self) -> bool:
        """Whether the status is 2xx."""
        return 200 <= self.status < 300


class Exchange(Protocol):
    """A request that is on its way; its methods are called in this order, ``release`` always."""

    async def head(self) -> Head:
        """Wait for status and headers.

        Raises:
            Broken: they did not come.
        """

    async def read(self) -> bytes:
        """Wait for some of the body; empty once it is complete.

        Raises:
            Broken: it ended too early.
        """

    async def release(self) -> None:
        """Let go of the connection: kept for others if the body was read to its end, else closed. Safe to repeat."""


class Carrier(Protocol):
    """Starts exchanges, any number at once."""

    async def start(self, request: HttpRequest) -> Exchange:
        """Connect where necessary and send the request.

        Raises:
            Broken: it could not be sent.
        """

    async def close(self) -> None:
        """End all connections."""


def header_bytes(headers: Mapping[str, str]) -> list[tuple[bytes, bytes]]:
    """Headers as they are written; what does not fit into them becomes question marks."""
    return [(name.encode("latin-1", "replace"), value.encode("latin-1", "replace")) for name, value in headers.items()]


def head_of(status: int, headers: list[tuple[str, str]]) -> Head:
    """A head from headers as they came."""
    joined: dict[str, str] = {}
    for name, value in headers:
        lower = name.lower()
        joined[lower] = f"{joined[lower]}, {value}" if lower in joined else value
    return Head(status, joined)
