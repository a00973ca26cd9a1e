"""Standard output as it is found: a reader that leaves, a full disk, a terminal with an edge."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import struct
import subprocess
import termios
from pathlib import Path

import pytest

from tests.cli.commands import COMMAND

COLOUR = re.compile(r"\x1b\[[\d;]*[mK]")
SUITE = ("--suite", "cancel", "--transport", "memory")
FAULTY = ("run", *SUITE, "--fault", "cancel-ended-accepted")


def ended_without_reader(folder: Path, *words: str) -> tuple[int, str]:
    """Exit code and standard error of a command whose standard output nobody reads."""
    reading, writing = os.pipe()
    os.close(reading)
    ended = subprocess.run(
        [*COMMAND, *words], stdout=writing, stderr=subprocess.PIPE, text=True, cwd=folder, timeout=60, check=False
    )
    os.close(writing)
    return ended.returncode, ended.stderr


@pytest.mark.parametrize(
    "words",
    [
        ("list",),
        ("list", "--requirements"),
        ("list", "--faults"),
        ("show", "v1/receiver/cancel/working-task"),
        ("--help",),
        ("coverage", "--no-run"),
    ],
)
def test_a_reader_that_leaves_is_no_error(tmp_path: Path, words: tuple[str, ...]) -> None:
    assert ended_without_reader(tmp_path, *words) == (0, "")


def test_a_run_whose_reader_leaves_goes_on_to_its_verdict(tmp_path: Path) -> None:
    code, said = ended_without_reader(tmp_path, *FAULTY, "-v", "--results", "results.json", "--annotations")
    assert (code, said) == (1, "")
    assert '"complete": true' in (tmp_path / "results.json").read_text()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no device that is full")
@pytest.mark.parametrize("words", [("list",), FAULTY])
def test_output_that_the_disk_does_not_take_is_exit_code_two(tmp_path: Path, words: tuple[str, ...]) -> None:
    with Path("/dev/full").open("w") as full:
        ended = subprocess.run(
            [*COMMAND, *words], stdout=full, stderr=subprocess.PIPE, text=True, cwd=tmp_path, timeout=60, check=False
        )
    assert ended.returncode == 2
    assert ended.stderr == "Error: standard output cannot be written: No space left on device\n"


def in_terminal(folder: Path, columns: int, *words: str) -> list[str]:
    """The lines that a terminal of that width shows."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    environment = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES")}
    process = subprocess.Popen([*COMMAND, *words], stdout=theirs, stdin=theirs, cwd=folder, env=environment)
    os.close(theirs)
    shown = b""
    try:
        while part := os.read(ours, 65_536):
            shown += part
    except OSError:  # the other end is closed
        pass
    finally:
        os.close(ours)
        assert process.wait(60) == 0
    return COLOUR.sub("", shown.decode().replace("\r\n", "\n")).split("\n")


@pytest.mark.parametrize(
    "words",
    [
        ("list",),
        ("list", "--requirements"),
        ("list", "--faults"),
        ("list", "--husks"),
        ("show", "v1/receiver/cancel/working-task"),
        ("coverage", "--no-run"),
        ("run", *SUITE),
        ("run", "--help"),
    ],
)
def test_lines_fit_a_terminal_of_eighty_columns(tmp_path: Path, words: tuple[str, ...]) -> None:
    lines = in_terminal(tmp_path, 80, *words)
    assert lines
    assert [line for line in lines if len(line) > 80 and "\r" not in line] == []


def test_in_a_pipe_a_line_stays_a_line(tmp_path: Path) -> None:
    words = [*COMMAND, "list", "--requirements", "--requirement", "base.*"]
    piped = subprocess.run(words, capture_output=True, text=True, cwd=tmp_path, timeout=60, check=True).stdout
    assert all(line.startswith("base.") for line in piped.splitlines())
    assert max(map(len, piped.splitlines())) > 80
