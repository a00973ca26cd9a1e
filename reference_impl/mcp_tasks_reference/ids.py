"""Names for tasks."""

from __future__ import annotations

import uuid


class TaskIds:
    """Makes task ids that nobody can guess.

    Spec: basic/utilities/tasks#task-isolation-and-access-control
    """

    def new(self) -> str:
        """122 random bits from the operating system."""
        return str(uuid.uuid4())
