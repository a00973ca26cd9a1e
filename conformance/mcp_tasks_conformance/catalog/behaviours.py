"""The names of the behaviours that scenarios ask for, and in a few words what each takes (docs/behaviours.md)."""

from __future__ import annotations

from collections.abc import Mapping

CONTRACT: Mapping[str, str] = {
    "completes": "works for a moment and succeeds with content",
    "structured": "has an outputSchema and succeeds with structuredContent",
    "slow": "succeeds after 400 ms or more, still at work when half of duration_ms is over",
    "fails-tool-error": "ends with a result whose isError is true",
    "fails-rpc-error": "ends with a JSON-RPC error of its own",
    "asks-elicitation": "asks for one form elicitation and succeeds with it",
    "asks-sampling": "asks for one sampling and succeeds with it",
    "asks-twice": "asks for one elicitation, then for another, and succeeds",
    "asks-many": "asks for three elicitations at once, in the order of their texts, and succeeds",
    "reports-progress": "sends several rising progress notifications over its duration",
    "logs": "sends log messages while it works",
    "floods": "asks for far more elicitations at once than a queue should hold",
    "ignores-cancel": "works to its end although it is cancelled",
    "counts": "raises a counter while it works, which a plain call with the arguments of `read` gives as text",
    "plain-only": "an ordinary tool, which is no task",
    "task-only": "runs only as a task, whatever else it does",
    "either": "runs as a task and plainly, with the same result",
}
BEHAVIOURS: tuple[str, ...] = tuple(CONTRACT)
