"""What a peer says that is about no task and no request: of many such messages a few are enough to judge by."""

from __future__ import annotations

from typing import Final

from mcp_tasks_conformance.wire.jsonrpc import Frame, FrameKind

_ABOUT_SOMETHING: Final = frozenset(
    {
        "notifications/cancelled",
        "notifications/elicitation/complete",
        "notifications/initialized",
        "notifications/progress",
        "notifications/tasks/status",
    }
)


def is_chatter(frame: Frame) -> bool:
    """Whether a message is a flawless notification that names neither a request nor a task.

    However many follow, no rule that is watched can be broken by one and kept by another.
    """
    return (
        frame.kind is FrameKind.NOTIFICATION
        and frame.problem is None
        and frame.method not in _ABOUT_SOMETHING
        and "_meta" not in frame.params
    )
