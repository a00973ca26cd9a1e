"""The part of a session that runs: items wait for the run beneath them and become what it came to."""

from __future__ import annotations

from collections.abc import Generator, Iterable
from pathlib import Path
from typing import NoReturn

import pytest

from mcp_tasks_conformance.catalog.model import Baseline, Suite
from mcp_tasks_conformance.catalog.problems import CatalogError
from mcp_tasks_conformance.engine.run import Portions, Run
from mcp_tasks_conformance.events import Listener, ScenarioOutcome
from mcp_tasks_conformance.orders.baseline import baseline_of
from mcp_tasks_conformance.orders.reproduction import reproduce_words
from mcp_tasks_conformance.pytest_plugin import wording
from mcp_tasks_conformance.pytest_plugin.background import BackgroundRun, NothingCame
from mcp_tasks_conformance.pytest_plugin.gathering import Gathering
from mcp_tasks_conformance.pytest_plugin.items import ScenarioItem
from mcp_tasks_conformance.pytest_plugin.marks import Marks, allure_asked_for
from mcp_tasks_conformance.pytest_plugin.preparation import Preparation
from mcp_tasks_conformance.pytest_plugin.shares import Share
from mcp_tasks_conformance.pytest_plugin.workers import handed_out, is_worker
from mcp_tasks_conformance.shell_words import command_with_variables
from mcp_tasks_conformance.verdicts.fold import Fold
from mcp_tasks_conformance.verdicts.model import ScenarioEnding


class Judging:
    """Runs beneath the items what they are about, and lets each become what it came to."""

    def __init__(self, config: pytest.Config, preparation: Preparation, gathering: Gathering) -> None:
        self._config = config
        self._preparation = preparation
        self._gathering = gathering
        self._requirements = preparation.library.requirements
        self._marks = Marks(config, self._requirements)
        self._run: BackgroundRun | None = None
        self._baseline: Baseline | None = None
        self._problem: str | None = None
        self._next: pytest.Item | None = None

    @property
    def share(self) -> Share:
        """What this process has to tell of the run."""
        return Share(self._run.events if self._run is not None else (), self._baseline, self._problem)

    # -- what items ask for --------------------------------------------------------------------------------

    def add(self, file: Path) -> Suite:
        """Add a suite of one's own to the library."""
        return self._gathering.add(file)

    def mark(self, item: ScenarioItem) -> None:
        """Give an item its marks and properties."""
        self._marks(item)

    def judge(self, item: ScenarioItem) -> None:
        """Wait for an item's outcome, and raise what pytest knows it by."""
        if self._problem is not None:
            pytest.skip(f"not run: {self._problem}")
        try:
            item.ending = ending = self._ending(item)
        except NothingCame as nothing:
            pytest.skip(f"not run: {wording.in_brief(str(nothing))}")
        except Exception:
            self._problem = "the harness failed"
            raise
        item.user_properties.append(("outcome", str(ending.scenario.outcome)))
        if allure_asked_for(self._config):
            from mcp_tasks_conformance.pytest_plugin.attachments import attach

            attach(ending)
        self._become(item, ending)

    def _ending(self, item: ScenarioItem) -> ScenarioEnding:
        session = item.session
        if self._run is None:
            self._run = BackgroundRun(lambda tell, portions: self._make_run(session, tell, portions), self._fold())
        in_worker = is_worker(self._config)
        wanted = [item, self._next, *handed_out(session)] if in_worker else session.items
        self._run.ask(_keys(wanted), more_follow=in_worker)
        return self._run.wait(item.key)

    def _become(self, item: ScenarioItem, ending: ScenarioEnding) -> None:
        match ending.scenario.outcome:
            case ScenarioOutcome.PASSED:
                pass
            case ScenarioOutcome.WARNED if not any(check.fails for check in ending.checks):
                item.warn_of(wording.warning(ending, self._requirements))
            case ScenarioOutcome.WAIVED if not self._config.getoption("runxfail"):
                pytest.xfail(wording.waived(ending))
            case ScenarioOutcome.HARNESS_ERROR:
                pytest.fail(wording.defect(ending), pytrace=False)
            case ScenarioOutcome.INCONCLUSIVE | ScenarioOutcome.NOT_APPLICABLE | ScenarioOutcome.NOT_RUN:
                pytest.skip(wording.not_judged(ending))
            case _:
                self._fail(item, ending)

    def _fail(self, item: ScenarioItem, ending: ScenarioEnding) -> NoReturn:
        assert self._run is not None
        files = () if item.own is None else (str(item.scenario.place.path),)
        words = [*reproduce_words(self._preparation.order, files), "--scenario", item.key]
        pytest.fail(
            wording.failure(ending, self._requirements, command_with_variables(words), self._run.stderr_tail),
            pytrace=False,
        )

    # -- the run beneath -----------------------------------------------------------------------------------

    def _make_run(self, session: pytest.Session, tell: Listener, portions: Portions) -> Run:
        items = [item for item in session.items if isinstance(item, ScenarioItem)]
        scenarios = {item.scenario.id: item.scenario for item in items}
        # What is waived fails all the same with --runxfail: then it is confirmed first.
        known = None if self._config.getoption("runxfail") else self._baseline
        return self._preparation.run(scenarios.values(), {item.key for item in items}, tell, portions, known)

    def _fold(self) -> Fold:
        return self._preparation.fold(self._baseline)

    # -- hooks ---------------------------------------------------------------------------------------------

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self) -> None:
        """Read the baseline, which may name scenarios of files of one's own."""
        try:
            self._baseline = baseline_of(self._preparation.order, None, self._gathering.library)
        except CatalogError as broken:
            if not is_worker(self._config):
                raise pytest.UsageError(str(broken)) from broken
            self._problem = str(broken)  # its controller tells it

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, nextitem: pytest.Item | None) -> None:
        """Note what comes next."""
        self._next = nextitem

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Tell the scenario's own duration, and its place where it was skipped."""
        report = yield
        if isinstance(item, ScenarioItem) and call.when == "call":
            if item.ending is not None:
                report.duration = item.ending.scenario.duration_ms / 1000
            if isinstance(report.longrepr, tuple):
                report.longrepr = (str(item.file), item.scenario.place.line, report.longrepr[2])
        return report

    @pytest.hookimpl(wrapper=True)
    def pytest_runtestloop(self) -> Generator[None, object, object]:
        """Whatever ends the session early ends the run and its target."""
        try:
            answer = yield
        except BaseException:
            if self._run is not None:
                self._run.stop()
            raise
        if self._run is not None:
            self._run.finish()
        return answer


def _keys(items: Iterable[pytest.Item | None]) -> list[str]:
    """The keys of those that are scenarios."""
    return [item.key for item in items if isinstance(item, ScenarioItem)]
