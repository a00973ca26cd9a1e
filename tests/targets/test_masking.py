"""What a report shows of commands and URLs holds no secret and is otherwise what it was."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_tasks_conformance.targets.masking import masked_command, masked_url, shown_command


@pytest.mark.parametrize(
    ("command", "shown"),
    [
        (["server", "--token", "abc"], ["server", "--token", "***"]),
        (["server", "--api-key=abc"], ["server", "--api-key=***"]),
        (["server", "--apiKey", "abc"], ["server", "--apiKey", "***"]),
        (["env", "GITHUB_TOKEN=abc", "server"], ["env", "GITHUB_TOKEN=***", "server"]),
        (["server", "-H", "Authorization: Bearer abc def"], ["server", "-H", "Authorization: ***"]),
        (["server", "--header=X-Api-Key: abc"], ["server", "--header=X-Api-Key: ***"]),
        (["server", "--header=Authorization: Bearer abc def"], ["server", "--header=Authorization: ***"]),
        (["server", "token:abc,key:def,port:1"], ["server", "token:***,key:***,port:1"]),
        (["server", '{"password": "a b", "port": 1}'], ["server", '{"password": "***", "port": 1}']),
        (["server", "--db", "postgres://me:abc@host/db"], ["server", "--db", "postgres://***@host/db"]),
        (["server", "http://host/?token=abc&page=2"], ["server", "http://host/?token=***&page=2"]),
        (["server", "ghp_0123456789abcdefghij0123"], ["server", "***"]),
        (["server", "Bearer abc"], ["server", "Bearer ***"]),
    ],
)
def test_what_looks_like_a_secret_is_masked(command: list[str], shown: list[str]) -> None:
    assert masked_command(command) == shown


@pytest.mark.parametrize(
    "command",
    [
        ["npx", "-y", "@modelcontextprotocol/server-everything@2026.8.31", "stdio"],
        ["uvicorn", "app:create", "--host", "127.0.0.1", "--port", "{port}"],
        ["server", "--token", "--verbose"],
        ["docker", "run", "-v", "/monkey:/keyboard", "-e", "LEVEL=debug", "image"],
        ["server", "--max-tokens", "100"],
    ],
)
def test_everything_else_is_shown_as_it_is(command: list[str]) -> None:
    assert masked_command(command) == command


@given(st.lists(st.text()))
def test_a_command_keeps_its_number_of_words(command: list[str]) -> None:
    assert len(masked_command(command)) == len(command)


@given(st.text(alphabet="abcXYZ019", min_size=6), st.sampled_from(["--token", "--secret", "--api-key", "--password"]))
def test_the_value_of_a_secret_option_is_never_shown(secret: str, option: str) -> None:
    assert secret not in " ".join(masked_command(["server", option, secret, f"{option}={secret}"]))


def test_a_long_command_is_cut() -> None:
    assert shown_command(["server", "x" * 200], limit=20) == "server " + "x" * 10 + "..."


def test_of_a_long_command_folders_are_shortened_before_words() -> None:
    words = ["/opt/a/long/way/bin/python", "-S", f"/home/{'somebody/' * 20}server.py", "--port", "8000"]
    assert shown_command(words, limit=60) == "/opt/a/long/way/bin/python -S .../server.py --port 8000"
    assert shown_command(words, limit=42) == ".../python -S .../server.py --port 8000"
    assert shown_command(words, limit=20) == ".../python -S ......"
    assert shown_command(["server", "https://example.com/" + "x/" * 50], limit=20).startswith("server https://ex")


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("https://host/mcp", "https://host/mcp"),
        ("https://user:password@host:8/mcp?a=b&c=d#e", "https://host:8/mcp?a=***&c=***"),
        ("http://user:password@[broken/mcp?a=b", "http://[broken/mcp"),
    ],
)
def test_a_url_is_shown_without_user_and_values(url: str, shown: str) -> None:
    assert masked_url(url) == shown
