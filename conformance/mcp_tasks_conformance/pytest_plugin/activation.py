"""What happens once an option names a target: everything is read, and the session's hooks are registered."""

from __future__ import annotations

import pytest

from mcp_tasks_conformance.pytest_plugin.concluding import Concluding
from mcp_tasks_conformance.pytest_plugin.gathering import Gathering
from mcp_tasks_conformance.pytest_plugin.items import DESK
from mcp_tasks_conformance.pytest_plugin.judging import Judging
from mcp_tasks_conformance.pytest_plugin.preparation import prepare
from mcp_tasks_conformance.pytest_plugin.rootdir import check_rootdir


def activate(config: pytest.Config) -> None:
    """Take part in the session.

    Raises:
        pytest.UsageError: the options make no sense.
    """
    check_rootdir(config)
    preparation = prepare(config)
    gathering = Gathering(config, preparation)
    config.stash[DESK] = judging = Judging(config, preparation, gathering)
    config.pluginmanager.register(gathering, "mcp-tasks-gathering")
    config.pluginmanager.register(judging, "mcp-tasks-judging")
    config.pluginmanager.register(Concluding(config, preparation, gathering, judging), "mcp-tasks-concluding")
