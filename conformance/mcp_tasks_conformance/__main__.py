"""The way in: `mcp-tasks-conformance`."""

from __future__ import annotations


def main() -> None:
    """Run the command line."""
    from mcp_tasks_conformance.cli.commands import group
    from mcp_tasks_conformance.cli.streams import patient

    with patient():
        group(prog_name="mcp-tasks-conformance")


if __name__ == "__main__":
    main()
