"""Server-sent events: bytes in, events out, whatever the bytes.

Of our own making because a judge must see what other readers smooth over: bytes that are no UTF-8, an event cut off by
the end of its stream, and events whose data is empty, which only prime resumption.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_LINE_END = re.compile(rb"\r\n|\r|\n")
_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class Event:
    """One dispatched event with data."""

    name: str
    data: bytes


class EventDecoder:
    """Reads one connection's bytes; a stream that goes on over a second connection gives the next one its last id.

    Spec: https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation
    """

    def __init__(self, last_id: str | None = None) -> None:
        self.last_id = last_id
        """The id of the last event, None where the stream never gave one."""
        self.retry_ms: int | None = None
        """The reconnection time that the stream asked for."""
        self._line: list[bytes] = []
        self._line_size = 0
        self._after_cr = False
        self._first = True
        self._name = b""
        self._data: list[bytes] = []
        self._data_size = 0
        self._id: bytes | None = None

    @property
    def pending(self) -> int:
        """How many bytes wait for the end of their event."""
        return self._line_size + self._data_size

    @property
    def unfinished(self) -> bytes:
        """The data of an event that the end of the stream cut off: by the rules it is none."""
        rest = b"".join(self._line)
        name, _, value = rest.partition(b":")
        return b"\n".join([*self._data, value.removeprefix(b" ")] if name == b"data" else self._data)

    def feed(self, chunk: bytes) -> list[Event]:
        """Take the next bytes and give the events that they complete."""
        if self._after_cr and chunk:
            chunk = chunk.removeprefix(b"\n")
            self._after_cr = False
        if not chunk:
            return []
        self._after_cr = chunk.endswith(b"\r")
        first, *lines = _LINE_END.split(chunk)
        self._line.append(first)
        self._line_size += len(first)
        events: list[Event] = []
        for following in lines:
            self._take(b"".join(self._line), events)
            self._line = [following]
            self._line_size = len(following)
        return events

    def _take(self, line: bytes, events: list[Event]) -> None:
        if self._first:
            line = line.removeprefix(_BOM)
            self._first = False
        if not line:
            self._dispatch(events)
            return
        name, _, value = line.partition(b":")
        value = value.removeprefix(b" ")
        if name == b"data":
            self._data.append(value)
            self._data_size += len(value)
        elif name == b"event":
            self._name = value
        elif name == b"id" and b"\0" not in value:
            self._id = value
        elif name == b"retry" and value.isdigit() and len(value) < 16:
            self.retry_ms = int(value)

    def _dispatch(self, events: list[Event]) -> None:
        if self._id is not None:
            self.last_id = self._id.decode("utf-8", "replace") or None
        data = b"\n".join(self._data)
        if data:
            events.append(Event(self._name.decode("utf-8", "replace") or "message", data))
        self._name, self._data, self._data_size, self._id = b"", [], 0, None
