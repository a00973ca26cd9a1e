"""The way to a target elsewhere: TLS and the environment's proxies, through httpx."""

from __future__ import annotations

import ssl
from collections.abc import AsyncGenerator
from functools import cache
from typing import cast

import httpx

from mcp_tasks_conformance.wire.carrier import CONNECT_S, IDLE_S, Broken, Gone, Head, HttpRequest, head_of, header_bytes


class RemoteCarrier:
    """Connections of one kind of place, unlimited in number."""

    def __init__(self, *, tls: bool, use_proxies: bool) -> None:
        self._client = httpx.AsyncClient(
            # Without TLS nothing is verified; should anything be all the same, an empty context trusts no one.
            verify=_ssl_context() if tls else ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT),
            limits=httpx.Limits(max_connections=None, max_keepalive_connections=None, keepalive_expiry=IDLE_S),
            timeout=httpx.Timeout(None, connect=CONNECT_S),
            trust_env=use_proxies,
            follow_redirects=False,
            event_hooks={"response": [_set_location_aside]},
        )

    async def start(self, request: HttpRequest) -> RemoteExchange:
        """See Carrier.start; httpx connects and sends once the head is asked for."""
        headers = header_bytes(request.headers)
        try:
            prepared = httpx.Request(request.method, request.endpoint.url, headers=headers, content=request.body)
        except (httpx.InvalidURL, UnicodeError) as error:
            raise Gone(f"the URL is none that can be reached: {error}") from None
        return RemoteExchange(self._client, prepared)

    async def close(self) -> None:
        """See Carrier.close."""
        await self._client.aclose()


class RemoteExchange:
    """One request and its answer."""

    def __init__(self, client: httpx.AsyncClient, request: httpx.Request) -> None:
        self._client = client
        self._request = request
        self._response: httpx.Response | None = None
        self._pieces: AsyncGenerator[bytes, None] | None = None

    async def head(self) -> Head:
        """See Exchange.head."""
        try:
            self._response = await self._client.send(self._request, stream=True, auth=None)
        except httpx.HTTPError as error:
            raise _broken(error, self._request, "without an answer") from None
        self._pieces = cast(AsyncGenerator[bytes, None], self._response.aiter_raw())
        headers = [(name.decode("latin-1"), value.decode("latin-1")) for name, value in self._response.headers.raw]
        location: str | None = self._response.extensions["location"]
        return head_of(self._response.status_code, headers if location is None else [*headers, ("location", location)])

    async def read(self) -> bytes:
        """See Exchange.read."""
        if self._pieces is None:
            raise Broken("the exchange is over")
        try:
            return await anext(self._pieces, b"")
        except httpx.HTTPError as error:
            raise _broken(error, self._request, "in the middle of the answer") from None

    async def release(self) -> None:
        """See Exchange.release."""
        if self._pieces is not None:
            await self._pieces.aclose()
        if self._response is not None:
            await self._response.aclose()


async def _set_location_aside(response: httpx.Response) -> None:
    """Keep httpx from reading a Location: it fails on what is no URL even where it is not to follow."""
    response.extensions["location"] = response.headers.pop("location", None)


@cache
def _ssl_context() -> ssl.SSLContext:
    """The one context that all connections share, for making one takes some 30 ms."""
    return httpx.create_ssl_context()


def _broken(error: httpx.HTTPError, request: httpx.Request, where: str) -> Broken:
    place = f"{request.url.host}:{request.url.port or {'http': 80, 'https': 443}[request.url.scheme]}"
    if isinstance(error, httpx.ConnectTimeout):
        return Broken(f"{place} took no connection within {CONNECT_S:.0f} s")
    if isinstance(error, (httpx.ConnectError, httpx.ProxyError)):
        return Gone(f"{place} cannot be reached: {error}")
    if isinstance(error, httpx.LocalProtocolError):
        # The words of the cause would quote the header.
        return Broken(f"the {request.method} was not sent: a header of ours is not valid HTTP")
    if isinstance(error, httpx.RemoteProtocolError):
        if "peer closed" in str(error) or "disconnected" in str(error):
            return Broken(f"the connection was closed {where}")
        return Broken(f"what came is not HTTP: {error}")
    return Broken(f"the connection was reset {where}")
