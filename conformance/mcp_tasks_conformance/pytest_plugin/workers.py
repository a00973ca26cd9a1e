"""What an xdist worker knows of its share: the items that it has been handed so far."""

from __future__ import annotations

import pytest


def is_worker(config: pytest.Config) -> bool:
    """Whether this process only runs what a controller hands out."""
    return hasattr(config, "workerinput")


def handed_out(session: pytest.Session) -> list[pytest.Item]:
    """The items that wait for their turn in this worker; none where xdist does not let us look.

    Nothing is lost then but speed: what is not seen ahead of its turn is run when it comes.
    """
    for plugin in session.config.pluginmanager.get_plugins():
        queue = getattr(plugin, "torun", None)
        if queue is not None and hasattr(queue, "lock"):
            with queue.lock() as waiting:
                return [session.items[index] for index in waiting if isinstance(index, int)]
    return []
