"""Messages of ours that a strict parser may refuse to read, though they are JSON by the letter.

Whoever cannot read a message cannot answer it by its id.
"""

from __future__ import annotations

import math
import re
from typing import Final

from mcp_tasks_conformance.wire.jsonrpc import Frame

_LONG: Final = 64 * 1024
"""Characters up to which every receiver can be expected to read a message."""
_NESTED: Final = 100
_DIGITS: Final = 24
"""So long a number may be, which whatever fits 64 bits or a double can be written in."""
_EXPONENT: Final = 308
_TEXT: Final = re.compile(r'"(?:[^"\\]|\\.)*"')
_NUMBER: Final = re.compile(r"-?[0-9]+(?:\.[0-9]+)?(?:[eE]([+-]?[0-9]+))?")
_ODD_ESCAPE: Final = re.compile(r"(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f])", re.IGNORECASE)
"""A NUL, and halves of surrogate pairs: alone they are no character, together some read them as two."""


def is_hard_to_read(frame: Frame) -> bool:
    """Whether a receiver may be excused for not finding the id of a message of ours."""
    text = frame.text
    if frame.problem is not None or len(text) > _LONG or text.count("[") + text.count("{") > _NESTED:
        return True
    odd_id = frame.has_id and (isinstance(frame.id, bool) or not isinstance(frame.id, str | int))
    return odd_id or _ODD_ESCAPE.search(text) is not None or _has_odd_number(text)


def _has_odd_number(text: str) -> bool:
    return any(_is_odd(found) for found in _NUMBER.finditer(_TEXT.sub('""', text)))


def _is_odd(number: re.Match[str]) -> bool:
    written, exponent = number[0].removeprefix("-"), number[1]
    if len(written) > _DIGITS or (exponent is not None and abs(int(exponent)) > _EXPONENT):
        return True
    return math.isinf(float(written)) or (written.isdigit() and int(written) >= 2**63)
