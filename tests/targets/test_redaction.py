"""Secrets are masked by their value, in text and in events."""

from __future__ import annotations

import base64
import json
import time
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from urllib.parse import quote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_tasks_conformance.events import (
    Check,
    Direction,
    Event,
    MethodSucceeded,
    Outcome,
    PlannedScenario,
    RunFinished,
    RunStarted,
    ScenarioFinished,
    ScenarioOutcome,
    ScenarioStarted,
    Seen,
    SeenKind,
    TargetFailed,
)
from mcp_tasks_conformance.targets.redaction import Redactor
from mcp_tasks_conformance.targets.secrets import (
    secrets_of_command,
    secrets_of_environment,
    secrets_of_header,
    secrets_of_url,
)

CANARY = "CANARY-4f9e2a7c81"
REDACTOR = Redactor([CANARY])


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (f"invalid token {CANARY}!", "invalid token ***!"),
        (f"{CANARY}{CANARY}", "******"),
        (f"Bearer{CANARY}x", "Bearer***x"),
        ("nothing of it", "nothing of it"),
        ("CANARY", "CANARY"),
        ("it said CANARY-4f9…", "it said ***…"),
        ("it said CANARY-4f9... (cut, 90 characters in all)", "it said ***... (cut, 90 characters in all)"),
        ("it said CANARY-4f9e2a7c8", "it said ***"),
        ("CANARY-4f9 is another, CANARY-", "CANARY-4f9 is another, CANARY-"),
        ("CANARY-4f9 is another, CANARY-4f9", "CANARY-4f9 is another, ***"),
        ("f9e2a7c81 was refused", "*** was refused"),
        ("2a7c81 was refused", "2a7c81 was refused"),
    ],
)
def test_a_secret_is_masked_wherever_it_stands_and_however_it_was_cut(text: str, shown: str) -> None:
    assert REDACTOR.text(text) == shown


@pytest.mark.parametrize("secret", ['pa"ss\\wörd/9', "two\nlines of it", "a b&c<d>=e+f"])
def test_a_secret_is_masked_in_every_notation(secret: str) -> None:
    redactor = Redactor([secret])
    for form in (secret, json.dumps(secret), json.dumps({"a": [secret]}), repr(secret), quote_plus(secret)):
        shown = redactor.text(f"before {form} after")
        assert "***" in shown
        assert not any(part in shown for part in secret.split() if len(part) > 2)


@pytest.mark.parametrize(
    ("secret", "text", "shown"),
    [
        ("s3cret", "s3cret, s3crets, as3cret, s3cret", "***, s3crets, as3cret, ***"),
        ("p@ss", '{"p@ss": "p@ssed"}', '{"***": "p@ssed"}'),
        ("3000", '{"ttl": 3000}', '{"ttl": 3000}'),
        ("true", "true", "true"),
        ("test", "a test", "a test"),
        ("a1", "a1", "a1"),
        ("", "anything", "anything"),
        ("***", "***", "***"),
        ("12345678", "12345678", "***"),
    ],
)
def test_short_values_are_masked_only_as_words_and_only_if_they_look_like_secrets(
    secret: str, text: str, shown: str
) -> None:
    assert Redactor([secret]).text(text) == shown


@pytest.mark.parametrize("secret", [CANARY, "s3cr3t"])
def test_a_secret_is_masked_where_json_spells_it_with_needless_escapes(secret: str) -> None:
    for spelled in ("".join(f"\\u{ord(c):04x}" for c in secret), secret[:3] + f"\\u{ord(secret[3]):04X}" + secret[4:]):
        text = Redactor([secret]).text(f'{{"token": "{spelled}", "quote": "\\u0022"}}')
        assert json.loads(text) == {"token": "***", "quote": '"'}


def test_escapes_that_hide_no_secret_stay_as_they_came() -> None:
    assert Redactor([CANARY]).text('"\\u0041"') == '"\\u0041"'


def test_the_longer_of_two_secrets_goes_first() -> None:
    assert Redactor(["CANARY-4f9e", "Bearer CANARY-4f9e-and-more"]).text("Bearer CANARY-4f9e-and-more") == "***"


def test_without_secrets_there_is_nothing_to_do() -> None:
    def listener(event: Event) -> None:
        raise AssertionError(event)

    assert not Redactor()
    assert not Redactor(["", "on"])
    assert Redactor().before(listener) is listener


def texts(value: object) -> Iterator[str]:
    """Every text in an event."""
    if isinstance(value, str):
        yield value
    elif is_dataclass(value):
        for each in fields(value):
            yield from texts(getattr(value, each.name))
    elif isinstance(value, dict):
        for name, item in value.items():
            yield name
            yield from texts(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from texts(item)


def seen(text: str) -> Seen:
    detail = {"headers": {text: [text, 7, None, True]}}
    return Seen(0, 0.0, Direction.RECEIVED, SeenKind.HTTP, "main", "post:1", text, detail)  # type: ignore[arg-type]


def every_event(text: str) -> tuple[Event, ...]:
    """Events with a text wherever it can have come from a target."""
    plan = PlannedScenario("v1/receiver/a/b", "v1/receiver/a/b", "A", {}, ("v1.a",), "a.yaml:1", None)
    facts = {"name": text, "deep": [{text: text}], "transport": "http"}
    check = Check("v1.a", "send, line 1", Outcome.FAIL, text, text, (0,))
    return (
        RunStarted(facts, {"reproduce": ["run", text]}, {}, {"run": ["v1"]}, (plan,), ("receiver",)),  # type: ignore[arg-type]
        ScenarioStarted(plan.key, 1),
        ScenarioFinished(plan.key, ScenarioOutcome.FAILED, text, 0.1, (check,), (seen(text),)),
        MethodSucceeded("tools/call"),
        RunFinished(text, text, {"total_ms": 1}, (text,)),
        TargetFailed(text, text, text, facts, {"reproduce": [text]}, {}),  # type: ignore[arg-type]
    )


def test_no_event_is_told_with_a_secret() -> None:
    told: list[Event] = []

    def listener(event: Event) -> None:
        told.append(event)

    for event in every_event(f"x {CANARY} y"):
        REDACTOR.before(listener)(event)
    assert told == list(every_event("x *** y"))
    assert CANARY not in "".join(text for event in told for text in texts(event))


def test_what_is_ours_in_an_event_stays_whatever_a_secret_is_called() -> None:
    redactor = Redactor(["receiver", "v1/receiver/a/b", "tools/call", "send, line 1", "http-http", "transport"])
    events = every_event("plain")
    assert [redactor.event(event) for event in events][1:4] == list(events)[1:4]
    started = redactor.event(events[0])
    assert isinstance(started, RunStarted)
    assert isinstance(events[0], RunStarted)
    assert (started.planned, started.parties) == (events[0].planned, events[0].parties)
    assert started.target["transport"] == "http"


@given(st.text(min_size=8, max_size=40).filter(lambda text: text.strip() == text), st.text(), st.text())
def test_no_text_keeps_a_secret(secret: str, before: str, after: str) -> None:
    shown = Redactor([secret]).text(before + secret + after)
    assert secret.strip("*") == "" or secret not in shown


@given(st.text("ab", min_size=8, max_size=12), st.text("ab", max_size=60), st.integers(0, 60))
def test_of_a_cut_text_no_long_beginning_of_a_secret_is_left_at_its_end(secret: str, text: str, at: int) -> None:
    shown = Redactor([secret]).text((text + secret)[:at])
    assert not any(shown.endswith(secret[:length]) for length in range(8, len(secret) + 1))


def test_masking_costs_little() -> None:
    redactor = Redactor([f"{number}-{CANARY}-{'x' * 900}" for number in range(5)])
    message = '{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"' + "y" * 500 + '"}]}}'
    began = time.perf_counter()
    for _ in range(10_000):
        redactor.text(message)
    assert time.perf_counter() - began < 2


# -- which values are secrets ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "value", "secrets"),
    [
        ("Authorization", "Bearer abc", {"Bearer abc", "abc"}),
        (
            "Authorization",
            "Basic YWxpY2U6czNjcmV0",
            {"Basic YWxpY2U6czNjcmV0", "YWxpY2U6czNjcmV0", "alice:s3cret", "s3cret"},
        ),
        ("Cookie", "session=abc; theme=dark", {"session=abc; theme=dark", "abc", "dark"}),
        ("X-Api-Key", "abc", {"abc"}),
        ("Authorization Bearer abc", "def", {"Authorization Bearer abc", "abc", "def"}),
    ],
)
def test_a_headers_value_is_a_secret_and_so_are_the_credentials_in_it(name: str, value: str, secrets: set[str]) -> None:
    assert secrets <= set(secrets_of_header(name, value))


def test_user_password_and_tokens_of_a_url_are_secrets() -> None:
    found = set(secrets_of_url("https://bob:p%40ss@host/mcp?api_key=abc&page=7&sig=0123456789abcdef0"))
    basic = base64.b64encode(b"bob:p@ss").decode()
    assert {"p%40ss", "p@ss", "bob:p@ss", basic, "abc", "0123456789abcdef0"} <= found
    assert "7" not in found
    assert set(secrets_of_url("https://[bad")) == set()
    assert set(secrets_of_url("https://host/mcp")) == set()


def test_what_is_masked_in_a_command_is_a_secret() -> None:
    words = [
        "node",
        "server.js",
        "--token",
        "abc",
        "--api-key=def",
        "https://bob:ghi@host/",
        "Authorization: Bearer jkl",
    ]
    found = set(secrets_of_command(words))
    assert {"abc", "def", "bob:ghi"} <= found
    assert any("jkl" in secret for secret in found)
    assert "server.js" not in found


def test_variables_that_are_named_like_secrets_are_secrets() -> None:
    assert set(secrets_of_environment({"GITHUB_TOKEN": "abc", "PATH": "/bin", "MY_PASSWORD": "def"})) == {"abc", "def"}
