"""Reaching a target: the first words with it, and in plain words why there are none."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from mcp_tasks_conformance.engine.discovery import Facts, NotIntroduced, discover
from mcp_tasks_conformance.engine.http_words import WANTS_CREDENTIALS, credentials_refused, unfit_answer
from mcp_tasks_conformance.engine.matching import show
from mcp_tasks_conformance.engine.stage import Doors, Stage
from mcp_tasks_conformance.engine.stages import Stages
from mcp_tasks_conformance.engine.tool_list import CredentialsWanted
from mcp_tasks_conformance.events import JsonValue
from mcp_tasks_conformance.peers.handshake import DEFAULT_CAPABILITIES, HandshakeRefused
from mcp_tasks_conformance.targets.errors import UnreachableTarget
from mcp_tasks_conformance.wire.transcript import Transcript

_LISTENS: Final = re.compile(r"https?://|\blisten|\bport\b|\blocalhost\b", re.IGNORECASE)
"""What a server over HTTP says of itself when it has started."""


async def reach(stages: Stages) -> Facts:
    """Start the target and learn what it is; where it lets nobody in without, by the first credential.

    Raises:
        UnreachableTarget: there is nothing to talk to, or it has no tasks.
    """
    async with stages.shared(DEFAULT_CAPABILITIES) as stage:
        facts = await _introduced(stage, stages)
        stderr = stage.instance.stderr_tail()
    if not _has_tasks(facts):
        raise UnreachableTarget(
            "no tasks here: the server declares no `tasks` capability and none of its tools takes part in tasks",
            f"it agreed on revision {facts.protocol_version}; tasks are part of 2025-11-25",
            stderr,
        )
    return facts


def _take_first_identity(stage: Stage, stages: Stages) -> bool:
    """Go in with the first credential from now on, where there is one and nobody has said which to take."""
    first = next(iter(stages.doors.identities), None)
    if first is None or stages.doors.default_identity is not None:
        return False
    stages.doors = replace(stages.doors, default_identity=first)
    stage.doors = stages.doors
    return True


async def _introduced(stage: Stage, stages: Stages) -> Facts:
    transcript = Transcript()
    try:
        return await discover(stage, transcript)
    except CredentialsWanted as refused:
        if _take_first_identity(stage, stages):
            return await _introduced(stage, stages)
        problem, hint = credentials_refused("tools/list", refused.status, stages.doors)
        raise UnreachableTarget(problem, hint, stage.instance.stderr_tail()) from refused
    except HandshakeRefused as refused:
        status = (refused.reply.http or {}).get("status")
        if status in WANTS_CREDENTIALS and _take_first_identity(stage, stages):
            return await _introduced(stage, stages)
        told = _why_refused(refused, status, transcript, stages.doors)
        raise UnreachableTarget(*told, stage.instance.stderr_tail()) from refused
    except NotIntroduced as silent:
        unreachable = await stage.instance.why_silent(silent.awaited)
        looked_at = transcript.entries if silent.awaited == "initialize" and not stage.instance.gone.is_set() else ()
        came = unfit_answer(looked_at)
        if silent.awaited != "initialize":
            unreachable.hint = "it had answered initialize"
        elif came is not None:
            unreachable = UnreachableTarget(
                f"initialize was answered with {came[0]}", came[1], stage.instance.stderr_tail()
            )
        elif silent.noise is not None:
            unreachable.hint = f"it wrote {show(silent.noise, 60)} where only JSON-RPC messages may be"
            if _LISTENS.search(silent.noise):
                unreachable.hint += "; if it serves HTTP: --http, with {port} in the command, or --url where it runs"
        raise unreachable from None


def _why_refused(
    refused: HandshakeRefused, status: JsonValue, transcript: Transcript, doors: Doors
) -> tuple[str, str | None]:
    if refused.reply.frame is not None:
        return str(refused), None
    if status in WANTS_CREDENTIALS:
        return credentials_refused("initialize", status, doors)
    came = unfit_answer(transcript.entries)
    return (str(refused), None) if came is None else (f"initialize was answered with {came[0]}", came[1])


def _has_tasks(facts: Facts) -> bool:
    if "tasks" in facts.capabilities:
        return True
    for tool in facts.tools:
        execution = tool.get("execution")
        if isinstance(execution, Mapping) and execution.get("taskSupport") in ("required", "optional"):
            return True
    return False
