"""A target that is an application in this very process, found by its import string."""

from __future__ import annotations

import asyncio
import importlib
import itertools
from typing import TYPE_CHECKING, Protocol

from mcp_tasks_conformance.targets.errors import UnreachableTarget
from mcp_tasks_conformance.targets.target import NO_HEADERS
from mcp_tasks_conformance.wire.memory import Application, MemoryTransport

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from mcp_tasks_conformance.events import JsonValue
    from mcp_tasks_conformance.wire.transport import Sink, Transport

CLOSE_S = 2.0
"""How long an application may take to close."""


class ClosableApplication(Application, Protocol):
    """What a factory makes."""

    async def close(self) -> None:
        """End whatever still works in it."""


class InProcessTarget:
    """An application made by ``module:factory``, called with the options as a command line would have them."""

    transport = "memory"
    restartable = True

    def __init__(
        self, factory: str, options: Sequence[str] = (), *, facts: Mapping[str, JsonValue] | None = None
    ) -> None:
        self._factory = factory
        self._options = tuple(options)
        self._numbers = itertools.count(1)
        self.facts: Mapping[str, JsonValue] = facts or {
            "kind": "in process",
            "transport": "memory",
            "factory": factory,
            "options": list(options),
        }

    async def start(self) -> MemoryInstance:
        """Import the factory and make an application.

        Raises:
            UnreachableTarget: it cannot be imported, or cannot be made.
        """
        factory = _imported(self._factory)
        try:
            app = factory(self._options)
        # A factory that reads its options as a command line exits on those it does not know.
        except (Exception, SystemExit) as error:
            raise UnreachableTarget(
                f"{self._factory} could not make an application of the options {list(self._options)}: {_named(error)}"
            ) from error
        if not callable(getattr(app, "serve", None)) or not callable(getattr(app, "close", None)):
            raise UnreachableTarget(
                f"{self._factory} gave a {type(app).__name__}, which is no application",
                "an application has `async serve(receive, send, headers)` and `async close()`",
            )
        return MemoryInstance(f"memory {next(self._numbers)}", self._factory, app)


class MemoryInstance:
    """An application that serves any number of connections."""

    transport = "memory"
    single_connection = False
    exit_code: int | None = None

    def __init__(self, name: str, factory: str, app: ClosableApplication) -> None:
        self.name = name
        self.gone = asyncio.Event()
        self._factory = factory
        self._app = app
        self._stopped = False

    def stderr_tail(self) -> str | None:
        """It prints where the harness prints."""
        return None

    async def open(
        self,
        sink: Sink,
        *,
        headers: Mapping[str, str] = NO_HEADERS,
        session_of: Transport | None = None,  # noqa: ARG002
    ) -> Transport:
        """Open another connection."""
        return MemoryTransport(self._app, sink, headers)

    async def why_silent(self, awaited: str) -> UnreachableTarget:
        """Nothing more is known of it."""
        return UnreachableTarget(f"{self._factory} did not answer {awaited}")

    def memory_mb(self) -> float | None:
        """Its memory is that of the harness."""
        return None

    async def stop(self) -> None:
        """Close the application; one that does not close in time is left alone."""
        if not self._stopped:
            self._stopped = True
            try:
                async with asyncio.timeout(CLOSE_S):
                    await self._app.close()
            except Exception:  # noqa: S110 - how a target fails once nothing is asked of it is nobody's concern
                pass


def _imported(name: str) -> Callable[[Sequence[str]], ClosableApplication]:
    module_name, _, attribute = name.partition(":")
    if not module_name or not attribute:
        raise UnreachableTarget(f"{name!r} is no import string", "write module:factory, as in my_server.app:create")
    try:
        module = importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        if error.name and (module_name == error.name or module_name.startswith(f"{error.name}.")):
            raise UnreachableTarget(
                f"there is no module {error.name}", "is it installed in the environment of this program?"
            ) from error
        raise UnreachableTarget(f"importing {module_name} failed: {_named(error)}") from error
    except (Exception, SystemExit) as error:
        raise UnreachableTarget(f"importing {module_name} failed: {_named(error)}") from error
    factory = getattr(module, attribute, None)
    if not callable(factory):
        what = "has no" if factory is None else "has a value, no function,"
        raise UnreachableTarget(f"the module {module_name} {what} {attribute}", "write module:factory")
    made: Callable[[Sequence[str]], ClosableApplication] = factory
    return made


def _named(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"
