"""What a transport's streams deliver through: the sink until the transport is closed, then nothing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from mcp_tasks_conformance.events import JsonValue, SeenKind
from mcp_tasks_conformance.wire.carrier import Head
from mcp_tasks_conformance.wire.transport import Sink

NOTED_CHARACTERS: Final = 64 * 1024
"""How much of a text that is no message is kept."""


class Outlet:
    """The sink with a tap, and the words in which HTTP's events are noted. No note holds a header of ours."""

    def __init__(self, sink: Sink) -> None:
        self._sink = sink
        self._shut = False

    def shut(self) -> None:
        """Deliver nothing more."""
        self._shut = True

    def message(self, stream: str, raw: bytes) -> str:
        """Deliver a message's bytes and return their text; where they are no UTF-8 that is noted first."""
        text = self.text(stream, raw)
        if not self._shut:
            self._sink.received(stream, text)
        return text

    def text(self, stream: str, raw: bytes) -> str:
        """The text of bytes, with replacement characters for what is no UTF-8, which is noted."""
        try:
            return raw.decode()
        except UnicodeDecodeError as error:
            text = raw.decode(errors="replace")
            self.noise(
                stream, "not UTF-8", f"not UTF-8: byte 0x{raw[error.start]:02x} at offset {error.start}", len(raw), text
            )
            return text

    def noise(self, stream: str, noise: str, problem: str, length: int, text: str) -> None:
        """Note bytes that are no message where one was due."""
        self._note(stream, SeenKind.NOISE, {"noise": noise, "problem": problem, "length": length}, text)

    def head(self, stream: str, method: str, head: Head, text: str = "") -> None:
        """Note the answer to the request that opened a stream; at most one for each stream."""
        detail: dict[str, JsonValue] = {
            "status": head.status,
            "type": head.media_type,
            "content_type": head.content_type[:NOTED_CHARACTERS],
            "method": method,
        }
        if len(text) > NOTED_CHARACTERS:
            detail["length"] = len(text)
        self._note(stream, SeenKind.HTTP, detail, text)

    def progress(self, stream: str, detail: Mapping[str, JsonValue], text: str = "") -> None:
        """Note something that happens to a stream which goes on."""
        self._note(stream, SeenKind.STREAM, {"ended": False, **detail}, text)

    def ended(self, stream: str, reason: str) -> None:
        """Note that a stream will deliver nothing more."""
        self._note(stream, SeenKind.STREAM, {"ended": True, "reason": reason}, "")

    def closed(self, reason: str) -> None:
        """Tell the sink that the connection is gone; nothing follows."""
        if not self._shut:
            self._shut = True
            self._sink.closed(reason)

    def _note(self, stream: str, kind: SeenKind, detail: Mapping[str, JsonValue], text: str) -> None:
        if not self._shut:
            self._sink.noted(stream, kind, detail, text[:NOTED_CHARACTERS])
