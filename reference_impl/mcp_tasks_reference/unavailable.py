"""What the server needs and cannot have."""

from __future__ import annotations


class Unavailable(Exception):
    """A file or an address that was asked for cannot be used; told to whoever started the server."""
