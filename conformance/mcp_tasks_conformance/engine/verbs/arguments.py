"""Reading a step's keys with their references filled."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from mcp_tasks_conformance.catalog.model import Ref, Step, Template
from mcp_tasks_conformance.engine.attempt import Attempt, HarnessFault
from mcp_tasks_conformance.engine.judging import PreconditionFailed
from mcp_tasks_conformance.engine.matching import show
from mcp_tasks_conformance.engine.scope import Held, Scope
from mcp_tasks_conformance.events import JsonValue
from mcp_tasks_conformance.peers.exchange import Exchange
from mcp_tasks_conformance.peers.inbox import Incoming


def value(step: Step, key: str, scope: Scope, default: JsonValue = None) -> JsonValue:
    """A key's value with references filled, or the default where the key is absent."""
    return scope.fill(cast(Template, step.keys[key])) if key in step.keys else default


def text(step: Step, key: str, scope: Scope, default: str = "") -> str:
    """A key's text."""
    found = value(step, key, scope, default)
    if not isinstance(found, str):
        raise HarnessFault(f"{step.place}: {key} must be text, not {found!r}")
    return found


def subject_text(step: Step, scope: Scope) -> str:
    """The subject as text: a method or a name."""
    found = scope.fill(cast(Template, step.subject))
    if not isinstance(found, str):
        raise HarnessFault(f"{step.place}: {step.verb} takes text, not {found!r}")
    return found


def object_of(found: JsonValue, step: Step, what: str) -> Mapping[str, JsonValue]:
    """A value that must be an object."""
    if not isinstance(found, Mapping):
        raise HarnessFault(f"{step.place}: {what} must be an object, not {found!r}")
    return found


def params(step: Step, scope: Scope) -> Mapping[str, JsonValue] | None:
    """The params of a message to send; none where the step names none."""
    found = value(step, "params", scope)
    return None if found is None else cast("Mapping[str, JsonValue]", found)


def headers(step: Step, scope: Scope) -> Mapping[str, str | None] | None:
    """HTTP headers to set for one message."""
    found = value(step, "headers", scope)
    if found is None:
        return None
    return {name: None if item is None else str(item) for name, item in object_of(found, step, "headers").items()}


def exchange(step: Step, scope: Scope, ref: object) -> Exchange:
    """The exchange that a reference names."""
    handle = _handle(scope, ref)
    if not isinstance(handle, Exchange):
        raise HarnessFault(f"{step.place}: {ref} is not an exchange that `begin` gave")
    return handle


def incoming(step: Step, scope: Scope, ref: object) -> Incoming:
    """The request of the target that a reference names."""
    handle = _handle(scope, ref)
    if not isinstance(handle, Incoming):
        raise HarnessFault(f"{step.place}: {ref} is not a request that `await_request` gave")
    return handle


def place_in_transcript(step: Step, scope: Scope, key: str) -> int:
    """The index of the entry with which what a key names came, or -1 where the key is not there.

    Raises:
        NothingThere: it never came.
    """
    ref = step.keys.get(key)
    if not isinstance(ref, Ref):
        return -1
    found = scope.get(ref)
    if not isinstance(found, Held):
        raise HarnessFault(f"{step.place}: `{key}` takes what an earlier step gave, not a part of it")
    return found.index


def _handle(scope: Scope, ref: object) -> object:
    found = scope.get(ref) if isinstance(ref, Ref) else None
    return found.handle if isinstance(found, Held) else None


def task_id(attempt: Attempt, step: Step, scope: Scope, key: str) -> str | None:
    """The taskId of the task that a key names, if the key is there."""
    found = value(step, key, scope)
    if found is None:
        return None
    identifier = found.get("taskId") if isinstance(found, Mapping) else found
    if isinstance(found, Mapping) and "taskId" in found and not isinstance(identifier, str):
        raise PreconditionFailed(f"{attempt.source(step)}: the target's taskId {show(identifier)} is no text")
    if not isinstance(identifier, str):
        raise HarnessFault(f"{step.place}: {key} must name a task")
    return identifier
