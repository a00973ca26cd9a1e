"""The flags that every way of starting the server understands."""

from __future__ import annotations

import argparse
import difflib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

from mcp_tasks_reference import catalog
from mcp_tasks_reference.parts import Parts
from mcp_tasks_reference.settings import Settings

if TYPE_CHECKING:
    from mcp_tasks_reference.husks import Husk

Named = TypeVar("Named")


@dataclass(frozen=True, slots=True)
class Build:
    """What to serve: settings and parts, or a husk instead of a server."""

    settings: Settings
    parts: Parts
    husk: Husk | None


class Options(argparse.ArgumentParser):
    """Reads the flags; one-letter mistakes end in a usage error that says what is known."""

    def __init__(self) -> None:
        super().__init__(prog="mcp-tasks-reference", description="The reference server of MCP Tasks.")
        defaults = Settings()
        self.add_argument("--fault", metavar="NAME", help="break the server in one named way")
        self.add_argument("--variant", metavar="NAME", help="let the server take a permitted freedom")
        self.add_argument("--husk", metavar="NAME", help="serve something that is no server at all")
        self.add_argument("--store", metavar="FILE", help="keep tasks in a SQLite file instead of in memory")
        self.add_argument("--single-tenant", action="store_true", help="let every task belong to everyone")
        self.add_argument("--no-tasks", action="store_true", help="declare no tasks and serve tools plainly")
        numbers = {
            "default-ttl": (defaults.default_ttl_ms, "ttl in ms of tasks that ask for none"),
            "max-ttl": (defaults.max_ttl_ms, "longest ttl in ms that is granted"),
            "poll-interval": (defaults.poll_interval_ms, "poll interval in ms that is suggested"),
            "page-size": (defaults.page_size, "how many tasks a page of tasks/list holds"),
            "max-tasks": (defaults.max_tasks, "how many tasks a requestor may have at a time"),
            "max-queue": (defaults.max_queue, "how many messages a task may have waiting"),
        }
        for name, (default, meaning) in numbers.items():
            self.add_argument(f"--{name}", type=_positive, metavar="N", default=default, help=f"{meaning} ({default})")
        switches = ("fault", "variant", "store", "single_tenant", "no_tasks")
        self._of_servers = (*switches, *(name.replace("-", "_") for name in numbers))

    def build(self, chosen: argparse.Namespace) -> Build:
        """Turn flags into what to serve; an unknown name, or a flag that a husk ignores, ends in a usage error."""
        if chosen.husk is not None:
            self._check_alone(chosen)
        settings = Settings(
            default_ttl_ms=min(chosen.default_ttl, chosen.max_ttl),
            max_ttl_ms=chosen.max_ttl,
            poll_interval_ms=chosen.poll_interval,
            page_size=chosen.page_size,
            max_tasks=chosen.max_tasks,
            max_queue=chosen.max_queue,
            single_tenant=chosen.single_tenant,
            offer_tasks=not chosen.no_tasks,
            store_path=chosen.store,
        )
        changes: dict[str, Any] = {}
        mixins: tuple[type, ...] = ()
        if chosen.variant is not None:
            variant = self._found(catalog.find_variant, chosen.variant, "variant")
            changes.update(variant.settings)
            mixins = variant.mixins
        if chosen.fault is not None:
            fault = self._found(catalog.find_fault, chosen.fault, "fault")
            changes.update(fault.settings)
            mixins = (fault.mixin, *mixins)
        husk = None if chosen.husk is None else self._found(catalog.find_husk, chosen.husk, "husk")
        return Build(replace(settings, **changes), Parts(mixins), husk)

    def _check_alone(self, chosen: argparse.Namespace) -> None:
        """See that no flag says how a server should be where a husk takes its place."""
        for name in self._of_servers:
            if getattr(chosen, name) != self.get_default(name):
                self.error(f"--husk takes the place of the server; beside it --{name.replace('_', '-')} means nothing")

    def _found(self, find: Callable[[str], Named], name: str, kind: str) -> Named:
        try:
            return find(name)
        except KeyError:
            known = [entry["name"] for entry in catalog.describe() if entry["kind"] == kind]
            close = difflib.get_close_matches(name, known, 3)
            hint = f", did you mean {' or '.join(close)}?" if close else ""
            self.error(f"unknown {kind} {name!r}{hint} (`mcp-tasks-conformance list --{kind}s` shows all {len(known)})")


def build(flags: Sequence[str]) -> Build:
    """Read flags that name no transport."""
    options = Options()
    return options.build(options.parse_args(list(flags)))


def _positive(text: str) -> int:
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError("must be at least 1")
    return value
