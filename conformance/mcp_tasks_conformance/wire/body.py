"""An answer's body as a whole."""

from __future__ import annotations

from mcp_tasks_conformance.wire.carrier import Broken, Exchange

BODY_LIMIT = 64 * 1024 * 1024
"""How many bytes one body, or one event, may have before it is given up."""


async def read_body(exchange: Exchange, into: bytearray) -> Broken | None:
    """Collect the body, and where it ended too early say why; what came before stays collected."""
    try:
        while piece := await exchange.read():
            into += piece
            if len(into) > BODY_LIMIT:
                return Broken(f"a body has more than {BODY_LIMIT} bytes and no end")
    except Broken as broken:
        return broken
    return None
