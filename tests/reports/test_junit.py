"""The report as JUnit XML."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from xml.etree import ElementTree as Xml

import pytest

from mcp_tasks_conformance.events import Event, RunFinished
from mcp_tasks_conformance.reports.junit import junit_of
from mcp_tasks_conformance.verdicts.model import RunResult
from mcp_tasks_conformance.verdicts.options import VerdictOptions
from tests.golden import approved
from tests.reports.recordings import (
    EVENTS,
    FLAWLESS,
    HOSTILE,
    INTERRUPTED,
    KNOWN,
    PLANS,
    STALE,
    START,
    UNREACHABLE,
    hostile_run,
    reproduce,
    result_of,
)
from tests.verdicts.builders import check, finished

GOLDEN = Path(__file__).parent / "golden"
RUNS: dict[str, tuple[tuple[Event, ...], VerdictOptions | None]] = {
    "everything": (EVENTS, None),
    "baseline": (EVENTS, KNOWN),
    "strict": (EVENTS, VerdictOptions(strict=True)),
    "flawless": (FLAWLESS, None),
    "stale": (FLAWLESS, STALE),
    "unreachable": (UNREACHABLE, None),
    "interrupted": (INTERRUPTED, None),
    "hostile": (hostile_run(HOSTILE), None),
}
ATTRIBUTES = {
    "testsuites": {"name", "tests", "failures", "errors", "skipped", "time"},
    "testsuite": {"name", "tests", "failures", "errors", "skipped", "time"},
    "properties": set(),
    "property": {"name", "value"},
    "testcase": {"classname", "name", "time", "file", "line"},
    "failure": {"message", "type"},
    "error": {"message", "type"},
    "skipped": {"message"},
    "system-out": set(),
}
"""The elements of JUnit's XML as its readers share them, and their attributes."""
CHILDREN = {
    "testsuites": {"testsuite"},
    "testsuite": {"properties", "testcase"},
    "properties": {"property"},
    "testcase": {"failure", "error", "skipped", "system-out"},
}


def parsed(result: RunResult) -> Xml.Element:
    return Xml.fromstring(junit_of(result, reproduce))


def cases(result: RunResult) -> dict[str, Xml.Element]:
    """The testcases by suite and name."""
    found = [
        (f"{suite.get('name')}/{case.get('name')}", case) for suite in parsed(result) for case in suite.iter("testcase")
    ]
    assert len(dict(found)) == len(found)
    return dict(found)


def said(case: Xml.Element) -> tuple[str, str | None]:
    (element,) = case
    return element.tag, element.get("message")


@pytest.mark.parametrize("name", ["baseline", "unreachable"])
def test_the_document_is_the_approved_one(name: str) -> None:
    text = junit_of(result_of(*RUNS[name]), reproduce)
    assert text == approved(GOLDEN / f"junit-{name}.xml", text)


@pytest.mark.parametrize("name", RUNS)
def test_the_document_is_built_as_readers_of_junit_expect(name: str) -> None:
    root = parsed(result_of(*RUNS[name]))
    assert root.tag == "testsuites"
    for element in root.iter():
        assert set(element.keys()) <= ATTRIBUTES[element.tag]
        assert {child.tag for child in element} <= CHILDREN.get(element.tag, set())
        if element.tag in ("testsuites", "testsuite"):
            assert set(element.keys()) == ATTRIBUTES[element.tag]
            listed = list(element.iter("testcase"))
            tags = Counter(child.tag for case in listed for child in case)
            counts = [int(element.get(kind, "")) for kind in ("tests", "failures", "errors", "skipped")]
            assert counts == [len(listed), tags["failure"], tags["error"], tags["skipped"]]
        if element.tag == "testcase":
            assert {"classname", "name", "time"} <= set(element.keys())
            assert len(element) <= 1
            assert re.fullmatch(r"\d+\.\d{3}", element.get("time", ""))
    suites = [suite.get("name") for suite in root]
    assert len(set(suites)) == len(suites)


def test_a_failed_scenario_has_its_place_and_what_was_seen() -> None:
    case = cases(result_of(EVENTS))["v1/receiver/cancel/terminal-task-refuses[ending=completes]"]
    assert (case.get("file"), case.get("line")) == ("scenarios/v1/receiver/some.yaml", "9")
    assert (case.get("classname"), case.get("time")) == ("v1.receiver.cancel", "0.250")
    (failure,) = case
    assert (failure.tag, failure.get("type")) == ("failure", "v1.cancel.terminal-rejected")
    assert (failure.get("message") or "").startswith(
        "v1.cancel.terminal-rejected (MUST): expected error: {code: -32602}"
    )
    lines = (failure.text or "").splitlines()
    assert 'sent      tasks/cancel {"taskId": "8b1c4f9e-2f0a-4c7b-9d57-0a4c1f2d3e4b"}' in lines
    assert "expected  error: {code: -32602}" in lines
    assert lines[-1].startswith("reproduce mcp-tasks-conformance run --command 'node dist/index.js stdio' --scenario")


@pytest.mark.parametrize(
    ("options", "name", "tag", "message"),
    [
        (None, "hostile/deep-nesting", "error", "crashed: tools/call: the process is gone (exit code 134)"),
        (None, "list/pages", "skipped", "not applicable: the target does not declare tasks.list"),
        (
            None,
            "cancel/stays",
            "skipped",
            "inconclusive: tasks/cancel never succeeded, without which this proves nothing",
        ),
        (None, "tools/required-refuses-plain", "system-out", None),
        (None, "quality/sessions", "system-out", None),
        (KNOWN, "hostile/deep-nesting", "skipped", "waived: a stack overflow of the parser"),
        (KNOWN, "result/blocks", "skipped", "waived: the SDK drops `_meta` of results"),
        (KNOWN, "get/answers-at-once", "skipped", "waived: a slow disk"),
    ],
)
def test_a_scenario_that_did_not_simply_pass_says_why(
    options: VerdictOptions | None, name: str, tag: str, message: str | None
) -> None:
    assert said(cases(result_of(EVENTS, options))[f"v1/receiver/{name}"]) == (tag, message)


def test_an_inconclusive_scenario_says_what_was_seen_instead() -> None:
    end = finished(PLANS["stays"], outcome="inconclusive", reason='expected "working", found "completed"')
    case = cases(result_of((START, end, RunFinished(None))))["v1/receiver/cancel/stays"]
    assert said(case) == ("skipped", 'inconclusive: expected "working", found "completed"')


def test_a_stale_entry_is_a_failure_with_its_place() -> None:
    case = cases(result_of(FLAWLESS, STALE))["baseline/v1.a (baseline.yaml:3)"]
    assert (case.get("file"), case.get("line")) == ("baseline.yaml", "3")
    assert said(case) == ("failure", "stale: what the entry knows of no longer fails (once it failed)")


def test_a_warning_is_a_failure_where_it_fails_the_run() -> None:
    name = "v1/receiver/get/answers-at-once"
    assert said(cases(result_of(EVENTS))[name])[0] == "system-out"
    assert said(cases(result_of(EVENTS, VerdictOptions(strict=True)))[name])[0] == "failure"


@pytest.mark.parametrize(
    ("events", "options", "message"),
    [
        (UNREACHABLE, None, "`node missing.js` exited with code 1 before it answered initialize"),
        (FLAWLESS, VerdictOptions(min_proven=9), "1 MUST proven, fewer than the 9 that --min-proven asks for"),
    ],
)
def test_that_nothing_could_be_tested_is_an_error_so_that_no_reader_takes_it_for_success(
    events: tuple[Event, ...], options: VerdictOptions | None, message: str
) -> None:
    assert said(cases(result_of(events, options))["run/can-be-tested"]) == ("error", message)


def test_a_run_that_could_be_tested_says_so() -> None:
    assert len(cases(result_of(FLAWLESS))["run/can-be-tested"]) == 0


TRICKS = "]]></failure><failure/>&#0;\x00\x08\x1b\ud800\ufffe\uffff\x85<!-- \"'&lt;"


def test_hostile_text_is_text_and_nothing_else() -> None:
    text = junit_of(result_of(hostile_run(TRICKS)), reproduce)
    root = Xml.fromstring(text)
    assert {element.tag for element in root.iter()} <= ATTRIBUTES.keys()
    (failure,) = root.iter("failure")
    assert "]]></failure><failure/>&#0;\\x00\\x08\\x1b\\ud800\\ufffe\\uffff\\x85" in (failure.text or "")
    assert not re.search("[^\\n -~]", text)


def test_a_target_cannot_make_the_document_large() -> None:
    many = [check("v1.create.returns-task", "fail", observed=HOSTILE, expected=HOSTILE) for _ in range(100)]
    end = finished(PLANS["returns-task"], *many, outcome="failed")
    text = junit_of(result_of((START, end, RunFinished(None, HOSTILE))), reproduce)
    assert len(text) < 40_000
    assert "and 90 more" in text
