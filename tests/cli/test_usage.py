"""Wrong usage and broken files: exit code 2 and the place, before anything is started."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from click.testing import CliRunner

from mcp_tasks_conformance.catalog import library as shelves
from mcp_tasks_conformance.cli.choosing import chosen
from mcp_tasks_conformance.cli.commands import group
from tests.cli.commands import run

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
KNOWN = """\
v1.cancel.terminal-rejcted: {reason: known}
v1.cancel.terminal-rejected: {reason: known, scenarios: v1/receiver/cancel/terminal-task-refuse}
"""
FILES = {
    "broken.yaml": BROKEN,
    "no.yaml": "suite: x\n  bad: [\n",
    "profile.yaml": "profile: mine\nbehaviors: {}\n",
    "baseline.yaml": KNOWN,
    "known.yaml": "v1.cancel.terminal-rejected: {reason: known}\n",
    "none.yaml": "{}\n",
}
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
    "a baseline of what is not there": (
        ("--baseline", "baseline.yaml"),
        (
            "baseline.yaml:1:1: unknown requirement `v1.cancel.terminal-rejcted`",
            "(did you mean `v1.cancel.terminal-rejected`?)",
            "baseline.yaml:2:57: `v1/receiver/cancel/terminal-task-refuse` matches no scenario",
            "(did you mean `v1/receiver/cancel/terminal-task-refuses`?)",
        ),
    ),
    "no such baseline": (("--baseline", "nonesuch.yaml"), ("nonesuch.yaml' does not exist",)),
    "a folder for the baseline": (
        ("--write-baseline", "nowhere/b.yaml"),
        ("--write-baseline nowhere/b.yaml: there is no",),
    ),
    "a baseline over one that is there": (
        ("--write-baseline", "known.yaml"),
        ("--write-baseline known.yaml: the file is there, and the reasons in it would be lost; give --baseline known",),
    ),
    "a baseline over another": (
        ("--baseline", "none.yaml", "--write-baseline", "known.yaml"),
        ("the reasons in it would be lost",),
    ),
    "no such profile": (("--profile", "nonesuch"), ("--profile nonesuch is neither a file nor a profile",)),
    "no such file": (("nonesuch.yaml",), ("nonesuch.yaml' does not exist",)),
    "two targets": (("--command", "x", "--url", "y"), ("--command and --url both name a target; give one",)),
    "a glob that matches nothing": (("--scenario", "nothing*"), ("--scenario nothing* matches nothing",)),
    "a suite that is not there": (("--suite", "nothing"), ("--suite nothing matches nothing",)),
    "a requirement that is not there": (("--requirement", "v9.*"), ("--requirement v9.* matches nothing",)),
    "a pattern to fail on": (("--fail-on", "v9.*"), ("--fail-on v9.*: no requirement has such an id",)),
    "half a quotation": (("--command", "'"), ("--command cannot be read as words",)),
    "an empty command": (("--command", ""), ("--command is empty",)),
    "a header without a value": (
        ("--header", "nonsense"),
        ("--header takes 'NAME: VALUE'; this one has no name before a ':'",),
    ),
    "a header over stdio": (("--command", "x", "--header", "A: b"), ("--header needs HTTP: over stdio nothing",)),
    "a header of the transport": (
        ("--header", "Content-Length: 3"),
        ("--header Content-Length: the suite sets this header, for it says how a message is framed",),
    ),
    "no URL": (("--url", "nonsense"), ("--url 'nonsense': a URL that begins with http:// or https:// is needed",)),
    "a URL with a fragment": (
        ("--url", "http://127.0.0.1:1/mcp#part"),
        ("--url 'http://127.0.0.1:1/mcp' has a fragment (what follows the #), which no server is ever sent",),
    ),
    "an empty URL": (("--url", ""), ("--url is empty: give it a value, or leave it out",)),
    "an empty implementation": (("--implementation", ""), ("--implementation is empty",)),
    "an empty fault": (("--fault", ""), ("--fault is empty",)),
    "an empty profile": (("--profile", ""), ("--profile is empty",)),
    "an empty file": (("--results", ""), ("--results is empty",)),
    "an empty pattern": (("--scenario", "*", "--scenario", ""), ("--scenario is empty",)),
    "a path for nothing": (("--path", "/x"), ("--path goes with --command and --http",)),
    "transcripts for nothing": (("--transcripts", "none"), ("--transcripts goes with --results",)),
    "no such implementation": (("--implementation", "none"), ("no implementation is named none",)),
    "http without a command": (("--http",), ("--http goes with --command",)),
    "a folder that is not there": (("--results", "nowhere/r.json"), ("--results nowhere/r.json: there is no folder",)),
}


AS_PROCESSES = ("names that are not there", "two targets", "a glob that matches nothing")
"""These run as people run them; the others in this process, which costs a tenth."""


@pytest.fixture(scope="module", autouse=True)
def one_library() -> Iterator[None]:
    """The library is read once for all that run in this process and bring no files of their own."""
    load = shelves.load
    once = load()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(shelves, "load", lambda own=(): load(own=own) if own else once)
        yield


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("name", COMMANDS)
def test_wrong_usage_is_exit_code_two_and_says_where(folder: Path, name: str) -> None:
    arguments, told = COMMANDS[name]
    ended = CliRunner().invoke(group, ["run", *arguments])
    assert ended.exit_code == 2
    said = " ".join(ended.output.split())
    for words in told:
        assert words in said
    assert ended.stdout == ""


@pytest.mark.parametrize("name", AS_PROCESSES)
def test_wrong_usage_ends_a_process_that_has_started_nothing(folder: Path, name: str) -> None:
    arguments, told = COMMANDS[name]
    ended = run(folder, "run", *arguments, results=False)
    assert ended.exit_code == 2
    assert told[0] in ended.said
    assert (ended.out, ended.left) == ("", [])
    assert "Traceback" not in ended.err


def test_results_that_cannot_be_written_do_not_take_the_report_away(tmp_path: Path) -> None:
    words = ("--command", "no-such-command-anywhere", "--results", "x" * 300)
    ended = run(tmp_path, "run", *words, results=False)
    assert ended.exit_code == 2
    assert "Could not test: command not found" in ended.said
    assert "cannot be written: File name too long" in ended.said
    assert "Traceback" not in ended.err


@pytest.mark.parametrize("name", ["cancel", "v1/receiver/cancel", "*/cancel", "canc*"])
def test_a_suite_is_chosen_by_its_name_alone_or_in_full(name: str) -> None:
    left = chosen(shelves.load(), {"suites": (name,)})
    assert {scenario.suite for scenario in left} == {"v1/receiver/cancel"}
