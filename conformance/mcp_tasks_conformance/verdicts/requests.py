"""What was said around a check: the request that led to it, and what came where something expected did not."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property
from typing import Final

from mcp_tasks_conformance.events import Check, Direction, Outcome, Seen, SeenKind
from mcp_tasks_conformance.verdicts.bounds import cut
from mcp_tasks_conformance.wire.jsonrpc import FrameKind, decode

LONGEST: Final = 2_000
_LACKING: Final = re.compile(r"\b(?:nothing|missing|none)\b")
"""What is observed in words where something is not there: then what is there says why."""
_COURTESIES: Final = frozenset({"initialize", "ping", "tools/list"})
"""Requests whose answers say nothing of a story."""


class Requests:
    """The requests that the harness sent in one transcript."""

    def __init__(self, transcript: Sequence[Seen]) -> None:
        self._transcript = transcript

    def behind(self, check: Check) -> str | None:
        """The text of the request that a check is about; none for a pass, and where nothing was asked."""
        if check.outcome is Outcome.PASS:
            return None
        judged = [self._entries[index] for index in check.messages if index in self._entries]
        for seen in reversed(judged):
            if seen.direction is Direction.SENT and seen.kind in (SeenKind.MESSAGE, SeenKind.HTTP):
                return cut(_worded(seen), LONGEST)
        for seen in reversed(judged):
            request = self._answered_by(seen)
            if request is not None:
                before = self._sent_last(seen) if self._answered_before(seen, request) else request
                return cut(_worded(before or request), LONGEST)
        return None

    def came(self, observed: str, messages: Sequence[int] = ()) -> str | None:
        """The message that says why something was not there; none where nothing is lacking or nothing came.

        Args:
            observed: what was seen, in words.
            messages: the entries that were judged; where none was received, the last one that was.
        """
        if not _LACKING.search(observed):
            return None
        received = [seen for seen in self._transcript if self._tells(seen)]
        judged = [seen for seen in received if seen.index in messages]
        return cut(next(reversed(judged or received)).text, LONGEST) if received else None

    def _tells(self, seen: Seen) -> bool:
        if seen.direction is not Direction.RECEIVED or seen.kind is not SeenKind.MESSAGE:
            return False
        request = self._answered_by(seen)
        return request is None or decode(request.text).method not in _COURTESIES

    @cached_property
    def _entries(self) -> dict[int, Seen]:
        return {seen.index: seen for seen in self._transcript}

    @cached_property
    def _sent(self) -> dict[tuple[str, str], list[Seen]]:
        """Requests by connection and id, in order."""
        sent: dict[tuple[str, str], list[Seen]] = {}
        for seen in self._transcript:
            if seen.direction is Direction.SENT and seen.kind is SeenKind.MESSAGE:
                frame = decode(seen.text)
                if frame.kind is FrameKind.REQUEST and frame.key is not None:
                    sent.setdefault((seen.connection, frame.key), []).append(seen)
        return sent

    def _answered_by(self, answer: Seen) -> Seen | None:
        if answer.kind is not SeenKind.MESSAGE or answer.direction is not Direction.RECEIVED:
            return None
        frame = decode(answer.text)
        if frame.kind is not FrameKind.RESPONSE or frame.key is None:
            return None
        asked = self._sent.get((answer.connection, frame.key), [])
        return next((seen for seen in reversed(asked) if seen.index < answer.index), None)

    def _answered_before(self, answer: Seen, request: Seen) -> bool:
        """Whether another answer to the same request came earlier: then something else led to this one."""
        between = (seen for seen in self._transcript if request.index < seen.index < answer.index)
        return any(self._answered_by(seen) is request for seen in between if seen.connection == answer.connection)

    def _sent_last(self, answer: Seen) -> Seen | None:
        """What was sent last on the same connection before an answer came."""
        sent = [seen for seen in self._transcript if seen.direction is Direction.SENT and seen.index < answer.index]
        told = (SeenKind.MESSAGE, SeenKind.HTTP)
        return next((one for one in reversed(sent) if one.connection == answer.connection and one.kind in told), None)


def _worded(seen: Seen) -> str:
    """An HTTP request of our own making has no message; its method says what it is."""
    return seen.text or f"HTTP {seen.detail.get('method', 'request')}"
