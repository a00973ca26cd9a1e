"""Who a client says it is."""

from __future__ import annotations

from collections.abc import Mapping


class UnknownScheme(Exception):
    """An Authorization header that is no bearer token."""


def credential_in(headers: Mapping[str, str]) -> str | None:
    """The bearer token in HTTP headers, any token naming an identity of its own; none where there is no header.

    Raises:
        UnknownScheme: the header holds something else.
    """
    value = next((value for name, value in headers.items() if name.lower() == "authorization"), None)
    if value is None:
        return None
    scheme, _, token = value.strip().partition(" ")
    if scheme.lower() != "bearer" or not token.strip():
        raise UnknownScheme
    return token.strip()
