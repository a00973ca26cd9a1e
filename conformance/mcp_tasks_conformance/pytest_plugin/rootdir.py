"""Where pytest took the value of one of our options for a path, and its configuration from there."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import pytest

from mcp_tasks_conformance.pytest_plugin.options import OPTIONS
from mcp_tasks_conformance.pytest_plugin.workers import is_worker


def check_rootdir(config: pytest.Config) -> None:
    """See that no value of ours has led pytest astray, which then ignores the configuration file of the project.

    Before it knows the options of plugins, pytest takes every word that names something that exists for a path of
    tests, and looks for its rootdir around all of them.

    Raises:
        pytest.UsageError: it has.
    """
    here = config.invocation_params.dir
    if is_worker(config) or _said_by_the_user(config) or config.rootpath == here:
        return
    above = config.rootpath in here.parents
    if above and (config.inipath is not None or (config.rootpath / "setup.py").is_file()):
        return
    taken = _taken_for_path(config.invocation_params.args, here)
    if taken is not None:
        flag, value = taken
        raise pytest.UsageError(
            f"pytest took {value}, the value of {flag}, for a path of tests, and so {config.rootpath} for its rootdir; "
            f"write {flag}={value}"
        )


def _said_by_the_user(config: pytest.Config) -> bool:
    """Whether the command line says where the rootdir is, or names paths that have a say in it too."""
    named = config.getoption("rootdir", None) or config.getoption("inifilename", None)
    return bool(named) or config.args_source is pytest.Config.ArgsSource.ARGS


def _taken_for_path(words: Sequence[object], here: Path) -> tuple[str, str] | None:
    """The first of our options whose value stands apart and names something that exists."""
    flags = {option.flag for option in OPTIONS if option.kind != "flag"}
    for flag, value in pairwise(map(str, words)):
        if flag in flags and not value.startswith("-") and (here / value).exists():
            return flag, value
    return None
