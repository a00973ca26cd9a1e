"""Verbs that judge what earlier steps gave."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import cast

from mcp_tasks_conformance.catalog.model import Ref, Step, Template
from mcp_tasks_conformance.engine.attempt import Attempt, HarnessFault
from mcp_tasks_conformance.engine.judging import PreconditionFailed
from mcp_tasks_conformance.engine.matching import same, show
from mcp_tasks_conformance.engine.predictability import weakness
from mcp_tasks_conformance.engine.scope import Held, Scope
from mcp_tasks_conformance.engine.verbs import arguments
from mcp_tasks_conformance.events import JsonValue, Outcome
from mcp_tasks_conformance.wire import timestamps


async def judge_value(attempt: Attempt, step: Step, scope: Scope) -> None:
    """Judge a value that an earlier step gave."""
    ref = cast(Ref, step.subject)
    root = scope.lookup(ref.name)
    index = root.index if isinstance(root, Held) else -1
    attempt.judge(step, cast(JsonValue, scope.find(ref)), scope, index, None)


async def compare(attempt: Attempt, step: Step, scope: Scope) -> None:
    """Judge values against each other."""
    template = cast(Template, step.keys["values"])
    values = scope.fill(template)
    if not isinstance(values, Sequence) or isinstance(values, str):
        raise HarnessFault(f"{step.place}: `values` takes a list, not {show(values)}")
    ignoring = [str(path).split(".") for path in cast("tuple[str, ...]", step.keys.get("ignoring", ()))]
    masking = arguments.value(step, "masking", scope, [])
    assert isinstance(masking, Sequence)
    by = arguments.text(step, "by", scope) if "by" in step.keys else None
    ready = [_masked(_without(_named(value, by), ignoring), masking) for value in values]
    relation = arguments.text(step, "are", scope)
    if relation in _OF_ITEMS and not any(ready[: _OF_ITEMS[relation]]):
        raise PreconditionFailed(f"{attempt.source(step)}: there is nothing to compare in {show(ready)}")
    problem = _RELATIONS[relation](ready)
    outcome = Outcome.PASS if problem is None else Outcome.FAIL
    expected = f"{len(ready)} values, {_WORDS[relation]}"
    attempt.record(step, outcome, expected, problem or show(ready), *_indices(template, scope))


def _named(value: JsonValue, by: str | None) -> JsonValue:
    """Objects replaced by the member that stands for them, in lists too."""
    if by is None:
        return value
    if isinstance(value, Mapping):
        return value.get(by)
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_named(item, by) for item in value]
    return value


def _indices(template: Template, scope: Scope) -> list[int]:
    refs = [item for item in template if isinstance(item, Ref)] if isinstance(template, tuple) else []
    roots = [scope.lookup(ref.name) for ref in refs]
    return [root.index for root in roots if isinstance(root, Held)]


def _without(value: JsonValue, paths: list[list[str]]) -> JsonValue:
    for path in paths:
        value = _removed(value, path)
    return value


def _removed(value: JsonValue, path: list[str]) -> JsonValue:
    if isinstance(value, Mapping):
        if len(path) == 1:
            return {key: item for key, item in value.items() if key != path[0]}
        return {key: _removed(item, path[1:]) if key == path[0] else item for key, item in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_removed(item, path[1:] if path[0] == "*" and len(path) > 1 else path) for item in value]
    return value


def _masked(value: JsonValue, masks: Sequence[JsonValue]) -> JsonValue:
    if isinstance(value, Mapping):
        return {key: _masked(item, masks) for key, item in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_masked(item, masks) for item in value]
    if isinstance(value, str):
        for mask in masks:
            if isinstance(mask, str) and mask:
                value = value.replace(mask, "…")
    return value


def _same(values: Sequence[JsonValue]) -> str | None:
    for other in values[1:]:
        if not same(values[0], other):
            return f"{show(values[0])} and {show(other)}"
    return None


def _distinct(values: Sequence[JsonValue]) -> str | None:
    seen: set[str] = set()
    for value in values:
        text = json.dumps(value, sort_keys=True)
        if text in seen:
            return f"{show(value)} twice"
        seen.add(text)
    return None


def _rank(value: JsonValue) -> tuple[int, float | str]:
    """What a value sorts by: numbers by size, timestamps by instant, other strings as they are."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return 0, value
    stamp = timestamps.parse(value) if isinstance(value, str) else None
    return (1, stamp.instant.timestamp()) if stamp is not None else (2, str(value))


def _increasing(values: Sequence[JsonValue]) -> str | None:
    found = next((pair for pair in pairwise(values) if not _rank(pair[0]) < _rank(pair[1])), None)
    return None if found is None else f"{show(found[0])} and then {show(found[1])}"


def _in_order(values: Sequence[JsonValue]) -> str | None:
    found = next((pair for pair in pairwise(values) if _rank(pair[0]) > _rank(pair[1])), None)
    return None if found is None else f"{show(found[0])} and then {show(found[1])}"


def _subset(values: Sequence[JsonValue]) -> str | None:
    if len(values) != 2 or any(not isinstance(value, Sequence) or isinstance(value, str) for value in values):
        return f"not two lists: {show(list(values))}"
    small, large = (cast("Sequence[JsonValue]", value) for value in values)
    held = {json.dumps(item, sort_keys=True) for item in large}
    missing = [item for item in small if json.dumps(item, sort_keys=True) not in held]
    return f"{len(missing)} of {len(small)} missing: {show(missing)}" if missing else None


def _disjoint(values: Sequence[JsonValue]) -> str | None:
    items: list[JsonValue] = []
    for value in values:
        if not isinstance(value, Sequence) or isinstance(value, str):
            return f"not a list: {show(value)}"
        items += {json.dumps(item, sort_keys=True): item for item in value}.values()
    return _distinct(items)


def _unpredictable(values: Sequence[JsonValue]) -> str | None:
    return _distinct(values) or weakness([value if isinstance(value, str) else show(value) for value in values])


_RELATIONS: Mapping[str, Callable[[Sequence[JsonValue]], str | None]] = {
    "same": _same,
    "distinct": _distinct,
    "increasing": _increasing,
    "in_order": _in_order,
    "subset": _subset,
    "disjoint": _disjoint,
    "unpredictable": _unpredictable,
}
_OF_ITEMS: Mapping[str, int | None] = {"subset": 1, "disjoint": None}
"""Relations that hold of empty lists, too: so many of the lists may not all be empty, which would show nothing."""
_WORDS = {
    "same": "all equal",
    "distinct": "no two equal",
    "increasing": "each greater than the one before",
    "in_order": "none smaller than the one before",
    "subset": "the first wholly in the second",
    "disjoint": "none with an item of another",
    "unpredictable": "none of which leads to the next",
}


async def gaps(attempt: Attempt, step: Step, scope: Scope) -> None:
    """Judge the time between what earlier steps observed.

    Where that proves something, what may take long takes longer on a slow road. A precondition is what later steps
    rely on, which no road changes.
    """
    refs = cast("tuple[Ref, ...]", step.keys["between"])
    held = [scope.lookup(ref.name) for ref in refs]
    times = [item.at for item in held if isinstance(item, Held)]
    if len(times) != len(refs):
        raise HarnessFault(f"{step.place}: `between` takes what earlier steps gave")
    between = [(later - earlier) * 1000 for earlier, later in pairwise(times)]
    least = arguments.value(step, "at_least_ms", scope)
    most = arguments.value(step, "at_most_ms", scope)
    if isinstance(most, int | float) and step.proves:
        most = attempt.stage.pace.deadline(most, 0.0) * 1000
    fits = all(
        (not isinstance(least, int | float) or gap >= least) and (not isinstance(most, int | float) or gap <= most)
        for gap in between
    )
    bounds = [f"at least {least:g} ms"] if isinstance(least, int | float) else []
    bounds += [f"at most {most:.0f} ms"] if isinstance(most, int | float) else []
    observed = ", ".join(f"{gap:.0f} ms" for gap in between)
    indices = [item.index for item in held if isinstance(item, Held)]
    attempt.record(step, Outcome.PASS if fits else Outcome.FAIL, " and ".join(bounds), observed, *indices)
