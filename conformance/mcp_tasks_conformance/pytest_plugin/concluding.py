"""The part of a session that comes to an end: the verdict on the target, from what all processes found out."""

from __future__ import annotations

import shlex
import warnings
from collections.abc import Generator, Mapping, Sequence

import pytest

from mcp_tasks_conformance.events import JsonValue, ScenarioOutcome
from mcp_tasks_conformance.pytest_plugin import McpTasksWarning, wording
from mcp_tasks_conformance.pytest_plugin.addresses import ROOT
from mcp_tasks_conformance.pytest_plugin.gathering import Gathering
from mcp_tasks_conformance.pytest_plugin.judging import Judging
from mcp_tasks_conformance.pytest_plugin.options import MARK
from mcp_tasks_conformance.pytest_plugin.preparation import Preparation
from mcp_tasks_conformance.pytest_plugin.settings import spelled
from mcp_tasks_conformance.pytest_plugin.shares import Share, together, unpacked
from mcp_tasks_conformance.pytest_plugin.workers import is_worker
from mcp_tasks_conformance.reports.digest import Case, readings
from mcp_tasks_conformance.reports.evidence import located
from mcp_tasks_conformance.reports.page import Page
from mcp_tasks_conformance.reports.summary import write_verdict
from mcp_tasks_conformance.verdicts.model import EntryState, RunResult, RunVerdict
from mcp_tasks_conformance.verdicts.results import UnwritableResultsError, write_results

_PACKED = "mcp_tasks_share"
"""Under this name a worker hands its share to the controller."""


class Concluding:
    """Tells what no item can: that there was nothing to test, that a baseline is stale, and the verdict."""

    def __init__(self, config: pytest.Config, preparation: Preparation, gathering: Gathering, judging: Judging) -> None:
        self._config = config
        self._preparation = preparation
        self._gathering = gathering
        self._judging = judging
        self._shares: list[Share] = []
        self._result: RunResult | None = None

    def pytest_report_header(self) -> str:
        """Name the target."""
        what = "the library" if self._gathering.wants_library else f"only the paths named ({ROOT} names the library)"
        return f"mcp-tasks: {_address(self._preparation.target.facts)}, {what}"

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> Generator[None, object, object]:
        """When all items have had their turn, come to the verdict."""
        answer = yield
        if is_worker(self._config):
            self._config.workeroutput[_PACKED] = self._judging.share.packed()  # type: ignore[attr-defined]
        else:
            self._conclude(session, [*self._shares, self._judging.share])
        return answer

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: object) -> None:
        """Take over what a worker found out."""
        packed = getattr(node, "workeroutput", {}).get(_PACKED)
        if packed is not None:
            self._shares.append(unpacked(packed))

    def pytest_sessionfinish(self) -> None:
        """Warn once of each recommendation that was broken and each lesser reading that was taken."""
        if self._result is None or not self._config.pluginmanager.hasplugin("warnings"):
            return
        for breach in readings(self._result):
            told = self._warned(wording.reading(breach, self._preparation.library.requirements), breach.cases[0])
            for message in told:
                self._config.hook.pytest_warning_recorded.call_historic(
                    kwargs={"warning_message": message, "when": "runtest", "nodeid": ROOT, "location": None}
                )

    def _warned(self, text: str, case: Case) -> Sequence[warnings.WarningMessage]:
        """The warning, where the session's filters let it be told; where they make it an error, items have failed."""
        file, line = located(case.scenario.place)
        with warnings.catch_warnings(record=True) as told:
            try:
                warnings.warn_explicit(McpTasksWarning(text), None, file, int(line or 0))
            except McpTasksWarning:
                return ()
        return told

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Tell the verdict, and how much is proven."""
        if self._result is not None:
            page = Page(80)
            write_verdict(page, self._result)
            terminalreporter.write_sep("=", "MCP Tasks")
            terminalreporter.write_line(page.plain().strip("\n"))

    def _conclude(self, session: pytest.Session, shares: Sequence[Share]) -> None:
        problem = next((share.problem for share in shares if share.problem is not None), None)
        if problem is not None:
            self._tell_error(problem)
        baseline = next((share.baseline for share in shares if share.baseline is not None), None)
        fold = self._preparation.fold(baseline)
        events = tuple(together(shares))
        for event in events:
            fold(event)
        if not events:
            return
        self._result = result = fold.result()
        self._write(result)
        if self._is_narrow(result):
            return
        if result.verdict is RunVerdict.COULD_NOT_TEST:
            self._tell_error(wording.untested(result))
        if result.baseline is not None and result.baseline.in_state(EntryState.STALE):
            self._tell_error(wording.stale(result))
        if result.exit_code and not session.testsfailed:  # no item has shown it
            self._tell_error(f"{result.verdict}: {spelled(result.reason)}")

    def _write(self, result: RunResult) -> None:
        if self._preparation.results is not None:
            try:
                write_results(self._preparation.results, result)
            except UnwritableResultsError as unwritable:
                self._tell_error(f"--mcp-results: {unwritable}")

    def _is_narrow(self, result: RunResult) -> bool:
        """Whether a part of the library was chosen, and none of it is for this target."""
        apply = [scenario for scenario in result.scenarios if scenario.outcome is not ScenarioOutcome.NOT_APPLICABLE]
        return (
            result.ended_early is None
            and not apply
            and not self._gathering.whole({scenario.key for scenario in result.scenarios})
        )

    def _tell_error(self, text: str) -> None:
        """An error that belongs to no item, so that the session does not succeed."""
        report = pytest.TestReport(
            nodeid=ROOT,
            location=(ROOT, None, ROOT),
            keywords={ROOT: 1, MARK[0]: 1},
            outcome="failed",
            longrepr=text,
            when="setup",
        )
        self._config.hook.pytest_runtest_logreport(report=report)


def _address(facts: Mapping[str, JsonValue]) -> str:
    """How the target is reached, without secrets."""
    command = facts.get("command")
    words = command if isinstance(command, Sequence) and not isinstance(command, str) else ()
    return shlex.join(map(str, words)) or str(facts.get("url"))
