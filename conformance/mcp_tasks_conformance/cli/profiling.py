"""The `profile` command: what `auto` finds of a target, as the start of a profile."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

import click

from mcp_tasks_conformance.catalog.model import Manifest, Profile
from mcp_tasks_conformance.catalog.profile_layout import profile_text
from mcp_tasks_conformance.cli.discretion import mask_stderr
from mcp_tasks_conformance.engine.caution import trial_plan
from mcp_tasks_conformance.engine.discovery import Facts
from mcp_tasks_conformance.engine.exploring import Exploration, explore
from mcp_tasks_conformance.engine.reaching import reach
from mcp_tasks_conformance.engine.sightings import Sighting
from mcp_tasks_conformance.engine.stages import Stages
from mcp_tasks_conformance.monitors.registry import monitors_for
from mcp_tasks_conformance.orders.conduct import run_options
from mcp_tasks_conformance.orders.order import Order, WrongOrder
from mcp_tasks_conformance.orders.secrecy import redactor_of
from mcp_tasks_conformance.orders.target import implementation_of, target_of
from mcp_tasks_conformance.reports.text import brief
from mcp_tasks_conformance.targets.errors import UnreachableTarget
from mcp_tasks_conformance.targets.pool import InstancePool

COULD_NOT_TEST: Final = 3
_LONGEST: Final = 400


def profile_command(given: Mapping[str, Any]) -> int:
    """Try the tools of the target that the options name, and print a profile.

    Raises:
        click.UsageError: the options make no sense.
    """
    order = Order.of(given)
    redactor = redactor_of(order)
    mask_stderr(redactor)
    try:
        implementation = implementation_of(order)
        facts, found = asyncio.run(_found(order, implementation))
    except WrongOrder as wrong:
        raise click.UsageError(str(wrong)) from wrong
    except UnreachableTarget as unreachable:
        for line in _worded(unreachable):
            click.echo(line, err=True)
        return COULD_NOT_TEST
    for note in (*facts.notes, *found.profile.notes, *_told(found)):
        click.echo(brief(note, _LONGEST), err=True)
    if facts.problem is not None:
        click.echo(f"Could not test: {brief(facts.problem, _LONGEST)}", err=True)
        return COULD_NOT_TEST
    untried = [(one.candidate.tool, one.candidate.arguments) for one in found.spared]
    click.echo(redactor.text(profile_text(_named(found.profile, facts), untried)), nl=False)
    return 0


async def _found(order: Order, implementation: Manifest | None) -> tuple[Facts, Exploration]:
    target = target_of(order, implementation, lambda line: click.echo(line, err=True))
    options = run_options(order, {}, implementation)
    async with InstancePool(target) as pool:
        stages = Stages(target, pool, lambda: monitors_for("v1", "server"), options.doors, options.pace)
        facts = await reach(stages)
        stages.pace = stages.pace.measured(facts.round_trip_s)
        plan = trial_plan(facts, on_this_machine=order.on_this_machine, try_tools=order.try_tools)
        return facts, await explore(stages, plan)


def _told(found: Exploration) -> Iterator[str]:
    for seen in found.sightings:
        yield f"tried: {seen.candidate.tool}, {_way(seen)}: it {seen.said}"
    for requirement, said in found.amiss.items():
        yield f"broken on the way: {requirement}, {said}"


def _way(seen: Sighting) -> str:
    """How a tool was called to show what is said of it."""
    if not seen.candidate.as_task:
        return "plainly"
    way = "as a task" if seen.made_task else "as a task, and no task came of it"
    return f"{way}; then plainly" if seen.told_plainly else way


def _named(profile: Profile, facts: Facts) -> Profile:
    """The profile under the server's own name, where it has one that can be a name."""
    name = re.sub(r"[^\w.-]+", "-", str(facts.server_info.get("name") or ""), flags=re.ASCII).strip("-.")[:60]
    return replace(profile, name=name or "my-server")


def _worded(unreachable: UnreachableTarget) -> Iterator[str]:
    yield f"Could not test: {brief(unreachable.problem, _LONGEST)}"
    if unreachable.hint is not None:
        yield f"  {brief(unreachable.hint, _LONGEST)}"
    tail = [line for line in (unreachable.stderr_tail or "").splitlines() if line.strip()]
    if tail:
        yield "  last lines of the target's stderr"
        yield from (f"    {brief(line, _LONGEST)}" for line in tail[-12:])
