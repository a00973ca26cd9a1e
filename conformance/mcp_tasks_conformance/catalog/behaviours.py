"""The names of the behaviours that scenarios ask for (docs/behaviours.md says what each of them does)."""

from __future__ import annotations

BEHAVIOURS: tuple[str, ...] = (
    "completes",
    "structured",
    "slow",
    "fails-tool-error",
    "fails-rpc-error",
    "asks-elicitation",
    "asks-sampling",
    "asks-twice",
    "asks-many",
    "reports-progress",
    "logs",
    "floods",
    "ignores-cancel",
    "counts",
    "plain-only",
    "task-only",
    "either",
)
