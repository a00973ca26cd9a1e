"""Freedoms that concern tasks, whatever carries the messages."""

from __future__ import annotations

import os
import time
import uuid

from mcp_tasks_reference.courier import Courier
from mcp_tasks_reference.deviation import Variant
from mcp_tasks_reference.ids import TaskIds
from mcp_tasks_reference.running import Running
from mcp_tasks_reference.task import Task


class NeverTells(Courier):
    """Sends no status notifications."""

    def tell_status(self, running: Running, task: Task) -> None:
        pass


class TimeOrderedIds(TaskIds):
    """UUIDs of version 7: a time, then 74 random bits."""

    def new(self) -> str:
        """A time in milliseconds and randomness."""
        bits = int.from_bytes(os.urandom(10)) | (time.time_ns() // 1_000_000) << 80
        bits = bits & ~(0xF << 76) | 7 << 76
        return str(uuid.UUID(int=bits & ~(0x3 << 62) | 2 << 62))


VARIANTS = (
    Variant("no-list", "tasks/list is neither declared nor served.", {"offer_list": False}),
    Variant("no-cancel", "tasks/cancel is neither declared nor served.", {"offer_cancel": False}),
    Variant("poll-interval-absent", "Tasks name no pollInterval.", {"poll_interval_ms": None}),
    Variant("poll-interval-5s", "Tasks ask to be polled every five seconds only.", {"poll_interval_ms": 5000}),
    Variant("ttl-capped", "No task lives longer than 20 seconds.", {"max_ttl_ms": 20_000, "default_ttl_ms": 20_000}),
    Variant("notifications-never", "No status notification is ever sent.", mixins=(NeverTells,)),
    Variant("uuid7-ids", "Task ids begin with a time.", mixins=(TimeOrderedIds,)),
)
