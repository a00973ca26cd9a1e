"""Why a target cannot be started or fell silent, in words for people."""

from __future__ import annotations

import errno
import os
import shlex
import signal
from pathlib import Path
from typing import TYPE_CHECKING

from mcp_tasks_conformance.targets.errors import UnreachableTarget
from mcp_tasks_conformance.targets.masking import masked_command, shown_command

if TYPE_CHECKING:
    from collections.abc import Sequence


def why_not_started(command: Sequence[str], cwd: Path | None, error: Exception) -> UnreachableTarget:
    """Word the error that the system gave instead of a process."""
    if not command or not command[0]:
        return UnreachableTarget("the command is empty", "name a program and its arguments")
    if cwd is not None and not cwd.is_dir():
        return UnreachableTarget(f"the working directory {cwd} is no folder", "name one that exists")
    program = command[0]
    shown = shown_command(command)
    path = Path(cwd or ".", program)
    number = error.errno if isinstance(error, OSError) else None
    if number == errno.ENOENT and os.sep not in program:
        if len(command) == 1 and len(words := shlex.split(program)) > 1:
            hint = f"give its words apart: {shown_command(words)}"
        else:
            hint = "is it installed, and is its folder in PATH? A program in this folder is named with ./ before it"
        return UnreachableTarget(f"command not found: {program}", hint)
    if number == errno.ENOENT and path.exists():
        return UnreachableTarget(
            f"cannot start {shown}: the interpreter named in the first line of {program} does not exist",
            "correct its #! line, or name the interpreter as the first word of the command",
        )
    if number in (errno.ENOENT, errno.ENOTDIR):
        return UnreachableTarget(f"command not found: there is no file {path}", "check the path")
    if number == errno.EACCES and path.is_dir():
        return UnreachableTarget(f"cannot start {shown}: {program} is a folder", "name the program in it")
    if number == errno.EACCES:
        return UnreachableTarget(
            f"cannot start {shown}: {program} is not executable",
            f"chmod +x {shlex.quote(program)}, or name its interpreter as the first word of the command",
        )
    if number == errno.ENOEXEC:
        return UnreachableTarget(
            f"cannot start {shown}: {program} is no program (a script without a #! line?)",
            "name its interpreter as the first word of the command: python, node, sh",
        )
    return UnreachableTarget(f"cannot start {shown}: {error}")


def run_by_hand(command: Sequence[str]) -> str:
    """The hint to look for oneself."""
    return f"run it by hand to see why: {shlex.join(masked_command(command))}"


def exit_words(code: int | None) -> str:
    """An exit code in words."""
    if code is None:
        return "exited"
    if code >= 0:
        return f"exited with code {code}"
    try:
        return f"was ended by {signal.Signals(-code).name}"
    except ValueError:
        return f"was ended by signal {-code}"
