"""Text and JSON as they stand in the YAML files that we write: read alike by every YAML reader."""

from __future__ import annotations

import json
import re

from mcp_tasks_conformance.events import JsonValue

_PLAIN = re.compile(r"[A-Za-z][\w./-]*(?: [\w./-]+)*", re.ASCII)
_UNSEEN = re.compile("[\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]")
_NOT_TEXT = frozenset({"null", "true", "false", "on", "off", "yes", "no", "y", "n"})
"""Words that some YAML readers take for something else."""


def text(value: str) -> str:
    """Without quotes where it can stand so."""
    return value if _PLAIN.fullmatch(value) and value.lower() not in _NOT_TEXT else quoted(value)


def quoted(value: JsonValue) -> str:
    """In one line, a text in double quotes, whose escapes are those of JSON; what YAML may not hold is escaped too."""
    return _UNSEEN.sub(lambda found: f"\\u{ord(found[0]):04x}", json.dumps(value, ensure_ascii=False))
