"""The codec reads everything and says what is wrong with it."""

from __future__ import annotations

import json
import math
import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_tasks_conformance.events import JsonValue
from mcp_tasks_conformance.wire import jsonrpc
from mcp_tasks_conformance.wire.jsonrpc import FrameKind, decode, encode

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)
any_text = st.text(st.characters(exclude_categories=())) | st.binary().map(lambda raw: raw.decode("latin-1"))
jsonish = st.lists(
    st.sampled_from([*'{}[]":,\\01.eE- ', "null", "NaN", '"id"', '"method"', '"result"', "-Infinity", "\\ud800"])
).map("".join)


@given(json_values)
def test_what_is_encoded_decodes_to_the_same_value(value: JsonValue) -> None:
    assert decode(encode(value)).value == value


@given(json_values)
def test_an_encoded_value_is_one_line_of_utf8(value: JsonValue) -> None:
    text = encode(value)
    assert "\n" not in text
    assert "\r" not in text
    text.encode()


@given(any_text | jsonish)
def test_decoding_never_raises_and_keeps_the_text(text: str) -> None:
    frame = decode(text)
    assert frame.text == text
    assert (frame.kind is not FrameKind.INVALID) or frame.problem
    for name in ("id", "has_id", "key", "method", "params", "result", "error", "is_error", "error_code"):
        getattr(frame, name)
    encode(frame.value).encode()


@given(st.dictionaries(st.sampled_from(["jsonrpc", "id", "method", "params", "result", "error"]), json_values))
def test_any_object_is_classified(members: dict[str, JsonValue]) -> None:
    frame = decode(encode(members))
    assert frame.value == members
    assert (frame.kind is FrameKind.INVALID) == (not members.keys() & {"id", "method", "result", "error"})


@given(st.sampled_from([1, 0, "", "a", -3, "long" * 100]), st.text(min_size=1), st.dictionaries(st.text(), json_values))
def test_our_own_messages_have_no_problem(identifier: JsonValue, method: str, params: dict[str, JsonValue]) -> None:
    request = decode(encode(jsonrpc.request(identifier, method, params)))
    assert (request.kind, request.problem) == (FrameKind.REQUEST, None)
    assert (request.id, request.method, request.params) == (identifier, method, params)
    notification = decode(encode(jsonrpc.notification(method, params)))
    assert (notification.kind, notification.problem, notification.params) == (FrameKind.NOTIFICATION, None, params)
    result = decode(encode(jsonrpc.result(identifier, params)))
    assert (result.kind, result.problem, result.result) == (FrameKind.RESPONSE, None, params)
    error = decode(encode(jsonrpc.error(identifier, -32000, method)))
    assert (error.kind, error.problem, error.error_code) == (FrameKind.RESPONSE, None, -32000)


def test_an_absent_params_is_left_out() -> None:
    assert jsonrpc.request(1, "ping") == {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    assert jsonrpc.notification("x") == {"jsonrpc": "2.0", "method": "x"}


def test_error_data_is_left_out_unless_given_and_null_is_given() -> None:
    assert jsonrpc.error(1, -1, "no")["error"] == {"code": -1, "message": "no"}
    assert jsonrpc.error(1, -1, "no", None)["error"] == {"code": -1, "message": "no", "data": None}


@pytest.mark.parametrize(
    ("text", "kind", "problem"),
    [
        ("", FrameKind.INVALID, "is empty"),
        (" \n", FrameKind.INVALID, "is empty"),
        ("hello", FrameKind.INVALID, "not JSON: Expecting value at line 1 column 1"),
        ('{"id":\n1,}', FrameKind.INVALID, "not JSON: "),
        ("[]", FrameKind.INVALID, "is an array (batch)"),
        ('[{"jsonrpc":"2.0","id":1,"result":{}}]', FrameKind.INVALID, "is an array (batch)"),
        ('"text"', FrameKind.INVALID, "is a string, not an object"),
        ("true", FrameKind.INVALID, "is a boolean, not an object"),
        ("null", FrameKind.INVALID, "is null, not an object"),
        ('{"jsonrpc":"2.0"}', FrameKind.INVALID, "has neither method nor result nor error"),
        ('{"id":1,"result":{}}', FrameKind.RESPONSE, "has no jsonrpc"),
        ('{"jsonrpc":2.0,"id":1,"result":{}}', FrameKind.RESPONSE, 'has a jsonrpc that is not "2.0"'),
        ('{"jsonrpc":"2.0","id":1,"result":{},"error":{}}', FrameKind.RESPONSE, "has both result and error"),
        ('{"jsonrpc":"2.0","id":1,"result":{},"method":"m"}', FrameKind.RESPONSE, "has both method and result"),
        ('{"jsonrpc":"2.0","id":1}', FrameKind.RESPONSE, "has neither result nor error"),
        ('{"jsonrpc":"2.0","result":{}}', FrameKind.RESPONSE, "has a result and no id"),
        ('{"jsonrpc":"2.0","error":{}}', FrameKind.RESPONSE, None),
        ('{"jsonrpc":"2.0","id":null,"error":{}}', FrameKind.RESPONSE, None),
        ('{"jsonrpc":"2.0","id":[],"method":"m"}', FrameKind.REQUEST, "has an id that is an array"),
        ('{"jsonrpc":"2.0","id":true,"method":"m"}', FrameKind.REQUEST, "has an id that is a boolean"),
        ('{"jsonrpc":"2.0","id":0,"method":"m"}', FrameKind.REQUEST, None),
        ('{"jsonrpc":"2.0","method":7}', FrameKind.NOTIFICATION, "has a method that is a number"),
        ('{"jsonrpc":"2.0","method":"m","params":[]}', FrameKind.NOTIFICATION, "has params that are an array"),
        ('{"jsonrpc":"2.0","method":"m","params":null}', FrameKind.NOTIFICATION, "has params that are null"),
        ('{"jsonrpc":"2.0","id":1,"id":2,"result":{}}', FrameKind.RESPONSE, 'has the member "id" more than once'),
        ('{"jsonrpc":"2.0","id":1,"result":{"a":NaN}}', FrameKind.RESPONSE, "not JSON: holds NaN"),
        ('{"jsonrpc":"2.0","id":1,"result":{"a":-Infinity}}', FrameKind.RESPONSE, "not JSON: holds -Infinity"),
        ('\ufeff{"jsonrpc":"2.0","method":"m"}', FrameKind.INVALID, "not JSON: "),
    ],
)
def test_kind_says_what_was_meant_and_problem_what_is_wrong(text: str, kind: FrameKind, problem: str | None) -> None:
    frame = decode(text)
    assert frame.kind is kind
    assert frame.problem == problem or (problem and frame.problem and frame.problem.startswith(problem))


def test_repeated_members_inside_a_result_are_no_problem_of_the_envelope() -> None:
    assert decode('{"jsonrpc":"2.0","id":1,"result":{"a":1,"a":2}}').problem is None


def test_an_id_of_zero_is_an_id() -> None:
    frame = decode('{"jsonrpc":"2.0","id":0,"method":"ping"}')
    assert frame.has_id
    assert frame.id == 0
    assert frame.key == "0"


def test_keys_tell_ids_of_different_types_apart() -> None:
    keys = [decode(f'{{"id":{raw},"result":{{}}}}').key for raw in ("1", '"1"', "true", "null", "[1]")]
    assert len(set(keys)) == 5
    assert decode('{"id":1.0,"result":{}}').key == "1"
    assert decode('{"result":{}}').key is None


def test_numbers_past_what_fits_are_read_as_the_nearest_that_does() -> None:
    for text in ("1e999", "9" * 10_000):
        assert decode(text).value == sys.float_info.max
        assert decode(f"-{text}").value == -sys.float_info.max


def test_a_lone_surrogate_survives_the_round_trip_as_an_escape() -> None:
    frame = decode('{"a":"\\ud800"}')
    assert frame.value == {"a": "\ud800"}
    assert encode(frame.value) == '{"a":"\\ud800"}'
    assert encode("\U0001f600é") == '"\U0001f600é"'


@pytest.mark.parametrize("opening", ["[", '{"a":'])
def test_a_huge_nesting_is_cut_and_the_message_is_still_told(opening: str) -> None:
    closing = "]" if opening == "[" else "}"
    deep = opening * 100_000 + "1" + closing * 100_000
    frame = decode(f'{{"jsonrpc":"2.0","result":{{"a":"[[","b":{deep},"c":3}},"id":7}}')
    assert (frame.kind, frame.id, frame.problem) == (FrameKind.RESPONSE, 7, None)
    result: Any = frame.result
    assert (result["a"], result["c"]) == ("[[", 3)
    json.dumps(frame.value)
    depth, inner = 0, result["b"]
    while inner is not None:
        depth, inner = depth + 1, inner[0] if isinstance(inner, list) else inner["a"]
    assert depth == jsonrpc.DEEPEST - 2


def test_brackets_in_strings_do_not_count_as_nesting() -> None:
    text = encode(jsonrpc.result(1, {"a": '[{"\\' * 500, "b": [[[]]]}))
    assert decode(text).result == {"a": '[{"\\' * 500, "b": [[[]]]}


def test_unbalanced_nesting_is_no_json() -> None:
    assert decode("[" * 100_000).kind is FrameKind.INVALID
    assert decode("]" * 100_000).kind is FrameKind.INVALID
    assert decode("[" * 300 + '"').kind is FrameKind.INVALID


def test_nan_is_refused_when_we_write() -> None:
    with pytest.raises(ValueError, match="JSON"):
        encode({"a": math.nan})
