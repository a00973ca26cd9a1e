"""The inputs of the action, as the runner hands them over: in the environment, and nowhere near a shell."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, MutableMapping
from typing import Final

from mcp_tasks_conformance.cli.commands import run
from mcp_tasks_conformance.orders.order import Order
from mcp_tasks_conformance.orders.secrecy import secrets_of
from mcp_tasks_conformance.targets.redaction import Redactor

ONE_LINE: Final = (
    "url",
    "path",
    "wait",
    "start-timeout",
    "generation",
    "profile",
    "baseline",
    "intensity",
    "min-proven",
    "working-directory",
    "reports",
)
SWITCHES: Final = ("http", "strict", "summary", "annotations")
OPTION_OF_EACH_LINE: Final[Mapping[str, str]] = {
    "headers": "header",
    "identities": "identity",
    "env": "env",
    "fail-on": "fail-on",
}
NAMES: Final = ("command", "args", *ONE_LINE, *SWITCHES, *OPTION_OF_EACH_LINE)
_NO_OPTIONS: Final = ("url", "wait", "working-directory", "reports")
"""Those that do not simply become the option of their name."""
_TRUTH: Final[Mapping[str, bool]] = {"true": True, "false": False, "": False}


class WrongInput(Exception):
    """An input cannot be used; the text names it and repeats no value that may be secret."""


class Inputs:
    """What a workflow asks for."""

    def __init__(self, given: Mapping[str, str]) -> None:
        self._given = given

    @classmethod
    def taken_from(cls, environment: MutableMapping[str, str]) -> Inputs:
        """Take the inputs out of the environment, which a server under test inherits."""
        return cls({name: environment.pop(variable(name), "") for name in NAMES})

    def line(self, name: str) -> str | None:
        """An input of one line, or none.

        Raises:
            WrongInput: it has several.
        """
        text = self._given[name].strip()
        if len(text.splitlines()) > 1:
            raise WrongInput(f"{name} takes one line")
        return text or None

    def lines(self, name: str) -> list[str]:
        """An input of any number of lines, without those that are empty."""
        return [line.strip() for line in self._given[name].split("\n") if line.strip()]

    def switched(self, name: str) -> bool:
        """Whether an input is true.

        Raises:
            WrongInput: it is neither true nor false.
        """
        text = self._given[name].strip().lower()
        if text not in _TRUTH:
            raise WrongInput(f"{name} is true or false, not {text!r}")
        return _TRUTH[text]

    def words(self) -> list[str]:
        """The options of the run; no value can be taken for an option, whatever it begins with.

        Raises:
            WrongInput: they name no target or two, or cannot be read.
        """
        return [*self._target(), *self._further(), *self._options()]

    def secrets(self) -> list[str]:
        """The values that nobody may read in the log."""
        order = Order(
            url=self._given["url"].strip() or None,
            command=self._given["command"].strip() or None,
            headers=tuple(self.lines("headers")),
            identities=tuple(self.lines("identities")),
            environment=tuple(self.lines("env")),
        )
        return list(dict.fromkeys(secret for secret in secrets_of(order) if Redactor([secret])))

    def _target(self) -> Iterator[str]:
        url, command = self.line("url"), self._given["command"].strip()
        if url is not None and command:
            raise WrongInput("url and command both name a server; give one")
        if url is not None:
            yield f"--url={url}"
            wait = self.line("wait")
            if wait is not None:
                yield f"--wait={wait}"
        elif command:
            yield f"--command={command}"
        else:
            raise WrongInput("give url or command, so that there is a server to judge")

    def _further(self) -> Iterator[str]:
        """The further options, none of which may take the next word for its value."""
        valued = {name for option in run.params if not getattr(option, "is_flag", True) for name in option.opts}
        for line in self.lines("args"):
            if line in valued:
                raise WrongInput(f"args: {line} takes a value, on the same line: {line}=VALUE")
            yield line

    def _options(self) -> Iterator[str]:
        for name in ONE_LINE:
            value = self.line(name)
            if name not in _NO_OPTIONS and value is not None:
                yield f"--{name}={value}"
        for name in ("http", "strict"):
            if self.switched(name):
                yield f"--{name}"
        for name, option in OPTION_OF_EACH_LINE.items():
            yield from (f"--{option}={line}" for line in self.lines(name))


def variable(name: str) -> str:
    """The variable in which the runner hands an input over."""
    return f"INPUT_{name.upper().replace('-', '_')}"
