"""The report as JUnit XML: a testcase for each scenario run, and for each entry of the baseline that is stale."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from mcp_tasks_conformance.events import ScenarioOutcome
from mcp_tasks_conformance.reports.digest import Reproduce, by_reason, checks_by_scenario, entries, with_verdict
from mcp_tasks_conformance.reports.evidence import evidence_lines, headline, located
from mcp_tasks_conformance.reports.profile import not_shown, notes
from mcp_tasks_conformance.reports.requests import request_line
from mcp_tasks_conformance.reports.target import target_line
from mcp_tasks_conformance.reports.text import brief, visible
from mcp_tasks_conformance.verdicts.model import (
    EntryResult,
    EntryState,
    JudgedCheck,
    RequirementResult,
    RunResult,
    RunVerdict,
    ScenarioResult,
    Verdict,
)

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

NAME: Final = "mcp-tasks-conformance"
_LONGEST: Final = 1_000
_CASES_SHOWN: Final = 10
_ERRORS: Final = (ScenarioOutcome.CRASHED, ScenarioOutcome.HUNG, ScenarioOutcome.HARNESS_ERROR)
_SKIPPED: Final = (ScenarioOutcome.INCONCLUSIVE, ScenarioOutcome.NOT_APPLICABLE, ScenarioOutcome.NOT_RUN)


@dataclass(frozen=True, slots=True)
class _Said:
    """What stands in a testcase that did not simply pass."""

    tag: str
    """``failure``, ``error``, ``skipped`` or ``system-out``."""
    message: str
    type: str | None = None
    lines: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class _Testcase:
    name: str
    place: str = ""
    duration_ms: int = 0
    said: _Said | None = None


@dataclass(slots=True)
class _Testsuite:
    name: str
    cases: list[_Testcase] = field(default_factory=list)
    properties: Sequence[tuple[str, str]] = ()


def junit_of(result: RunResult, reproduce: Reproduce | None = None) -> str:
    """The XML document of a result.

    Args:
        result: what the run came to.
        reproduce: gives the shell command that runs a scenario again; without it no command is shown.
    """
    from xml.etree import ElementTree as Xml

    suites = [_run_suite(result), *_scenario_suites(result, reproduce)]
    stale = entries(result, EntryState.STALE)
    if stale:
        suites.append(_Testsuite("baseline", [_stale(entry) for entry in stale]))
    root = Xml.Element("testsuites", {"name": NAME, **_numbers(case for suite in suites for case in suite.cases)})
    for suite in suites:
        _write_suite(root, suite)
    Xml.indent(root)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + Xml.tostring(root, encoding="unicode") + "\n"


def _run_suite(result: RunResult) -> _Testsuite:
    """Whether there was anything to judge, and what the run was."""
    error = None
    if result.verdict is RunVerdict.COULD_NOT_TEST:
        hint = [] if result.failure is None or result.failure.hint is None else [brief(result.failure.hint, _LONGEST)]
        error = _Said("error", brief(result.reason, _LONGEST), RunVerdict.COULD_NOT_TEST, hint)
    properties = [
        ("target", target_line(result.target)),
        ("verdict", result.verdict),
        ("reason", brief(result.reason, _LONGEST)),
        ("summary", result.counts.summary),
        *(("note", brief(note, _LONGEST)) for note in notes(result.target)),
    ]
    for row in not_shown(result.target):
        said = f"{row.get('behaviour')}: {row.get('reason')}"
        properties.append(("behaviour without a tool", brief(said, _LONGEST)))
    for why, members in by_reason(with_verdict(result, Verdict.NOT_EXERCISED), lambda each: each.reason):
        properties.append(("not exercised", brief(f"{why}: {', '.join(each.id for each in members)}", _LONGEST)))
    return _Testsuite("run", [_Testcase("can-be-tested", said=error)], properties)


def _scenario_suites(result: RunResult, reproduce: Reproduce | None) -> list[_Testsuite]:
    rows = {row.id: row for row in result.requirements}
    checks = checks_by_scenario(result)
    suites: dict[str, _Testsuite] = {}
    for scenario in result.scenarios:
        suite, _, story = scenario.scenario.rpartition("/")
        name = story + scenario.key.removeprefix(scenario.scenario)
        said = _said(scenario, checks.get(scenario.key, ()), rows, reproduce)
        case = _Testcase(name, scenario.place, scenario.duration_ms, said)
        suites.setdefault(suite, _Testsuite(suite)).cases.append(case)
    return list(suites.values())


def _said(
    scenario: ScenarioResult,
    checks: Sequence[JudgedCheck],
    rows: Mapping[str, RequirementResult],
    reproduce: Reproduce | None,
) -> _Said | None:
    failing = [check for check in checks if check.fails]
    reason = brief(scenario.reason, _LONGEST) if scenario.reason is not None else ""
    lines = _lines(failing, rows)
    if failing and reproduce is not None:
        lines.append(f"reproduce {visible(reproduce(scenario.key))}")
    if scenario.outcome in _ERRORS:
        return _Said("error", f"{scenario.outcome}: {reason}", scenario.outcome, lines)
    if failing:
        return _Said("failure", headline(rows[failing[0].requirement], failing[0]), failing[0].requirement, lines)
    if scenario.outcome is ScenarioOutcome.WAIVED:
        reasons = dict.fromkeys(brief(check.waived, _LONGEST) for check in checks if check.waived is not None)
        return _Said("skipped", f"waived: {'; '.join(reasons)}")
    if scenario.outcome in _SKIPPED:
        came = [] if scenario.came is None else [f"came {request_line(scenario.came)}"]
        return _Said("skipped", f"{scenario.outcome}: {reason}" if reason else scenario.outcome, lines=came)
    warned = [check for check in checks if check.outcome != "pass"]
    return _Said("system-out", "", lines=_lines(warned, rows)) if warned else None


def _lines(checks: Sequence[JudgedCheck], rows: Mapping[str, RequirementResult]) -> list[str]:
    """What each check is about and what was seen, a blank line after each."""
    lines: list[str] = []
    for check in checks[:_CASES_SHOWN]:
        row = rows[check.requirement]
        lines += [f"{row.id} ({row.level})", visible(row.rule), *([visible(row.link)] if row.link else [])]
        lines += [*evidence_lines(check), ""]
    if len(checks) > _CASES_SHOWN:
        lines += [f"and {len(checks) - _CASES_SHOWN} more"]
    return lines


def _stale(entry: EntryResult) -> _Testcase:
    message = f"stale: what the entry knows of no longer fails ({brief(entry.reason, _LONGEST)})"
    lines = ["Remove it from the baseline.", *map(visible, entry.scenarios)]
    name = f"{entry.requirement} ({entry.place})"
    return _Testcase(name, entry.place, said=_Said("failure", message, "stale", lines))


def _write_suite(root: Element, suite: _Testsuite) -> None:
    from xml.etree import ElementTree as Xml

    element = Xml.SubElement(root, "testsuite", {"name": visible(suite.name), **_numbers(suite.cases)})
    if suite.properties:
        properties = Xml.SubElement(element, "properties")
        for name, value in suite.properties:
            Xml.SubElement(properties, "property", {"name": name, "value": value})
    for case in suite.cases:
        _write_case(element, suite.name, case)


def _write_case(suite: Element, classname: str, case: _Testcase) -> None:
    from xml.etree import ElementTree as Xml

    file, line = located(visible(case.place))
    attributes = {
        "classname": visible(classname).replace("/", "."),
        "name": visible(case.name),
        "time": _seconds(case.duration_ms),
        "file": file,
        "line": line,
    }
    element = Xml.SubElement(suite, "testcase", {name: value for name, value in attributes.items() if value})
    said = case.said
    if said is not None:
        about = {"type": said.type, "message": said.message or None}
        told = Xml.SubElement(element, said.tag, {name: value for name, value in about.items() if value is not None})
        told.text = "\n".join(said.lines).rstrip() or None


def _numbers(cases: Iterable[_Testcase]) -> dict[str, str]:
    listed = list(cases)
    tags = [case.said.tag for case in listed if case.said is not None]
    return {
        "tests": str(len(listed)),
        "failures": str(tags.count("failure")),
        "errors": str(tags.count("error")),
        "skipped": str(tags.count("skipped")),
        "time": _seconds(sum(case.duration_ms for case in listed)),
    }


def _seconds(milliseconds: int) -> str:
    return f"{milliseconds / 1000:.3f}"
