"""A message that was sent, in one line for people."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Final

from mcp_tasks_conformance.events import JsonValue
from mcp_tasks_conformance.reports.text import ELLIPSIS, brief
from mcp_tasks_conformance.wire.jsonrpc import FrameKind, decode

_LONGEST: Final = 400
_LONGEST_STRING: Final = 60
_MOST_ITEMS: Final = 5
_DEEPEST: Final = 6


def request_line(text: str) -> str:
    """Method and params, with long values shortened; text that is no message stands as it is."""
    frame = decode(text)
    if frame.problem is not None or not isinstance(frame.value, Mapping):
        return brief(text, _LONGEST)
    if frame.kind is FrameKind.RESPONSE:
        content = {name: frame.value[name] for name in ("result", "error") if name in frame.value}
        return brief(f"the answer {_compact(content)}", _LONGEST)
    params = f" {_compact(frame.value['params'])}" if "params" in frame.value else ""
    return brief(f"{frame.method}{params}", _LONGEST)


def _compact(value: JsonValue) -> str:
    return json.dumps(_shortened(value, 0), ensure_ascii=False)


def _shortened(value: JsonValue, depth: int) -> JsonValue:
    """The value with its structure kept and its long parts cut."""
    if isinstance(value, str):
        return value if len(value) <= _LONGEST_STRING else f"{value[:20]}{ELLIPSIS} ({len(value):,} characters)"
    if isinstance(value, Mapping):
        return ELLIPSIS if depth >= _DEEPEST else {key: _shortened(item, depth + 1) for key, item in value.items()}
    if isinstance(value, Sequence):
        if depth >= _DEEPEST:
            return ELLIPSIS
        more = [f"{ELLIPSIS} {len(value) - _MOST_ITEMS} more"] if len(value) > _MOST_ITEMS else []
        return [*(_shortened(item, depth + 1) for item in value[:_MOST_ITEMS]), *more]
    return value
