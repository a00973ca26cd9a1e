"""Where HTTP requests go: a URL taken apart once."""

from __future__ import annotations

import base64
import ipaddress
from dataclasses import dataclass, field
from urllib.parse import quote, unquote, urljoin, urlsplit

_PORTS = {"http": 80, "https": 443}
_TARGET_SAFE = "/?:@!$&'()*+,;=-._~%[]"


@dataclass(frozen=True, slots=True)
class Endpoint:
    """The place that a URL names."""

    scheme: str
    host: str
    port: int
    target: str
    """Path and query, as they stand in the request line."""
    authorization: str | None = field(default=None, repr=False)
    """What the URL's user and password come to; a secret."""

    @classmethod
    def parse(cls, url: str) -> Endpoint:
        """Take a URL apart.

        Raises:
            ValueError: it is no http or https URL; says why, without the URL's secrets.
        """
        try:
            parts = urlsplit(url.strip())
            port = parts.port
            host = (parts.hostname or "").encode("idna").decode()
        except ValueError as error:
            raise ValueError(f"not a URL: {error}") from None
        if parts.scheme not in _PORTS:
            found = f", not {parts.scheme}" if "://" in url else ""
            raise ValueError(f"a URL that begins with http:// or https:// is needed{found}")
        if not host:
            raise ValueError("the URL has no host")
        if port == 0:
            raise ValueError("nothing can be reached at the port 0")
        target = quote(parts.path or "/", safe=_TARGET_SAFE)
        if parts.query:
            target += "?" + quote(parts.query, safe=_TARGET_SAFE)
        secret = None
        if parts.username is not None:
            pair = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
            secret = "Basic " + base64.b64encode(pair.encode()).decode()
        return cls(parts.scheme, host, port or _PORTS[parts.scheme], target, secret)

    @property
    def authority(self) -> str:
        """Host and port as the Host header has them."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == _PORTS[self.scheme] else f"{host}:{self.port}"

    @property
    def url(self) -> str:
        """The URL without secrets."""
        return f"{self.scheme}://{self.authority}{self.target}"

    @property
    def origin(self) -> tuple[str, str, int]:
        """What must stay the same for secrets to be sent on."""
        return self.scheme, self.host, self.port

    @property
    def loopback(self) -> bool:
        """Whether it is on this machine for certain."""
        if self.host == "localhost":
            return True
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False

    def redirected(self, location: str) -> Endpoint:
        """Where a Location header leads from here.

        Raises:
            ValueError: nowhere that HTTP reaches.
        """
        return Endpoint.parse(urljoin(self.url, location))
