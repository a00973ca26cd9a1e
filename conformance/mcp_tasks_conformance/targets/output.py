"""The last lines that a process printed for people."""

from __future__ import annotations

import re

_TERMINAL_CODES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|.)?")
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


class OutputTail:
    """Keeps the end of an output of any length in bounded memory."""

    def __init__(self, limit_bytes: int = 16 * 1024) -> None:
        self._limit = limit_bytes
        self._kept = bytearray()
        self._cut = False

    def add(self, data: bytes) -> None:
        """Take what was printed next."""
        self._kept += data[-self._limit :]
        if len(data) > self._limit or len(self._kept) > 2 * self._limit:
            del self._kept[: -self._limit]
            self._cut = True

    def text(self) -> str:
        """The tail as text that a terminal can show as it is: no colours, no control characters, whole lines."""
        text = self._kept[-self._limit :].decode(errors="replace").replace("\r\n", "\n")
        if self._cut or len(self._kept) > self._limit:
            _, _, whole = text.partition("\n")
            text = whole or text
        return _CONTROLS.sub("", _TERMINAL_CODES.sub("", text)).strip("\n")
