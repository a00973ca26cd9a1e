"""From an expectation and what came to checks: pass, warn, fail, and which of them need a positive control."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from mcp_tasks_conformance.catalog.model import Expectation, Matcher, Step, Template
from mcp_tasks_conformance.catalog.verbs import NEGATIVE_VERBS
from mcp_tasks_conformance.engine.matching import Mismatch, Value, describe, match, show
from mcp_tasks_conformance.engine.scope import Scope
from mcp_tasks_conformance.events import Check, Outcome


class PreconditionFailed(Exception):
    """What the scenario builds on does not hold: it is inconclusive."""


class NothingToJudge(Exception):
    """The target made a permitted choice that leaves the scenario without a point."""


_NEGATIVE_MATCHERS = frozenset({"$absent", "$not", "$only_keys", "$each", "$at_most"})


def is_negative(pattern: Template) -> bool:
    """Whether a pattern could be met by a target that does nothing: it asks for an error or for absence only."""
    if isinstance(pattern, Mapping):
        if "error" in pattern or "http" in pattern or "nothing" in pattern:
            return True
        return all(is_negative(value) for value in pattern.values())
    if isinstance(pattern, Matcher):
        if pattern.name == "$any_of" and isinstance(pattern.argument, tuple):
            return any(is_negative(option) for option in pattern.argument)
        if pattern.name == "$all_of" and isinstance(pattern.argument, tuple):
            return all(is_negative(part) for part in pattern.argument)
        return pattern.name in _NEGATIVE_MATCHERS
    return False


def control_of(step: Step, pattern: Template | None, method: str | None) -> str | None:
    """The method whose success this check needs, or none for a positive check."""
    negative = step.verb in NEGATIVE_VERBS or (pattern is not None and is_negative(pattern))
    if not negative:
        return None
    return step.control or method or WORK


WORK = "tools/call"
"""The method whose success shows that a target works at all."""
_COURTESIES = frozenset({"initialize", "ping", "tools/list"})
"""Methods that a target without any substance serves too: their success is no control of anything."""


def credited(check: Check) -> Check:
    """A passed check with the control that it must have at least: nothing is credited to a target that never worked."""
    if check.outcome is Outcome.PASS and (check.control is None or check.control in _COURTESIES):
        return replace(check, control=WORK)
    return check


def worded(mismatches: Iterable[Mismatch], value: Value, limit: int = 4) -> tuple[str, str]:
    """Expected and observed of several mismatches, in one line each; the whole value where it has another outcome."""
    listed = list(mismatches)
    shown = listed[:limit]
    more = f" (and {len(listed) - limit} more)" if len(listed) > limit else ""
    expected = "; ".join(f"{m.path}: {m.expected}" if m.path else m.expected for m in shown)
    observed = "; ".join(f"{m.path}: {m.observed}" if m.path else m.observed for m in shown)
    if any(m.path in ("result", "error") and m.observed == "nothing" for m in listed):
        return expected + more, show(value if any(m.path.startswith("http") for m in listed) else _without_http(value))
    return expected + more, observed + more


def _without_http(value: Value) -> Value:
    """An answer without how it travelled, where that is not the point."""
    return {name: one for name, one in value.items() if name != "http"} if isinstance(value, Mapping) else value


def judge(
    step: Step, value: Value, scope: Scope, *, source: str, messages: tuple[int, ...], method: str | None
) -> Iterator[Check]:
    """The checks that a step's expectations come to; those before an exception count.

    Raises:
        PreconditionFailed: an expectation that proves nothing does not hold.
        NothingToJudge: the target's choice makes the rest of the scenario pointless.
    """
    for expectation in step.expect:
        yield from _judge_one(step, expectation, value, scope, source, messages, method)


def _judge_one(
    step: Step,
    expectation: Expectation,
    value: Value,
    scope: Scope,
    source: str,
    messages: tuple[int, ...],
    method: str | None,
) -> list[Check]:
    mismatches = match(expectation.that, value, scope)
    because = expectation.because or step.because
    if not mismatches:
        control = step.control or control_of(step, expectation.that, method)
        expected, observed = describe(expectation.that, scope), show(value)
        return _checks(expectation.proves, source, Outcome.PASS, expected, observed, messages, because, control)
    if expectation.has_else_not_applicable and not match(expectation.else_not_applicable, value, scope):
        raise NothingToJudge(because or f"the target chose {show(value)}")
    expected, observed = worded(mismatches, value)
    if expectation.has_else_warn and not match(expectation.else_warn, value, scope):
        control = control_of(step, expectation.else_warn, method)
        observed = f"{observed} (permitted by another reading)"
        return _checks(expectation.proves, source, Outcome.WARN, expected, observed, messages, because, control)
    if not expectation.proves:
        raise PreconditionFailed(f"{source}: expected {expected}, found {observed}")
    control = None if _asks_for_result(expectation.that) else control_of(step, expectation.that, method)
    return _checks(expectation.proves, source, Outcome.FAIL, expected, observed, messages, because, control)


def _asks_for_result(pattern: Template) -> bool:
    """Whether a pattern asks for a result: that none came needs no proof that one can come."""
    result = pattern.get("result") if isinstance(pattern, Mapping) else None
    return result is not None and not (isinstance(result, Matcher) and result.name == "$absent")


def _checks(
    requirements: tuple[str, ...],
    source: str,
    outcome: Outcome,
    expected: str,
    observed: str,
    messages: tuple[int, ...],
    because: str | None,
    control: str | None,
) -> list[Check]:
    return [
        Check(requirement, source, outcome, expected, observed, messages, because, control)
        for requirement in requirements
    ]
