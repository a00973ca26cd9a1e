"""Wrong usage and broken files: exit code 2 and the place, before anything is started."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.cli.commands import Ran, run, run_all

BROKEN = """\
suite: mine
generation: v1
party: receiver
title: Mine
scenarios:
  - id: a
    title: A
    steps:
      - sned: tasks/get
      - send: tasks/get
        params: {taskId: $jbo.taskId}
        expect: {error: {code: -32602}}
        proves: v1.cancel.terminal-rejcted
"""
FILES = {"broken.yaml": BROKEN, "no.yaml": "suite: x\n  bad: [\n", "profile.yaml": "profile: mine\nbehaviors: {}\n"}
COMMANDS: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "names that are not there": (
        ("broken.yaml",),
        (
            "broken.yaml:9:9: unknown verb `sned` (did you mean `send`?)",
            "broken.yaml:11:26: nothing binds `$jbo` before this",
            "broken.yaml:13:17: unknown requirement `v1.cancel.terminal-rejcted`",
        ),
    ),
    "no YAML": (("no.yaml",), ("no.yaml:2:6: not YAML",)),
    "a broken profile": (("--profile", "profile.yaml"), ("profile.yaml:2:1: unknown key `behaviors`",)),
    "no such profile": (("--profile", "nonesuch"), ("nonesuch:1:1: the file cannot be read",)),
    "no such file": (("nonesuch.yaml",), ("nonesuch.yaml' does not exist",)),
    "two targets": (("--command", "x", "--url", "y"), ("--command and --url both name a target; give one",)),
    "a glob that matches nothing": (("--scenario", "nothing*"), ("--scenario nothing* matches nothing",)),
    "a suite that is not there": (("--suite", "nothing"), ("--suite nothing matches nothing",)),
    "a requirement that is not there": (("--requirement", "v9.*"), ("--requirement v9.* matches nothing",)),
    "a pattern to fail on": (("--fail-on", "v9.*"), ("--fail-on v9.*: no requirement has such an id",)),
    "half a quotation": (("--command", "'"), ("--command cannot be read as words",)),
    "an empty command": (("--command", ""), ("--command is empty",)),
    "a header without a value": (("--header", "nonsense"), ("--header takes 'NAME: VALUE', not 'nonsense'",)),
    "no such implementation": (("--implementation", "none"), ("no implementation is named none",)),
    "http without a command": (("--http",), ("--http goes with --command",)),
    "a folder that is not there": (("--results", "nowhere/r.json"), ("--results nowhere/r.json: there is no folder",)),
}


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Ran]:
    folder = tmp_path_factory.mktemp("usage")
    for name, text in FILES.items():
        (folder / name).write_text(text)
    return asyncio.run(run_all(folder, {name: ("run", *words) for name, (words, _) in COMMANDS.items()}, results=False))


@pytest.mark.parametrize("name", COMMANDS)
def test_wrong_usage_is_exit_code_two_and_says_where(ran: dict[str, Ran], name: str) -> None:
    assert ran[name].exit_code == 2
    for words in COMMANDS[name][1]:
        assert words in ran[name].said
    assert ran[name].out == ""
    assert "Traceback" not in ran[name].err


def test_wrong_usage_starts_nothing(ran: dict[str, Ran]) -> None:
    assert [name for name, ended in ran.items() if ended.left] == []


def test_results_that_cannot_be_written_do_not_take_the_report_away(tmp_path: Path) -> None:
    words = ("--command", "no-such-command-anywhere", "--results", "x" * 300)
    ended = run(tmp_path, "run", *words, results=False)
    assert ended.exit_code == 2
    assert "Could not test: command not found" in ended.said
    assert "cannot be written: File name too long" in ended.said
    assert "Traceback" not in ended.err
