"""JSON-RPC as text: what a message says, read leniently and without ever failing, and how our own are written.

Reading tells what the sender evidently meant (``kind``) apart from what is wrong with the form (``problem``), so that a
flawed answer still reaches whoever waits for it and is judged there.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, StrEnum
from json.encoder import encode_basestring_ascii
from typing import Final, Literal

from mcp_tasks_conformance.events import JsonValue

DEEPEST: Final = 200
"""Levels of nesting that are read; what lies deeper reads as null, so that no reader of a value runs out of stack."""

_TOKENS = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"?|[\[{]|[\]}]', re.DOTALL)
_ENCODER = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))
_SURROGATE = re.compile("[\ud800-\udfff]")


class FrameKind(StrEnum):
    """What a message evidently is."""

    REQUEST = "request"
    NOTIFICATION = "notification"
    RESPONSE = "response"
    INVALID = "invalid"
    """No message at all, or none of the three."""


class _Absent(Enum):
    ABSENT = "absent"


ABSENT: Final = _Absent.ABSENT
"""Stands for a member that is left out, where None would be the JSON null."""


@dataclass(frozen=True, slots=True)
class Frame:
    """One decoded message beside its raw text."""

    text: str
    value: JsonValue
    """What the text says: objects are dicts, arrays lists. None where it is no JSON."""
    kind: FrameKind
    problem: str | None
    """What is wrong with the form of the message, in words; always there where the kind is INVALID.

    The values of ids and of error members have rules of their own and are not judged here.
    """

    def _member(self, name: str) -> JsonValue:
        return self.value.get(name) if isinstance(self.value, dict) else None

    @property
    def has_id(self) -> bool:
        """Whether there is a member ``id``, null included."""
        return isinstance(self.value, dict) and "id" in self.value

    @property
    def id(self) -> JsonValue:
        """The id as it came; None where it is null or missing (see ``has_id``)."""
        return self._member("id")

    @property
    def key(self) -> str | None:
        """The id as a dictionary key that keeps 1, "1" and true apart; None where there is no id."""
        return id_key(self.id) if self.has_id else None

    @property
    def method(self) -> str | None:
        """The method, where it is a string."""
        method = self._member("method")
        return method if isinstance(method, str) else None

    @property
    def params(self) -> Mapping[str, JsonValue]:
        """The params, empty where they are absent or no object."""
        params = self._member("params")
        return params if isinstance(params, dict) else {}

    @property
    def result(self) -> JsonValue:
        """The result as it came; None where it is null or missing."""
        return self._member("result")

    @property
    def error(self) -> JsonValue:
        """The error as it came, which need be no object; None where it is null or missing (see ``is_error``)."""
        return self._member("error")

    @property
    def error_code(self) -> int | None:
        """The error's code, where it is an integer."""
        error = self.error
        code = error.get("code") if isinstance(error, Mapping) else None
        return code if isinstance(code, int) and not isinstance(code, bool) else None

    @property
    def is_error(self) -> bool:
        """Whether there is a member ``error``."""
        return isinstance(self.value, dict) and "error" in self.value


def decode(text: str) -> Frame:
    """Read one message; whatever is wrong with it is told in the frame, nothing is raised."""
    reading = _Reading()
    try:
        value = reading.read(text)
    except json.JSONDecodeError as error:
        where = f"{error.msg} at line {error.lineno} column {error.colno}"
        return Frame(text, None, FrameKind.INVALID, f"not JSON: {where}" if text.strip() else "is empty")
    problems = [f"not JSON: holds {name}" for name in reading.constants]
    if not isinstance(value, Mapping):
        is_what = "an array (batch)" if isinstance(value, list) else f"{_type_name(value)}, not an object"
        return Frame(text, value, FrameKind.INVALID, "; ".join([*problems, f"is {is_what}"]))
    problems += [f"has the member {encode(name)} more than once" for name in reading.repeated]
    kind, flaws = _classify(value)
    return Frame(text, value, kind, "; ".join([*problems, *flaws]) or None)


def encode(value: JsonValue) -> str:
    """Write a value on one line, compact, non-ASCII kept; lone surrogates are escaped, for UTF-8 cannot hold them."""
    text = _ENCODER.encode(value)
    return _SURROGATE.sub(lambda match: f"\\u{ord(match.group()):04x}", text)


def request(id: JsonValue, method: str, params: Mapping[str, JsonValue] | None = None) -> dict[str, JsonValue]:  # noqa: A002
    """A request."""
    return {"jsonrpc": "2.0", "id": id, **_call(method, params)}


def notification(method: str, params: Mapping[str, JsonValue] | None = None) -> dict[str, JsonValue]:
    """A notification."""
    return {"jsonrpc": "2.0", **_call(method, params)}


def result(id: JsonValue, value: JsonValue) -> dict[str, JsonValue]:  # noqa: A002
    """A successful response."""
    return {"jsonrpc": "2.0", "id": id, "result": value}


def error(
    id: JsonValue,  # noqa: A002
    code: int,
    message: str,
    data: JsonValue | Literal[_Absent.ABSENT] = ABSENT,
) -> dict[str, JsonValue]:
    """An error response."""
    body: dict[str, JsonValue] = {"code": code, "message": message}
    if data is not ABSENT:
        body["data"] = data
    return {"jsonrpc": "2.0", "id": id, "error": body}


def id_key(value: JsonValue) -> str:
    """An id as a dictionary key: equal for ids that are the same JSON value, 1 and 1.0 being the same number."""
    if type(value) is int:  # nearly every id is one of these two, and every message is looked up by its id
        return str(value)
    if type(value) is str:
        return encode_basestring_ascii(value)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return json.dumps(value, sort_keys=True)


def _call(method: str, params: Mapping[str, JsonValue] | None) -> dict[str, JsonValue]:
    return {"method": method} if params is None else {"method": method, "params": params}


def _classify(value: Mapping[str, JsonValue]) -> tuple[FrameKind, list[str]]:
    flaws: list[str] = []
    if "jsonrpc" not in value:
        flaws.append("has no jsonrpc")
    elif value["jsonrpc"] != "2.0":
        flaws.append('has a jsonrpc that is not "2.0"')
    identifier = value.get("id")
    if isinstance(identifier, (bool, list, Mapping)):
        flaws.append(f"has an id that is {_type_name(identifier)}")
    if "result" in value or "error" in value:
        if "result" in value and "error" in value:
            flaws.append("has both result and error")
        if "method" in value:
            flaws.append(f"has both method and {'result' if 'result' in value else 'error'}")
        if "id" not in value and "error" not in value:
            flaws.append("has a result and no id")
        return FrameKind.RESPONSE, flaws
    if "method" in value:
        if not isinstance(value["method"], str):
            flaws.append(f"has a method that is {_type_name(value['method'])}")
        if "params" in value and not isinstance(value["params"], Mapping):
            flaws.append(f"has params that are {_type_name(value['params'])}")
        return FrameKind.REQUEST if "id" in value else FrameKind.NOTIFICATION, flaws
    if "id" in value:
        return FrameKind.RESPONSE, [*flaws, "has neither result nor error"]
    return FrameKind.INVALID, [*flaws, "has neither method nor result nor error"]


class _Reading:
    """One reading of one text: the value, and what a plain JSON parser passes over in silence."""

    def __init__(self) -> None:
        self.constants: dict[str, None] = {}
        self.repeated: tuple[str, ...] = ()

    def read(self, text: str) -> JsonValue:
        if text.count("[") + text.count("{") > DEEPEST:
            text = _pruned(text)
        value: JsonValue = json.JSONDecoder(
            object_pairs_hook=self._members, parse_constant=self._constant, parse_float=_float, parse_int=_int
        ).decode(text)
        return value

    def _members(self, pairs: list[tuple[str, JsonValue]]) -> dict[str, JsonValue]:
        members = dict(pairs)
        # Objects end from the inside out: what stays here in the end is about the message itself.
        self.repeated = ()
        if len(members) != len(pairs):
            names = [name for name, _ in pairs]
            self.repeated = tuple(name for name in members if names.count(name) > 1)
        return members

    def _constant(self, name: str) -> None:
        self.constants[name] = None


def _pruned(text: str) -> str:
    """The text with everything nested too deeply replaced by null, told from brackets alone, so without a stack."""
    kept: list[str] = []
    depth, start = 0, 0
    for token in _TOKENS.finditer(text):
        bracket = token.group()
        if bracket in ("[", "{"):
            depth += 1
            if depth == DEEPEST + 1:
                kept += (text[start : token.start()], "null")
                start = len(text)
        elif bracket in ("]", "}"):
            if depth == DEEPEST + 1:
                start = token.end()
            depth -= 1
    return "".join((*kept, text[start:]))


def _float(text: str) -> float:
    """A number that fits: JSON knows no bounds, a float does, and infinity could not be written again."""
    return max(-sys.float_info.max, min(sys.float_info.max, float(text)))


def _int(text: str) -> int | float:
    try:
        return int(text)
    except ValueError:  # more digits than Python converts
        return _float(text)


def _type_name(value: JsonValue) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "a boolean"
    if isinstance(value, str):
        return "a string"
    if isinstance(value, (int, float)):
        return "a number"
    return "an object" if isinstance(value, Mapping) else "an array"
