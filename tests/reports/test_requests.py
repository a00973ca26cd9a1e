"""A message that was sent, in one line."""

from __future__ import annotations

import json

import pytest

from mcp_tasks_conformance.reports.requests import request_line


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('{"jsonrpc":"2.0","id":3,"method":"tasks/list"}', "tasks/list"),
        ('{"jsonrpc":"2.0","id":3,"method":"tasks/get","params":{"taskId":"t"}}', 'tasks/get {"taskId": "t"}'),
        ('{"jsonrpc":"2.0","method":"notifications/initialized"}', "notifications/initialized"),
        ('{"jsonrpc":"2.0","id":3,"result":{"action":"accept"}}', 'the answer {"result": {"action": "accept"}}'),
        ('{"jsonrpc":"2.0","id":3,"error":{"code":-1}}', 'the answer {"error": {"code": -1}}'),
        ("{not json", "{not json"),
        ('[{"jsonrpc":"2.0","id":1,"method":"ping"}]', '[{"jsonrpc":"2.0","id":1,"method":"ping"}]'),
        ('{"id":1,"method":"ping"}', '{"id":1,"method":"ping"}'),
        ("HTTP DELETE", "HTTP DELETE"),
    ],
)
def test_a_message_is_told_by_what_it_asks_and_anything_else_as_it_is(text: str, line: str) -> None:
    assert request_line(text) == line


def asked(params: object) -> str:
    return request_line(json.dumps({"jsonrpc": "2.0", "id": 1, "method": "x", "params": params}))


def test_long_strings_are_cut_and_the_rest_is_kept() -> None:
    assert asked({"id": "a" * 1000, "b": 1}) == f'x {{"id": "{"a" * 20}... (1,000 characters)", "b": 1}}'


def test_long_lists_are_cut() -> None:
    assert asked({"list": list(range(100))}) == 'x {"list": [0, 1, 2, 3, 4, "... 95 more"]}'


def test_deep_values_are_cut() -> None:
    deep: object = 1
    for _ in range(100):
        deep = {"d": deep}
    assert asked(deep).endswith('"..."' + "}" * 6)


def test_control_characters_are_escaped() -> None:
    assert "\x1b" not in request_line('{"jsonrpc":"2.0","id":3,"method":"\\u001b[2J"}')


def test_a_line_has_an_end_whatever_is_asked() -> None:
    assert len(asked({str(number): "v" for number in range(10_000)})) <= 400
