"""Which runs the options leave."""

import click
import pytest

from mcp_tasks_conformance.catalog.library import load
from mcp_tasks_conformance.cli.choosing import wanted_keys

SCENARIOS = tuple(load().scenarios.values())
STICKS = "v1/receiver/cancel/sticks"


def test_a_key_with_parameters_names_one_run() -> None:
    assert wanted_keys(SCENARIOS, {"scenarios": (f"{STICKS}[work=slow]",)}) == {f"{STICKS}[work=slow]"}


def test_beside_it_a_pattern_without_parameters_names_all_runs() -> None:
    keys = wanted_keys(SCENARIOS, {"scenarios": (f"{STICKS}[work=slow]", STICKS)})
    assert keys == {f"{STICKS}[work=slow]", f"{STICKS}[work=ignores-cancel]"}


def test_without_parameters_no_run_is_singled_out() -> None:
    assert wanted_keys(SCENARIOS, {"scenarios": (STICKS,)}) is None
    assert wanted_keys(SCENARIOS, {"scenarios": ()}) is None


def test_parameters_that_no_run_has_are_told_with_those_there_are() -> None:
    with pytest.raises(click.UsageError, match="names no run; there are .*ignores-cancel"):
        wanted_keys(SCENARIOS, {"scenarios": (f"{STICKS}[work=slo]",)})
