"""Which runs the options leave."""

from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from mcp_tasks_conformance.catalog.library import load
from mcp_tasks_conformance.cli.choosing import chosen, wanted_keys
from mcp_tasks_conformance.cli.commands import group

SCENARIOS = tuple(load().scenarios.values())
STICKS = "v1/receiver/cancel/sticks"


def test_a_key_with_parameters_names_one_run() -> None:
    assert wanted_keys(SCENARIOS, {"scenarios": (f"{STICKS}[work=slow]",)}) == frozenset({f"{STICKS}[work=slow]"})


def test_beside_it_a_pattern_without_parameters_names_all_runs() -> None:
    keys = wanted_keys(SCENARIOS, {"scenarios": (f"{STICKS}[work=slow]", STICKS)})
    assert keys == frozenset({f"{STICKS}[work=slow]", f"{STICKS}[work=ignores-cancel]"})


def test_without_parameters_no_run_is_singled_out() -> None:
    assert wanted_keys(SCENARIOS, {"scenarios": (STICKS,)}) is None
    assert wanted_keys(SCENARIOS, {"scenarios": ()}) is None


def test_parameters_that_no_run_has_are_told_with_those_there_are() -> None:
    with pytest.raises(click.UsageError, match=r"names no run; there are .*ignores-cancel"):
        wanted_keys(SCENARIOS, {"scenarios": (f"{STICKS}[work=slo]",)})


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--timescale", "nan"), "nan is no finite number"),
        (("--start-timeout", "inf"), "inf is no finite number"),
        (("--results", "a.json", "--junit", "a.json"), "--results and junit name the same file"),
        (("--identity", "a=X: y", "--identity", "a=X: z"), "--identity a is given twice"),
        (("--identity", "a=X: y", "--identity", "b=X: y"), "carries the credential of another"),
        (("--requirement", "*[zzz]"), "matches nothing"),
        (("--suite", "nothing[a]"), "--suite nothing[a] matches nothing"),
    ],
)
def test_options_that_make_no_sense_are_told_at_once(options: tuple[str, ...], said: str) -> None:
    ended = CliRunner().invoke(group, ["run", "--transport", "memory", *options])
    assert ended.exit_code == 2
    assert said in ended.output


def test_a_level_leaves_what_proves_it() -> None:
    library = load()
    left = chosen(library, {"levels": ("should",)})
    assert 0 < len(left) < len(SCENARIOS)
    for scenario in left:
        assert {"SHOULD", "SHOULD NOT"} & {library.requirements[name].level for name in scenario.proves}
    ended = CliRunner().invoke(group, ["run", "--transport", "memory", "--level", "most"])
    assert ended.exit_code == 2
    assert "--level takes must, should, may, quality, not most" in ended.output


def test_a_pattern_that_matches_nothing_of_ones_own_files_says_so(tmp_path: Path) -> None:
    own = tmp_path / "my.scenario.yaml"
    steps = "steps: [{send: ping}]"
    own.write_text(
        f"suite: mine\ngeneration: v1\nparty: receiver\ntitle: Mine\nscenarios: [{{id: a, title: A, {steps}}}]\n"
    )
    ended = CliRunner().invoke(group, ["run", str(own), "--suite", "cancel"])
    assert "--suite cancel matches nothing; `list FILE` shows what is in the files" in ended.output
