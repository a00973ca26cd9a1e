"""Every form of the report says the same as results.json."""

from __future__ import annotations

import io
import json
import re
from collections import Counter
from datetime import date
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as Xml

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mcp_tasks_conformance.catalog.model import Baseline
from mcp_tasks_conformance.events import Event, RunFinished, ScenarioFinished
from mcp_tasks_conformance.reports.annotations import annotations_of
from mcp_tasks_conformance.reports.console import ConsoleReport
from mcp_tasks_conformance.reports.junit import junit_of
from mcp_tasks_conformance.reports.markdown import markdown_of
from mcp_tasks_conformance.verdicts.coherence import contradictions
from mcp_tasks_conformance.verdicts.document import from_document, to_document
from mcp_tasks_conformance.verdicts.model import RunResult
from mcp_tasks_conformance.verdicts.options import VerdictOptions
from tests.reports.recordings import (
    EVENTS,
    FLAWLESS,
    INTERRUPTED,
    KNOWN,
    PLANS,
    STALE,
    START,
    UNREACHABLE,
    result_of,
)
from tests.verdicts.builders import check, finished, waiver

ERRORS = ("crashed", "hung", "harness error")
NOT_RUN = ("inconclusive", "not applicable", "not run", "waived")


def agree(result: RunResult) -> None:
    """Compare every form with the document."""
    document: dict[str, Any] = json.loads(json.dumps(to_document(result)))
    read = from_document(document)
    assert list(contradictions(read, document)) == []
    junit_agrees(junit_of(read), document)
    markdown_agrees(markdown_of(read), document)
    annotations_agree(annotations_of(read, Path()), document)
    console_agrees(read, document)


def failing(document: dict[str, Any]) -> set[str]:
    """The keys of the scenarios that have part in the failure of the run."""
    lost = {row["key"] for row in document["scenarios"] if row["outcome"] in ERRORS}
    return lost | {row["scenario"] for row in document["checks"] if row.get("fails")}


def states(document: dict[str, Any]) -> Counter[str]:
    entries = document["baseline"]["entries"] if document["baseline"] is not None else []
    return Counter(entry["state"] for entry in entries)


def junit_agrees(text: str, document: dict[str, Any]) -> None:
    root = Xml.fromstring(text)
    tags = {
        f"{suite.get('name')}/{case.get('name')}": next((child.tag for child in case), "passed")
        for suite in root
        for case in suite.iter("testcase")
    }
    outcomes = {row["key"]: row["outcome"] for row in document["scenarios"]}
    assert {key for key in tags if key.startswith("v1/")} == set(outcomes)
    for key, outcome in outcomes.items():
        if outcome in ERRORS:
            assert tags[key] == "error"
        elif key in failing(document):
            assert tags[key] == "failure"
        elif outcome in NOT_RUN:
            assert tags[key] == "skipped"
        else:
            assert tags[key] == ("system-out" if outcome == "warned" else "passed")
    assert sum(key.startswith("baseline/") for key in tags) == states(document)["stale"]
    assert tags["run/can-be-tested"] == ("error" if document["verdict"] == "could-not-test" else "passed")
    assert any(tag in ("failure", "error") for tag in tags.values()) is (document["exit_code"] != 0)
    properties = {each.get("name"): each.get("value") for each in root.iter("property")}
    assert (properties["verdict"], properties["summary"]) == (document["verdict"], document["summary"])


def markdown_agrees(text: str, document: dict[str, Any]) -> None:
    assert text.startswith(f"## MCP Tasks: {document['verdict']}")
    assert (document["summary"] in text) is bool(document["requirements"])
    counted = [row for row in document["requirements"] if row["verdict"] == "violated" and row["counted"]]
    waived = {row["requirement"] for row in document["checks"] if "waived" in row}
    for title, number in {
        "### Violated": len(counted),
        "### Stale entries of the baseline": states(document)["stale"],
        "### Expired entries of the baseline": states(document)["expired"],
        "<summary>Waived by the baseline": len(waived),
        "<summary>Waived, though not seen in this run: it occurs by chance": states(document)["not seen"],
    }.items():
        assert re.findall(re.escape(title) + r" \((\d+)\)", text) == ([str(number)] if number else [])
    for row in counted:
        assert f"<code>{row['id']}</code>" in text
    cells = {"must": "MUST", "should": "SHOULD", "may": "MAY", "quality": "quality"}
    for kind, name in cells.items():
        tally = document["counts"][kind]
        told = [tally[verdict] for verdict in ("applicable", "proven", "violated", "waived", "warned", "inconclusive")]
        if document["requirements"] and any(tally.values()):
            assert f"| {name} | {' | '.join(map(str, told))} |" in text


def annotations_agree(text: str, document: dict[str, Any]) -> None:
    errors = [line for line in text.splitlines() if line.startswith("::error ")]
    assert bool(errors) is (document["exit_code"] != 0)
    titles = "\n".join(errors)
    for id_ in {row["requirement"] for row in document["checks"] if row.get("fails")}:
        assert f"title={id_} " in titles
    assert len(re.findall(r"title=Baseline%3A \S+ is stale", titles)) == states(document)["stale"]
    assert len(re.findall(r"title=Baseline%3A \S+ has expired", text)) == states(document)["expired"]
    assert ("title=MCP Tasks%3A could not test" in titles) is (document["verdict"] == "could-not-test")


def console_agrees(result: RunResult, document: dict[str, Any]) -> None:
    stream = io.StringIO()
    ConsoleReport(stream, verbose=True).finish(result)
    text = " ".join(stream.getvalue().split())
    assert f"Verdict: {document['verdict']}" in text
    assert (document["summary"] in text) is bool(document["requirements"])
    violated = sum(row["verdict"] == "violated" and row["counted"] for row in document["requirements"])
    assert re.findall(r"Violated \((\d+)\)", text) == ([str(violated)] if violated else [])
    for row in document["scenarios"]:
        if row["outcome"] in ("crashed", "hung", "not run"):
            assert row["key"] in text


@pytest.mark.parametrize(
    ("events", "options"),
    [
        (EVENTS, None),
        (EVENTS, KNOWN),
        (EVENTS, VerdictOptions(strict=True)),
        (EVENTS, VerdictOptions(fail_on=("quality.*",))),
        (EVENTS, VerdictOptions(min_proven=50)),
        (FLAWLESS, None),
        (FLAWLESS, STALE),
        (FLAWLESS, VerdictOptions(min_proven=50)),
        (INTERRUPTED, None),
        (UNREACHABLE, None),
    ],
)
def test_every_form_agrees_with_the_results_file(events: tuple[Event, ...], options: VerdictOptions | None) -> None:
    agree(result_of(events, options))


STORIES = [plan for plan in PLANS.values() if plan.skip is None]
endings = st.fixed_dictionaries(
    {
        plan.key: st.sampled_from(["pass", "fail", "warn", "inconclusive", "crashed", "hung", "not run", "nothing"])
        for plan in STORIES[:7]
    }
)
known = st.lists(st.tuples(st.sampled_from(STORIES[:7]), st.sampled_from([None, date(2026, 1, 1)])), max_size=4)


def ended(plan: Any, how: str) -> ScenarioFinished:
    if how in ("pass", "fail", "warn"):
        return finished(
            plan, *(check(id_, how) for id_ in plan.proves), outcome="passed" if how == "pass" else "failed"
        )
    lost = [check("base.answers", "fail", source="engine")] if how in ("crashed", "hung") else []
    outcome = "passed" if how == "nothing" else how
    return finished(plan, *lost, outcome=outcome, reason=f"it {how}", inconclusive=plan.proves)


@settings(deadline=None, max_examples=60)
@given(endings, known, st.booleans(), st.sampled_from([None, "interrupted"]))
def test_every_form_agrees_whatever_a_run_comes_to(
    how: dict[str, str], entries: list[tuple[Any, date | None]], strict: bool, early: str | None
) -> None:
    waivers = [
        waiver(plan.proves[0], plan.key, expires=expires, line=line) for line, (plan, expires) in enumerate(entries, 1)
    ]
    waivers += [waiver("base.answers", plan.key, line=line) for line, (plan, _) in enumerate(entries, 10)]
    baseline = Baseline(Path("baseline.yaml"), tuple(waivers))
    options = VerdictOptions(strict=strict, baseline=baseline, today=date(2026, 6, 15))
    ends = [ended(plan, how[plan.key]) for plan in STORIES[:7]]
    agree(result_of((START, *ends, RunFinished(early)), options))
