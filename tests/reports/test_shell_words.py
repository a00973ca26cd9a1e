"""Words that are quoted for people and for a shell alike."""

from __future__ import annotations

import shlex
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_tasks_conformance.shell_words import command_line, quoted


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
