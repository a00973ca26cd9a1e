"""From options to a target and to the doors by which it is entered."""

from __future__ import annotations

import difflib
import importlib
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, cast

import click

from mcp_tasks_conformance.catalog.library import root
from mcp_tasks_conformance.catalog.manifests import implementations, load_manifest
from mcp_tasks_conformance.catalog.model import Manifest
from mcp_tasks_conformance.engine.stage import Doors
from mcp_tasks_conformance.targets.bundled import BUNDLED_IDENTITIES, PACKAGE, bundled
from mcp_tasks_conformance.targets.command import CommandTarget
from mcp_tasks_conformance.targets.http_command import CommandHttpTarget
from mcp_tasks_conformance.targets.installation import install
from mcp_tasks_conformance.targets.target import Target
from mcp_tasks_conformance.targets.url import UrlTarget
from mcp_tasks_conformance.wire.endpoint import Endpoint

Transport = Literal["http", "stdio", "memory"]
FLAWS = ("fault", "variant", "husk")
"""What can be made of the bundled reference."""


def implementation_of(given: Mapping[str, Any]) -> Manifest | None:
    """The manifest of the implementation that the options name.

    Raises:
        click.UsageError: there is no such implementation.
        CatalogError: its manifest is broken.
    """
    name = given["implementation"]
    if not name:
        return None
    folders: dict[str, Path] = {}
    for place in (root() / "implementations", Path.cwd() / "implementations"):
        folders |= implementations(place)
    if name not in folders:
        known = ", ".join(sorted(folders)) or "none: run it in a checkout of this project"
        raise click.UsageError(f"no implementation is named {name} (there are {known})")
    return load_manifest(folders[name])


def target_of(given: Mapping[str, Any], implementation: Manifest | None) -> Target:
    """The target that the options name; the bundled reference where they name none.

    Raises:
        click.UsageError: the options contradict each other.
        UnreachableTarget: the implementation cannot be installed.
    """
    named = [name for name in ("command", "url", "implementation") if given[name] is not None]
    if len(named) > 1:
        raise click.UsageError(f"--{named[0]} and --{named[1]} both name a target; give one")
    flaws = [f"--{kind}={given[kind]}" for kind in FLAWS if given[kind]]
    if named and flaws:
        raise click.UsageError(f"{flaws[0]} is for the bundled reference, not with --{named[0]}")
    if given["http"] and not given["command"]:
        raise click.UsageError("--http goes with --command: the command whose server listens on {port}")
    if given["url"] is not None:
        return UrlTarget(given["url"])
    if given["command"] is not None:
        return _command(given)
    if implementation is not None:
        return _implementation(given, implementation)
    for kind in FLAWS:
        if given[kind]:
            _check_flaw(kind, given[kind])
    return bundled(cast(Transport, given["transport"] or "http"), flaws_as_options(flaws))


def _check_flaw(kind: str, name: str) -> None:
    described = importlib.import_module(f"{PACKAGE}.catalog").describe()
    names = [row["name"] for row in described if row["kind"] == kind]
    if name not in names:
        near = difflib.get_close_matches(name, names, n=3)
        hint = f"; did you mean {' or '.join(near)}?" if near else f"; there are {', '.join(names[:5])}, ..."
        raise click.UsageError(f"the reference has no {kind} {name}{hint}")


def flaws_as_options(flaws: Sequence[str]) -> tuple[str, ...]:
    """``--fault=x`` as the two words that the reference takes."""
    return tuple(word for flaw in flaws for word in flaw.split("=", 1))


def on_this_machine(given: Mapping[str, Any]) -> bool:
    """Whether the target runs here, so that a hard trial troubles nobody else."""
    try:
        return not given["url"] or Endpoint.parse(given["url"]).loopback
    except ValueError:
        return False  # the target says what is wrong with its URL


def start_s(given: Mapping[str, Any]) -> float:
    """How long the target may take to start."""
    return float(given["start_timeout"] or (30.0 if given["implementation"] else 5.0))


def _command(given: Mapping[str, Any]) -> Target:
    try:
        words = shlex.split(given["command"])
    except ValueError as error:
        raise click.UsageError(f"--command cannot be read as words: {error}") from error
    if not words:
        raise click.UsageError("--command is empty")
    environment = dict(_pair(item, "=", "--env", "NAME=VALUE") for item in given["environment"])
    cwd = Path(given["cwd"]) if given["cwd"] else None
    if given["http"]:
        url = "http://127.0.0.1:{port}" + given["path"]
        return CommandHttpTarget(words, url=url, env=environment, cwd=cwd, ready_s=start_s(given))
    return CommandTarget(words, env=environment, cwd=cwd)


def _implementation(given: Mapping[str, Any], implementation: Manifest) -> Target:
    transport = given["transport"] or next(iter(implementation.start))
    start = implementation.start.get(transport)
    if start is None:
        raise click.UsageError(f"{implementation.name} is started over {' or '.join(implementation.start)}")
    folder = install(implementation, lambda line: click.echo(line, err=True))
    facts = {"kind": "implementation", "implementation": implementation.name, "transport": transport}
    if transport == "http":
        url = "http://127.0.0.1:{port}" + start.path
        return CommandHttpTarget(start.command, url=url, env=start.env, cwd=folder, ready_s=start_s(given), facts=facts)
    return CommandTarget(start.command, env=start.env, cwd=folder, facts=facts)


def doors_of(given: Mapping[str, Any]) -> Doors:
    """Headers and identities; the bundled reference has two identities by itself."""
    headers = dict(_header(item, "--header") for item in given["headers"])
    identities: dict[str, Mapping[str, str]] = {}
    for item in given["identities"]:
        name, header = _pair(item, "=", "--identity", "NAME='HEADER: VALUE'")
        identities[name] = dict([_header(header, "--identity")])
    ours = not (given["command"] or given["url"] or given["implementation"])
    if ours and not identities and given["transport"] != "stdio":
        identities = dict(BUNDLED_IDENTITIES)
    return Doors(headers, identities)


def _pair(text: str, separator: str, option: str, form: str) -> tuple[str, str]:
    left, found, right = text.partition(separator)
    if not found or not left.strip():
        raise click.UsageError(f"{option} takes {form}, not {text!r}")
    return left.strip(), right.strip()


def _header(text: str, option: str) -> tuple[str, str]:
    return _pair(text, ":", option, "'NAME: VALUE'")


def reproduce_words(given: Mapping[str, Any]) -> list[str]:
    """The words of a command that reaches the same target; headers and identities by name only."""
    words = ["mcp-tasks-conformance", "run"]
    for name in ("command", "url", "implementation", "transport", "fault", "variant", "husk", "profile", "cwd"):
        if given[name]:
            words += [f"--{name}", str(given[name])]
    if given["http"]:
        words += ["--http"]
        if given["path"] != "/mcp":
            words += ["--path", given["path"]]
    for item in given["headers"]:
        words += ["--header", f"{item.partition(':')[0]}: ..."]
    for item in given["identities"]:
        words += ["--identity", f"{item.partition('=')[0]}=..."]
    for item in given["environment"]:
        words += ["--env", f"{item.partition('=')[0]}=..."]
    return words
