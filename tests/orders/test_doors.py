"""Identities as they are given, as a manifest has them, and as the bundled reference has them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from mcp_tasks_conformance.catalog.model import Manifest, Start
from mcp_tasks_conformance.orders.conduct import run_options
from mcp_tasks_conformance.orders.doors import doors_of
from mcp_tasks_conformance.orders.order import Order, WrongOrder

ALICE, BOB = "Authorization: Bearer a", "Authorization: Bearer b"
SAMPLE = Manifest(
    name="sample",
    version="1",
    language="python",
    folder=Path(),
    install=(),
    start={"http": Start(("serve", "{port}")), "stdio": Start(("serve",))},
    profile="auto",
    identities={"alice": ALICE, "bob": BOB},
)
NAMED = Order(implementation="sample")


def test_the_identities_of_a_manifest_are_those_of_its_run() -> None:
    identities = {"alice": {"Authorization": "Bearer a"}, "bob": {"Authorization": "Bearer b"}}
    assert doors_of(NAMED, SAMPLE).identities == identities
    assert run_options(NAMED, {}, SAMPLE).doors.identities == identities


def test_identities_that_are_given_take_the_place_of_the_manifest_s() -> None:
    order = replace(NAMED, identities=("carol=X-Key: c", "dave=X-Key: d"))
    assert list(doors_of(order, SAMPLE).identities) == ["carol", "dave"]


def test_over_stdio_a_manifest_s_identities_mean_nothing() -> None:
    assert doors_of(replace(NAMED, transport="stdio"), SAMPLE).identities == {}


def test_a_header_of_a_manifest_that_cannot_be_sent_is_told() -> None:
    wrong = replace(SAMPLE, identities={"alice": "Content-Type: text/plain"})
    with pytest.raises(WrongOrder, match="the manifest's identity alice Content-Type: the suite sets this header"):
        doors_of(NAMED, wrong)


def test_the_bundled_reference_has_two_by_itself_and_a_command_none() -> None:
    assert len(doors_of(Order()).identities) == 2
    assert doors_of(Order(transport="stdio")).identities == {}
    assert doors_of(Order(command="serve", http=True)).identities == {}


@pytest.mark.parametrize(("url", "anonymous"), [("http://a:b@127.0.0.1/mcp", False), ("http://127.0.0.1:1/mcp", True)])
def test_where_the_url_has_credentials_no_connection_is_anonymous(url: str, anonymous: bool) -> None:
    assert doors_of(Order(url=url)).anonymous is anonymous
