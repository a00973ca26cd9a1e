"""A pytest plugin: the library's scenarios, and suites of one's own, as items of a pytest session.

Until one of its options names a target it does nothing, and imports nothing that pytest has not imported already.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcp_tasks_conformance.pytest_plugin.options import GROUP, LEVEL_MARKS, MARK, OPTIONS, named_target, stray

if TYPE_CHECKING:
    import pytest


class McpTasksWarning(UserWarning):
    """The target broke a recommendation, or took a lesser reading of an ambiguous sentence."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Take each option from the command line and from the configuration file."""
    group = parser.getgroup(*GROUP)
    for option in OPTIONS:
        group.addoption(option.flag, dest=option.dest, **option.argument)
        parser.addini(option.dest, option.help, type=option.ini_type)


def pytest_configure(config: pytest.Config) -> None:
    """Register the marks, so that they can always be named; take part only where a target is named."""
    for mark, meaning in (MARK, *LEVEL_MARKS.values()):
        config.addinivalue_line("markers", f"{mark}: {meaning}")
    if named_target(config):
        from mcp_tasks_conformance.pytest_plugin.activation import activate

        activate(config)
    else:
        stray(config)
