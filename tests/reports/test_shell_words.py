"""Words that are quoted for people and for a shell alike."""

from __future__ import annotations

import shlex
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_tasks_conformance.shell_words import command_line, command_with_variables, quoted, variable


@pytest.mark.parametrize(
    ("word", "shown"),
    [
        ("plain", "plain"),
        ("two words", "'two words'"),
        ("--port={port}", "--port={port}"),
        ("{a,b}", "'{a,b}'"),
        ("it's", '"it\'s"'),
        ("it's $HOME", "'it'\"'\"'s $HOME'"),
        ("node 'my server.js' --port {port}", "\"node 'my server.js' --port {port}\""),
    ],
)
def test_a_word_is_quoted_as_simply_as_can_be(word: str, shown: str) -> None:
    assert quoted(word) == shown


@given(st.lists(st.text(st.sampled_from("a '\"$`\\!{}p,~*\n"), max_size=6), min_size=1))
def test_what_is_quoted_is_read_as_it_was(words: list[str]) -> None:
    assert shlex.split(command_line(words)) == words


@pytest.mark.parametrize("shell", ["sh", "bash"])
def test_a_shell_reads_it_as_it_was(shell: str) -> None:
    words = ["it's", "{port}", "a'b c", "a'$HOME", "a'`x`", "a'\"", "a'\\", "a'!b", "~", "*"]
    ran = subprocess.run(
        [shell, "-c", f"printf '%s\\0' {command_line(words)}"], capture_output=True, text=True, check=True
    )
    assert ran.stdout.split("\0")[:-1] == words


@pytest.mark.parametrize(("name", "stands_for"), [("X-API-KEY", "$X_API_KEY"), ("2nd", "$_2nd"), ("DEFECT", "$DEFECT")])
def test_a_secret_has_a_variable_of_its_name(name: str, stands_for: str) -> None:
    assert variable(name) == stands_for


@pytest.mark.parametrize("shell", ["sh", "bash"])
def test_a_shell_puts_secrets_in_and_nothing_else(shell: str) -> None:
    words = ["--env", "KEY=$KEY", "--header", "X-Key: $KEY", "--identity", 'a"b=$KEY', "--command", "echo $KEY"]
    line = command_with_variables(words)
    ran = subprocess.run(
        [shell, "-c", f"printf '%s\\0' {line}"],
        capture_output=True,
        text=True,
        check=True,
        env={"PATH": "/usr/bin:/bin", "KEY": "two 'words"},
    )
    told = ran.stdout.split("\0")[:-1]
    assert told == [word.replace("$KEY", "two 'words") for word in words[:-1]] + ["echo $KEY"]
