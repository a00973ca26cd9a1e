"""Whom the tasks of a session belong to."""

from __future__ import annotations

from mcp_tasks_reference.settings import Settings
from mcp_tasks_reference.task import EVERYONE, Owner


class Ownership:
    """Binds tasks to the credential where one is shown, else to the session.

    Spec: basic/utilities/tasks#task-isolation-and-access-control
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings

    def of(self, session_id: str, credential: str | None, local: Owner | None) -> Owner:
        """The owner of what a session makes.

        Args:
            session_id: The session.
            credential: What its client showed.
            local: Whom it acts for, where the transport knows that better.
        """
        if self._settings.single_tenant:
            return EVERYONE
        if credential is not None:
            return Owner.by_credential(credential)
        return local or Owner("session", session_id)
