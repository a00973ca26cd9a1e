"""Canaries: what was given in secret appears nowhere, whatever the target repeats and however the run ends."""

from __future__ import annotations

import asyncio
import base64
import json
import logging
import shlex
import socket
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from click.testing import CliRunner

from mcp_tasks_conformance.cli.commands import group
from tests.cli.commands import DATA, Ran, run_all

HEADER, ALICE, BOB = "CANARY-header-1f7d", "CANARY-alice-9b2e", "CANARY-bob-77aa"
VARIABLE, WORD, PASSWORD, QUERY = (
    "CANARY-variable-c3d4",
    "CANARY-word-5e6f",
    "CANARY-password-0a1b",
    "CANARY-query-2c3d",
)
COOKIE, BASIC = "CANARY-cookie-8e9f", "CANARY-basic-4a5b"
CREDENTIALS = base64.b64encode(f"carol:{BASIC}".encode()).decode()
MARK = "CANARY-"
FORMS = ("console", "junit", "markdown", "annotations")


def tattler(*words: str) -> str:
    return shlex.join([sys.executable, "-S", "-E", str(DATA / "tattler.py"), *words])


@pytest.fixture(scope="module")
def servers() -> Iterator[dict[str, int]]:
    """The ports of a server that serves and of one that refuses, started by somebody else."""
    started = {
        behaviour: subprocess.Popen(
            shlex.split(tattler(behaviour, "http")),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        for behaviour in ("serves", "refuses")
    }
    try:
        ports: dict[str, int] = {}
        for behaviour, process in started.items():
            assert process.stdout is not None
            ports[behaviour] = int(process.stdout.readline())
        yield ports
    finally:
        for process in started.values():
            process.kill()
            process.communicate()


def commands(servers: dict[str, int], closed: int) -> dict[str, tuple[str, ...]]:
    """Each way to give a secret, with each way for a run to end."""
    doors = ("--header", f"Authorization: Bearer {HEADER}", "--header", f"Cookie: a={COOKIE}; b=c")
    names = ("--identity", f"alice=X-Canary: {ALICE}", "--identity", f"bob=X-Canary: {BOB}")
    basic = ("--header", f"Authorization: Basic {CREDENTIALS}")
    variable = ("--env", f"CANARY_ONE={VARIABLE}")
    secret = f"--token={WORD}"
    return {
        "a URL": ("--url", f"http://127.0.0.1:{servers['serves']}/mcp?api_key={QUERY}", *doors, *names),
        "a URL with a password": ("--url", f"http://carol:{PASSWORD}@127.0.0.1:{servers['serves']}/mcp"),
        "a URL with basic credentials": ("--url", f"http://127.0.0.1:{servers['serves']}/mcp", *basic),
        "refused": ("--url", f"http://127.0.0.1:{servers['refuses']}/mcp?api_key={QUERY}", *doors, *names),
        "refused with a password": ("--url", f"http://carol:{PASSWORD}@127.0.0.1:{servers['refuses']}/mcp"),
        "unreachable": ("--url", f"http://carol:{PASSWORD}@127.0.0.1:{closed}/mcp?api_key={QUERY}", *doors),
        "a command": ("--command", tattler("serves", "stdio", secret), *variable),
        "a command over HTTP": ("--http", "--command", tattler("serves", "http", secret), *variable, *doors),
        "a command that refuses": ("--http", "--command", tattler("refuses", "http", secret), *variable, *doors),
        "a command that dies": ("--command", tattler("dies", "stdio", secret), *variable),
        "a command that writes garbage": ("--command", tattler("garbage", "stdio", secret), *variable),
    }


SERVED = ("a URL", "a URL with a password", "a URL with basic credentials", "a command", "a command over HTTP")
ENDED = (
    "refused",
    "refused with a password",
    "unreachable",
    "a command that refuses",
    "a command that dies",
    "a command that writes garbage",
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("secrecy")


@pytest.fixture(scope="module")
def ran(folder: Path, servers: dict[str, int]) -> dict[str, Ran]:
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        listed = commands(servers, nobody.getsockname()[1])
        assert set(listed) == {*SERVED, *ENDED}
        return asyncio.run(run_all(folder, {name: words_of(name, words) for name, words in listed.items()}))


def words_of(name: str, words: Sequence[str]) -> tuple[str, ...]:
    files = [
        word
        for option in ("junit", "markdown", "write-baseline")
        for word in (f"--{option}", f"{name.replace(' ', '-')}.{option}")
    ]
    which = ("--suite", "get", "--suite", "lifecycle", "--start-timeout", "3")
    return ("run", *words, *which, "--annotations", "--verbose", *files)


def written(folder: Path, name: str) -> dict[str, str]:
    """The files that a run wrote, by their ending."""
    return {file.suffix: file.read_text() for file in folder.glob(f"{name.replace(' ', '-')}.*")}


@pytest.mark.parametrize("name", [*SERVED, *ENDED])
def test_no_canary_is_told_anywhere(ran: dict[str, Ran], folder: Path, name: str) -> None:
    ended = ran[name]
    files = written(folder, name)
    assert MARK not in ended.out
    assert MARK not in ended.err
    assert MARK not in json.dumps(ended.results)
    assert files.keys() >= {".junit", ".markdown"}
    assert [ending for ending, text in files.items() if MARK in text or CREDENTIALS in text] == []
    assert CREDENTIALS not in ended.out + ended.err + json.dumps(ended.results)
    assert "Traceback" not in ended.err


@pytest.mark.parametrize("name", SERVED)
def test_the_target_did_repeat_what_it_was_told(ran: dict[str, Ran], folder: Path, name: str) -> None:
    results = ran[name].results
    assert results is not None
    assert results["verdict"] == "violations"
    assert "***" in results["target"]["name"]
    assert "***" in json.dumps(results["transcripts"])
    assert any("***" in row["observed"] for row in results["checks"])
    assert "***" in ran[name].out
    if "command" in name:
        assert "***" in results["stderr_tail"]
    assert {".junit", ".markdown", ".write-baseline"} == written(folder, name).keys()


@pytest.mark.parametrize("name", ENDED)
def test_it_is_told_all_the_same_why_nothing_could_be_tested(ran: dict[str, Ran], name: str) -> None:
    results = ran[name].results
    assert results is not None
    assert (ran[name].exit_code, results["verdict"]) == (3, "could-not-test")
    assert "Could not test: " in ran[name].out
    if "command" in name:
        assert "***" in results["stderr_tail"]


@pytest.mark.parametrize("form", FORMS)
def test_no_report_on_an_old_run_has_a_canary(ran: dict[str, Ran], folder: Path, form: str) -> None:
    for name in ("a URL", "refused", "a command that dies"):
        file = folder / f"old-{name.replace(' ', '-')}.json"
        file.write_text(json.dumps(ran[name].results))
        whole = ["--verbose"] if form == "console" else []
        ended = CliRunner().invoke(group, ["report", str(file), "--format", form, *whole])
        assert ended.exit_code == 0
        assert ended.output
        assert MARK not in ended.output


@pytest.mark.parametrize(
    "words",
    [
        ("--header", f"Authorization Bearer {HEADER}"),
        ("--header", f": {HEADER}"),
        ("--identity", f"alice {ALICE}"),
        ("--identity", f"alice=X-Canary {ALICE}"),
        ("--command", "x", "--env", VARIABLE),
        ("--command", f"'x --token {WORD}"),
        ("--url", f"http://carol:{PASSWORD}@127.0.0.1:1/", "--fault", "x"),
    ],
)
def test_wrong_usage_repeats_no_secret(words: tuple[str, ...]) -> None:
    ended = CliRunner().invoke(group, ["run", *words])
    assert ended.exit_code == 2
    assert "Error: " in ended.output
    assert MARK not in ended.output


def test_the_last_words_of_a_defect_and_of_a_log_have_no_canary(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fails(*_: object) -> None:
        sys.stderr.write(f"printed {HEADER}\n")
        logging.lastResort.emit(logging.makeLogRecord({"msg": f"logged {HEADER}"}))  # type: ignore[union-attr]
        raise KeyError(f"raised {HEADER}")

    monkeypatch.setattr("mcp_tasks_conformance.engine.course.Course.run", fails)
    words = ["run", "--transport", "memory", "--header", f"Authorization: Bearer {HEADER}"]
    ended = CliRunner().invoke(group, [*words, "--results", str(tmp_path / "r.json")])
    assert ended.exit_code == 3
    for said in ("printed ***", "logged ***", "raised ***", "the harness failed"):
        assert said in " ".join(ended.output.split())
    assert MARK not in ended.output + (tmp_path / "r.json").read_text()
