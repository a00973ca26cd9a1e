"""Ids that lead to one another, and ids that do not."""

from __future__ import annotations

import secrets
import time
import uuid

from mcp_tasks_conformance.engine.predictability import weakness


def uuid7() -> str:
    random = secrets.randbits(74)
    value = (time.time_ns() // 1_000_000) << 80 | 0x7 << 76 | (random >> 62) << 64 | 0b10 << 62 | random & (1 << 62) - 1
    return str(uuid.UUID(int=value))


def test_random_ids_show_no_weakness() -> None:
    assert weakness([str(uuid.uuid4()) for _ in range(8)]) is None


def test_ids_with_a_time_part_and_enough_chance_show_no_weakness() -> None:
    assert weakness([uuid7() for _ in range(8)]) is None


def test_short_random_ids_are_not_plainly_guessable() -> None:
    assert weakness([secrets.token_hex(4) for _ in range(8)]) is None


def test_a_counter_is_weak() -> None:
    assert weakness([f"task-{number}" for number in range(8, 16)]) is not None


def test_a_counter_that_strides_widely_is_weak() -> None:
    assert weakness([f"{number * 0x9E3779B97F4A7C15:032x}" for number in range(1, 9)]) is not None


def test_a_time_alone_is_weak() -> None:
    now = time.time_ns() // 1_000_000
    assert weakness([str(now + step) for step in (0, 3, 4, 9, 13, 14, 20, 22)]) is not None


def test_two_ids_are_no_sample() -> None:
    assert weakness(["a", "b"]) is not None
