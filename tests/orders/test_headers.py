"""Headers that cannot be sent, or are not for the user to send, are told with what to do."""

from __future__ import annotations

import pytest

from mcp_tasks_conformance.orders.doors import doors_of
from mcp_tasks_conformance.orders.headers import TRANSPORTS_OWN, header_of
from mcp_tasks_conformance.orders.order import Order, WrongOrder

SECRET = "se-cret"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (f"X: {SECRET}\nY: b", "--header X: its value has a line break"),
        (f"X: {SECRET}\rb", "--header X: its value has a line break"),
        (f"X: {SECRET} ü", "--header X: its value has characters that no header can hold; encode it"),
        (f"X: {SECRET}\x07", "--header X: its value has characters that no header can hold"),
        ("X:", "--header X has no value; if it comes from a variable, is that set?"),
        ("X:   ", "--header X has no value"),
        (f": {SECRET}", "--header takes 'NAME: VALUE'; this one has no name before a ':'"),
        (SECRET, "--header takes 'NAME: VALUE'; this one has no name before a ':'"),
        (f"Größe: {SECRET}", "--header: 'Größe' is no name of a header"),
        (f"X Y: {SECRET}", "--header: 'X Y' is no name of a header"),
    ],
)
def test_what_cannot_be_sent_is_refused_without_repeating_its_value(text: str, said: str) -> None:
    with pytest.raises(WrongOrder) as wrong:
        header_of(text, "--header")
    assert str(wrong.value).startswith(said)
    assert SECRET not in str(wrong.value)


@pytest.mark.parametrize("name", [*TRANSPORTS_OWN, "Content-Length", "ACCEPT", "Mcp-Session-Id"])
def test_the_headers_of_the_transport_are_refused_with_the_reason(name: str) -> None:
    with pytest.raises(WrongOrder, match=f"--header {name}: the suite sets this header, for it .*; leave it out"):
        header_of(f"{name}: 1", "--header")


@pytest.mark.parametrize("name", ["Host", "User-Agent", "Origin", "Authorization", "Cookie", "X-Forwarded-For"])
def test_other_headers_are_taken(name: str) -> None:
    assert header_of(f"{name}:  a b ", "--header") == (name, "a b")


def test_an_identity_has_a_header_that_can_be_sent() -> None:
    with pytest.raises(WrongOrder, match=r"--identity alice X has no value"):
        doors_of(Order(identities=("alice=X:",)))
    with pytest.raises(WrongOrder, match="--identity alice Content-Type: the suite sets this header"):
        doors_of(Order(identities=("alice=Content-Type: text/plain",)))


def test_a_header_is_given_once() -> None:
    with pytest.raises(WrongOrder, match="--header x-a is given twice"):
        doors_of(Order(headers=("X-A: 1", "x-a: 2")))
