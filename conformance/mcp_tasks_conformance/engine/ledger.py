"""Which methods the target has served well in this run: the positive controls of what it refuses."""

from __future__ import annotations

from collections.abc import Mapping

from mcp_tasks_conformance.events import JsonValue, Listener, MethodSucceeded
from mcp_tasks_conformance.wire import shapes


class Ledger:
    """Tells the run of each method that was answered with a valid result for the first time."""

    def __init__(self, generation: str, tell: Listener) -> None:
        self._generation = generation
        self._tell = tell
        self._succeeded: set[str] = set()

    def has(self, method: str) -> bool:
        """Whether the method has been served well."""
        return method in self._succeeded

    def note(self, method: str, params: JsonValue, view: Mapping[str, JsonValue]) -> None:
        """Take note of a reply to a request of ours."""
        result = view.get("result")
        if method in self._succeeded or not isinstance(result, Mapping):
            return
        augmented = isinstance(params, Mapping) and isinstance(params.get("task"), Mapping) and "task" in result
        name = shapes.result_schema(self._generation, method)
        if method == "tools/call" and augmented:
            name = f"{self._generation}/CreateTaskResult"
        if name is None or shapes.check(name, result) or result.get("isError") is True:
            return  # a tool that only ever reports errors has shown no work
        self._succeeded.add(method)
        self._tell(MethodSucceeded(method))
