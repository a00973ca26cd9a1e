"""Options that mean nothing beside the others are refused, and it is said what to do."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from mcp_tasks_conformance.catalog.model import Manifest
from mcp_tasks_conformance.orders.agreement import check_agreement
from mcp_tasks_conformance.orders.order import Order, WrongOrder
from mcp_tasks_conformance.orders.target import implementation_of, target_of
from mcp_tasks_conformance.targets.http_command import CommandHttpTarget

URL = {"url": "http://127.0.0.1:3000/mcp"}
COMMAND = {"command": "node server.js"}
NAMED = {"implementation": "server-everything"}
HEADER = {"headers": ("X-Key: value",)}
IDENTITY = {"identities": ("alice=X-Key: value",)}
WRONG: Mapping[str, tuple[Mapping[str, Any], str]] = {
    "a folder for a URL": (URL | {"cwd": "/"}, "--cwd is for the process that --command starts, not with --url"),
    "a folder for nothing": ({"cwd": "/"}, "--cwd is for the process that --command starts, and there is none"),
    "a variable for a URL": (URL | {"environment": ("A=b",)}, "--env is for the process"),
    "a variable for nothing": ({"environment": ("A=b",)}, "--env is for the process"),
    "a variable for an implementation": (NAMED | {"environment": ("A=b",)}, "not with --implementation"),
    "a wait for a command": (COMMAND | {"wait": 5.0}, "--wait goes with --url; --start-timeout says"),
    "a wait for nothing": ({"wait": 5.0}, "--wait goes with --url"),
    "http for a URL": (URL | {"http": True}, "--http goes with --command"),
    "http for nothing": ({"http": True}, "--http goes with --command"),
    "a path for a URL": (URL | {"path": "/x"}, "a URL has its path in it"),
    "a path for stdio": (COMMAND | {"path": "/mcp"}, "--path goes with --command and --http"),
    "a path for nothing": ({"path": "/x"}, "--path goes with --command and --http"),
    "half a path": (COMMAND | {"http": True, "path": "mcp"}, "a path begins with /"),
    "a header over stdio": (COMMAND | HEADER, "--header needs HTTP: over stdio nothing carries it; with --http"),
    "an identity over stdio": (COMMAND | IDENTITY, "--identity needs HTTP"),
    "a header for the reference over stdio": ({"transport": "stdio"} | HEADER, "--header needs HTTP"),
    "a header for an implementation over stdio": (NAMED | {"transport": "stdio"} | HEADER, "--header needs HTTP"),
    "a fault in a URL": (
        URL | {"fault": "get-stale"},
        "--fault=get-stale is for the bundled reference, not with --url",
    ),
    "a variant of a command": (COMMAND | {"variant": "no-list"}, "is for the bundled reference, not with --command"),
    "a husk of an implementation": (NAMED | {"husk": "dead"}, "is for the bundled reference, not with --impl"),
    "a faulty husk": ({"husk": "dead", "fault": "get-stale"}, "--husk takes the place of the whole server"),
    "a transport for a URL": (URL | {"transport": "http"}, "--transport is not for --url"),
    "a transport for a command": (COMMAND | {"transport": "stdio"}, "--transport is not for --command, which speaks"),
    "a transport that an implementation lacks": (NAMED | {"transport": "memory"}, "is started over"),
    "two targets": (URL | COMMAND, "--command and --url both name a target; give one"),
    "no URL": ({"url": ""}, "for instance http://127.0.0.1:3000/mcp"),
    "blank URL": ({"url": " "}, "for instance http://127.0.0.1:3000/mcp"),
    "another scheme": ({"url": "ftp://127.0.0.1/mcp"}, "begins with http:// or https:// is needed, not ftp"),
    "no scheme": ({"url": "localhost:3000/mcp"}, "did you mean http://localhost:3000/mcp?"),
    "no scheme, no port": ({"url": "127.0.0.1/mcp"}, "did you mean http://127.0.0.1/mcp?"),
    "no host": ({"url": "http:///mcp"}, "the URL has no host"),
    "no such port": ({"url": "http://127.0.0.1:99999/mcp"}, "Port out of range 0-65535"),
    "port zero": ({"url": "http://127.0.0.1:0/mcp"}, "the port 0"),
    "a port in words": ({"url": "http://127.0.0.1:port/mcp"}, "not a URL"),
    "a space in the host": ({"url": "http://127.0. 0.1/mcp"}, "has a space"),
    "a space in the path": ({"url": "http://127.0.0.1/m cp"}, "write %20"),
    "half an address": ({"url": "http://[::1/mcp"}, "not a URL"),
    "dots": ({"url": "http://a..b/mcp"}, "not a URL"),
}
RIGHT: Mapping[str, Mapping[str, Any]] = {
    "nothing": {},
    "the reference with headers": HEADER | IDENTITY,
    "the reference in memory with headers": {"transport": "memory"} | HEADER,
    "a fault in a variant": {"fault": "get-stale", "variant": "no-list"},
    "a URL that is waited for": URL | {"wait": 5.0},
    "a URL with headers": URL | HEADER | IDENTITY,
    "a URL with a line end, as a file has it": {"url": "http://127.0.0.1:3000/mcp\n"},
    "a URL of a name that is not ASCII": {"url": "http://bücher.example/ä"},
    "a command with all": COMMAND | {"http": True, "path": "/x", "cwd": "/", "environment": ("A=b",)} | HEADER,
    "an implementation over HTTP": NAMED | {"transport": "http"} | HEADER,
}


def _manifest(order: Order) -> Manifest | None:
    return implementation_of(order)


@pytest.mark.parametrize("name", WRONG)
def test_what_does_not_fit_is_refused(name: str) -> None:
    options, said = WRONG[name]
    order = Order(**options)
    with pytest.raises(WrongOrder) as wrong:
        check_agreement(order, _manifest(order) if name != "two targets" else None)
    assert said in str(wrong.value)


@pytest.mark.parametrize("name", RIGHT)
def test_what_fits_is_taken(name: str) -> None:
    order = Order(**RIGHT[name])
    check_agreement(order, _manifest(order))


def test_a_password_in_a_url_is_not_repeated() -> None:
    for url in ("http://carol:pass-word@127.0.0.1:99999/", "carol:pass-word@127.0.0.1/", "ftp://carol:pass-word@a/"):
        with pytest.raises(WrongOrder) as wrong:
            check_agreement(Order(url=url), None)
        assert "pass-word" not in str(wrong.value)


def test_no_target_is_made_of_what_does_not_fit() -> None:
    with pytest.raises(WrongOrder):
        target_of(Order(path="/x"), None, lambda _: None)


def test_the_path_is_that_of_the_endpoint() -> None:
    target = target_of(Order(command="x", http=True, path="/tasks"), None, lambda _: None)
    assert isinstance(target, CommandHttpTarget)
    assert target.facts["url"] == "http://127.0.0.1:{port}/tasks"
