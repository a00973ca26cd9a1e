"""The plugin's options: on pytest's command line, and under the same names in its configuration file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pytest

GROUP = ("mcp-tasks", "conformance to MCP Tasks")
MARK = ("mcp_tasks", "a scenario of MCP Tasks")
LEVEL_MARKS: Mapping[str, tuple[str, str]] = {
    "MUST": ("mcp_must", "a scenario that proves a MUST or MUST NOT"),
    "SHOULD": ("mcp_should", "a scenario that proves a SHOULD or SHOULD NOT"),
    "MAY": ("mcp_may", "a scenario that looks at a MAY"),
    "QUALITY": ("mcp_quality", "a scenario about what no text asks and users suffer from"),
}
"""By the first word of the level."""


class Option(NamedTuple):
    """One option; its name is that of the command line of `mcp-tasks-conformance run`."""

    name: str
    metavar: str
    help: str
    kind: Literal["value", "list", "flag"] = "value"

    @property
    def flag(self) -> str:
        """As pytest's command line has it."""
        return f"--mcp-{self.name}"

    @property
    def dest(self) -> str:
        """As the configuration file has it."""
        return f"mcp_{self.name.replace('-', '_')}"

    @property
    def argument(self) -> dict[str, Any]:
        """What makes it an argument; one that is not given is None, so that the configuration file can speak."""
        if self.kind == "flag":
            return {"help": self.help, "action": "store_true", "default": None}
        action = "append" if self.kind == "list" else "store"
        return {"help": self.help, "action": action, "metavar": self.metavar, "default": None}

    @property
    def ini_type(self) -> Literal["string", "linelist", "bool"]:
        """The type of its value in the configuration file; a list has one value on each line."""
        return "bool" if self.kind == "flag" else "linelist" if self.kind == "list" else "string"


OPTIONS = (
    Option("url", "URL", "Reach a running MCP server at this URL."),
    Option("command", "COMMAND", "Start the MCP server with this command; it speaks over stdio."),
    Option("http", "", "The command serves HTTP on {port} (in its words, or the variable PORT).", "flag"),
    Option("path", "PATH", "With --mcp-http: the endpoint's path (/mcp)."),
    Option("env", "NAME=VALUE", "A variable for the command; may be given again.", "list"),
    Option("cwd", "FOLDER", "The command's working directory."),
    Option("header", "'NAME: VALUE'", "A header for every request; may be given again.", "list"),
    Option("identity", "NAME='HEADER: VALUE'", "A credential; with two, isolation is judged between them.", "list"),
    Option("profile", "NAME|FILE", "Which tools show which behaviours: reference, official, auto or a file."),
    Option("try-tools", "", "Let auto try every tool, whether annotated destructive or of a URL elsewhere.", "flag"),
    Option("baseline", "FILE", "Known failures, each with its reason; they are expected to fail."),
    Option("intensity", "normal|full", "full: load and hostile input too; so unless said, but for a URL elsewhere."),
    Option("jobs", "N", "Scenarios at once."),
    Option("start-timeout", "S", "How long the server may take to start and answer initialize (5)."),
    Option("fail-on", "GLOB", "Requirements that count although they do not bind; may be given again.", "list"),
    Option("strict", "", "Warnings fail.", "flag"),
    Option("min-proven", "N", "Fail unless so many MUSTs are proven."),
    Option("results", "FILE", "Write results.json here."),
)
TARGETS = ("mcp_url", "mcp_command")


def named_target(config: pytest.Config) -> bool:
    """Whether an option or the configuration file names a target."""
    return any(config.getoption(dest) or config.getini(dest) for dest in TARGETS)


def stray(config: pytest.Config) -> None:
    """Complain of an option on the command line that has no target to go with.

    Raises:
        pytest.UsageError: there is one.
    """
    for option in OPTIONS:
        if config.getoption(option.dest):
            import pytest

            raise pytest.UsageError(f"{option.flag} goes with a target: --mcp-url or --mcp-command")
