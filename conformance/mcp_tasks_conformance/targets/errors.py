"""What goes wrong before a target can be judged."""

from __future__ import annotations


class UnreachableTarget(Exception):
    """The target cannot be started or reached, so nothing can be said of it."""

    def __init__(self, problem: str, hint: str | None = None, stderr_tail: str | None = None) -> None:
        """Tell people what happened.

        Args:
            problem: what happened and where, one sentence.
            hint: what to do next.
            stderr_tail: the last that the target printed; None where it never ran or is not ours.
        """
        super().__init__(problem)
        self.problem = problem
        self.hint = hint
        self.stderr_tail = stderr_tail
