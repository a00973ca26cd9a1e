"""A target that runs already and is reached by its URL."""

from __future__ import annotations

import asyncio
import itertools
import socket
import ssl
from typing import TYPE_CHECKING

from mcp_tasks_conformance.targets.errors import UnreachableTarget
from mcp_tasks_conformance.targets.http_access import WRONG_PATH, HttpAccess
from mcp_tasks_conformance.targets.knock import serves
from mcp_tasks_conformance.targets.masking import masked_url
from mcp_tasks_conformance.targets.target import NO_HEADERS
from mcp_tasks_conformance.wire.client_pool import ClientPool
from mcp_tasks_conformance.wire.endpoint import Endpoint
from mcp_tasks_conformance.wire.open_sessions import OpenSessions

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mcp_tasks_conformance.events import JsonValue
    from mcp_tasks_conformance.wire.transport import Sink, Transport

CONNECT_S = 5.0


class UrlTarget:
    """A server that is not ours: every start reaches the same one."""

    transport = "http"
    restartable = False

    def __init__(
        self,
        url: str,
        *,
        headers: Mapping[str, str] | None = None,
        connect_s: float = CONNECT_S,
        wait_s: float = 0.0,
    ) -> None:
        """Describe the target; nothing is asked of it yet.

        Args:
            url: its endpoint.
            headers: sent with every request.
            connect_s: how long connecting may take.
            wait_s: how long the first start waits for the server to come up.
        """
        self._url = url
        self._headers = dict(headers or {})
        self._connect_s = connect_s
        self._wait_s = wait_s
        self._numbers = itertools.count(1)
        self._left_open = OpenSessions()
        self.facts: Mapping[str, JsonValue] = {
            "kind": "url",
            "transport": "http",
            "url": masked_url(url),
            "headers": sorted(self._headers),
        }

    async def start(self) -> UrlInstance:
        """See whether the server can be connected to.

        Raises:
            UnreachableTarget: no URL, no such host, refused, no TLS.
        """
        shown = masked_url(self._url)
        try:
            endpoint = Endpoint.parse(self._url)
        except ValueError as error:
            raise UnreachableTarget(f"{shown}: {error}", "for instance http://127.0.0.1:3000/mcp") from None
        # What goes through a proxy need not be reachable from here.
        if endpoint.loopback or not _has_proxy(endpoint):
            wait_s, self._wait_s = self._wait_s, 0.0
            if wait_s:
                await self._until_up(endpoint, shown, wait_s)
            else:
                _, writer = await self._connect(endpoint, shown)
                writer.transport.abort()
        return UrlInstance(f"http {next(self._numbers)}", self._url, self._headers, self._left_open)

    async def leave(self) -> None:
        """End the sessions that were left open: the server lives on."""
        async with ClientPool() as clients:
            await self._left_open.end(clients)

    async def _until_up(self, endpoint: Endpoint, shown: str, wait_s: float) -> None:
        """Knock, ever less often, until somebody opens.

        Where connections are taken and nobody opens, the run will tell what is wrong.
        """
        failure: UnreachableTarget | None = None
        pause = 0.02
        try:
            async with asyncio.timeout(wait_s):
                while True:
                    try:
                        if await self._knock(endpoint, shown):
                            return
                        failure = None
                    except UnreachableTarget as unreachable:
                        failure = unreachable
                    await asyncio.sleep(pause)
                    pause = min(pause * 1.5, 0.5)
        except TimeoutError:
            if failure is not None:
                raise UnreachableTarget(f"{failure.problem}; waited {wait_s:g} s for it", failure.hint) from failure

    async def _knock(self, endpoint: Endpoint, shown: str) -> bool:
        reader, writer = await self._connect(endpoint, shown)
        try:
            return await serves(reader, writer, endpoint)
        finally:
            writer.transport.abort()

    async def _connect(self, endpoint: Endpoint, shown: str) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        place = f"{endpoint.host}:{endpoint.port}"
        secure = _trust() if endpoint.scheme == "https" else None
        try:
            async with asyncio.timeout(self._connect_s):
                return await asyncio.open_connection(endpoint.host, endpoint.port, ssl=secure)
        except TimeoutError:
            raise UnreachableTarget(
                f"{shown}: {place} did not take the connection within {self._connect_s:g} s",
                "does a firewall stand between, or is it the wrong port?",
            ) from None
        except socket.gaierror as error:
            raise UnreachableTarget(
                f"{shown}: there is no host {endpoint.host} ({error.strerror})", "check its spelling and your DNS"
            ) from error
        except ssl.SSLError as error:
            raise UnreachableTarget(f"{shown}: TLS failed: {_tls_words(error)}", _tls_hint(error)) from error
        except ConnectionRefusedError as error:
            raise UnreachableTarget(
                f"{shown}: {place} refused the connection", "does the server run, and is it this port?"
            ) from error
        except (OSError, UnicodeError) as error:
            raise UnreachableTarget(f"{shown}: {place} cannot be reached: {error}") from error


class UrlInstance:
    """The server behind the URL."""

    transport = "http"
    single_connection = False
    exit_code: int | None = None

    def __init__(self, name: str, url: str, headers: Mapping[str, str], left_open: OpenSessions) -> None:
        self.name = name
        self.gone = asyncio.Event()
        self._shown = masked_url(url)
        self._access = HttpAccess(url, headers, left_open)

    def stderr_tail(self) -> str | None:
        """Nobody here sees what it prints."""
        return None

    async def open(
        self, sink: Sink, *, headers: Mapping[str, str] = NO_HEADERS, session_of: Transport | None = None
    ) -> Transport:
        """Open another connection, or join a session."""
        return self._access.open(sink, headers, session_of)

    async def why_silent(self, awaited: str) -> UnreachableTarget:
        """Nothing more is known of it."""
        return UnreachableTarget(f"{self._shown} did not answer {awaited}", WRONG_PATH)

    def memory_mb(self) -> float | None:
        """It is not ours to measure."""
        return None

    async def stop(self) -> None:
        """Close all connections."""
        await self._access.close()


def _trust() -> ssl.SSLContext:
    """The authorities that requests will trust."""
    import httpx

    return httpx.create_ssl_context()


def _has_proxy(endpoint: Endpoint) -> bool:
    import urllib.request

    return endpoint.scheme in urllib.request.getproxies() and not urllib.request.proxy_bypass(endpoint.host)


def _tls_words(error: ssl.SSLError) -> str:
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"its certificate is not trusted ({error.verify_message})"
    return error.reason or str(error)


def _tls_hint(error: ssl.SSLError) -> str:
    if isinstance(error, ssl.SSLCertVerificationError):
        return "set SSL_CERT_FILE to a file with the certificate of its authority"
    return "does the server speak TLS on this port? If not, write http:// instead of https://"
