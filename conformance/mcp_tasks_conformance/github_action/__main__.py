"""The way in: ``python -m mcp_tasks_conformance.github_action``, in a step of a workflow."""

from __future__ import annotations

import os
import traceback

import click

from mcp_tasks_conformance.github_action.performance import DEFECT, perform
from mcp_tasks_conformance.reports.workflow_commands import commands_stopped


def main() -> int:
    """Do what the inputs in the environment say, and give the exit code."""
    try:
        return perform(os.environ)
    except Exception:  # the exit code must not look like a verdict
        with commands_stopped():
            click.echo(traceback.format_exc(), err=True)
        return DEFECT


if __name__ == "__main__":
    raise SystemExit(main())
