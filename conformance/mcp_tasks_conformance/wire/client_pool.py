"""The connections that all transports to one target share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Self
from urllib.parse import urlsplit

from mcp_tasks_conformance.wire.carrier import Broken, Carrier, Exchange, Head, HttpRequest
from mcp_tasks_conformance.wire.endpoint import Endpoint

_REDIRECTS = frozenset({301, 302, 307, 308})
_HOPS = 5
_SHORT = 64 * 1024
_OPEN_HEADERS = frozenset({"accept", "accept-encoding", "content-type", "mcp-protocol-version", "user-agent"})
"""Headers that say nothing of who we are; all others stay with the origin they were meant for."""

OnRedirect = Callable[[int, str, Endpoint], None]
"""Told of each redirect that is followed: the status, where it leads in words fit for a report, and the place."""


class ClientPool:
    """Unlimited connections to wherever requests go; close it when its transports are closed."""

    def __init__(self, *, direct: bool = True) -> None:
        """``direct`` false sends what is on this machine through the general client too."""
        self._direct = direct
        self._carriers: dict[tuple[str, bool], Carrier] = {}
        self._closed = False

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """End all connections."""
        self._closed = True
        carriers, self._carriers = self._carriers, {}
        for carrier in carriers.values():
            await carrier.close()

    async def start(self, request: HttpRequest) -> Exchange:
        """Send a request (see Carrier.start)."""
        if self._closed:
            raise Broken("the connections of this target are closed")
        return await self._carrier(request.endpoint).start(request)

    async def answer(
        self, request: HttpRequest, exchange: Exchange, on_redirect: OnRedirect | None = None
    ) -> tuple[Exchange, Head]:
        """The answer to a request that was started, after redirects, which keep method and body whatever their code.

        It takes over the exchange: where no answer comes it is released, else the one returned is the caller's. The
        sixth redirect is no longer followed but is the answer itself, as is one that leads nowhere.

        Raises:
            Broken: see Carrier.
        """
        try:
            for hop in range(_HOPS + 1):
                head = await exchange.head()
                following = _redirected(request, head) if hop < _HOPS else None
                if following is None:
                    return exchange, head
                await _pass_over(exchange, head)
                if on_redirect is not None:
                    on_redirect(head.status, _described(request.endpoint, following.endpoint), following.endpoint)
                request = following
                exchange = await self.start(request)
        except BaseException:
            await exchange.release()
            raise
        raise AssertionError("the last hop returns")

    def _carrier(self, endpoint: Endpoint) -> Carrier:
        tls = endpoint.scheme == "https"
        key = (endpoint.scheme, endpoint.loopback)
        if key not in self._carriers:
            if self._direct and endpoint.loopback and not tls:
                from mcp_tasks_conformance.wire.direct import DirectCarrier

                self._carriers[key] = DirectCarrier()
            else:
                from mcp_tasks_conformance.wire.remote import RemoteCarrier

                self._carriers[key] = RemoteCarrier(tls=tls, use_proxies=not endpoint.loopback)
        return self._carriers[key]


async def _pass_over(exchange: Exchange, head: Head) -> None:
    """Read a body that nobody wants, where it is short, so that its connection can be used again."""
    length = head.headers.get("content-length", "")
    if length.isdigit() and int(length) <= _SHORT:
        while await exchange.read():
            pass
    await exchange.release()


def _redirected(request: HttpRequest, head: Head) -> HttpRequest | None:
    location = head.headers.get("location")
    if head.status not in _REDIRECTS or not location:
        return None
    try:
        endpoint = request.endpoint.redirected(location)
    except ValueError:
        return None
    headers = request.headers
    if endpoint.origin != request.endpoint.origin:
        headers = {name: value for name, value in headers.items() if name.lower() in _OPEN_HEADERS}
        headers["Host"] = endpoint.authority
    return replace(request, endpoint=endpoint, headers=headers)


def _described(source: Endpoint, target: Endpoint) -> str:
    """Where a redirect leads, without a query, which may hold secrets."""
    path = urlsplit(target.url).path
    return path if source.origin == target.origin else f"{target.scheme}://{target.authority}{path}"
