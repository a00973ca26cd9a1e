"""Runs as their events tell them: one with something of everything, one without a flaw, some that ended early."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Final

from mcp_tasks_conformance.catalog.model import Baseline, Level, Requirement
from mcp_tasks_conformance.events import (
    Check,
    Event,
    MethodSucceeded,
    PlannedScenario,
    RunFinished,
    ScenarioStarted,
    TargetFailed,
)
from mcp_tasks_conformance.verdicts.fold import Fold
from mcp_tasks_conformance.verdicts.model import RunResult
from mcp_tasks_conformance.verdicts.options import VerdictOptions
from tests.verdicts.builders import check, finished, message, must, started, waiver

_TASKS = "https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/tasks"

RULES: Final[tuple[Requirement, ...]] = (
    must(
        "v1.cancel.terminal-rejected",
        rule="tasks/cancel of a task that has ended is answered with -32602 (Invalid params), and the task stays as it "
        "was.",
        link=f"{_TASKS}#task-cancellation",
    ),
    must(
        "v1.related-task.on-result",
        rule="The response of tasks/result carries related-task in `_meta` with the id of its task.",
        link=f"{_TASKS}#associating-task-related-messages",
    ),
    must(
        "v1.tool.required-rejects-plain",
        rule="Calling a tool whose taskSupport is required without `task` is answered with -32601.",
        link=f"{_TASKS}#tool-level-negotiation",
        ambiguity="The tool rule says -32601; the error section shows -32600.",
    ),
    must("v1.get.prompt", Level.SHOULD, rule="tasks/get answers at once.", link=f"{_TASKS}#getting-tasks"),
    must("v1.result.blocks-until-terminal", rule="tasks/result waits until its task has ended."),
    must("v1.result.same-error", rule="tasks/result gives the error that the plain call would have given."),
    must("v1.cancel.stays-cancelled", rule="A cancelled task stays cancelled though its work goes on."),
    *(must(f"v1.list.{name}") for name in ("served", "paged", "cursor-opaque", "bad-cursor", "own-only")),
    must("v1.isolation.get", observe="context"),
    must("v1.notification.optional", Level.MAY),
    must("v1.ttl.cleanup", Level.SHOULD, observe="internal", why="Memory is the receiver's own affair."),
    must("v1.create.returns-task"),
    must("v1.get.shape"),
    must("base.answers", party="both", generation="both", rule="Every request gets its one response.", link=None),
    must("base.envelope", party="both", generation="both"),
    must(
        "quality.session-isolation",
        Level.QUALITY,
        rule="Between two sessions without credentials, a task of one is not found from the other.",
        link=None,
    ),
    must("quality.result-wakeup", Level.QUALITY, rule="A blocked tasks/result is answered well under a second."),
)


def _plan(name: str, title: str, *proves: str, skip: str | None = None) -> PlannedScenario:
    key = f"v1/receiver/{name}"
    return PlannedScenario(key, key.partition("[")[0], title, {}, proves, "scenarios/v1/receiver/some.yaml:9", skip)


_NO_LIST = "the target does not declare tasks.list"
PLANS: Final[Mapping[str, PlannedScenario]] = {
    plan.key.rpartition("/")[2].partition("[")[0]: plan
    for plan in (
        _plan("lifecycle/returns-task", "A task-augmented call gives a task", "v1.create.returns-task"),
        _plan(
            "cancel/terminal-task-refuses[ending=completes]",
            "A task that has ended refuses cancellation and stays as it was",
            "v1.cancel.terminal-rejected",
        ),
        _plan("result/names-its-task", "The result names its task", "v1.related-task.on-result"),
        _plan("tools/required-refuses-plain", "A required tool refuses", "v1.tool.required-rejects-plain"),
        _plan("get/answers-at-once", "Asking for a task takes no time", "v1.get.prompt", "v1.get.shape"),
        _plan("result/blocks", "The result waits for the end", "v1.result.blocks-until-terminal"),
        _plan("result/wakes-up", "The result comes with the end", "v1.result.blocks-until-terminal"),
        _plan("result/gives-error", "The result is the call's error", "v1.result.same-error"),
        _plan("cancel/stays", "A cancelled task stays cancelled", "v1.cancel.stays-cancelled"),
        _plan("list/served", "Tasks are listed", "v1.list.served", "v1.list.own-only", skip=_NO_LIST),
        _plan("list/pages", "The list has pages", "v1.list.paged", "v1.list.cursor-opaque", skip=_NO_LIST),
        _plan("list/bad-cursor", "A bad cursor is refused", "v1.list.bad-cursor", skip=_NO_LIST),
        _plan("isolation/get", "A task is nobody else's", "v1.isolation.get", skip="the run has no second identity"),
        _plan("quality/sessions", "Sessions are apart", "quality.session-isolation"),
        _plan("quality/wakeup", "The wake-up is quick", "quality.result-wakeup"),
        _plan("hostile/deep-nesting", "Deeply nested params harm nobody", "base.answers"),
    )
}
TASK = "8b1c4f9e-2f0a-4c7b-9d57-0a4c1f2d3e4b"
_CANCEL = f'{{"jsonrpc":"2.0","id":7,"method":"tasks/cancel","params":{{"taskId":"{TASK}"}}}}'
_RESULT = f'{{"jsonrpc":"2.0","id":8,"method":"tasks/result","params":{{"taskId":"{TASK}"}}}}'
_TRANSCRIPT = (message(0, "sent", _CANCEL), message(1, "received", '{"jsonrpc":"2.0","id":7,"result":{}}'))
_OTHER_TRANSCRIPT = (message(0, "sent", _RESULT), message(1, "received", '{"jsonrpc":"2.0","id":8,"result":{}}'))
START = started(
    *PLANS.values(),
    target={"name": "sample-server", "version": "2026.8.31", "protocol": "2025-11-25", "transport": "stdio"},
    parties=("server", "receiver"),
)


def _related(scenario: str) -> Check:
    return check(
        "v1.related-task.on-result",
        "fail",
        source="monitor related-task" if scenario != "names-its-task" else "send, line 88",
        expected=f'result._meta: related task "{TASK}"',
        observed="result._meta: nothing",
        messages=(1,),
    )


EVENTS: Final[tuple[Event, ...]] = (
    START,
    MethodSucceeded("tools/call"),
    *(ScenarioStarted(plan.key, 1) for plan in list(PLANS.values())[:3]),
    finished(PLANS["returns-task"], check("v1.create.returns-task"), check("base.envelope", source="monitor envelope")),
    finished(
        PLANS["terminal-task-refuses"],
        check(
            "v1.cancel.terminal-rejected",
            "fail",
            expected="error: {code: -32602}",
            observed='error: nothing; result: {"taskId": "' + TASK + '", "status": "cancelled", "ttl": 65000}',
            messages=(0, 1),
            because="An end is an end: whoever has fetched the result must not see the task cancelled later.",
        ),
        outcome="failed",
        transcript=_TRANSCRIPT,
    ),
    finished(PLANS["names-its-task"], _related("names-its-task"), outcome="failed", transcript=_OTHER_TRANSCRIPT),
    finished(
        PLANS["required-refuses-plain"],
        check(
            "v1.tool.required-rejects-plain",
            "warn",
            expected="error.code: -32601",
            observed="error.code: -32600 (permitted by another reading)",
            because="The error section shows -32600 for `task augmentation required`.",
        ),
        outcome="warned",
    ),
    finished(
        PLANS["answers-at-once"],
        check("v1.get.prompt", "fail", expected="at most 500 ms", observed="1,204 ms"),
        check("v1.get.shape"),
        outcome="failed",
    ),
    finished(
        PLANS["blocks"],
        check("v1.result.blocks-until-terminal"),
        _related("blocks"),
        outcome="failed",
        transcript=_OTHER_TRANSCRIPT,
    ),
    finished(
        PLANS["wakes-up"],
        _related("wakes-up"),
        outcome="inconclusive",
        reason='await_status, line 41: expected status: "input_required", found status: "failed"',
        transcript=_OTHER_TRANSCRIPT,
    ),
    finished(
        PLANS["gives-error"],
        _related("gives-error"),
        outcome="inconclusive",
        reason='await_status, line 60: expected status: "failed", found status: "completed"',
        transcript=_OTHER_TRANSCRIPT,
        attempts=2,
        flaky=True,
    ),
    finished(PLANS["stays"], check("v1.cancel.stays-cancelled", control="tasks/cancel")),
    finished(
        PLANS["sessions"],
        check(
            "quality.session-isolation",
            "fail",
            expected="error.code: -32602",
            observed='result: {"status": "working"}',
        ),
        outcome="failed",
    ),
    finished(PLANS["wakeup"], check("quality.result-wakeup")),
    finished(
        PLANS["deep-nesting"],
        check(
            "base.answers",
            "fail",
            source="engine",
            expected="an answer to every request, from a target that lives on",
            observed="tools/call: the process is gone (exit code 134)",
        ),
        outcome="crashed",
        reason="tools/call: the process is gone (exit code 134)",
        attempts=2,
    ),
    RunFinished(
        None,
        "listening on stdio\nFATAL: call stack exceeded\n    at parse (/srv/node_modules/deep/index.js:12:7)\n",
        {"total_ms": 3210},
    ),
)

_FLAWLESS_RULES: Final = (must("v1.a"), must("v1.b", Level.SHOULD), must("v1.c", observe="internal"))
_FLAWLESS_PLANS: Final = (
    _plan("lifecycle/one", "The first", "v1.a"),
    _plan("lifecycle/two", "The second", "v1.b"),
)
FLAWLESS: Final[tuple[Event, ...]] = (
    started(*_FLAWLESS_PLANS, target={"name": "reference", "version": "0.1.0", "transport": "http"}),
    ScenarioStarted(_FLAWLESS_PLANS[0].key, 1),
    finished(_FLAWLESS_PLANS[0], check("v1.a")),
    ScenarioStarted(_FLAWLESS_PLANS[1].key, 1),
    finished(_FLAWLESS_PLANS[1], check("v1.b")),
    RunFinished(None, None, {"total_ms": 412}),
)
UNREACHABLE: Final[tuple[Event, ...]] = (
    TargetFailed(
        "`node missing.js` exited with code 1 before it answered initialize",
        "Run the command by itself: a stdio server waits for input and writes nothing else to standard output.",
        "node:internal/modules/cjs/loader:1228\n  throw err;\n\nError: Cannot find module '/srv/missing.js'\n",
        target={"kind": "command", "transport": "stdio", "command": ["node", "missing.js"]},
    ),
    RunFinished("unreachable"),
)
INTERRUPTED: Final[tuple[Event, ...]] = (
    *EVENTS[:7],
    RunFinished("interrupted", None, {"total_ms": 700}),
)

_WATCHED: Final = tuple(
    f"v1/receiver/result/{name}" for name in ("names-its-task", "blocks", "wakes-up", "gives-error")
)
KNOWN: Final = VerdictOptions(
    baseline=Baseline(
        Path("ci/baseline.yaml"),
        (
            waiver(
                "v1.related-task.on-result",
                *_WATCHED,
                reason="the SDK drops `_meta` of results",
                link="https://github.com/example/sdk/issues/7",
            ),
            waiver("base.answers", "v1/receiver/hostile/deep-nesting", reason="a stack overflow of the parser", line=9),
            waiver("v1.create.returns-task", "v1/receiver/lifecycle/returns-task", reason="no task came", line=14),
            waiver("v1.cancel.terminal-rejected", reason="to be explained", expires=date(2026, 6, 14), line=19),
            waiver("v1.isolation.get", "v1/receiver/isolation/get", reason="tasks are everybody's", line=22),
            waiver("v1.get.prompt", "v1/receiver/get/answers-at-once", reason="a slow disk", line=25),
            waiver(
                "v1.result.blocks-until-terminal",
                "v1/receiver/result/blocks",
                reason="a race that is mostly won",
                sometimes=True,
                line=28,
            ),
        ),
    ),
    today=date(2026, 6, 15),
)
"""A baseline for the run with something of everything: in use, in use for a crash, stale, expired, not judged, in use
for a warning, and one that occurs by chance and did not."""
STALE: Final = VerdictOptions(
    baseline=Baseline(Path("ci/baseline.yaml"), (waiver("v1.a", _FLAWLESS_PLANS[0].key, reason="once it failed"),)),
    today=date(2026, 6, 15),
)
"""A baseline that knows of more than the run without a flaw shows."""
HOSTILE: Final = "\x1b]0;owned\x07\x1b[2J\x1b[31m red \r\n\u202eevil\u2028" + "A" * 2_000_000


def hostile_run(text: str) -> tuple[Event, ...]:
    """A target that puts a text of its own wherever it can."""
    plan = PLANS["returns-task"]
    blame = check(
        "v1.create.returns-task", "fail", expected=text, observed=text, because=text, source=text, messages=(0,)
    )
    lesser = check("v1.tool.required-rejects-plain", "warn", expected=text, observed=text, because=text)
    return (
        replace(START, target={"name": text, "version": [text], "protocol": {"x": text}, "transport": text}),
        finished(plan, blame, outcome="failed", transcript=(message(0, "sent", text),)),
        finished(PLANS["required-refuses-plain"], lesser, outcome="warned"),
        finished(PLANS["stays"], outcome="inconclusive", reason=text),
        finished(PLANS["deep-nesting"], outcome="crashed", reason=text),
        RunFinished(None, (text[:100] + "\n") * 10_000),
    )


def result_of(events: tuple[Event, ...], options: VerdictOptions | None = None) -> RunResult:
    """What a recorded run came to."""
    fold = Fold(_FLAWLESS_RULES if events is FLAWLESS else RULES, options)
    for event in events:
        fold(event)
    return fold.result()


def reproduce(scenario: str) -> str:
    """A command as the program would name it."""
    return f"mcp-tasks-conformance run --command 'node dist/index.js stdio' --scenario '{scenario}'"
