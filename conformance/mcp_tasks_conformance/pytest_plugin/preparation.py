"""All that a session needs before it knows which scenarios it will run."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from mcp_tasks_conformance.catalog import library as shelves
from mcp_tasks_conformance.catalog.library import Library
from mcp_tasks_conformance.catalog.model import Baseline, Scenario
from mcp_tasks_conformance.catalog.problems import CatalogError
from mcp_tasks_conformance.engine.options import RunOptions
from mcp_tasks_conformance.engine.run import ChooseProfile, Portions, Run
from mcp_tasks_conformance.events import JsonValue, Listener
from mcp_tasks_conformance.orders.conduct import run_options
from mcp_tasks_conformance.orders.order import Order, WrongOrder
from mcp_tasks_conformance.orders.profile import choose_profile
from mcp_tasks_conformance.orders.reproduction import reproduce_words
from mcp_tasks_conformance.orders.target import target_of
from mcp_tasks_conformance.pytest_plugin.settings import Settings, spelled
from mcp_tasks_conformance.reports.reproduction import REPRODUCE
from mcp_tasks_conformance.targets.target import Target
from mcp_tasks_conformance.verdicts.fold import Fold
from mcp_tasks_conformance.verdicts.options import UnmatchedPattern, VerdictOptions


@dataclass(frozen=True, slots=True)
class Preparation:
    """The order of a session, with all that it names found and read."""

    library: Library
    target: Target
    profile: ChooseProfile
    options: RunOptions
    verdict: VerdictOptions
    order: Order
    results: Path | None

    def run(
        self,
        scenarios: Iterable[Scenario],
        keys: Collection[str],
        tell: Listener,
        portions: Portions | None,
        baseline: Baseline | None,
    ) -> Run:
        """A run of those of the scenarios' runs that have these keys; what the baseline knows is not run again."""
        options = replace(self.options, only=keys, baseline=baseline)
        reserve = tuple(self.library.scenarios.values())
        return Run(tuple(scenarios), self.target, self.profile, options, tell, portions, reserve)

    def fold(self, baseline: Baseline | None) -> Fold:
        """A fold for that run, or for several that share it."""
        return Fold(self.library.requirements.values(), replace(self.verdict, baseline=baseline))


def prepare(config: pytest.Config) -> Preparation:
    """Find and read what the options name.

    Raises:
        pytest.UsageError: they make no sense.
    """
    settings = Settings(config)
    order = settings.order
    try:
        library = shelves.load()
        profile = choose_profile(order, None, library.requirements)
        verdict = VerdictOptions(
            strict=settings.flag("mcp_strict"),
            min_proven=settings.number("mcp_min_proven") or 0,
            fail_on=settings.many("mcp_fail_on"),
            claims=profile.claims,
        )
        verdict.check(library.requirements.values())
        return Preparation(
            library=library,
            target=target_of(order, None, lambda _: None),
            profile=profile,
            options=run_options(order, _told(order, verdict)),
            verdict=verdict,
            order=order,
            results=settings.path("mcp_results"),
        )
    except (WrongOrder, UnmatchedPattern, CatalogError) as wrong:
        raise pytest.UsageError(spelled(str(wrong))) from wrong


def _told(order: Order, verdict: VerdictOptions) -> dict[str, JsonValue]:
    """The options as results tell of them."""
    return {
        "by": "pytest",
        "intensity": order.intensity,
        "jobs": order.jobs,
        "strict": verdict.strict,
        "min_proven": verdict.min_proven,
        "fail_on": list(verdict.fail_on),
        REPRODUCE: list(reproduce_words(order)),
    }
