"""A knock at the door of a server that others start: is somebody in?"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from mcp_tasks_conformance.wire.endpoint import Endpoint

THINKS_S: Final = 1.0
"""Who holds the connection and says nothing for so long is in, and thinks."""
_STANDS_BEFORE: Final = (b"502", b"503", b"504")
"""What a gateway answers as long as nothing serves behind it."""


async def serves(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, endpoint: Endpoint) -> bool:
    """Whether something serves behind a connection that was taken.

    A port that is published for a container takes connections before the server within listens, and so does a gateway.
    The question is a HEAD request without credentials; any answer of the server's own will do.
    """
    question = (
        f"HEAD {endpoint.target} HTTP/1.1\r\nHost: {endpoint.authority}\r\nAccept: */*\r\nConnection: close\r\n\r\n"
    )
    writer.write(question.encode())
    try:
        async with asyncio.timeout(THINKS_S):
            line = await reader.readline()
    except TimeoutError:
        return True
    except (OSError, ValueError):
        return False
    return line.startswith(b"HTTP/") and not any(status in _STANDS_BEFORE for status in line.split()[1:2])
