"""JSON-RPC's form: what a message is, and what an error holds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from mcp_tasks_conformance.events import Direction, JsonValue, SeenKind
from mcp_tasks_conformance.monitors.entry import Entry
from mcp_tasks_conformance.monitors.findings import failed, passed, shown
from mcp_tasks_conformance.monitors.observation import Finding
from mcp_tasks_conformance.monitors.record import Record
from mcp_tasks_conformance.wire.jsonrpc import Frame, FrameKind

ENVELOPE: Final = "base.envelope"
ERROR_SHAPE: Final = "base.error-shape"
STDIO_CLEAN: Final = "base.stdio-clean"

_MESSAGE = "a JSON object with jsonrpc 2.0 that is a request, a notification or a response"
_ERROR = "an error with an integer code and a string message"
_CLEAN = "nothing on stdout but messages, one a line"


class EnvelopeJudge:
    """Judges the form of every message of the target, and what else a stdio server prints."""

    name = "envelope"

    def __init__(self, record: Record, *, judges_stdout: bool) -> None:
        self._record = record
        self._judges_stdout = judges_stdout
        self.proves: tuple[str, ...] = (ENVELOPE, ERROR_SHAPE, *((STDIO_CLEAN,) if judges_stdout else ()))

    def judge(self, entry: Entry) -> Iterator[Finding]:
        """See Judge."""
        seen = entry.observation.seen
        on_stdout = self._judges_stdout and entry.observation.transport == "stdio"
        if on_stdout and seen.kind is SeenKind.NOISE and seen.direction is Direction.RECEIVED and seen.text.strip():
            yield failed(STDIO_CLEAN, _CLEAN, f"a line that is no message: {shown(seen.text)}", entry.index)
        frame = entry.incoming
        if frame is None or self._is_free_body(entry, frame):
            return
        if on_stdout and _is_print(frame):
            yield failed(STDIO_CLEAN, _CLEAN, f"a line that is no message: {shown(frame.text)}", entry.index)
            return
        if on_stdout:
            yield passed(STDIO_CLEAN, _CLEAN, entry.index)
        flaw = _flaw(frame)
        batch = entry.lenient and isinstance(frame.value, list)  # a batch may answer a batch of ours
        if flaw is not None and not batch:
            yield failed(ENVELOPE, _MESSAGE, f"a message that {flaw}", entry.index)
        elif flaw is None:
            yield passed(ENVELOPE, _MESSAGE, entry.index)
        if frame.kind is FrameKind.RESPONSE and frame.is_error:
            yield from _judge_error(frame.error, entry.index)

    def _is_free_body(self, entry: Entry, frame: Frame) -> bool:
        """Whether the text is the body of an HTTP refusal, which may be anything, and no JSON-RPC message.

        Spec: transports#sending-messages-to-the-server.
        """
        head = self._record.head(entry.lane)
        says_so = isinstance(frame.value, Mapping) and "jsonrpc" in frame.value
        return head is not None and head.status >= 400 and not says_so


def _is_print(frame: Frame) -> bool:
    """Whether a line is evidently something printed, and not a message that went wrong."""
    if isinstance(frame.value, Mapping):
        return frame.kind is FrameKind.INVALID and "jsonrpc" not in frame.value
    return not isinstance(frame.value, list)


def _flaw(frame: Frame) -> str | None:
    """What is wrong with the form; odd ids, params and error members are the business of other rules."""
    value = frame.value
    if not isinstance(value, Mapping) or frame.kind is FrameKind.INVALID:
        return frame.problem
    if frame.problem is not None and frame.problem.startswith("not JSON"):
        return frame.problem.partition(";")[0]
    if value.get("jsonrpc") != "2.0":
        return f"has jsonrpc {shown(value['jsonrpc'])}" if "jsonrpc" in value else "has no jsonrpc"
    outcomes = [name for name in ("result", "error") if name in value]
    if len(outcomes) == 2:
        return "has both result and error"
    if outcomes and "method" in value:
        return f"has both method and {outcomes[0]}"
    if frame.kind is FrameKind.RESPONSE and not outcomes:
        return "has neither method, result nor error"
    if not outcomes and not isinstance(value.get("method"), str):
        return f"has the method {shown(value.get('method'))}"
    return None


def _judge_error(error: JsonValue, index: int) -> Iterator[Finding]:
    if not isinstance(error, Mapping):
        yield failed(ERROR_SHAPE, _ERROR, f"error: {shown(error)}", index)
        return
    code, message = error.get("code"), error.get("message")
    whole = isinstance(code, int) and not isinstance(code, bool)
    if not whole and not (isinstance(code, float) and code.is_integer()):
        yield failed(ERROR_SHAPE, _ERROR, f"code {shown(code)}" if "code" in error else "no code", index)
    elif not isinstance(message, str):
        yield failed(ERROR_SHAPE, _ERROR, f"message {shown(message)}" if "message" in error else "no message", index)
    else:
        yield passed(ERROR_SHAPE, _ERROR, index)
