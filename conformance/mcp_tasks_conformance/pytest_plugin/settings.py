"""From the options of a pytest session to an order."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, cast

import pytest

from mcp_tasks_conformance.catalog.profiles import built_in_profiles
from mcp_tasks_conformance.orders.order import Order
from mcp_tasks_conformance.pytest_plugin.options import OPTIONS, TARGETS

_OURS = re.compile(rf"(?<![\w-])--(?={'|'.join(option.name for option in OPTIONS)}\b)")


def spelled(text: str) -> str:
    """A text that names options of our command line, as pytest's command line spells them."""
    return _OURS.sub("--mcp-", text)


class Settings:
    """The values of the options: from the command line, else from the configuration file."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._home = config.inipath.parent if config.inipath is not None else config.rootpath

    @property
    def order(self) -> Order:
        """Which target, how it is entered, and how hard it is tried.

        Raises:
            pytest.UsageError: a value is none that its option takes.
        """
        url, command = self._target()
        intensity = self.value("mcp_intensity")
        if intensity not in (None, "normal", "full"):
            raise pytest.UsageError(f"--mcp-intensity takes normal or full, not {intensity}")
        return Order(
            command=command,
            http=self.flag("mcp_http"),
            path=self.value("mcp_path"),
            environment=self.many("mcp_env"),
            cwd=self._folder(),
            url=url,
            headers=self.many("mcp_header"),
            identities=self.many("mcp_identity"),
            profile=self._profile(),
            try_tools=self.flag("mcp_try_tools"),
            baseline=_text(self.path("mcp_baseline")),
            intensity=cast(Any, intensity),
            jobs=self.number("mcp_jobs", least=1),
            start_timeout=self._seconds("mcp_start_timeout"),
        )

    def value(self, dest: str) -> str | None:
        """A text, or none."""
        return self._config.getoption(dest) or self._config.getini(dest) or None

    def many(self, dest: str) -> tuple[str, ...]:
        """Some texts."""
        return tuple(self._config.getoption(dest) or self._config.getini(dest))

    def flag(self, dest: str) -> bool:
        """Yes or no."""
        return bool(self._config.getoption(dest) or self._config.getini(dest))

    def number(self, dest: str, least: int = 0) -> int | None:
        """A whole number, or none.

        Raises:
            pytest.UsageError: it is no number, or too small a one.
        """
        value = self.value(dest)
        if value is None:
            return None
        if not value.isdecimal() or int(value) < least:
            raise pytest.UsageError(f"{_flag(dest)} takes a whole number, at least {least}, not {value}")
        return int(value)

    def _seconds(self, dest: str) -> float | None:
        value = self.value(dest)
        try:
            seconds = None if value is None else float(value)
        except ValueError:
            seconds = 0.0
        if seconds is not None and not 0.1 <= seconds < float("inf"):
            raise pytest.UsageError(f"{_flag(dest)} takes seconds, at least 0.1, not {value}")
        return seconds

    def _target(self) -> tuple[str | None, str | None]:
        """URL and command; where the command line names either, it alone counts."""
        said = [self._config.getoption(dest) or None for dest in TARGETS]
        url, command = said if any(said) else [self._config.getini(dest) or None for dest in TARGETS]
        return url, command

    def _folder(self) -> str | None:
        """Where the command runs: one of the configuration file runs where that file is."""
        folder = self.path("mcp_cwd")
        if folder is None and not any(self._config.getoption(dest) for dest in TARGETS):
            folder = self._home if self.value("mcp_command") else None
        if folder is not None and not folder.is_dir():
            raise pytest.UsageError(f"--mcp-cwd {folder}: there is no such folder")
        return _text(folder)

    def _profile(self) -> str | None:
        named = self.value("mcp_profile")
        return named if named in (None, "auto", *built_in_profiles()) else _text(self.path("mcp_profile"))

    def path(self, dest: str) -> Path | None:
        """A path, or none; one of the configuration file counts from where that file is."""
        said = self._config.getoption(dest)
        if said:
            return Path(said)
        written = self._config.getini(dest)
        return self._home / written if written else None


def _text(path: Path | None) -> str | None:
    return None if path is None else str(path)


def _flag(dest: str) -> str:
    return next(option.flag for option in OPTIONS if option.dest == dest)
