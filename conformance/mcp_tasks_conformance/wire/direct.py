"""The short way to a target on this machine: HTTP/1.1 straight over asyncio's sockets.

A run makes thousands of small requests and may hold a thousand streams open; through a general client each of them
costs ten times as much, and more with every open stream. What needs TLS or a proxy goes another way (remote.py).
"""

from __future__ import annotations

import asyncio
import errno
from collections import defaultdict

import h11

from mcp_tasks_conformance.wire.carrier import CONNECT_S, IDLE_S, Broken, Gone, Head, HttpRequest, head_of, header_bytes

_HEAD_LIMIT = 256 * 1024
_READ_AHEAD = 1024 * 1024
_Place = tuple[str, int]


class DirectCarrier:
    """Connections to plain HTTP servers on this machine, unlimited in number, reused while they are fresh."""

    def __init__(self) -> None:
        self._idle: defaultdict[_Place, list[_Link]] = defaultdict(list)
        self._links: set[_Link] = set()
        self._impatient: set[_Place] = set()
        """Places that close an idle connection sooner than anything sent over it could arrive in time."""

    async def start(self, request: HttpRequest) -> DirectExchange:
        """See Carrier.start."""
        place = (request.endpoint.host, request.endpoint.port)
        link = self._reusable(place)
        if link is None:
            link = await _connect(place)
            self._links.add(link)
            link.lost.add_done_callback(lambda _: self._links.discard(link))
        exchange = DirectExchange(self, place, link)
        try:
            exchange.write(request)
        except h11.LocalProtocolError:
            await exchange.release()
            raise Broken(f"the {request.method} was not sent: a header of ours is not valid HTTP") from None
        return exchange

    def keep(self, place: _Place, link: _Link) -> None:
        """Hold a link ready for the next request."""
        if place in self._impatient:
            link.abort()
            return
        link.idle_since = asyncio.get_running_loop().time()
        self._idle[place].append(link)

    async def close(self) -> None:
        """See Carrier.close."""
        links = tuple(self._links)
        for link in links:
            link.abort()
        await asyncio.gather(*(link.lost for link in links))
        self._idle.clear()

    def _reusable(self, place: _Place) -> _Link | None:
        idle = self._idle[place]
        oldest = asyncio.get_running_loop().time() - IDLE_S
        while idle:
            link = idle.pop()
            if link.idle_since > oldest:
                if link.is_open:
                    return link
                self._impatient.add(place)
            link.abort()
        return None


class DirectExchange:
    """One request and its answer over one link."""

    def __init__(self, carrier: DirectCarrier, place: _Place, link: _Link) -> None:
        self._carrier = carrier
        self._place = place
        self._link: _Link | None = link

    def write(self, request: HttpRequest) -> None:
        """Hand the whole request to the socket, which sends it whether or not the other side reads."""
        body = request.body
        headers = header_bytes(request.headers)
        if body is not None and not any(
            name.lower() in (b"content-length", b"transfer-encoding") for name, _ in headers
        ):
            headers.append((b"Content-Length", str(len(body)).encode()))
        link = self._open_link()
        machine = link.machine
        pieces = [
            machine.send(h11.Request(method=request.method, target=request.endpoint.target, headers=headers)),
            machine.send(h11.Data(data=body)) if body else b"",
            machine.send(h11.EndOfMessage()),
        ]
        link.transport.write(b"".join(piece for piece in pieces if piece))

    async def head(self) -> Head:
        """See Exchange.head."""
        while True:
            event = await self._open_link().next_event("without an answer")
            if isinstance(event, h11.Response):
                return head_of(
                    event.status_code,
                    [(name.decode("latin-1"), value.decode("latin-1")) for name, value in event.headers],
                )
            if not isinstance(event, h11.InformationalResponse):
                raise Broken(f"where an answer was due came {type(event).__name__}")

    async def read(self) -> bytes:
        """See Exchange.read."""
        event = await self._open_link().next_event("in the middle of the answer")
        return bytes(event.data) if isinstance(event, h11.Data) else b""

    async def release(self) -> None:
        """See Exchange.release."""
        link, self._link = self._link, None
        if link is None:
            return
        if link.is_open and link.machine.our_state is h11.DONE and link.machine.their_state is h11.DONE:
            link.machine.start_next_cycle()
            self._carrier.keep(self._place, link)
        else:
            link.abort()

    def _open_link(self) -> _Link:
        if self._link is None:
            raise Broken("the exchange is over")
        return self._link


class _Link(asyncio.Protocol):
    """One connection: bytes from the socket, events for whoever reads them."""

    def __init__(self) -> None:
        loop = asyncio.get_running_loop()
        self.machine = h11.Connection(h11.CLIENT, max_incomplete_event_size=_HEAD_LIMIT)
        self.transport: asyncio.Transport
        self.idle_since = 0.0
        self.lost: asyncio.Future[None] = loop.create_future()
        self._new_future = loop.create_future
        self._bytes = bytearray()
        self._ended = False
        self._end_told = False
        self._reset = False
        self._paused = False
        self._reader: asyncio.Future[None] | None = None

    @property
    def is_open(self) -> bool:
        """Whether another request may go over it: nothing is left over from the one before."""
        return not (self._bytes or self._ended or self.machine.trailing_data[0] or self.transport.is_closing())

    def abort(self) -> None:
        """Close it at once."""
        self.transport.abort()

    async def next_event(self, where: str) -> h11.Event | None:
        """Wait for the next event, none once the answer is over; ``where`` says what its absence would mean."""
        while True:
            try:
                event = self.machine.next_event()
            except h11.RemoteProtocolError as error:
                if self._end_told:
                    raise Broken(f"the connection was closed {where}") from None
                raise Broken(f"what came is not HTTP: {error}") from None
            if isinstance(event, h11.Event):
                return event
            if event is h11.PAUSED:
                return None
            if self._bytes:
                self.machine.receive_data(bytes(self._bytes))
                self._bytes.clear()
                self._resume()
            elif self._reset:
                raise Broken(f"the connection was reset {where}")
            elif self._ended:
                self._end_told = True
                self.machine.receive_data(b"")
            else:
                self._reader = self._new_future()
                try:
                    await self._reader
                finally:
                    self._reader = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """See asyncio.Protocol."""
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        """See asyncio.Protocol."""
        self._bytes += data
        if len(self._bytes) > _READ_AHEAD and not self._paused:
            self._paused = True
            self.transport.pause_reading()
        self._wake()

    def eof_received(self) -> None:
        """See asyncio.Protocol."""
        self._ended = True
        self._wake()

    def connection_lost(self, exc: Exception | None) -> None:
        """See asyncio.Protocol."""
        self._reset = exc is not None and not self._ended
        self._ended = True
        self._wake()
        if not self.lost.done():
            self.lost.set_result(None)

    def _resume(self) -> None:
        if self._paused and not self.transport.is_closing():
            self._paused = False
            self.transport.resume_reading()

    def _wake(self) -> None:
        if self._reader is not None and not self._reader.done():
            self._reader.set_result(None)


async def _connect(place: _Place) -> _Link:
    host, port = place
    # Servers bind one of the two or both; a name would have to be looked up in a thread each time.
    addresses = ("127.0.0.1", "::1") if host == "localhost" else (host,)
    refusal: OSError | None = None
    for address in addresses:
        try:
            async with asyncio.timeout(CONNECT_S):
                _, link = await asyncio.get_running_loop().create_connection(_Link, address, port)
        except TimeoutError:
            raise Broken(f"{host}:{port} took no connection within {CONNECT_S:.0f} s") from None
        except OSError as error:
            if error.errno in (errno.EMFILE, errno.ENFILE):
                raise Broken("too many open files: raise the limit (ulimit -n)") from None
            refusal = refusal or error
        else:
            return link
    if isinstance(refusal, ConnectionRefusedError):
        raise Gone(f"{host}:{port} refused the connection")
    raise Gone(f"{host}:{port} cannot be reached: {refusal}")
