"""The limits and choices of a server."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Settings:
    """What may be chosen; the defaults suit quick test runs on one machine."""

    default_ttl_ms: int = 60_000
    min_ttl_ms: int = 500
    max_ttl_ms: int = 3_600_000
    poll_interval_ms: int | None = 50
    page_size: int = 50
    max_tasks: int = 5000
    """How many tasks one requestor may have at a time, ended ones included."""
    max_queue: int = 100
    """How many messages a task may have waiting for delivery or an answer."""
    max_id_length: int = 256
    offer_tasks: bool = True
    offer_list: bool = True
    offer_cancel: bool = True
    single_tenant: bool = False
    """Every task belongs to everyone, whatever credentials are shown."""
    store_path: str | None = None
    """A SQLite file; in memory where absent."""
