"""Chatter is told from what a rule may hang on."""

from __future__ import annotations

import pytest

from mcp_tasks_conformance.peers.chatter import is_chatter
from mcp_tasks_conformance.wire import jsonrpc

LOG = '"method": "notifications/message", "params": {"level": "info", "data": "x"}'


@pytest.mark.parametrize(
    "message",
    [
        f'{{"jsonrpc": "2.0", {LOG}}}',
        '{"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}',
        '{"jsonrpc": "2.0", "method": "notifications/resources/updated", "params": {"uri": "file:///a"}}',
    ],
)
def test_a_flawless_notification_about_nothing_in_particular_is_chatter(message: str) -> None:
    assert is_chatter(jsonrpc.decode(message))


@pytest.mark.parametrize(
    "message",
    [
        f"{{{LOG}}}",
        f'{{"jsonrpc": "1.0", {LOG}}}',
        f'{{"jsonrpc": "2.0", "id": 1, {LOG}}}',
        '{"jsonrpc": "2.0", "method": "notifications/message", "params": {"_meta": {}}}',
        '{"jsonrpc": "2.0", "method": "notifications/message", "params": []}',
        '{"jsonrpc": "2.0", "method": "notifications/tasks/status", "params": {"taskId": "a"}}',
        '{"jsonrpc": "2.0", "method": "notifications/progress", "params": {"progressToken": 1}}',
        '{"jsonrpc": "2.0", "id": 1, "result": {}}',
        "[]",
        "nonsense",
    ],
)
def test_what_a_rule_may_hang_on_is_none(message: str) -> None:
    assert not is_chatter(jsonrpc.decode(message))
