"""What people read of a scenario that did not simply pass, in the words of the terminal report."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import groupby

from mcp_tasks_conformance.catalog.model import Requirement
from mcp_tasks_conformance.counting import counted
from mcp_tasks_conformance.events import Outcome, ScenarioOutcome
from mcp_tasks_conformance.pytest_plugin.settings import spelled
from mcp_tasks_conformance.reports.breaches import write_evidence, write_rule
from mcp_tasks_conformance.reports.digest import Breach
from mcp_tasks_conformance.reports.page import Page
from mcp_tasks_conformance.reports.remainder import listed, write_stderr
from mcp_tasks_conformance.reports.requests import request_line
from mcp_tasks_conformance.reports.text import brief
from mcp_tasks_conformance.reports.waivers import write_stale
from mcp_tasks_conformance.verdicts.model import JudgedCheck, RunResult, ScenarioEnding

_WIDTH = 80
_LONGEST_REASON = 400


def failure(ending: ScenarioEnding, requirements: Mapping[str, Requirement], reproduce: str, stderr: str | None) -> str:
    """Why a scenario failed: rules, what was sent, received and expected, and how to see it again."""
    scenario = ending.scenario
    page = Page(_WIDTH)
    failing = [check for check in ending.checks if check.fails or check.waived is not None]
    lost = scenario.outcome in (ScenarioOutcome.CRASHED, ScenarioOutcome.HUNG)
    if not lost:
        names = dict.fromkeys(check.requirement for check in failing)
        page.unbroken(f"violated: {', '.join(names)}")
    else:
        page.text(f"the target {scenario.outcome}: {in_brief(scenario.reason or 'no reason told')}")
    page.text(scenario.title, style="bold")
    _write_checks(page, failing, requirements)
    if lost:
        write_stderr(page, stderr, 0)
    page.blank()
    page.text("reproduce")
    page.command(reproduce, 2)
    return page.plain().rstrip()


def warning(ending: ScenarioEnding, requirements: Mapping[str, Requirement]) -> str:
    """Which recommendation the target broke, or which lesser reading it took."""
    page = Page(_WIDTH)
    page.text(ending.scenario.title)
    checks = [check for check in ending.checks if check.outcome is not Outcome.PASS and check.waived is None]
    _write_checks(page, checks, requirements)
    return page.plain().rstrip()


def reading(breach: Breach, requirements: Mapping[str, Requirement]) -> str:
    """A recommendation that the target broke, or a lesser reading that it took, and in how many scenarios."""
    page = Page(_WIDTH)
    first = breach.cases[0]
    keys = list(dict.fromkeys(case.scenario.key for case in breach.cases))
    write_rule(page, requirements[breach.requirement.id], 0)
    page.text(f"in {counted(len(keys), 'scenario')}: {listed(keys)}")
    page.blank()
    write_evidence(page, first.check, 2)
    return page.plain().rstrip()


def defect(ending: ScenarioEnding) -> str:
    """That the fault is ours."""
    reason = in_brief(ending.scenario.reason or "no reason told")
    return f"the harness failed, which says nothing of the target; please report it: {reason}"


def in_brief(text: str) -> str:
    """A text for one line."""
    return brief(text, _LONGEST_REASON)


def waived(ending: ScenarioEnding) -> str:
    """What the baseline says of the failures."""
    bad = [check for check in ending.checks if check.waived is not None]
    return "; ".join(dict.fromkeys(f"{check.requirement}: {check.waived}" for check in bad))


def not_judged(ending: ScenarioEnding) -> str:
    """Why a scenario was skipped: it does not apply, was not run, or what was seen left it open."""
    scenario = ending.scenario
    reason = in_brief(scenario.reason or "no reason told")
    # Only the plan's reasons are all our own words; in others the target may have a say.
    told = spelled(reason) if scenario.outcome is ScenarioOutcome.NOT_APPLICABLE else reason
    came = "" if scenario.came is None else f"; came {in_brief(request_line(scenario.came))}"
    return f"{scenario.outcome}: {told}{came}"


def untested(result: RunResult) -> str:
    """Why nothing can be said of the target, and its own last words."""
    page = Page(_WIDTH)
    failure = result.failure
    page.text(f"could not test: {spelled(in_brief(result.reason)) if failure is None else in_brief(failure.problem)}")
    if failure is not None and failure.hint is not None:
        # A hint may quote the target's command, whose options are its own.
        page.text(in_brief(spelled(failure.hint) if "by hand" not in failure.hint else failure.hint), 2)
    write_stderr(page, result.stderr_tail, 0)
    return page.plain().rstrip()


def stale(result: RunResult) -> str:
    """The entries of the baseline that know of nothing any more."""
    page = Page(_WIDTH)
    write_stale(page, result)
    return page.plain().rstrip()


def _write_checks(page: Page, checks: Iterable[JudgedCheck], requirements: Mapping[str, Requirement]) -> None:
    """Each requirement once, with every case of it."""
    ordered = sorted(checks, key=lambda check: check.requirement)
    for requirement, cases in groupby(ordered, key=lambda check: check.requirement):
        page.blank()
        write_rule(page, requirements[requirement], 0)
        for check in cases:
            page.blank()
            write_evidence(page, check, 2)
