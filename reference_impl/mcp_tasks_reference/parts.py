"""The classes that a server is made of, so that one of them can be replaced."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace

from mcp_tasks_reference.behaviours import Toolbox
from mcp_tasks_reference.clock import LoopClock
from mcp_tasks_reference.courier import Courier
from mcp_tasks_reference.cursors import Cursors
from mcp_tasks_reference.dispatcher import Dispatcher
from mcp_tasks_reference.execution import Execution
from mcp_tasks_reference.ids import TaskIds
from mcp_tasks_reference.lifecycle import Lifecycle
from mcp_tasks_reference.mailbox import Mailbox
from mcp_tasks_reference.questions import Questions
from mcp_tasks_reference.service import TaskService
from mcp_tasks_reference.session import Session
from mcp_tasks_reference.store import MemoryStore
from mcp_tasks_reference.v1.capabilities import Capabilities
from mcp_tasks_reference.v1.core_methods import CoreMethods
from mcp_tasks_reference.v1.params import Params
from mcp_tasks_reference.v1.task_methods import TaskMethods
from mcp_tasks_reference.v1.tool_methods import ToolMethods
from mcp_tasks_reference.v1.views import Views


@dataclass(frozen=True, slots=True)
class Parts:
    """One class for each component."""

    lifecycle: type[Lifecycle] = Lifecycle
    clock: type[LoopClock] = LoopClock
    ids: type[TaskIds] = TaskIds
    memory_store: type[MemoryStore] = MemoryStore
    cursors: type[Cursors] = Cursors
    mailbox: type[Mailbox] = Mailbox
    session: type[Session] = Session
    courier: type[Courier] = Courier
    service: type[TaskService] = TaskService
    execution: type[Execution] = Execution
    questions: type[Questions] = Questions
    toolbox: type[Toolbox] = Toolbox
    views: type[Views] = Views
    params: type[Params] = Params
    capabilities: type[Capabilities] = Capabilities
    core_methods: type[CoreMethods] = CoreMethods
    tool_methods: type[ToolMethods] = ToolMethods
    task_methods: type[TaskMethods] = TaskMethods
    dispatcher: type[Dispatcher] = Dispatcher

    def with_mixin(self, mixin: type) -> Parts:
        """The same parts, but one of them behaves as the mixin says.

        Raises:
            TypeError: the mixin belongs to no component.
        """
        for part in fields(self):
            current: type = getattr(self, part.name)
            if issubclass(mixin, part_base(part.name)):
                return replace(self, **{part.name: type(mixin.__name__, (mixin, current), {})})
        raise TypeError(f"{mixin.__name__} overrides no component of the server")


def part_base(name: str) -> type:
    """The sound class of a component."""
    base: type = getattr(SOUND, name)
    return base


SOUND = Parts()
