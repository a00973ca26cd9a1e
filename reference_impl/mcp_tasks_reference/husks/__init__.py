"""Things that can be started like a server and are none: they must earn nothing."""

from __future__ import annotations

from mcp_tasks_reference.husks.husk import HUSKS, Husk

__all__ = ["HUSKS", "Husk"]
